"""A stand-in for a vision model: recognizes from pixels alone which screen it is shown and where the mark is.

Its texts state what it saw, so a wrong image, order or mark makes a wrong text.
"""

import base64
import io
import json
import re
from collections.abc import Sequence

import numpy as np
from PIL import Image

from odyssey_recorder.device.view_hierarchy import name_at, parse
from odyssey_recorder.model.geometry import Pixel, Size
from tests.annotation.phone_dataset import CapturedStep
from tests.llm.stand_in import ReceivedRequest, Reply, says

_LOOK = (96, 96)
_MOST = 24
_ALIKE = 0.3
"""Mean differences of looks, in grey levels, that the compression of images can cause."""


class VisionModel:
    """Knows the screens of an episode, with the xml of their views, in any order."""

    def __init__(self, screens: Sequence[tuple[CapturedStep, str]]) -> None:
        self._screens = screens
        self._looks = np.stack([_look(Image.open(io.BytesIO(one.png))) for one, _ in screens])

    def __call__(self, request: ReceivedRequest) -> Reply:
        images = images_of(request)
        if not images:
            steps = json.loads(re.findall(r"<steps>\n(.*?)\n</steps>", request.words, re.DOTALL)[-1])
            return says({"context": f"Done: {' / '.join(one['intention'] for one in steps['done'])}"})
        seen = self.seen(images)
        data = {
            "low_level_instruction": f"Do {seen}.",
            "instruction": f"Do {seen}.",
            "description": f"Shows {seen}.",
            "intention": f"Want {seen}.",
            "context": "Before.",
        }
        return says({name: data[name] for name in request.schema["properties"]})

    def seen(self, images: Sequence[Image.Image]) -> str:
        plain, *marked = images
        if mark_of(plain) is not None:
            return "a marked first image"
        number = self._which(plain)
        if not marked:
            return f"screen {number}"
        mark = mark_of(marked[0])
        if mark is None or self._which(marked[0]) != number:
            return "two images that do not belong together"
        one, xml = self._screens[number]
        with Image.open(io.BytesIO(one.png)) as png:
            size = Size(*png.size)
        at = Pixel(round(mark[0] * size.width), round(mark[1] * size.height))
        return f"screen {number}, {name_at(parse(xml), at, size)}"

    def _which(self, image: Image.Image) -> int:
        difference = np.minimum(np.abs(self._looks - _look(image)), _MOST)  # a mark counts the same for every screen
        far = difference.mean(axis=(1, 2))
        first = {self._screens[at][0].png: int(at) for at in np.flatnonzero(far < far.min() + _ALIKE)[::-1]}
        return self._nearest(image, sorted(first.values())) if len(first) > 1 else min(first.values())

    def _nearest(self, image: Image.Image, alike: Sequence[int]) -> int:
        """The nearest of similar screens, by their differing details at full size."""
        whole = np.stack([_gray(Image.open(io.BytesIO(self._screens[at][0].png)), image.size) for at in alike])
        details = np.ptp(whole, axis=0) > _MOST
        far = [np.abs(one - _gray(image, image.size))[details].sum() for one in whole]
        return alike[int(np.argmin(far))]


def expected(screens: Sequence[tuple[CapturedStep, str]], number: int) -> str:
    """What it should see at a step; equal screenshots count as one screen."""
    one = screens[number][0]
    first = next(at for at, (other, _) in enumerate(screens) if other.png == one.png)
    return f"screen {first}, {one.name}" if one.at is not None else f"screen {first}"


def images_of(request: ReceivedRequest) -> list[Image.Image]:
    parts = [part for message in request.body["messages"] for part in message["content"] if isinstance(part, dict)]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB") for url in urls]


def mark_of(image: Image.Image) -> tuple[float, float] | None:
    """The centre of the magenta frame, as shares of width and height."""
    rgb = np.asarray(image).astype(int)
    magenta = (rgb[:, :, 0] > 200) & (rgb[:, :, 1] < 60) & (rgb[:, :, 2] > 200)
    ys, xs = np.nonzero(magenta)
    if len(xs) < 50:
        return None
    return (xs.min() + xs.max() + 1) / 2 / image.width, (ys.min() + ys.max() + 1) / 2 / image.height


def _gray(image: Image.Image, size: tuple[int, int]) -> np.ndarray:
    return np.asarray(image.convert("L").resize(size, Image.Resampling.LANCZOS)).astype(np.float32)


def _look(image: Image.Image) -> np.ndarray:
    return np.asarray(image.convert("L").resize(_LOOK, Image.Resampling.BOX)).astype(np.float32)
