"""The dataset folder: drafts are published here, whole or not at all, and nothing is ever deleted for good.

`layout` has the dataset's own files. Drafts are on this computer's own disk, not in the dataset: see docs/adr/0004.
Draft <id> is in <drafts>/<id>/, and in <drafts>/trash/ once it is discarded.
"""

import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.dataset import layout
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import expect_writable, make_folder, storage_errors
from odyssey_recorder.model.action import Impossible
from odyssey_recorder.model.episode import DeviceInfo, Episode, TaskInfo, is_episode_id
from odyssey_recorder.model.geometry import Size

if TYPE_CHECKING:  # loaded on first use: the window opens sooner
    from odyssey_recorder.dataset.draft import Draft
    from odyssey_recorder.dataset.provenance import EpisodeProvenance, Origin


@dataclass(frozen=True, slots=True)
class DraftSummary:
    """`problem` says why it cannot be opened, or is empty; `task_id` is empty for the annotator's own task.

    `serial` and `avd_name` are those of the device it was begun on, empty if unknown.
    """

    episode_id: str
    task: TaskInfo
    device: DeviceInfo
    steps: int
    complete: bool
    changed_at: datetime
    problem: str = ""
    task_id: str = ""
    serial: str = ""
    avd_name: str = ""
    is_discarded: bool = False


_DISCARDED_SHOWN = 10


class EpisodeStore:
    def __init__(self, root: Path, *, drafts: Path) -> None:
        self.root = root.absolute()
        self._drafts = drafts.absolute()

    # Drafts.

    def create_draft(self, *, task: TaskInfo, device: DeviceInfo, origin: "Origin") -> "Draft":
        """Start an episode. Raises DatasetError, also if the dataset folder could not take the episode later."""
        from odyssey_recorder.dataset.draft import Draft

        for name in (layout.ANNOTATIONS, layout.SCREENSHOTS, layout.PROVENANCE):
            make_folder(self.root / name, within=self.root)
            expect_writable(self.root / name)
        folder = self._drafts / self._new_id()
        return Draft.create(folder, dataset=self.root, task=task, device=device, origin=origin)

    def drafts(self) -> list[DraftSummary]:
        summaries = [self._summary(folder) for folder in self._draft_folders()]
        return sorted(filter(None, summaries), key=lambda draft: draft.changed_at, reverse=True)

    def discarded(self) -> list[DraftSummary]:
        """The drafts that were discarded last, newest first, without those that are published or drafts again."""
        summaries = (self._summary(folder) for folder in self._trashed()[:_DISCARDED_SHOWN])
        found = {draft.episode_id: draft for draft in summaries if draft is not None and not draft.problem}
        return [replace(draft, is_discarded=True) for name, draft in found.items() if not self._is_taken(name)]

    def restore(self, episode_id: str) -> None:
        """Make the discarded one a draft again. Raises DatasetError."""
        name = layout.checked_id(episode_id)
        folder = next((folder for folder in self._trashed() if folder.name.startswith(f"{name}-")), None)
        if folder is None or self._is_taken(name):
            raise DatasetError(f"There is no recording {name} in the trash that could be restored.")
        with storage_errors(folder, "restored"):
            folder.rename(self._draft_folder(name))

    def drafts_of_tasks(self) -> dict[str, str]:
        """Episode ids of this dataset's drafts to their task ids; drafts without one or unreadable are left out."""
        from odyssey_recorder.dataset.draft import read_head

        found: dict[str, str] = {}
        for folder in self._draft_folders():
            with suppress(FileNotFoundError, DatasetError):
                head = read_head(folder)
                if head.origin.task_id and Path(head.dataset) == self.root:
                    found[head.episode_id] = head.origin.task_id
        return found

    def is_published(self, episode_id: str) -> bool:
        """Raises DatasetError if it is not an episode's id."""
        return (self.root / layout.annotation_path(layout.checked_id(episode_id))).exists()

    def is_impossible(self, episode_id: str) -> bool:
        """Whether the episode is published and ends in IMPOSSIBLE; False if it cannot be read."""
        try:
            return isinstance(self.load(episode_id).steps[-1].action, Impossible)
        except (DatasetError, IndexError):
            return False  # opening the episode says why

    def has_draft(self, episode_id: str) -> bool:
        """Whether there is such a draft, readable or not. Raises DatasetError if it is not an episode's id."""
        return self._draft_folder(episode_id).is_dir()

    def resume(self, episode_id: str) -> "Draft":
        """Raises DatasetError."""
        from odyssey_recorder.dataset.draft import Draft

        return Draft(self._draft_folder(episode_id))

    def discard(self, draft: "Draft") -> Path:
        """Close a draft, move it to the trash and return its new path. Raises DatasetError."""
        draft.close()
        return self._move_to_trash(draft.folder)

    def discard_unopened(self, episode_id: str) -> Path:
        """Move a draft that is not open to the trash, even an unreadable one. Raises DatasetError."""
        from odyssey_recorder.dataset.draft import hold

        folder = self._draft_folder(episode_id)
        hold(folder).release()
        return self._move_to_trash(folder)

    def publish(self, draft: "Draft") -> Path:
        """Move a complete draft into the dataset; returns the annotation file, which is written last.

        Every screenshot is decoded and compared with its hash, one at a time. Raises DatasetError and leaves the
        dataset as it was; the draft is deleted last.
        """
        from odyssey_recorder.dataset.publishing import publish

        publish(draft, self.root)
        draft.close()
        shutil.rmtree(draft.folder, ignore_errors=True)
        return self._annotation(draft)

    # Episodes.

    def load(self, episode_id: str) -> Episode:
        """Raises DatasetError, InvalidEpisodeError also for a file that holds another episode."""
        from odyssey_recorder.dataset.codec import read_annotation

        return read_annotation(self.root / layout.annotation_path(layout.checked_id(episode_id)))

    def ui_tree_path(self, episode_id: str, step: int) -> Path:
        """The path of a view hierarchy, which may not exist. Raises DatasetError if it is not an episode's id."""
        return self.root / layout.ui_tree_path(layout.checked_id(episode_id), step)

    def provenance(self, episode_id: str) -> "EpisodeProvenance | None":
        """None if there is none, as in released data. Raises DatasetError."""
        from odyssey_recorder.dataset.provenance import read_provenance

        return read_provenance(self.root / layout.provenance_path(layout.checked_id(episode_id)))

    def _new_id(self) -> str:
        while True:
            episode_id = f"{secrets.randbelow(10**16):016}"
            if not self._is_taken(episode_id):
                return episode_id

    def _is_taken(self, episode_id: str) -> bool:
        return self.is_published(episode_id) or self.has_draft(episode_id)

    def _trashed(self) -> list[Path]:
        """The folders of discarded drafts, newest first."""
        found = {path: layout.TRASH_NAME.fullmatch(path.name) for path in (self._drafts / layout.TRASH).glob("*-*")}
        times = {path: int(match[2]) for path, match in found.items() if match}
        return sorted(times, key=lambda path: times[path], reverse=True)

    def _move_to_trash(self, folder: Path) -> Path:
        trash = self._drafts / layout.TRASH
        make_folder(trash)
        with storage_errors(folder, "moved to the trash"):
            return folder.rename(trash / f"{folder.name}-{time.time_ns()}")

    def _draft_folder(self, episode_id: str) -> Path:
        return self._drafts / layout.checked_id(episode_id)

    def _draft_folders(self) -> list[Path]:
        if not self._drafts.is_dir():
            return []
        return [path.parent for path in self._drafts.glob("*/draft.json") if is_episode_id(path.parent.name)]

    def _summary(self, folder: Path) -> DraftSummary | None:
        """None for a draft of another dataset, or one that a crash left after publishing."""
        from odyssey_recorder.dataset.draft import Draft, read_head

        task, device, begun = TaskInfo("", (), "", "", ""), DeviceInfo("", Size(0, 0)), ("", "", "")
        try:
            newest = "steps.jsonl" if (folder / "steps.jsonl").exists() else "draft.json"
            changed_at = datetime.fromtimestamp((folder / newest).stat().st_mtime, UTC)
            head = read_head(folder)
            if Path(head.dataset) != self.root:
                return None
            task, device, origin = head.task_info, head.device_info, head.origin
            begun = origin.task_id, origin.serial, origin.avd_name
            draft = Draft(folder)
        except FileNotFoundError:
            return None  # it was published or discarded a moment ago
        except DatasetError as error:
            return DraftSummary(folder.name, task, device, 0, False, changed_at, str(error), *begun)
        try:
            if draft.complete and self._annotation(draft).exists():
                if folder.parent == self._drafts:
                    self.discard(draft)
                return None
            return DraftSummary(head.episode_id, task, device, len(draft.steps), draft.complete, changed_at, "", *begun)
        finally:
            draft.close()

    def _annotation(self, draft: "Draft") -> Path:
        return self.root / layout.annotation_path(draft.episode_id)
