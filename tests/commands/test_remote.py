"""`upload` and `download`, with a store in memory."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import fsspec
import pytest

from odyssey_recorder.exporting.job import run_export
from tests.command_line import CommandLine
from tests.exporting.sample import request, write_dataset

URL = "memory://team/data"


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    planned = write_dataset(folder / "data", 2)
    with ThreadPoolExecutor(1) as pool:
        return run_export(request((folder / "data", planned), folder / "out", "release"), planned, pool)


@pytest.fixture
def store() -> Iterator[fsspec.AbstractFileSystem]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


def contents(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_an_export_comes_back_as_it_was_annotations_first(
    export: Path, command_line: CommandLine, store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    sent = command_line("upload", export, URL)
    whole = contents(export)
    assert (sent.exit_code, sent.out) == (0, f"{len(whole) - 1} files are at {URL}\n")
    assert {name.removeprefix("/team/data/"): file.getvalue() for name, file in store.store.items()} == whole

    assert command_line("download", URL, tmp_path / "back", "--without-screenshots").exit_code == 0
    first = contents(tmp_path / "back")
    assert first == {name: data for name, data in whole.items() if name[:11] not in ("screenshots", "SHA256SUMS")}
    assert command_line("download", URL, tmp_path / "back").exit_code == 0
    assert contents(tmp_path / "back") == whole


def test_an_interrupted_upload_is_continued_and_nothing_that_differs_is_replaced(
    export: Path, command_line: CommandLine, store: fsspec.AbstractFileSystem
) -> None:
    missing = "annotations/0000000000000001.json"
    command_line("upload", export, URL)
    store.rm(f"{URL}/SHA256SUMS")
    store.rm(f"{URL}/{missing}")
    kept = store.store["/team/data/README.md"]
    assert command_line("upload", export, URL).exit_code == 0
    assert store.cat(f"{URL}/{missing}") == (export / missing).read_bytes()
    assert store.store["/team/data/README.md"] is kept, "what is there is not sent again"

    store.pipe(f"{URL}/README.md", b"theirs")
    refused = command_line("upload", export, URL)
    assert (refused.exit_code, f"{URL}/README.md exists and differs" in refused.err) == (2, True)
    assert store.cat(f"{URL}/README.md") == b"theirs"


def test_a_file_that_differs_from_its_hash_gets_no_name(
    export: Path, command_line: CommandLine, store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    command_line("upload", export, URL)
    store.pipe(f"{URL}/README.md", b"theirs")
    refused = command_line("download", URL, tmp_path / "back")
    assert (refused.exit_code, f"{URL}/README.md is not the file of SHA256SUMS" in refused.err) == (2, True)
    assert "README.md" not in contents(tmp_path / "back")
    assert not list(tmp_path.rglob("*.part"))

    export_of_mine = tmp_path / "mine"
    export_of_mine.mkdir()
    (export_of_mine / "a").write_bytes(b"changed")
    (export_of_mine / "SHA256SUMS").write_text(f"{sha256(b'a').hexdigest()}  a\n")
    assert "a is not the file of SHA256SUMS" in command_line("upload", export_of_mine, "memory://other").err
    assert not store.exists("memory://other/a")


@pytest.mark.parametrize("name", ["../a", "/tmp/a", "b/../../a", "./a", "link/a", ""])
def test_names_of_strangers_lead_nowhere(
    command_line: CommandLine, store: fsspec.AbstractFileSystem, tmp_path: Path, name: str
) -> None:
    store.pipe(f"{URL}/a", b"a")
    store.pipe(f"{URL}/link/a", b"a")
    store.pipe(f"{URL}/SHA256SUMS", f"{sha256(b'a').hexdigest()}  {name}\n".encode())
    back = tmp_path / "in" / "back"
    back.mkdir(parents=True)
    (back / "link").symlink_to(tmp_path)
    refused = command_line("download", URL, back)
    assert refused.exit_code == 2, refused.out
    assert "line 1: expected a hash and a name" in refused.err or "leads out of" in refused.err
    assert contents(tmp_path) == {}


def test_what_cannot_be_used_is_said(export: Path, command_line: CommandLine, tmp_path: Path) -> None:
    def told(*words: object) -> str:
        ran = command_line(*words)
        assert ran.exit_code == 2
        return ran.err

    assert "memory://nowhere/SHA256SUMS does not exist. Check the URL." in told(
        "download", "memory://nowhere", tmp_path
    )
    assert "foo://bar cannot be used: " in told("upload", export, "foo://bar")
    assert "SHA256SUMS cannot be read: file not found" in told("upload", tmp_path, URL)
    os.mkfifo(tmp_path / "SHA256SUMS")
    assert "it is a named pipe" in told("upload", tmp_path, URL)
