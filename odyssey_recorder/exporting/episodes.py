"""One episode as an export writes it: the release's spelling, with boxes, and one row per step."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.annotation.boxing import with_chosen_boxes
from odyssey_recorder.annotation.memory import Recall
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode
from odyssey_recorder.annotation.released_texts import Texts, recalled_in, with_texts
from odyssey_recorder.curation.redaction import Redaction, read_redaction
from odyssey_recorder.dataset.boxes import with_boxes
from odyssey_recorder.dataset.codec import Dialect, decode, encode
from odyssey_recorder.dataset.layout import SCREENSHOTS, annotation_path, semantics_path
from odyssey_recorder.dataset.opened import open_published
from odyssey_recorder.dataset.preferences import PreferencePair, preference_pairs
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.errors import DatasetError, MissingFileError
from odyssey_recorder.files import Largest, read_file, storage_errors
from odyssey_recorder.model.episode import Episode, Json

TEXTS = ("low_level_instruction", "description", "intention", "context")
"""What a language model wrote about each step, in the second release."""

_KEYS = {"KEY_HOME", "KEY_BACK", "KEY_APPSELECT"}


@dataclass(frozen=True, slots=True)
class ExportedEpisode:
    """`tree` is the annotation as the release spells it; `box_sources` are those of its boxes, None if unknown.

    All but the files in `screenshots` is as `redaction` leaves it. `memory` is what each step recalls, and `redacted`
    the episode with its whole memory, if asked for.
    `pairs` are none in a redacted episode: a rejected action may hold what is redacted.
    """

    episode: Episode
    tree: dict[str, Json]
    box_sources: tuple[str | None, ...]
    screenshots: Path
    redaction: Redaction | None = None
    pairs: tuple[PreferencePair, ...] = ()
    memory: tuple[str, ...] = ()
    records: tuple[StepRecord, ...] = ()
    redacted: RedactedEpisode | None = None

    def is_redacted(self, step: int) -> bool:
        """Whether the step's screenshot must not be exported as it is in its file."""
        return self.redaction is not None and self.redaction.hides(step)

    def screenshot(self, step: int) -> bytes:
        """Redacted. Raises DatasetError."""
        path = self.screenshots / self.episode.steps[step].screenshot
        with storage_errors(path, "read"):
            png = read_file(path, Largest.SCREENSHOT, within=self.screenshots.parent)
        return png if self.redaction is None else self.redaction.blackened(step, png)


def read_exported(root: Path, episode_id: str, texts: Texts = "none", memory: Recall | None = None) -> ExportedEpisode:
    """Raises DatasetError, also if its redaction cannot be applied, or if it lacks one of the `texts` or the memory."""
    annotation = root / annotation_path(episode_id)
    found = open_published(annotation)
    if found.problem:
        raise DatasetError(f"{episode_id}: {found.problem}")
    episode, chosen = with_chosen_boxes(root, found, with_texts(root, found, texts))
    episode = with_boxes(episode, found.provenance, always=True)
    tree: dict[str, Json] = json.loads(encode(episode, Dialect.RELEASE))
    records = map(found.record, range(len(episode.steps)))
    sources = tuple(chosen.get(number, record.bbox_source if record else None) for number, record in enumerate(records))
    redaction = read_redaction(root, episode_id)
    if redaction is not None:
        tree = redaction.applied(tree)
        episode = decode(json.dumps(tree), source=annotation.name)
    provenance = found.provenance
    pairs = () if redaction or provenance is None else tuple(preference_pairs(episode, provenance))
    recalled = recalled_in(root, found, memory) if memory is not None else ()
    kept = tuple(recalled if redaction is None else map(redaction.without_words, recalled))
    steps = () if provenance is None else provenance.steps
    return ExportedEpisode(episode, tree, sources, root / SCREENSHOTS, redaction, pairs, kept, steps)


def step_rows(exported: ExportedEpisode) -> Iterator[dict[str, Json]]:
    """A flat row for each step, without its screenshot: `info` is the JSON text of the release's value.

    x1, y1 and, of a scroll, x2, y2 are on the grid 0..1000; `key`, `text` and `sam2_bbox` are None where the action
    has none.
    """
    episode, tree = exported.episode, exported.tree
    steps = tree["steps"]
    assert isinstance(steps, list)
    for number, step in enumerate(steps):
        assert isinstance(step, dict)
        yield {
            "episode_id": episode.episode_id,
            "step": number,
            "step_length": len(steps),
            "screenshot": step["screenshot"],
            **_typed(step),
            "info": json.dumps(step["info"], ensure_ascii=False),
            "ps": _text(step.get("ps")) or "",
            "sam2_bbox": _box(step.get("sam2_bbox")),
            "bbox_source": exported.box_sources[number],
            **{name: _text(step.get(name)) for name in TEXTS},
            "instruction": episode.task.instruction,
            "task": episode.task.task,
            "meta_task": episode.task.meta_task,
            "category": episode.task.category,
            "app": list(episode.task.apps),
            "device_name": episode.device.device_name,
            "w": episode.device.size.width,
            "h": episode.device.size.height,
        }


def lacks_texts(episode: Episode) -> bool:
    """Whether a step is without the instruction that the second release's converter expects."""
    return not all(step.annotations.has(TEXTS[0]) for step in episode.steps)


def fingerprint(root: Path, ids: Iterable[str]) -> str:
    """The SHA-256 of sorted ids, annotations, texts and redactions: equal for the same input. Raises DatasetError."""
    whole = hashlib.sha256()
    for episode_id in sorted(ids):
        path = root / annotation_path(episode_id)
        with storage_errors(path, "read"):
            data = read_file(path, Largest.ANNOTATION, within=root)
        with suppress(MissingFileError), storage_errors(root / semantics_path(episode_id), "read"):
            data += read_file(root / semantics_path(episode_id), Largest.REVIEWS, within=root)
        redaction = read_redaction(root, episode_id)
        mark = "" if redaction is None else f" {hashlib.sha256(redaction.model_dump_json().encode()).hexdigest()}"
        whole.update(f"{episode_id} {hashlib.sha256(data).hexdigest()}{mark}\n".encode())
    return whole.hexdigest()


def _typed(step: dict[str, Json]) -> dict[str, Json]:
    action, info = step["action"], step["info"]
    typed: dict[str, Json] = {"action": action, **dict.fromkeys(("x1", "y1", "x2", "y2", "key", "text"))}
    match info:
        case str(key) if key in _KEYS:
            typed["key"] = key
        case [[int(x1), int(y1)], [int(x2), int(y2)]]:
            typed |= {"x1": x1, "y1": y1}
            typed |= {"x2": x2, "y2": y2} if action == "SCROLL" else {}
        case str(text):
            typed["text"] = text
        case _:
            pass  # `info` has it
    return typed


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _box(value: Json) -> list[Json] | None:
    return value if isinstance(value, list) and len(value) == 4 else None
