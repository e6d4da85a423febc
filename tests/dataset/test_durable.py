"""Files are written completely or not at all, and errors say how to fix them."""

import errno
import os
from pathlib import Path

import pytest

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import make_folder, storage_error, write_durably


def test_write_replaces_file_and_stale_partial_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_durably(path, b"old")
    write_durably(path, b"new")
    assert path.read_bytes() == b"new"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    (tmp_path / "file.part").write_bytes(b"torn")
    write_durably(path, b"newer")
    assert path.read_bytes() == b"newer"


def test_folder_in_place_of_the_file_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "file" / "inside").mkdir(parents=True)
    with pytest.raises(DatasetError, match="file cannot be written"):
        write_durably(tmp_path / "file", b"data")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "inside"]


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"gone/file cannot be written: its folder is missing\. Restore the folder"):
        write_durably(tmp_path / "gone" / "file", b"data")


def test_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    for folder in (tmp_path / "data", tmp_path / "data" / "screenshots"):
        with pytest.raises(DatasetError, match=r"there is a file where a folder is needed\. Move that file away"):
            make_folder(folder)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        *((code, "Free some space") for code in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)),
        *((code, "Make the folder writable") for code in (errno.EACCES, errno.EROFS, errno.EPERM)),
        (errno.ENOENT, "Restore the folder"),
        (errno.ENOTDIR, "Move that file away"),
        (errno.EIO, "Input/output error"),
        (None, "no luck"),
    ],
)
def test_each_error_says_how_to_fix_it(code: int | None, advice: str) -> None:
    cause = OSError("no luck") if code is None else OSError(code, os.strerror(code))
    error = storage_error(cause, Path("/data/1.png"), "written")
    assert str(error).startswith(f"{Path('/data/1.png')} cannot be written: ")
    assert advice in str(error)


def test_writes_do_not_follow_symlinks(tmp_path: Path) -> None:
    folder, victim = tmp_path / "dataset", tmp_path / "victim"
    (folder / "reviews").mkdir(parents=True)
    victim.mkdir()
    (victim / "file").write_bytes(b"theirs")
    path = folder / "reviews" / "file"
    for name in ("file", "file.part"):
        path.with_name(name).symlink_to(victim / "file")
    (folder / "out").symlink_to(victim)

    write_durably(path, b"ours", within=folder)
    with pytest.raises(DatasetError, match="a link in its path leads out of"):
        write_durably(folder / "out" / "file", b"ours", within=folder)
    with pytest.raises(DatasetError, match="a link in its path leads out of"):
        make_folder(folder / "out" / "new", within=folder)

    assert path.read_bytes() == b"ours"
    assert not path.is_symlink()
    assert [one.read_bytes() for one in victim.iterdir()] == [b"theirs"]
