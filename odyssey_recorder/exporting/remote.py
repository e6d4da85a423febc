"""An export or a release as files in a store: any place that fsspec reaches, such as s3://bucket/name.

SHA256SUMS names the files, and comes last: where it is, the rest is too. Needs the extra `remote`.
"""

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.errors import DatasetError, MissingFileError, OdysseyError
from odyssey_recorder.exporting.hashed_files import sha256_of
from odyssey_recorder.exporting.sums import SUMS, parse_sums
from odyssey_recorder.files import Largest, check_within, make_folder, open_file, read_file, storage_errors, whole_file
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Progress

_PIECE = 1024 * 1024


class Store:
    """Files by name under a URL. Raises DatasetError."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise DatasetError("A URL needs fsspec. Install it: pip install 'odyssey-recorder[remote]'") from error
        with self._errors(""):
            self._files, self._root = url_to_fs(self.url)

    def hash(self, name: str) -> str:
        """The SHA-256; empty if there is no such file."""
        with self._errors(name):
            return self.copy_to(name) if self._files.exists(self._path(name)) else ""

    def read(self, name: str, at_most: int) -> bytes:
        data = b""
        for piece in self._pieces(name):
            data += piece
            if len(data) > at_most:
                raise DatasetError(f"{self.url}/{name} is larger than the limit of {at_most:,} bytes.")
        return data

    def copy_to(self, name: str, file: BinaryIO | None = None) -> str:
        """Its SHA-256."""
        whole = hashlib.sha256()
        for piece in self._pieces(name):
            whole.update(piece)
            if file is not None:
                file.write(piece)
        return whole.hexdigest()

    def put_if_absent(self, name: str, path: Path, sha256: str, within: Path) -> None:
        """Refuses to replace a file that differs. Two programs that put the same name at once are not kept apart."""
        there = self.hash(name)
        if there not in ("", sha256):
            raise DatasetError(f"{self.url}/{name} exists and differs. Nothing is replaced: choose another URL.")
        if there:
            return
        whole = hashlib.sha256()
        with storage_errors(path, "read"), open_file(path, sys.maxsize, within=within) as file, self._errors(name):
            if not self._files.async_impl:  # others have no folders, and would make a bucket of a mistyped name
                self._files.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            # The file appears when the block ends, where the store can do that.
            with self._files.transaction, self._files.open(self._path(name), "wb") as copy:
                for piece in _pieces_of(file, path):
                    whole.update(piece)
                    copy.write(piece)
                if whole.hexdigest() != sha256:
                    raise DatasetError(f"{path} is not the file of {SUMS}. Export it again.")

    def _pieces(self, name: str) -> Iterator[bytes]:
        with self._errors(name), self._files.open(self._path(name), "rb") as file:
            while piece := file.read(_PIECE):
                yield piece

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        """For what the store does, not for this computer's files: a store's library may raise anything."""
        try:
            yield
        except OdysseyError:
            raise
        except FileNotFoundError as error:
            raise MissingFileError(f"{self.url}/{name} does not exist. Check the URL.") from error
        except (ValueError, ImportError, NotImplementedError) as error:
            raise DatasetError(f"{self.url} cannot be used: {error}. Check the URL.") from error
        except Exception as error:
            words = f"{self.url} cannot be reached: {str(error).rstrip('.') or type(error).__name__}."
            raise DatasetError(f"{words} Check the URL and your keys; the same command continues.") from error


def _pieces_of(file: BinaryIO, path: Path) -> Iterator[bytes]:
    with storage_errors(path, "read"):
        while piece := file.read(_PIECE):
            yield piece


def upload(folder: Path, url: str, progress: Progress) -> int:
    """Put the files of an export or a release under `url`, and return their number. Raises DatasetError."""
    with storage_errors(folder / SUMS, "read"):
        listed = read_file(folder / SUMS, Largest.INDEX, within=folder)
    store, sums = Store(url), parse_sums(listed, str(folder / SUMS))
    for number, (name, sha256) in enumerate(sums.items(), start=1):
        store.put_if_absent(name, folder / name, sha256, folder)
        progress(number / len(sums), f"{number:,} of {counted(sums, 'file')}")
    store.put_if_absent(SUMS, folder / SUMS, hashlib.sha256(listed).hexdigest(), folder)
    return len(sums)


def download(url: str, folder: Path, progress: Progress, *, with_screenshots: bool = True) -> int:
    """Copy the files under `url` to `folder`, screenshots last, and return their number; what is there stays.

    Raises DatasetError, also for a file in the folder that differs.
    """
    store = Store(url)
    listed = store.read(SUMS, Largest.INDEX)
    sums = parse_sums(listed, f"{store.url}/{SUMS}")
    screenshots = [name for name in sums if name.startswith(f"{SCREENSHOTS}/")] if with_screenshots else []
    wanted = [*(name for name in sums if not name.startswith(f"{SCREENSHOTS}/")), *screenshots]
    for number, name in enumerate(wanted, start=1):
        _get(store, name, folder, sums[name])
        progress(number / len(wanted), f"{number:,} of {counted(wanted, 'file')}")
    if len(wanted) == len(sums):
        _get(store, SUMS, folder, hashlib.sha256(listed).hexdigest())
    return len(wanted)


def _get(store: Store, name: str, folder: Path, sha256: str) -> None:
    path = folder / name
    with storage_errors(path, "written"):
        make_folder(folder)
        check_within(path, folder)
        if path.exists():
            if not path.is_file() or sha256_of(path) != sha256:
                raise DatasetError(f"{path} exists and differs. Move it away, or choose another folder.")
            return
        make_folder(path.parent, within=folder)
        with whole_file(path) as file:
            if store.copy_to(name, file) != sha256:
                raise DatasetError(f"{store.url}/{name} is not the file of {SUMS}. Ask who published it.")
