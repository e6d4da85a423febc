"""The change of an episode's files that is under way, so that an interrupted one is finished or rolled back.

A change leads from one complete folder to another; "" means no episode. It is written to the journal, carried out,
recorded by the caller and removed from the journal. A change that is still in the journal was interrupted: if it is on
record, it is completed, otherwise it is rolled back.
"""

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from odyssey_recorder.dataset.episode_files import drop_folder, exchange, keep, version_name
from odyssey_recorder.dataset.layout import EPISODE_FOLDERS, HISTORY, TRASH, annotation_path, files_of
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import (
    Largest,
    check_within,
    make_folder,
    read_json,
    storage_error,
    storage_errors,
    sync_folder,
    write_durably,
)
from odyssey_recorder.validation import FrozenModel, first_fault

_FORMAT = 1
_PATIENCE_S = 20.0
"""How long to wait for another change, which takes a fraction of a second."""
_FOLDER = rf"^({HISTORY}/[0-9]{{16}}/[0-9a-f]{{64}}-[0-9a-f]{{16}}|{TRASH}/[0-9]{{16}}-[0-9]+|)\z"


class Change(FrozenModel):
    """One change of one episode: `id` is 32 random hexadecimal digits.

    `source` is the folder in the dataset with the episode before the change, `target` the one with the result; "" for
    no episode. `removed` as in `Amended`.
    """

    format: int = _FORMAT
    id: str = Field(default_factory=lambda: secrets.token_hex(16), pattern=r"^[0-9a-f]{32}\z")
    episode_id: str = Field(pattern=r"^[0-9]{16}\z")
    source: str = Field(pattern=_FOLDER)
    target: str = Field(pattern=_FOLDER)
    removed: dict[str, tuple[int, ...]] = Field(default_factory=dict)

    @property
    def before(self) -> str:
        """The SHA-256 of the amended annotation; "" if the episode moved to or from the trash."""
        return self.version.partition("-")[0]

    @property
    def after(self) -> str:
        """The SHA-256 of the annotation after the change; "" likewise."""
        return _version(self.target).partition("-")[0]

    @property
    def version(self) -> str:
        return _version(self.source)


Record = Callable[[Change], object]
Recorded = Callable[[Change], bool]
Contents = Mapping[str, Path | bytes]


def never(change: Change) -> bool:
    """For callers without a record of changes: an interrupted change is rolled back."""
    del change
    return False


def do_not_record(change: Change) -> None:
    del change


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Let no other program write to the dataset, other than to the review files. Raises DatasetError.

    An interrupted change stays as it is: only who knows its record can settle it.
    """
    root = root.absolute()
    journal = _journal_path(root)
    make_folder(journal.parent, within=root)
    lock = FileLock(journal.with_name("lock"), timeout=_PATIENCE_S, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise DatasetError(f"Another program is writing to {root}. Wait, or close that program.") from error
    except OSError as error:
        raise storage_error(error, journal.parent, "locked") from error
    try:
        yield
    finally:
        lock.release()


class Journal:
    """Makes changes of a dataset folder, one at a time even across processes; `recorded` looks one up. Thread-safe."""

    def __init__(self, root: Path, recorded: Recorded) -> None:
        self.root = root.absolute()
        self._recorded = recorded
        self._journal_path = _journal_path(self.root)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the dataset for changes, after settling an interrupted one. Raises DatasetError."""
        for name in (*EPISODE_FOLDERS, TRASH):
            check_within(self.root / name, self.root)
        with locked(self.root):
            self._settle_interrupted()
            yield

    def carry_out(self, change: Change, folders: Mapping[str, Contents], record: Record) -> None:
        """Make a change atomically; the caller holds the journal. Raises DatasetError, and what `record` raises.

        `folders` are the contents of folders to create. If `record` raises, the change is rolled back.
        """
        write_durably(self._journal_path, change.model_dump_json().encode(), within=self.root)
        try:
            for name, contents in folders.items():
                keep(contents, self.root / name, self.root)
            self._exchange(change, change.target)
            record(change)
        except BaseException:
            self._roll_back(change)
            raise
        self._clear(change.target)

    def recover(self) -> str | None:
        """Settle an interrupted change; returns the id of its episode, or None. Raises DatasetError."""
        change = under_way(self.root)
        if change is not None:
            with self.held():
                return change.episode_id
        return None

    def _settle_interrupted(self) -> None:
        change = self._read()
        if change is None:
            return
        is_restore = change.target.startswith(TRASH)
        if self._recorded(change) or (is_restore and not (self.root / change.target).is_dir()):
            self._exchange(change, change.target)
            self._clear(change.target)
        else:
            self._roll_back(change)

    def _roll_back(self, change: Change) -> None:
        self._exchange(change, change.source)
        self._clear(change.source)

    def _exchange(self, change: Change, folder: str) -> None:
        """If `folder` is missing, nothing is changed yet or all is done: it is created first and removed last."""
        if not folder:
            exchange(self.root, change.episode_id, {})
        elif (self.root / folder).is_dir():
            exchange(self.root, change.episode_id, self._complete_files(change, folder))

    def _complete_files(self, change: Change, folder: str) -> Mapping[str, Path]:
        """Raises DatasetError if some are missing, because then the episode would lose them too."""
        files = files_of(self.root / folder, change.episode_id)
        is_complete = annotation_path(change.episode_id) in files
        if version := _version(folder):
            is_complete = version_name(files, change.episode_id) == version
        if not is_complete:
            raise DatasetError(
                f"A change of episode {change.episode_id} was interrupted, and {self.root / folder} "
                "differs from the saved version. Restore that folder from a backup."
            )
        return files

    def _clear(self, folder: str) -> None:
        """Remove the journal, and `folder` if it is in the trash."""
        with storage_errors(self._journal_path, "removed"):
            trashed = drop_folder(self.root / folder) if folder.startswith(TRASH) else None
            self._journal_path.unlink()
            sync_folder(self._journal_path.parent)
        if trashed is not None:
            shutil.rmtree(trashed, ignore_errors=True)

    def _read(self) -> Change | None:
        try:
            change = _read_change(self.root)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_error(error, self._journal_path, "read") from error
        except ValidationError as error:
            raise DatasetError(
                f"{self._journal_path} does not show which change was interrupted. Move it away, and compare "
                f"the latest changed episodes with their history ({first_fault(error)})."
            ) from error
        if change.format > _FORMAT:
            raise DatasetError(
                f"{self._journal_path} was written by a newer version of Odyssey Recorder. Update this one."
            )
        return change


def under_way(root: Path) -> Change | None:
    """The change in the journal; None if there is none that can be read."""
    try:
        return _read_change(root)
    except (OSError, ValidationError):
        return None


def _read_change(root: Path) -> Change:
    return Change.model_validate_json(read_json(_journal_path(root), Largest.WRITTEN_BY_HAND, within=root))


def _journal_path(root: Path) -> Path:
    return root / HISTORY / "change.json"


def _version(folder: str) -> str:
    return folder.rpartition("/")[2] if folder.startswith(HISTORY) else ""
