"""What exports hide of an episode: boxes of its screenshots and words of its texts, in ``redactions/<id>.json``.

The dataset itself stays as it is. Exports fail closed: what cannot be applied exactly as it was decided is an error.
"""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast
from unicodedata import normalize

from PIL import Image
from pydantic import AwareDatetime, Field, ValidationError

from odyssey_recorder.dataset.change_journal import locked
from odyssey_recorder.dataset.layout import checked_id, read_dataset_file, redaction_path, screenshot_path, ui_tree_path
from odyssey_recorder.dataset.png import BrokenImageError, decode_png
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.errors import DatasetError, DeviceError, MissingFileError
from odyssey_recorder.files import Largest, make_folder, read_json, storage_errors, sync_folder, write_durably
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.geometry import Box
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.validation import ClosedModel, first_fault

_Tree = TypeVar("_Tree")

REPLACEMENT = "[redacted]"
_POSITIONAL = frozenset({"CLICK", "LONG_PRESS", "SCROLL"})
"""Their `info` and `ps` are places, or the name of a key."""
_KEPT = frozenset({"episode_id", "screenshot", "action", "category", "device_info"})
"""Keys whose values are names of the format."""


class RedactedBox(ClosedModel):
    """`box` is left, top, right, bottom, the last two exclusive, in pixels of the screenshot with that SHA-256."""

    step: Annotated[int, Field(ge=0)]
    box: tuple[int, int, int, int]
    sha256: str
    who: str
    at: AwareDatetime
    why: str


class RedactedWords(ClosedModel):
    """A text to be replaced wherever it occurs in the annotation, in any case and with any blanks."""

    text: Annotated[str, Field(pattern=r"\S")]
    who: str
    at: AwareDatetime
    why: str


class Redaction(ClosedModel):
    """One episode's; all of redactions/<id>.json. A key that is not known is refused: it might hide something."""

    format: Literal[1] = 1
    episode_id: str
    boxes: tuple[RedactedBox, ...] = ()
    words: tuple[RedactedWords, ...] = ()

    def applied(self, annotation: dict[str, Json]) -> dict[str, Json]:
        """The annotation, spelled as released, with `REPLACEMENT` in place of the words.

        Raises DatasetError if it lacks the step of a box.
        """
        for box in self.boxes:
            if box.step >= len(_steps_of(annotation)):
                raise _outdated(self.episode_id, f"it has no step {step_number(box.step)}")
        if not self.words:
            return annotation
        return _rewritten(annotation, lambda _, text: self.without_words(text))

    def without_words(self, text: str) -> str:
        """With `REPLACEMENT` in their place."""
        longest_first = sorted({word.text for word in self.words}, key=lambda text: (-len(text), text))
        pattern = "|".join(map(literally, longest_first))
        return re.sub(pattern, REPLACEMENT, text, flags=re.IGNORECASE) if pattern else text

    def hides(self, step: int) -> bool:
        return any(box.step == step for box in self.boxes)

    def blackened(self, step: int, png: bytes) -> bytes:
        """The screenshot with black boxes, as a new PNG; the same bytes for the same input and library.

        Raises DatasetError if it is not the one on which the boxes were drawn.
        """
        boxes = [box for box in self.boxes if box.step == step]
        if not boxes:
            return png
        if any(box.sha256 != sha256(png).hexdigest() for box in boxes):
            raise _outdated(
                self.episode_id, f"the screenshot of step {step_number(step)} has changed since its box was drawn"
            )
        image = _image(self.episode_id, step, png)
        for box in boxes:
            _check_box(self.episode_id, step, box.box, image.size)
            image.paste((0, 0, 0), box.box)
        encoded = io.BytesIO()
        image.save(encoded, "PNG", compress_level=6)
        return encoded.getvalue()


def literally(text: str) -> str:
    """A regular expression for the text with any blanks between its words, its accents composed or not."""
    spelled = ({re.escape(normalize(form, word)) for form in ("NFC", "NFD")} for word in text.split())
    return r"\s+".join(f"(?:{'|'.join(sorted(ways))})" for ways in spelled)


def read_redaction(root: Path, episode_id: str) -> Redaction | None:
    """None if there is no file for the episode. Raises DatasetError for any file that cannot be applied."""
    path = root / redaction_path(checked_id(episode_id))
    try:
        with storage_errors(path, "read"):
            data = read_json(path, Largest.PROVENANCE, within=root)
    except MissingFileError:
        if path.is_symlink() or path.parent.is_symlink():
            raise
        return None
    try:
        found = Redaction.model_validate_json(data)
    except ValidationError as error:
        fault = first_fault(error)
        raise DatasetError(f"{path} is not a redaction ({fault}). Correct it, or make it again.") from error
    if found.episode_id != episode_id or not (found.boxes or found.words):
        why = f"it is of episode {found.episode_id}" if found.episode_id != episode_id else "it hides nothing"
        raise DatasetError(f"{path} is not a redaction of the episode ({why}). Correct it, or make it again.")
    return found


def write_redaction(root: Path, redaction: Redaction) -> None:
    """Add to what is already redacted of the episode. Raises DatasetError."""
    path = root / redaction_path(checked_id(redaction.episode_id))
    with locked(root):
        before = read_redaction(root, redaction.episode_id)
        if before is not None:
            added = {"boxes": before.boxes + redaction.boxes, "words": before.words + redaction.words}
            redaction = redaction.model_copy(update=added)
        make_folder(path.parent, within=root)
        _write(root, path, redaction)


def remove_boxes(root: Path, episode_id: str, step: int) -> None:
    """Remove the boxes of a step, and of the steps with the very same screenshot. Raises DatasetError."""
    path = root / redaction_path(checked_id(episode_id))
    with locked(root):
        before = read_redaction(root, episode_id)
        if before is None:
            return
        removed = {box.sha256 for box in before.boxes if box.step == step}
        after = before.model_copy(update={"boxes": tuple(box for box in before.boxes if box.sha256 not in removed)})
        if after.boxes or after.words:
            _write(root, path, after)
            return
        with storage_errors(path, "removed"):
            path.unlink()
            sync_folder(path.parent)


def _write(root: Path, path: Path, redaction: Redaction) -> None:
    write_durably(path, f"{redaction.model_dump_json(indent=2)}\n".encode(), within=root)


# Finding what to redact.


@dataclass(frozen=True, slots=True)
class SensitiveBox:
    """`text` is what the view says, or empty for a box that a person drew; `share` is that of the screen, 0 to 1."""

    step: int
    box: tuple[int, int, int, int]
    sha256: str
    share: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class FoundTexts:
    """`boxes` are the views that contain a match; `texts` the annotation's texts that do, by their places.

    `words` are the different matches, and `unseen` the steps without a readable view hierarchy.
    """

    boxes: tuple[SensitiveBox, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    unseen: tuple[int, ...] = ()

    def redaction(self, episode_id: str, *, who: str, why: str) -> Redaction:
        origin: dict[str, Any] = {"who": who, "at": datetime.now(UTC), "why": why}
        boxes = (RedactedBox(step=box.step, box=box.box, sha256=box.sha256, **origin) for box in self.boxes)
        words = (RedactedWords(text=text, **origin) for text in self.words)
        return Redaction(episode_id=episode_id, boxes=tuple(boxes), words=tuple(words))


def drawn_boxes(
    root: Path, episode_id: str, box: tuple[int, int, int, int], *, step: int, steps: int
) -> Iterator[SensitiveBox]:
    """The box on a step's screenshot, and on those of the other `steps` that have the same bytes.

    Raises DatasetError if a screenshot cannot be read, or the box is not on it.
    """
    if step >= steps:
        raise _unfit(episode_id, f"it has no step {step_number(step)}; the last one is {steps}")
    png = _screenshot(root, episode_id, step)
    size = _image(episode_id, step, png).size
    _check_box(episode_id, step, box, size)
    share = Box(*box).area / (size[0] * size[1])
    for other in range(steps):
        if other == step or _screenshot(root, episode_id, other) == png:
            yield SensitiveBox(other, box, sha256(png).hexdigest(), share)


def find_texts(root: Path, episode_id: str, annotation: dict[str, Json], pattern: re.Pattern[str]) -> FoundTexts:
    """Look for `pattern` in view hierarchies and in the annotation, spelled as released. Raises DatasetError."""
    boxes: list[SensitiveBox] = []
    words: set[str] = set()
    unseen: list[int] = []
    for step in range(len(_steps_of(annotation))):
        try:
            xml = read_dataset_file(root / ui_tree_path(episode_id, step), Largest.TREE).decode(errors="replace")
            views = list(_views(xml, pattern, words))
        except (MissingFileError, DeviceError):
            unseen.append(step)
            continue
        if views:
            boxes += _on_screen(episode_id, step, _screenshot(root, episode_id, step), views)
    texts: dict[str, str] = {}

    def look(place: str, text: str) -> str:
        if found := [match[0] for match in pattern.finditer(text) if match[0].strip()]:
            texts[place] = text
            words.update(found)
        return text

    _rewritten(annotation, look)
    different = {" ".join(word.split()).casefold(): " ".join(word.split()) for word in sorted(words)}
    return FoundTexts(tuple(boxes), texts, tuple(sorted(different.values())), tuple(unseen))


def _views(xml: str, pattern: re.Pattern[str], words: set[str]) -> Iterator[tuple[Box, str]]:
    """The boxes of views that contain a match, with all that they say; adds the matches to `words`."""
    for node in parse(xml):
        texts = (node.text, node.description, node.hint)
        if found := {match[0] for text in texts for match in pattern.finditer(text) if match[0].strip()}:
            words |= found
            yield node.box, " ".join(dict.fromkeys(filter(None, texts)))


def _on_screen(episode_id: str, step: int, png: bytes, views: Sequence[tuple[Box, str]]) -> Iterator[SensitiveBox]:
    width, height = _image(episode_id, step, png).size
    digest = sha256(png).hexdigest()
    for box, text in views:
        shown = Box(max(0, box.left), max(0, box.top), min(width, box.right), min(height, box.bottom))
        if shown.area:
            sides = (shown.left, shown.top, shown.right, shown.bottom)
            yield SensitiveBox(step, sides, digest, shown.area / (width * height), text)


def _screenshot(root: Path, episode_id: str, step: int) -> bytes:
    return read_dataset_file(root / screenshot_path(episode_id, step), Largest.SCREENSHOT)


def _image(episode_id: str, step: int, png: bytes) -> Image.Image:
    """In RGB and without metadata, which could hold anything."""
    try:
        image = decode_png(png).convert("RGB")
    except BrokenImageError as error:
        raise _unfit(episode_id, f"the screenshot of step {step_number(step)} is damaged: {error}") from error
    image.info.clear()
    return image


def _check_box(episode_id: str, step: int, box: tuple[int, int, int, int], size: tuple[int, int]) -> None:
    left, top, right, bottom = box
    if not (0 <= left < right <= size[0] and 0 <= top < bottom <= size[1]):
        raise _unfit(
            episode_id, f"box {list(box)} of step {step_number(step)} is not on the screenshot of {size[0]}x{size[1]}"
        )


def _unfit(episode_id: str, why: str) -> DatasetError:
    return DatasetError(f"Episode {episode_id} cannot be redacted: {why}.")


def _outdated(episode_id: str, why: str) -> DatasetError:
    return _unfit(episode_id, f"{why}. Delete {redaction_path(episode_id)} and redact the episode again")


def _steps_of(annotation: dict[str, Json]) -> list[Json]:
    steps = annotation["steps"]
    assert isinstance(steps, list)
    return steps


def _rewritten(annotation: _Tree, change: Callable[[str, str], str], place: str = "") -> _Tree:
    """The tree with each text changed that is not a name of the format; `change` gets its place too."""
    tree: Any = annotation
    if isinstance(tree, str):
        tree = change(place, tree)
    elif isinstance(tree, list):
        is_steps = place == "steps"
        places = (f"step {step_number(at)}, " if is_steps else f"{place}[{at}]" for at in range(len(tree)))
        tree = [_rewritten(item, change, where) for item, where in zip(tree, places, strict=True)]
    elif isinstance(tree, dict):
        kept = _KEPT | ({"info", "ps"} if tree.get("action") in _POSITIONAL else set())
        dot = "." if place and not place.endswith(" ") else ""
        tree = {
            key: value if key in kept else _rewritten(value, change, f"{place}{dot}{key}")
            for key, value in tree.items()
        }
    return cast(_Tree, tree)
