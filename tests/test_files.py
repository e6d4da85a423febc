import os
import socket
from pathlib import Path

import pytest

from odyssey_recorder.errors import UnfitFileError
from odyssey_recorder.files import Largest, check_within, read_file, read_json

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes and few links")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "dataset" / "reviews"
    made.mkdir(parents=True)
    (made / "file").write_bytes(b"inside")
    (tmp_path / "secret").write_bytes(b"outside")
    return made.parent


def test_a_file_is_read_whole(folder: Path) -> None:
    assert read_file(folder / "reviews" / "file", Largest.REVIEWS, within=folder) == b"inside"
    with pytest.raises(FileNotFoundError):
        read_file(folder / "none", Largest.REVIEWS, within=folder)


def test_a_pipe_a_device_a_socket_and_a_folder_are_refused_at_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        for name, kind in {"pipe": "a named pipe", "device": "a device", "socket": "a socket", "": "a folder"}.items():
            with pytest.raises(UnfitFileError, match=f"it is {kind}, not a file. Move it away.$"):
                read_file(folder / name, Largest.REVIEWS)


def test_a_file_larger_than_it_can_be_is_refused_also_one_that_does_not_tell_its_size(folder: Path) -> None:
    (folder / "exact").write_bytes(bytes(100))
    assert len(read_file(folder / "exact", 100)) == 100
    for path in (folder / "exact", Path("/proc/self/maps")):
        with pytest.raises(UnfitFileError, match="larger than"):
            read_file(path, 99)


def test_a_link_out_of_the_folder_is_refused_and_one_that_stays_is_followed(folder: Path) -> None:
    (folder / "out").symlink_to("../secret")
    (folder / "gone").symlink_to(folder.parent)
    (folder / "in").symlink_to("reviews/file")
    for leads_out in (folder / "out", folder / "gone" / "secret"):
        with pytest.raises(OSError, match=r"leads out of .*dataset\. Replace the link with its target"):
            read_file(leads_out, Largest.REVIEWS, within=folder)
        assert read_file(leads_out, Largest.REVIEWS) == b"outside"
    assert read_file(folder / "in", Largest.REVIEWS, within=folder) == b"inside"
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert read_file(link / "reviews" / "file", Largest.REVIEWS, within=link) == b"inside"


def test_what_was_opened_counts_not_what_its_name_leads_to_now(folder: Path) -> None:
    inside = folder / "reviews" / "file"
    with (folder.parent / "secret").open("rb") as opened, pytest.raises(UnfitFileError, match="leads out of"):
        check_within(inside, folder, opened.fileno())


def test_a_file_of_nothing_but_brackets_is_refused_before_it_is_parsed(folder: Path) -> None:
    (folder / "proof").write_bytes(b"[" + b"{}," * 500_000 + b"{}]")
    with pytest.raises(UnfitFileError, match="more brackets than the limit of 500,000"):
        read_json(folder / "proof", Largest.PROVENANCE, within=folder)
