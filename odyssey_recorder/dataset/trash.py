"""Episodes that were removed from a dataset, each complete in a folder of its own: ``<dataset>/trash/<id>-<time>/``."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from odyssey_recorder.dataset.change_journal import Change, Journal, Record, Recorded, do_not_record, never
from odyssey_recorder.dataset.layout import TRASH, TRASH_NAME, annotation_path, checked_id, files_of
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import storage_errors


@dataclass(frozen=True, slots=True)
class TrashedEpisode:
    episode_id: str
    folder: Path
    moved_at: datetime


class Trash:
    """`recorded` as for `Versions`. Thread-safe."""

    def __init__(self, root: Path, recorded: Recorded = never) -> None:
        self._root = root.absolute()
        self._journal = Journal(self._root, recorded)

    def episodes(self) -> list[TrashedEpisode]:
        """Newest first. Raises DatasetError."""
        with storage_errors(self._root / TRASH, "read"):
            found = [_trashed(path) for path in (self._root / TRASH).glob("*-*")]
        return sorted(filter(None, found), key=lambda episode: episode.moved_at, reverse=True)

    def move(self, episode_id: str, *, record: Record = do_not_record) -> Path:
        """Move all of its files atomically; returns the new folder. It need not be readable. Raises DatasetError."""
        folder = f"{TRASH}/{checked_id(episode_id)}-{time.time_ns()}"
        with self._journal.held():
            files = files_of(self._root, episode_id)
            if annotation_path(episode_id) not in files:
                raise DatasetError(f"There is no episode {episode_id} in {self._root}.")
            self._journal.carry_out(Change(episode_id=episode_id, source=folder, target=""), {folder: files}, record)
        return self._root / folder

    def restore(self, episode_id: str, *, record: Record = do_not_record) -> None:
        """Restore the episode's newest folder in the trash, atomically. Raises DatasetError."""
        with self._journal.held():
            found = next((episode for episode in self.episodes() if episode.episode_id == episode_id), None)
            if found is None:
                raise DatasetError(f"There is no episode {episode_id} in the trash of {self._root}.")
            if files_of(self._root, episode_id):
                raise DatasetError(f"Files of episode {episode_id} are already in {self._root}. Move them away first.")
            target = f"{TRASH}/{found.folder.name}"
            self._journal.carry_out(Change(episode_id=episode_id, source="", target=target), {}, record)


def _trashed(folder: Path) -> TrashedEpisode | None:
    match = TRASH_NAME.fullmatch(folder.name)
    if match is None or not folder.is_dir():
        return None
    return TrashedEpisode(match[1], folder, datetime.fromtimestamp(int(match[2]) / 1e9, UTC))
