"""Puts a complete draft into a dataset folder, completely or not at all."""

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

from odyssey_recorder.dataset import layout
from odyssey_recorder.dataset.codec import Dialect, decode, encode
from odyssey_recorder.dataset.draft import Draft, DraftStep
from odyssey_recorder.dataset.png import BrokenImageError, decode_png
from odyssey_recorder.dataset.provenance import FORMAT, EpisodeProvenance, StepRecord
from odyssey_recorder.errors import DatasetError, MissingFileError, OdysseyError
from odyssey_recorder.files import Largest, make_folder, storage_errors, write_durably
from odyssey_recorder.model.action import Complete, is_terminal
from odyssey_recorder.model.episode import Episode, Step, screenshot_name

TREE_LOST = "its file is missing from the draft"


def publish(draft: Draft, root: Path, steps: Sequence[DraftStep] | None = None) -> Path:
    """Write the files of an episode into the dataset `root`; returns its annotation, the last. Raises DatasetError.

    Every screenshot is decoded and compared with its hash, one at a time; after a failure the dataset is as it was.
    With `steps` it is a trial, of an episode with these steps.
    """
    steps = draft.steps if steps is None else steps
    episode = _episode(draft, steps)
    annotation = root / layout.annotation_path(draft.episode_id)
    encoded = encode(episode, Dialect.CARD)
    decode(encoded, source=annotation.name)
    _write_all(root, chain(_provenance(draft, steps, root), [(annotation, encoded)]))
    return annotation


def _provenance(draft: Draft, steps: Sequence[DraftStep], root: Path) -> Iterator[tuple[Path, bytes]]:
    records: list[StepRecord] = []
    decoded: set[str] = set()
    for number, step in enumerate(steps):
        yield root / layout.screenshot_path(draft.episode_id, number), _screenshot(step, decoded)
        record, tree = _tree(step, layout.ui_tree_name(draft.episode_id, number))
        if record.ui_tree is not None:
            yield root / layout.UI_TREES / record.ui_tree, tree
        records.append(record)
    provenance = EpisodeProvenance(
        format=FORMAT,
        episode_id=draft.episode_id,
        origin=draft.origin,
        started_us=draft.started_us,
        published_us=time.time_ns() // 1000,
        steps=tuple(records),
        dropped=draft.state.dropped,
        resumed=draft.state.resumed,
        goals=draft.state.goals if isinstance(steps[-1].action, Complete) else (),
    ).model_dump_json(indent=2)
    yield root / layout.provenance_path(draft.episode_id), provenance.encode()


def _write_all(root: Path, files: Iterable[tuple[Path, bytes]]) -> None:
    new: list[Path] = []
    folders: set[Path] = set()
    if not root.is_dir():
        raise DatasetError(f"The dataset folder {root} is missing. Restore it, or reconnect its disk.")
    with storage_errors(root, "written"):
        try:
            for path, data in files:
                if path.parent not in folders:
                    make_folder(path.parent, within=root)
                    folders.add(path.parent)
                if not path.exists():
                    new.append(path)
                write_durably(path, data, within=root)
        except (OdysseyError, OSError):
            for path in new:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            raise


def _episode(draft: Draft, steps: Sequence[DraftStep]) -> Episode:
    if not steps or not is_terminal(steps[-1].action):
        raise DatasetError(f"The draft {draft.episode_id} has no COMPLETE or IMPOSSIBLE step yet. Finish it first.")
    names = (screenshot_name(draft.episode_id, number) for number in range(len(steps)))
    episode_steps = tuple(Step(name, step.action) for name, step in zip(names, steps, strict=True))
    device = replace(draft.device, size=steps[0].record.frame.size)  # the grid points refer to this size
    return Episode(draft.episode_id, device, draft.task, episode_steps)


def _screenshot(step: DraftStep, decoded: set[str]) -> bytes:
    """Checked against its hash and as a complete PNG; `decoded` has the hashes that were checked before."""
    frame = step.record.frame
    data = layout.read_dataset_file(step.screenshot, Largest.SCREENSHOT, within=step.screenshot.parent)
    if hashlib.sha256(data).hexdigest() != frame.png_sha256:
        raise DatasetError(f"{step.screenshot} is not the recorded screenshot. Undo that step and record it again.")
    if frame.png_sha256 not in decoded:
        try:
            decode_png(data)
        except BrokenImageError as error:
            raise DatasetError(f"{step.screenshot} is damaged: {error}. Undo that step and record it again.") from error
        decoded.add(frame.png_sha256)
    return data


def _tree(step: DraftStep, name: str) -> tuple[StepRecord, bytes]:
    if step.tree is None:
        return step.record, b""
    try:
        tree = layout.read_dataset_file(step.tree, Largest.TREE, within=step.tree.parent)
        return step.record.model_copy(update={"ui_tree": name}), tree
    except MissingFileError:
        return step.record.model_copy(update={"ui_tree": None, "ui_tree_absent": TREE_LOST}), b""
