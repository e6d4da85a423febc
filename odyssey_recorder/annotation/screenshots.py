"""What a model is shown of a screenshot: scaled down, private areas black, and a copy with the touched place framed."""

import io
import json
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from odyssey_recorder.annotation.semantics import ShownImage
from odyssey_recorder.dataset.entry_file import canonical
from odyssey_recorder.dataset.png import BrokenImageError, decode_png
from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.llm.model import Image as SentImage
from odyssey_recorder.llm.model import LazyImage
from odyssey_recorder.model.geometry import Pixel, Size

RECIPE = "view/1"
"""Changes whenever the same screenshot, masks and mark give another image."""

MARK = (255, 0, 255)
_EDGE = (255, 255, 255)
_TAGS = ((200, 0, 0), (0, 90, 200), (0, 120, 40), (140, 0, 170), (150, 80, 0))
"""Colours of frames and tags, so that neighbours differ; white numbers are legible on each."""
_TAG = 1 / 72
"""Height of a number, as a share of the long side."""
_LONG_SIDE, _QUALITY = 2048, 85
_FRAME = 1 / 256
"""Width of the frame, as a share of the long side."""
_BYTES_PER_PIXEL = 0.15
_AROUND = 0.048
"""Side of the square around a touch whose element is not known, as a share of the short side."""

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class ShownScreenshot:
    """One screenshot as it is shown; boxes are in its pixels, right and bottom exclusive. `mark` None: not marked.

    Each box of `tags` gets a frame with its number, from 1; None for an ordinary screenshot. `sent` is the size in
    which it is sent, None for the usual one, and `detail` how closely a model looks at it.
    """

    path: Path
    png_sha256: str
    size: Size
    masks: tuple[Box, ...]
    mark: Box | None = None
    sent: Size | None = None
    detail: Literal["high", "original"] = "high"
    tags: tuple[Box, ...] | None = None

    @property
    def shown(self) -> ShownImage:
        hidden = sha256(canonical(self.masks).encode()).hexdigest()[:16] if self.masks else ""
        recipe = f"{RECIPE} masks {hidden}" if hidden else RECIPE
        recipe += f" sent {self.sent}" if self.sent else ""
        recipe += "" if self.tags is None else f" tags {sha256(canonical(self.tags).encode()).hexdigest()[:16]}"
        recipe += " original" if self.detail == "original" else ""
        return ShownImage(png_sha256=self.png_sha256, recipe=recipe, mark=self.mark)

    @property
    def lazy(self) -> LazyImage:
        return LazyImage(canonical(self.shown.model_dump(mode="json")), self.fitted(self.size), self.load)

    def fitted(self, size: Size) -> tuple[int, int]:
        if self.sent is not None:
            return self.sent.width, self.sent.height
        scale = min(1.0, _LONG_SIDE / max(size.width, size.height))
        return max(1, round(size.width * scale)), max(1, round(size.height * scale))

    def load(self) -> SentImage:
        """Raises LanguageModelError if the screenshot cannot be read, or is another than was recorded."""
        return _made(self)


@lru_cache(maxsize=32)
def _made(view: ShownScreenshot) -> SentImage:
    """Kept for a moment: two of a step's questions show the same images."""
    try:
        data = read_file(view.path, Largest.SCREENSHOT, within=view.path.parent.parent)
        if sha256(data).hexdigest() != view.png_sha256:
            raise LanguageModelError(f"{view.path} has changed since it was recorded. It was not sent.")
        image = decode_png(data).convert("RGB")
    except (OSError, BrokenImageError) as error:
        raise LanguageModelError(f"{view.path} cannot be shown to a model: {error}.") from error
    for box in view.masks:
        image.paste((0, 0, 0), box)
    width, height = image.size
    fitted = image.resize(view.fitted(Size(width, height)), Image.Resampling.LANCZOS)
    if view.mark is not None:
        _frame(fitted, view.mark, fitted.width / width)
    _number(fitted, view.tags or (), fitted.width / width)
    encoded = io.BytesIO()
    fitted.save(encoded, "JPEG", quality=_QUALITY)
    return SentImage(encoded.getvalue(), "image/jpeg", view.detail)


def marked_png(png: bytes, mark: Box) -> bytes:
    """The screenshot with the frame around a touched element, in full size. Raises BrokenImageError."""
    image = decode_png(png).convert("RGB")
    _frame(image, mark, 1.0)
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    return encoded.getvalue()


def leaving(image: LazyImage) -> tuple[bytes, int]:
    """The SHA-256 of the screenshot, and the size of the image of a usual screen; it is only known once it is made."""
    width, height = image.size
    return bytes.fromhex(json.loads(image.identity)["png_sha256"]), int(width * height * _BYTES_PER_PIXEL)


def around(touched: Pixel, size: Size) -> Box:
    """The mark where no box of the touched element is known."""
    half = max(8, round(min(size.width, size.height) * _AROUND / 2))
    return (
        max(0, touched.x - half),
        max(0, touched.y - half),
        min(size.width, touched.x + half),
        min(size.height, touched.y + half),
    )


def _frame(image: Image.Image, mark: Box, scale: float) -> None:
    """A magenta frame around the box with a white edge on both sides, so that it is seen on any colour."""
    wide = max(2, round(max(image.size) * _FRAME))
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = (round(side * scale) for side in mark)
    for grown, width, colour in ((wide + 2, wide + 4, _EDGE), (wide, wide, MARK)):
        sides = (left - grown, top - grown, right + grown - 1, bottom + grown - 1)
        draw.rectangle(sides, outline=colour, width=width)


def _number(image: Image.Image, boxes: tuple[Box, ...], scale: float) -> None:
    """Frames first, so that none crosses a number; each number is in the first corner that has none yet."""
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(max(12, round(max(image.size) * _TAG)))
    scaled = [[round(side * scale) for side in box] for box in boxes]
    for at, (left, top, right, bottom) in enumerate(scaled):
        frame = (left, top, max(left, right - 1), max(top, bottom - 1))
        draw.rectangle(frame, outline=_TAGS[at % len(_TAGS)], width=max(2, round(max(image.size) * _FRAME / 2)))
    taken: list[tuple[float, ...]] = []
    for at, (left, top, right, bottom) in enumerate(scaled):
        words = f" {at + 1} "
        _, _, wide, high = draw.textbbox((0, 0), words, font)
        corners = [(x, y) for y in (top, bottom - high - 2) for x in (left, right - wide)]
        inside = [(max(0, min(x, image.width - wide)), max(0, min(y, image.height - high))) for x, y in corners]
        tags = [(x, y, x + wide, y + high + 2) for x, y in inside]
        tag = next((one for one in tags if not any(_meet(one, other) for other in taken)), tags[0])
        taken.append(tag)
        draw.rectangle(tag, fill=_TAGS[at % len(_TAGS)])
        draw.text(tag[:2], words, (255, 255, 255), font)


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
