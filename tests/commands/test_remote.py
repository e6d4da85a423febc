"""`upload` and `download`, with a store in memory."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import fsspec
import pytest

from tests.cli import CommandLine
from tests.exporting.sample import Dataset, contents, write_dataset
from tests.exporting.sample import export as export_dataset

URL = "memory://team/data"


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    dataset = Dataset(folder / "data", write_dataset(folder / "data", 2))
    return export_dataset(dataset, folder / "out", "release")


@pytest.fixture
def store() -> Iterator[fsspec.AbstractFileSystem]:
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


def test_export_is_uploaded_and_downloaded_unchanged(
    export: Path, cli: CommandLine, store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    all_files = contents(export)
    assert cli.output("upload", export, URL) == f"{len(all_files) - 1} files are at {URL}\n"
    assert {name.removeprefix("/team/data/"): file.getvalue() for name, file in store.store.items()} == all_files

    assert cli("download", URL, tmp_path / "back", "--without-screenshots").exit_code == 0
    first = contents(tmp_path / "back")
    assert first == {name: data for name, data in all_files.items() if name[:11] not in ("screenshots", "SHA256SUMS")}
    assert cli("download", URL, tmp_path / "back").exit_code == 0
    assert contents(tmp_path / "back") == all_files


def test_upload_resumes_and_replaces_nothing(export: Path, cli: CommandLine, store: fsspec.AbstractFileSystem) -> None:
    missing = "annotations/0000000000000001.json"
    cli("upload", export, URL)
    store.rm(f"{URL}/SHA256SUMS")
    store.rm(f"{URL}/{missing}")
    untouched = store.store["/team/data/README.md"]
    assert cli("upload", export, URL).exit_code == 0
    assert store.cat(f"{URL}/{missing}") == (export / missing).read_bytes()
    assert store.store["/team/data/README.md"] is untouched, "what is there is not sent again"

    store.pipe(f"{URL}/README.md", b"theirs")
    assert f"{URL}/README.md exists and differs" in cli.error("upload", export, URL)
    assert store.cat(f"{URL}/README.md") == b"theirs"


def test_file_that_differs_from_its_hash_is_rejected(
    export: Path, cli: CommandLine, store: fsspec.AbstractFileSystem, tmp_path: Path
) -> None:
    cli("upload", export, URL)
    store.pipe(f"{URL}/README.md", b"theirs")
    assert f"{URL}/README.md is not the file of SHA256SUMS" in cli.error("download", URL, tmp_path / "back")
    assert "README.md" not in contents(tmp_path / "back")
    assert not list(tmp_path.rglob("*.part"))

    damaged_export = tmp_path / "mine"
    damaged_export.mkdir()
    (damaged_export / "a").write_bytes(b"changed")
    (damaged_export / "SHA256SUMS").write_text(f"{sha256(b'a').hexdigest()}  a\n")
    assert "a is not the file of SHA256SUMS" in cli("upload", damaged_export, "memory://other").err
    assert not store.exists("memory://other/a")


@pytest.mark.parametrize("name", ["../a", "/tmp/a", "b/../../a", "./a", "link/a", ""])
def test_malicious_names_write_nothing(
    cli: CommandLine, store: fsspec.AbstractFileSystem, tmp_path: Path, name: str
) -> None:
    store.pipe(f"{URL}/a", b"a")
    store.pipe(f"{URL}/link/a", b"a")
    store.pipe(f"{URL}/SHA256SUMS", f"{sha256(b'a').hexdigest()}  {name}\n".encode())
    target = tmp_path / "in" / "back"
    target.mkdir(parents=True)
    (target / "link").symlink_to(tmp_path)
    error = cli.error("download", URL, target)
    assert "line 1: expected a hash and a name" in error or "leads out of" in error
    assert contents(tmp_path) == {}


def test_unusable_url_or_folder_is_reported(export: Path, cli: CommandLine, tmp_path: Path) -> None:
    error = cli.error("download", "memory://nowhere", tmp_path)
    assert "memory://nowhere/SHA256SUMS does not exist. Check the URL." in error
    assert "foo://bar cannot be used: " in cli.error("upload", export, "foo://bar")
    assert "SHA256SUMS cannot be read: file not found" in cli.error("upload", tmp_path, URL)
    os.mkfifo(tmp_path / "SHA256SUMS")
    assert "it is a named pipe" in cli.error("upload", tmp_path, URL)
