import os
import socket
from pathlib import Path

import pytest

from odyssey_recorder.errors import DatasetError, UnfitFileError
from odyssey_recorder.files import Largest, check_within, publish_folder, read_file, read_json

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes and few links")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    reviews = tmp_path / "dataset" / "reviews"
    reviews.mkdir(parents=True)
    (reviews / "file").write_bytes(b"inside")
    (tmp_path / "secret").write_bytes(b"outside")
    return reviews.parent


def test_file_is_read_whole(folder: Path) -> None:
    assert read_file(folder / "reviews" / "file", Largest.REVIEWS, within=folder) == b"inside"
    with pytest.raises(FileNotFoundError):
        read_file(folder / "none", Largest.REVIEWS, within=folder)


def test_special_files_and_folders_are_rejected(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        for name, kind in {"pipe": "a named pipe", "device": "a device", "socket": "a socket", "": "a folder"}.items():
            with pytest.raises(UnfitFileError, match=f"it is {kind}, not a file. Move it away.$"):
                read_file(folder / name, Largest.REVIEWS)


def test_oversized_file_is_rejected_even_if_its_size_is_unknown(folder: Path) -> None:
    (folder / "exact").write_bytes(bytes(100))
    assert len(read_file(folder / "exact", 100)) == 100
    for path in (folder / "exact", Path("/proc/self/maps")):
        with pytest.raises(UnfitFileError, match="larger than"):
            read_file(path, 99)


def test_only_links_within_the_folder_are_followed(folder: Path) -> None:
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


def test_open_file_is_checked_rather_than_its_path(folder: Path) -> None:
    inside = folder / "reviews" / "file"
    with (folder.parent / "secret").open("rb") as opened, pytest.raises(UnfitFileError, match="leads out of"):
        check_within(inside, folder, opened.fileno())


def test_json_with_too_many_brackets_is_rejected(folder: Path) -> None:
    (folder / "proof").write_bytes(b"[" + b"{}," * 500_000 + b"{}]")
    with pytest.raises(UnfitFileError, match="more brackets than the limit of 500,000"):
        read_json(folder / "proof", Largest.PROVENANCE, within=folder)


def test_folder_is_published_whole_and_replaces_nothing(folder: Path) -> None:
    part, journal = folder / "reviews", folder / "reviews" / "journal"
    journal.touch()
    (folder / "link").symlink_to("nowhere")
    (folder / "empty").mkdir()
    for taken in ("link", "empty"):
        with pytest.raises(DatasetError, match=f"{taken} already exists"):
            publish_folder(part, folder / taken, journal=journal)
    assert journal.exists(), "the work can be resumed"
    publish_folder(part, folder / "published", journal=journal)
    assert [path.name for path in (folder / "published").iterdir()] == ["file"]
    assert not part.exists()
