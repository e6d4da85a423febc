"""The dataset folder: drafts are published here, whole or not at all, and nothing is ever deleted for good.

<dataset>/annotations/<id>.json   an episode exists from the moment this file does
          screenshots/<id>_<step>.png
          provenance/<id>.json
          ui_trees/<id>_<step>.xml   for the steps whose view hierarchy is known
<drafts>/<id>/                    on this computer's own disk, not in the dataset: see docs/adr/0004
<drafts>/trash/<id>/              discarded drafts
"""

import hashlib
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from odyssey_recorder.dataset import layout
from odyssey_recorder.dataset.codec import Dialect, decode, encode, read_annotation
from odyssey_recorder.dataset.draft import Draft, DraftHead, DraftStep, hold, read_head
from odyssey_recorder.dataset.png import BrokenImageError, decode_png
from odyssey_recorder.dataset.provenance import FORMAT, EpisodeProvenance, Origin, StepRecord, read_provenance
from odyssey_recorder.errors import DatasetError, OdysseyError
from odyssey_recorder.files import (
    Largest,
    expect_writable,
    make_folder,
    read_file,
    storage_error,
    write_durably,
)
from odyssey_recorder.model.action import Impossible
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, is_episode_id, screenshot_name
from odyssey_recorder.model.geometry import Size

TREE_LOST = "its file was lost from the draft"


@dataclass(frozen=True, slots=True)
class DraftSummary:
    """`problem` says why it cannot be opened, or is empty; `task_id` is empty for the annotator's own task."""

    episode_id: str
    task: TaskInfo
    device: DeviceInfo
    steps: int
    complete: bool
    changed_at: datetime
    problem: str = ""
    task_id: str = ""


class EpisodeStore:
    def __init__(self, root: Path, *, drafts: Path) -> None:
        self._root = root.absolute()
        self._drafts = drafts.absolute()

    @property
    def root(self) -> Path:
        return self._root

    # Drafts.

    def create_draft(self, *, task: TaskInfo, device: DeviceInfo, origin: Origin) -> Draft:
        """Start an episode. Raises DatasetError, also if the dataset folder could not take the episode later."""
        for name in (layout.ANNOTATIONS, layout.SCREENSHOTS, layout.PROVENANCE):
            make_folder(self._root / name, within=self._root)
            expect_writable(self._root / name)
        folder = self._drafts / self._new_id()
        return Draft.create(folder, dataset=self._root, task=task, device=device, origin=origin)

    def drafts(self) -> list[DraftSummary]:
        summaries = [self._summary(folder) for folder in self._draft_folders()]
        return sorted(filter(None, summaries), key=lambda draft: draft.changed_at, reverse=True)

    def drafts_of_tasks(self) -> dict[str, str]:
        """Episode ids of this dataset's drafts to their task ids; drafts without one or unreadable are left out."""
        found: dict[str, str] = {}
        for folder in self._draft_folders():
            with suppress(FileNotFoundError, DatasetError):
                head = read_head(folder)
                if head.origin.task_id and Path(head.dataset) == self._root:
                    found[head.episode_id] = head.origin.task_id
        return found

    def is_published(self, episode_id: str) -> bool:
        """Raises DatasetError if it is not an episode's id."""
        return (self._root / layout.annotation_path(layout.checked_id(episode_id))).exists()

    def is_impossible(self, episode_id: str) -> bool:
        """Whether the episode is published and ends in IMPOSSIBLE; False if it cannot be read."""
        try:
            return isinstance(self.load(episode_id).steps[-1].action, Impossible)
        except (DatasetError, IndexError):
            return False  # opening the episode says why

    def has_draft(self, episode_id: str) -> bool:
        """Whether there is such a draft, readable or not. Raises DatasetError if it is not an episode's id."""
        return self._draft_folder(episode_id).is_dir()

    def resume(self, episode_id: str) -> Draft:
        """Raises DatasetError."""
        return Draft(self._draft_folder(episode_id))

    def discard(self, draft: Draft) -> Path:
        """Close a draft, move it to the trash and return its new path. Raises DatasetError."""
        draft.close()
        return self._move_to_trash(draft.folder)

    def discard_unopened(self, episode_id: str) -> Path:
        """Move a draft that is not open to the trash, even an unreadable one. Raises DatasetError."""
        folder = self._draft_folder(episode_id)
        hold(folder).release()
        return self._move_to_trash(folder)

    def publish(self, draft: Draft) -> Path:
        """Move a complete draft into the dataset; returns the annotation file, which is written last.

        Every screenshot is decoded and compared with its hash, one at a time. Raises DatasetError and leaves the
        dataset as it was; the draft is deleted last.
        """
        episode = _episode(draft)
        annotation = self._annotation(draft)
        encoded = encode(episode, Dialect.CARD)
        decode(encoded, source=annotation.name)
        self._write_all(chain(self._proof(draft), [(annotation, encoded)]))
        draft.close()
        shutil.rmtree(draft.folder, ignore_errors=True)
        return annotation

    # Episodes.

    def episodes(self) -> list[str]:
        """Sorted ids. Raises DatasetError."""
        try:
            return [path.stem for path in layout.annotation_files(self._root)]
        except OSError as error:
            raise storage_error(error, self._root, "read") from error

    def load(self, episode_id: str) -> Episode:
        """Raises DatasetError, InvalidEpisodeError also for a file that holds another episode."""
        return read_annotation(self._root / layout.annotation_path(layout.checked_id(episode_id)))

    def screenshot_path(self, episode: Episode, step: int) -> Path:
        """The path by the layout, whatever name the episode's file gives."""
        return self._root / layout.screenshot_path(layout.checked_id(episode.episode_id), step)

    def ui_tree_path(self, episode_id: str, step: int) -> Path:
        """The path of a view hierarchy, which may not exist. Raises DatasetError if it is not an episode's id."""
        return self._root / layout.ui_tree_path(layout.checked_id(episode_id), step)

    def provenance(self, episode_id: str) -> EpisodeProvenance | None:
        """None if there is none, as in released data. Raises DatasetError."""
        return read_provenance(self._root / layout.provenance_path(layout.checked_id(episode_id)))

    def _proof(self, draft: Draft) -> Iterator[tuple[Path, bytes]]:
        records: list[StepRecord] = []
        decoded: set[str] = set()
        for number, step in enumerate(draft.steps):
            yield self._root / layout.screenshot_path(draft.episode_id, number), _picture(step, decoded)
            record, tree = _tree(step, layout.ui_tree_name(draft.episode_id, number))
            if record.ui_tree is not None:
                yield self._root / layout.UI_TREES / record.ui_tree, tree
            records.append(record)
        provenance = _provenance(draft, tuple(records)).model_dump_json(indent=2)
        yield self._root / layout.provenance_path(draft.episode_id), provenance.encode()

    def _write_all(self, files: Iterable[tuple[Path, bytes]]) -> None:
        new: list[Path] = []
        folders: set[Path] = set()
        if not self._root.is_dir():
            raise DatasetError(f"The dataset folder {self._root} is gone. Bring it back, or plug its disk in.")
        try:
            for path, data in files:
                if path.parent not in folders:
                    make_folder(path.parent, within=self._root)
                    folders.add(path.parent)
                if not path.exists():
                    new.append(path)
                write_durably(path, data, within=self._root)
        except (OdysseyError, OSError) as error:
            for path in new:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise storage_error(error, self._root, "written") from error
            raise

    def _new_id(self) -> str:
        while True:
            episode_id = f"{secrets.randbelow(10**16):016}"
            taken = [self._root / layout.annotation_path(episode_id), self._drafts / episode_id]
            if not any(path.exists() for path in taken):
                return episode_id

    def _move_to_trash(self, folder: Path) -> Path:
        trash = self._drafts / layout.TRASH
        make_folder(trash)
        try:
            return folder.rename(trash / f"{folder.name}-{time.time_ns()}")
        except OSError as error:
            raise storage_error(error, folder, "moved to the trash") from error

    def _draft_folder(self, episode_id: str) -> Path:
        return self._drafts / layout.checked_id(episode_id)

    def _draft_folders(self) -> list[Path]:
        if not self._drafts.is_dir():
            return []
        return [path.parent for path in self._drafts.glob("*/draft.json") if is_episode_id(path.parent.name)]

    def _summary(self, folder: Path) -> DraftSummary | None:
        """None for a draft of another dataset, or one that a crash left after publishing."""
        try:
            changed_at = datetime.fromtimestamp((folder / _newest_file(folder)).stat().st_mtime, UTC)
            head = read_head(folder)
        except FileNotFoundError:
            return None  # it was published or discarded a moment ago
        except DatasetError as error:
            nothing = TaskInfo("", (), "", "", ""), DeviceInfo("", Size(0, 0))
            return DraftSummary(folder.name, *nothing, 0, complete=False, changed_at=changed_at, problem=str(error))
        return self._summary_of(folder, head, changed_at) if Path(head.dataset) == self._root else None

    def _summary_of(self, folder: Path, head: DraftHead, changed_at: datetime) -> DraftSummary | None:
        summary = DraftSummary(
            head.episode_id,
            head.task_info,
            head.device_info,
            0,
            complete=False,
            changed_at=changed_at,
            task_id=head.origin.task_id,
        )
        try:
            draft = Draft(folder)
        except DatasetError as error:
            return replace(summary, problem=str(error))
        try:
            if draft.complete and self._annotation(draft).exists():
                self.discard(draft)
                return None
            return replace(summary, steps=len(draft.steps), complete=draft.complete)
        finally:
            draft.close()

    def _annotation(self, draft: Draft) -> Path:
        return self._root / layout.annotation_path(draft.episode_id)


def _episode(draft: Draft) -> Episode:
    if not draft.complete:
        raise DatasetError(f"The draft {draft.episode_id} has no COMPLETE or IMPOSSIBLE step yet: finish it first.")
    steps = tuple(
        Step(screenshot_name(draft.episode_id, number), step.action) for number, step in enumerate(draft.steps)
    )
    first = draft.steps[0].record.frame
    device = replace(draft.device, size=Size(first.width, first.height))  # the grid points refer to this size
    return Episode(draft.episode_id, device, draft.task, steps)


def _picture(step: DraftStep, decoded: set[str]) -> bytes:
    """Checked against its hash and as a complete PNG; `decoded` has the hashes that were checked before."""
    frame = step.record.frame
    try:
        data = read_file(step.picture, Largest.PICTURE, within=step.picture.parent)
    except OSError as error:
        raise storage_error(error, step.picture, "read") from error
    if hashlib.sha256(data).hexdigest() != frame.png_sha256:
        raise DatasetError(f"{step.picture} is not the picture that was recorded: undo that step and record it again.")
    if frame.png_sha256 not in decoded:
        try:
            decode_png(data)
        except BrokenImageError as error:
            raise DatasetError(f"{step.picture} is not whole: {error}. Undo that step and record it again.") from error
        decoded.add(frame.png_sha256)
    return data


def _tree(step: DraftStep, name: str) -> tuple[StepRecord, bytes]:
    if step.tree is None:
        return step.record, b""
    try:
        tree = read_file(step.tree, Largest.TREE, within=step.tree.parent)
        return step.record.model_copy(update={"ui_tree": name}), tree
    except FileNotFoundError:
        return step.record.model_copy(update={"ui_tree": None, "ui_tree_absent": TREE_LOST}), b""
    except OSError as error:
        raise storage_error(error, step.tree, "read") from error


def _provenance(draft: Draft, steps: tuple[StepRecord, ...]) -> EpisodeProvenance:
    return EpisodeProvenance(
        format=FORMAT,
        episode_id=draft.episode_id,
        origin=draft.origin,
        started_us=draft.started_us,
        published_us=time.time_ns() // 1000,
        steps=steps,
        dropped=draft.dropped,
        resumed=draft.resumed,
    )


def _newest_file(folder: Path) -> str:
    return "steps.jsonl" if (folder / "steps.jsonl").exists() else "draft.json"
