"""Writes the files of an export: whole or not at all, hashed while they are written."""

import hashlib
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.exporting.episodes import ExportedEpisode
from odyssey_recorder.files import beside, refuse_link, storage_errors, whole_file, write_durably

Hashes = dict[str, str]
"""The SHA-256 of files by their paths within the export."""


class HashedWriter:
    """Writes to a file, and hashes on another thread, so that nothing is read a second time.

    At most one piece waits to be hashed. `sha256` is there once the block has ended.
    """

    closed = False  # pyarrow asks

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None
        self.size = 0
        self.sha256 = ""

    def __enter__(self) -> "HashedWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        self.sha256 = self._hash.hexdigest()

    def write(self, data: bytes) -> int:
        if self._last is not None:
            self._last.result()
        self._last = self._thread.submit(self._hash.update, data)
        self.size += len(data)
        return self._file.write(data)

    def beside(self, data: bytes) -> Future[str]:
        """The SHA-256 of other data, on the same thread."""
        return self._thread.submit(lambda: hashlib.sha256(data).hexdigest())

    def flush(self) -> None:
        self._file.flush()


def write_file(folder: Path, name: str, data: bytes) -> str:
    """Its SHA-256."""
    write_durably(folder / name, data, within=folder)
    return hashlib.sha256(data).hexdigest()


def write_screenshots(exported: ExportedEpisode, folder: Path) -> Hashes:
    """Hard links, where nothing is redacted and the disk allows it. Raises DatasetError."""
    written: Hashes = {}
    for number, step in enumerate(exported.episode.steps):
        name = f"{SCREENSHOTS}/{step.screenshot}"
        if exported.is_redacted(number):
            written[name] = write_file(folder, name, exported.screenshot(number))
        else:
            _bring(exported.screenshots / step.screenshot, folder / name)
            written[name] = sha256_of(folder / name)
    return written


def _bring(file: Path, place: Path) -> None:
    """A hard link, or a copy on another disk."""
    with storage_errors(place, "written"):
        refuse_link(file)
        link = beside(place)
        with suppress(OSError):
            link.hardlink_to(file)
            link.replace(place)
            link.unlink(missing_ok=True)  # it stays if both already were the same file
            return
        with whole_file(place) as copy, file.open("rb") as original:
            shutil.copyfileobj(original, copy)


def sha256_of(path: Path) -> str:
    """Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
