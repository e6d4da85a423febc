"""`upload` and `download` with moto's S3 server on this computer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import s3fs
from moto.server import ThreadedMotoServer

from odyssey_recorder.simulated.private_adb_server import free_port
from tests.cli import CommandLine
from tests.commands.test_remote import export
from tests.exporting.sample import contents

__all__ = ["export"]

BUCKET = "team"
URL = f"s3://{BUCKET}/data"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[s3fs.S3FileSystem]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()
    files = s3fs.S3FileSystem(use_listings_cache=False)
    files.mkdir(BUCKET)
    yield files
    files.rm(BUCKET, recursive=True)
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


def test_export_is_uploaded_to_s3_and_downloaded(
    export: Path, cli: CommandLine, store: s3fs.S3FileSystem, tmp_path: Path
) -> None:
    all_files = contents(export)
    assert cli.output("upload", export, URL) == f"{len(all_files) - 1} files are at {URL}\n"
    store.invalidate_cache()
    assert {name.removeprefix(f"{BUCKET}/data/") for name in store.find(f"{BUCKET}/data")} == set(all_files)
    assert cli("download", URL, tmp_path / "back").exit_code == 0
    assert contents(tmp_path / "back") == all_files


def test_mistyped_bucket_is_not_created(
    export: Path, cli: CommandLine, store: s3fs.S3FileSystem, tmp_path: Path
) -> None:
    for words in (("upload", export, "s3://taem/data"), ("download", "s3://taem/data", tmp_path)):
        assert "does not exist. Check the URL." in cli.error(*words)
    store.invalidate_cache()
    assert store.ls("") == [BUCKET]


def test_unreachable_store_is_explained(
    export: Path, cli: CommandLine, store: s3fs.S3FileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def error_of() -> str:
        s3fs.S3FileSystem.clear_instance_cache()
        return cli.error("upload", export, URL)

    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    assert f"{URL} cannot be reached: Could not connect" in error_of()
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    assert "cannot be reached: " in error_of()
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert "Unable to locate credentials. Check the URL and your keys" in error_of()
