"""How a file comes to disk whole, written beside its place, made durable, then renamed over it; or why it cannot."""

import errno
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import check_within, create_file

_NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
EPISODE_FOLDERS = ("annotations", "screenshots", "provenance", "ui_trees")
"""The folders of a dataset that hold the files of its episodes."""
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


def dataset_of(path: Path) -> Path | None:
    """The dataset that an episode's file lies in, by the name of its folder; None for a lone file."""
    return path.parent.parent if path.parent.name in EPISODE_FOLDERS else None


def write_durably(path: Path, data: bytes, *, within: Path | None = None) -> None:
    """Put `data` at `path`; a crash or a full disk leaves the old file, or none, but never a part of the new one.

    A link at `path` is replaced. No link on the way there may lead out of the folder `within`. Raises DatasetError
    naming the path and the mend where the folder does not take the file.
    """
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")  # another program may be writing it, too
    try:
        with create_file(part, within=within) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise storage_error(error, path, "written") from error


def make_folder(folder: Path, *, within: Path | None = None) -> None:
    """Create `folder`, durably, and those above it where they are missing. Raises DatasetError.

    No link on the way there may lead out of the folder `within`.
    """
    try:
        if within is not None:
            check_within(folder, within)
        folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder.parent)
    except OSError as error:
        raise storage_error(error, folder, "created") from error


def expect_writable(folder: Path) -> None:
    """Raise DatasetError where no file can be written into `folder`; nothing is left there."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise storage_error(error, folder, "written") from error


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` itself durable, where the system lets a folder be opened (Windows does not)."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def storage_error(error: OSError, path: Path, deed: str) -> DatasetError:
    """What to raise for `error`: that `path` cannot be `deed` ("written"), why, and what mends it."""
    if error.errno in _NO_ROOM:
        why = "no room is left there. Free some space"
    elif error.errno in _FORBIDDEN:
        why = "that is not allowed there. Make the folder writable"
    elif error.errno == errno.ENOENT and deed == "read" and path.parent.is_dir():
        why = "there is no such file"
    elif error.errno == errno.ENOENT:
        why = "its folder is gone. Bring the folder back, or plug its disk in"
    elif error.errno in {errno.ENOTDIR, errno.EEXIST}:
        why = "a file is where a folder must be. Move that file away"
    else:
        why = error.strerror or str(error)
    return DatasetError(f"{path} cannot be {deed}: {why}.")
