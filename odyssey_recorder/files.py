"""Opening files that someone else may have written: only regular ones, of plausible size, within their folder.

A dataset may be a clone of a stranger's. Any of its files may be replaced by a pipe, which never answers, a device,
which never ends, or a link to a file outside the dataset. So no file is read by its path alone:

- It is opened without blocking, and what was opened, not its name, must be a regular file.
- Reads stop at the largest size that a file of its kind can have.
- A file of a dataset, a draft or another folder that is handled as a whole is read ``within`` that folder. Links that
  stay in it are followed (git-annex makes them), and the folder itself may be reached by one. The check uses the
  location of the open file, so a link that changes meanwhile has no effect. Where the system does not report it
  (Windows), the path is resolved instead, and such a race goes unnoticed.
- Data is written to a newly created file, and never through a link.

A file that the user names, on the command line or in the settings, may be a link to anywhere.
"""

import errno
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from io import BufferedRandom, BufferedReader, BufferedWriter
from pathlib import Path
from typing import BinaryIO, TypeVar

from odyssey_recorder.errors import DatasetError, MissingFileError, UnfitFileError

_File = TypeVar("_File", bound=BinaryIO)
_MIB = 1024 * 1024
_MAX_BRACKETS = 500_000
_NON_BLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has none; links there need a privilege that few users have
_OPEN_FLAGS = os.O_RDONLY | _NON_BLOCKING
_CHANGE_FLAGS = os.O_RDWR | _NO_LINK | _NON_BLOCKING
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _NON_BLOCKING
_NO_SPACE = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_NO_PERMISSION = {errno.EACCES, errno.EPERM, errno.EROFS}
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Largest(IntEnum):
    """In bytes, many times the largest known files."""

    ANNOTATION = 8 * _MIB  # sixty steps with long scrolls have a twentieth of that
    PROVENANCE = 16 * _MIB
    TREE = 16 * _MIB
    SCREENSHOT = 64 * _MIB  # pure noise on the screen of the largest device has a third of that
    REVIEWS = 16 * _MIB
    DRAFT = 64 * _MIB
    TASKS = 64 * _MIB
    INDEX = 256 * _MIB  # the second release's list of all episodes has about 130
    WRITTEN_BY_HAND = 2 * _MIB  # settings, templates, prompts, scripts


def read_file(path: Path, at_most: int, *, within: Path | None = None) -> bytes:
    """Raises OSError; UnfitFileError if it is not a regular file, is too large, or leads out of `within`."""
    with open_file(path, at_most, within=within) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(size + 1)  # not at_most: memory of that size would be mapped again for each file
        if len(data) > size:  # it has grown since, or does not report its size, like files in /proc
            data += file.read(at_most + 1 - len(data))
    if len(data) > at_most:
        raise _too_large(path, at_most)
    return data


def read_json(path: Path, at_most: int, *, within: Path | None = None) -> bytes:
    """Limits the number of brackets, each of which can cost a parser a kilobyte. Raises as `read_file`."""
    data = read_file(path, at_most, within=within)
    if data.count(b"{") + data.count(b"[") > _MAX_BRACKETS:
        raise unfit(path, f"it has more brackets than the limit of {_MAX_BRACKETS:,}. Move it away")
    return data


def read_text(path: Path, at_most: int, *, encoding: str = "utf-8") -> str:
    """Line ends become \\n. Raises as `read_file`, and UnicodeDecodeError."""
    return read_file(path, at_most).decode(encoding).replace("\r\n", "\n")


@contextmanager
def open_file(path: Path, at_most: int, *, within: Path | None = None) -> Iterator[BufferedReader]:
    """For callers that do not read the whole file. Raises as `read_file`."""
    _check(path, path.stat(), at_most)  # first, because opening a device may have side effects
    with open(os.open(path, _OPEN_FLAGS), "rb") as file:  # noqa: PTH123 - a descriptor
        _check(path, os.fstat(file.fileno()), at_most)
        if within is not None:
            check_within(path, within, file.fileno())
        yield file


def create_file(path: Path, *, within: Path | None = None) -> BufferedWriter:
    """Raises OSError, in particular FileExistsError for a link."""
    if within is not None:
        check_within(path.parent, within)
    file = open(os.open(path, _CREATE_FLAGS, 0o666), "wb")  # noqa: PTH123, SIM115 - a descriptor; the caller closes
    return _checked(file, path, within)


def change_file(path: Path, *, within: Path | None = None) -> BufferedRandom:
    """For reading and writing. Raises as `read_file`, and UnfitFileError for any link."""
    refuse_link(path)
    _check(path, path.stat())
    return _checked(open(os.open(path, _CHANGE_FLAGS), "r+b"), path, within)  # noqa: PTH123


def refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise unfit(path, "it is a link. Replace it with the file itself")


def check_within(path: Path, folder: Path, handle: int | None = None) -> None:
    """Raise UnfitFileError if `path`, or the open file `handle`, is not in `folder`; it need not exist."""
    location = (handle is not None and _location(handle)) or os.path.realpath(path)
    if not Path(location).is_relative_to(os.path.realpath(folder)):
        raise unfit(path, f"a link in its path leads out of {folder}. Replace the link with its target")


def unfit(path: Path, why: str) -> UnfitFileError:
    """`why` says why the file is not used and what to do, phrased to follow a colon."""
    return UnfitFileError(errno.EINVAL, why, str(path))


# Atomic writes.


def write_durably(path: Path, data: bytes, *, within: Path | None = None) -> None:
    """Replace the file at `path`; a crash or a full disk never leaves a partial one. A link at `path` is replaced.

    Raises DatasetError, also if the path leads out of the folder `within`.
    """
    with whole_file(path, within=within) as file:
        file.write(data)
    with storage_errors(path, "written"):
        sync_folder(path.parent)


@contextmanager
def whole_file(path: Path, *, within: Path | None = None) -> Iterator[BufferedWriter]:
    """As `write_durably` for data in pieces, but the name is durable only once its folder is synced."""
    part = beside(path)
    with storage_errors(path, "written"):
        try:
            with create_file(part, within=within) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def beside(path: Path) -> Path:
    """A path for what will replace the file; another program may be writing the same one."""
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")


def make_folder(folder: Path, *, within: Path | None = None) -> None:
    """Durable. Raises DatasetError, also if a link leads out of `within`."""
    with storage_errors(folder, "created"):
        if within is not None:
            check_within(folder, within)
        folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder.parent)


def refuse_existing(path: Path) -> None:
    """Raises DatasetError."""
    if path.exists() or path.is_symlink():
        raise DatasetError(f"{path} already exists. Choose another folder, or move it away.")


def publish_folder(part: Path, target: Path, *, journal: Path | None = None) -> None:
    """Rename the complete folder `part` to `target`, once all folders in it are durable; its files must be already.

    The file `journal` in it, from which an interrupted work is resumed, is removed just before. Raises DatasetError,
    also if something is in the way.
    """
    with storage_errors(target, "written"):
        for folder, _, _ in os.walk(part):
            sync_folder(Path(folder))
        refuse_existing(target)
        if journal is not None:
            journal.unlink()
        part.rename(target)
        sync_folder(target.parent)


def expect_writable(folder: Path) -> None:
    """Raises DatasetError."""
    with storage_errors(folder, "written"):
        tempfile.TemporaryFile(dir=folder).close()


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` durable; Windows cannot."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def storage_error(error: OSError, path: Path, action: str) -> DatasetError:
    """`action` is "created", "read" or "written"."""
    if error.errno in _NO_SPACE:
        why = "the disk is full. Free some space"
    elif error.errno in _NO_PERMISSION:
        why = "permission denied. Make the folder writable"
    elif error.errno == errno.ENOENT and action == "read" and path.parent.is_dir():
        why = "file not found"
    elif error.errno == errno.ENOENT:
        why = "its folder is missing. Restore the folder, or reconnect its disk"
    elif error.errno in {errno.ENOTDIR, errno.EEXIST}:
        why = "there is a file where a folder is needed. Move that file away"
    else:
        why = error.strerror or str(error)
    kind = MissingFileError if error.errno == errno.ENOENT and action == "read" else DatasetError
    return kind(f"{path} cannot be {action}: {why}.")


@contextmanager
def storage_errors(path: Path, action: str) -> Iterator[None]:
    """Raises the `storage_error` of an OSError that ends the block."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path, action) from error


def _checked(file: _File, path: Path, within: Path | None) -> _File:
    try:
        _check(path, os.fstat(file.fileno()))
        if within is not None:
            check_within(path, within, file.fileno())
    except OSError:
        file.close()
        raise
    return file


def _check(path: Path, status: os.stat_result, at_most: int | None = None) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise unfit(path, f"it is {kind}, not a file. Move it away")
    if at_most is not None and status.st_size > at_most:
        raise _too_large(path, at_most)


def _too_large(path: Path, at_most: int) -> UnfitFileError:
    return unfit(path, f"it is larger than the limit of {at_most / _MIB:g} MiB. Move it away")


def _location(handle: int) -> str:
    """With links resolved; empty if unknown."""
    try:
        if sys.platform == "darwin":
            from fcntl import F_GETPATH, fcntl

            return os.fsdecode(fcntl(handle, F_GETPATH, bytes(1024)).rstrip(b"\0"))
        return str(Path(f"/proc/self/fd/{handle}").readlink())
    except OSError:
        return ""
