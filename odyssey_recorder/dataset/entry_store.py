"""The entry files of one kind in a dataset, safe for several windows and computers."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from filelock import FileLock, Timeout

from odyssey_recorder.dataset.entry_file import EntryFile, Form, refuse_problems, spell, union
from odyssey_recorder.dataset.layout import PER_EPISODE, REVIEW_NAME, checked_id, read_dataset_file
from odyssey_recorder.errors import DatasetError, MissingFileError, ReviewError
from odyssey_recorder.files import Largest, make_folder, storage_error, storage_errors, write_durably

_FOR_GIT = {".gitattributes": "/*.json merge=union\n/policy.json merge\n", ".gitignore": "lock\n.lock\n*.part\n"}

_File = TypeVar("_File", bound=EntryFile[Any])


class EntryStore(Generic[_File]):
    """`folder` is that in the dataset, `form` that of its files; the folder need not exist yet.

    Thread-safe, calls may block; a writer waits up to `patience_s` seconds.
    """

    def __init__(self, root: Path, folder: str, form: Form[_File], *, patience_s: float = 10.0) -> None:
        self.root = root
        self._folder = root / folder
        self._form = form
        self._patience_s = patience_s

    def ids(self) -> list[str]:
        """The episodes with a file, sorted. Raises DatasetError."""
        return sorted(path.stem for path in self._files() if is_main(path))

    def copies(self) -> list[Path]:
        """Additional files of an episode, left by a shared drive."""
        return sorted(path for path in self._files() if not is_main(path))

    def read(self, episode_id: str) -> _File:
        """Empty if there is no file; invalid parts are among its `problems`. Raises DatasetError."""
        path = self._path(episode_id)
        try:
            data = read_dataset_file(path, Largest.REVIEWS, within=self.root)
        except MissingFileError:
            return self._form.file(episode_id)
        return self._form.read(data, episode_id=episode_id, source=str(path))

    def read_complete(self, episode_id: str) -> _File:
        """As `read`; raises ReviewError too, if parts of the file are unreadable."""
        file = self.read(episode_id)
        refuse_problems(file)
        return file

    def append(self, episode_id: str, *entries: Any) -> _File:
        """Synced to disk. Raises ReviewError, changing nothing, if parts of the file are unreadable; DatasetError."""
        return self.unite(self._form.file(episode_id, entries))

    def unite(self, more: _File) -> _File:
        """Add new entries and return the resulting file. Raises as `append`."""
        with self._held():
            before = self.read_complete(more.episode_id)
            after = union(before, more)
            if after != before:
                write_durably(self._path(more.episode_id), spell(after), within=self.root)
        return after

    def _files(self) -> Iterator[Path]:
        with storage_errors(self._folder, "read"), suppress(FileNotFoundError):
            yield from (path for path in self._folder.iterdir() if REVIEW_NAME.fullmatch(path.name))

    def _path(self, episode_id: str) -> Path:
        return self._folder / f"{checked_id(episode_id)}.json"

    @contextmanager
    def _held(self) -> Iterator[None]:
        if not self.root.is_dir():
            raise DatasetError(f"The dataset folder {self.root} is missing. Restore it, or reconnect its disk.")
        make_folder(self._folder, within=self.root)
        try:
            with FileLock(self._folder / ".lock", timeout=self._patience_s):
                for name, text in _FOR_GIT.items():
                    if not (self._folder / name).exists():
                        write_durably(self._folder / name, text.encode(), within=self.root)
                yield
        except Timeout as error:
            raise ReviewError(f"Another program is writing to {self._folder}. Try again in a moment.") from error
        except OSError as error:
            raise storage_error(error, self._folder, "written") from error


def is_main(path: Path) -> bool:
    return PER_EPISODE.fullmatch(path.name) is not None
