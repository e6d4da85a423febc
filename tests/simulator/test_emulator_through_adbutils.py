"""Version 1 of the shell and sync protocols, which adbutils speaks and the adb client no longer does."""

import adbutils
import pytest

from tests.simulator.bench import Bench


@pytest.fixture
def device(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> adbutils.AdbDevice:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(bench.server.port))
    return adbutils.AdbClient(port=bench.server.port).device(bench.emulator.serial)


def test_exit_codes_follow_the_output_as_text(device: adbutils.AdbDevice) -> None:
    assert device.shell2("echo out; false").returncode == 1
    assert device.shell2("exit 5", v2=True).returncode == 5


def test_stderr_is_part_of_the_output(device: adbutils.AdbDevice) -> None:
    assert device.shell("nix") == "/system/bin/sh: nix: inaccessible or not found"


def test_files_are_pushed_read_and_listed(device: adbutils.AdbDevice) -> None:
    content = b"x" * 200_000

    device.sync.push(content, "/sdcard/Download/x", mode=0o644)

    assert device.sync.read_bytes("/sdcard/Download/x") == content
    assert device.sync.stat("/sdcard/Download/x").size == len(content)
    assert device.sync.stat("/sdcard/Download/x").mode & 0o777 == 0o644
    assert not device.sync.exists("/sdcard/Download/y")
    assert {".", "..", "x"} <= {entry.path for entry in device.sync.iter_directory("/sdcard/Download")}


@pytest.mark.parametrize("path", ["/sdcard/missing", "/sdcard"])
def test_missing_file_or_folder_cannot_be_read(device: adbutils.AdbDevice, path: str) -> None:
    with pytest.raises(adbutils.AdbError):
        device.sync.read_bytes(path)


@pytest.mark.parametrize("path", ["/missing/folder/x", "/sdcard"])
def test_file_cannot_be_written_to_an_unusable_path(device: adbutils.AdbDevice, path: str) -> None:
    with pytest.raises(adbutils.AdbError):
        device.sync.push(b"x", path)


# adbutils 2.12 leaves the socket of this call to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_framebuffer_is_pixel_exact(bench: Bench, device: adbutils.AdbDevice) -> None:
    image = device.framebuffer()
    assert image.convert("RGBA").tobytes() == bench.phone.screen().rgba
