"""Set-of-marks: which elements of a screen get a tag with a number, and where each of them is touched."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, FiniteFloat, ValidationError

from odyssey_recorder.annotation.boxes import iou
from odyssey_recorder.annotation.boxing import chosen_boxes
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode, open_dataset_episode
from odyssey_recorder.device.view_hierarchy import ViewNode, clickable_at
from odyssey_recorder.errors import DatasetError, LanguageModelError
from odyssey_recorder.files import Largest, read_text, storage_errors
from odyssey_recorder.model.geometry import Box, Pixel, Size
from odyssey_recorder.validation import first_fault

_SAME = 0.5
"""IoU from which two boxes are of the same element."""


class _Detected(BaseModel):
    """A line of a detector's file: a screenshot by its file name, and boxes in its pixels."""

    screenshot: str
    boxes: list[tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]]


class Marks:
    """The boxes of elements on the screenshots of the dataset `root`, by where they are from.

    `views` are those of the view hierarchy. `boxes` are the same, and where none of them is the pressed element, its
    box as `annotate boxes` found it. Anything else is the file of a detector. `name` says which, for a file with its
    hash.
    """

    def __init__(self, root: Path, source: str) -> None:
        """Raises DatasetError for a file that cannot be used."""
        self._source = self.name = source
        self._chosen = lru_cache(8)(lambda episode_id: chosen_boxes(root, open_dataset_episode(root, episode_id)))
        self._detected: dict[str, list[Box]] | None = None
        if source not in ("views", "boxes"):
            self._detected, digest = _read(Path(source))
            self.name = f"{Path(source).name[:60]}@{digest[:16]}"

    def of(self, episode: RedactedEpisode, number: int) -> list[Box]:
        """Raises LanguageModelError if there are none for the whole episode."""
        step = episode.steps[number]
        if self._detected is not None:
            if step.views[0].path.name not in self._detected:
                raise LanguageModelError(f"{self._source} has no boxes for {step.views[0].path.name}.")
            return self._detected[step.views[0].path.name]
        if not any(other.nodes for other in episode.steps):
            raise LanguageModelError(
                "The episode has no view hierarchies, so nothing can be tagged. Give a detector's file as --marks."
            )
        found = elements(step.nodes, step.views[0].size)
        pressed = self._pressed(episode.episode_id, number) if self._source == "boxes" and found else None
        if pressed is not None and all(iou(pressed, box) < _SAME for box in found):
            found = _in_order([*found, pressed])
        return found

    def _pressed(self, episode_id: str, number: int) -> Box | None:
        try:
            chosen = self._chosen(episode_id)[number]
        except DatasetError as error:
            raise LanguageModelError(str(error)) from error
        return chosen.box if chosen is not None and chosen.box.area else None


def elements(nodes: tuple[ViewNode, ...], size: Size) -> list[Box]:
    """The boxes of the views that a click at their middle hits, row by row; none that covers most of the screen."""
    boxes = dict.fromkeys(on_screen((node.box for node in nodes if node.takes_touches), size))
    return _in_order(box for box in boxes if clickable_at(nodes, middle_of(box), size) == box)


def on_screen(boxes: Iterable[Box], size: Size) -> list[Box]:
    """Clipped to a screenshot of `size`, without those of which nothing is left."""
    clipped = (
        Box(max(box.left, 0), max(box.top, 0), min(box.right, size.width), min(box.bottom, size.height))
        for box in boxes
    )
    return [box for box in clipped if box.area]


def middle_of(box: Box) -> Pixel:
    return Pixel((box.left + box.right) // 2, (box.top + box.bottom) // 2)


def _in_order(boxes: Iterable[Box]) -> list[Box]:
    return sorted(boxes, key=lambda box: (box.top, box.left))


def _read(path: Path) -> tuple[dict[str, list[Box]], str]:
    """The boxes by screenshot, and the SHA-256 of the file."""
    found: dict[str, list[Box]] = {}
    try:
        with storage_errors(path, "read"):
            text = read_text(path, Largest.INDEX)
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} is not UTF-8 text, so it is no file of boxes.") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            detected = _Detected.model_validate_json(line)
        except ValidationError as error:
            raise DatasetError(f"{path}, line {number}: {first_fault(error)}.") from error
        found[detected.screenshot] = [Box(*map(round, box)) for box in detected.boxes]
    return found, sha256(text.encode()).hexdigest()
