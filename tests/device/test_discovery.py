import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePath

import pytest

from odyssey_recorder.device.discovery import (
    ControlEndpoint,
    KeyFolder,
    RunningAvd,
    find_control,
    process_is_alive,
    running_avds,
    running_folders,
)
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.logs import logging_to
from tests.cli import wait_until

Write = Callable[..., Path]

DISCOVERY_FILE = """\
port.serial=5556
port.adb=5557
avd.name=Pixel_7_Pro
avd.dir=/home/anna/.android/avd/Pixel_7_Pro.avd
emulator.build=11237101
emulator.version=34.1.19
cmdline="/opt/sdk/emulator/qemu-system-x86_64" "-avd" "Pixel_7_Pro"
grpc.port=8556
grpc.token=MTIzNDU2Nzg5
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a discovery file; returns its folder."""

    def write_file(content: str | bytes, pid: int = 1, *, age_s: float = 0) -> Path:
        path = tmp_path / f"pid_{pid}.ini"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (1_700_000_000 - age_s, 1_700_000_000 - age_s))
        return tmp_path

    return write_file


def find(folder: Path, *, alive: bool = True) -> ControlEndpoint | None:
    return find_control("emulator-5556", (folder,), is_alive=lambda *_: alive)


JWKS = """\
grpc.jwks=/run/user/1000/avd/running/1/jwks/3f
grpc.jwk_active=/run/user/1000/avd/running/1/jwks/3f/active.jwk
"""
ALLOWLIST = "grpc.allowlist=/opt/sdk/emulator/lib/emulator_access.json\n"
FOLDER = Path("/run/user/1000/avd/running/1/jwks/3f")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (DISCOVERY_FILE, ("MTIzNDU2Nzg5", None)),
        (DISCOVERY_FILE.replace("=", " = ").replace("\n", "\r\n"), ("MTIzNDU2Nzg5", None)),
        (DISCOVERY_FILE.replace("MTIzNDU2Nzg5", "MTIzNDU2Nzg5MA=="), ("MTIzNDU2Nzg5MA==", None)),
        ("port.serial=5556\ngrpc.port=8556\n", ("", None)),
        (f"port.serial=5556\ngrpc.port=8556\n{JWKS}", ("", KeyFolder(FOLDER, FOLDER / "active.jwk", None))),
        (
            f"{DISCOVERY_FILE}{JWKS}{ALLOWLIST}",
            (
                "MTIzNDU2Nzg5",
                KeyFolder(FOLDER, FOLDER / "active.jwk", Path("/opt/sdk/emulator/lib/emulator_access.json")),
            ),
        ),
    ],
    ids=["Linux", "Windows", "padded token", "open", "signed tokens alone", "both"],
)
def test_discovery_file_gives_address_and_access(
    write: Write, content: str, expected: tuple[str, KeyFolder | None]
) -> None:
    found = find(write(content))
    assert found == ControlEndpoint("emulator-5556", 8556, *expected)
    assert found.address == "localhost:8556"


def test_token_is_never_logged(write: Write, tmp_path: Path) -> None:
    endpoint = find(write(DISCOVERY_FILE.replace("MTIzNDU2Nzg5", "cGxhbnRlZA==")))
    with logging_to(tmp_path / "a.log", "INFO"):
        logging.getLogger("any").info("reached at %s", endpoint)
    text = (tmp_path / "a.log").read_text(encoding="utf-8")
    assert "reached at ControlEndpoint" in text
    assert "cGxhbnRlZA==" not in text


@pytest.mark.parametrize(
    "content",
    [
        DISCOVERY_FILE.replace("5556", "5558"),
        "",
        "port.serial=5556\n",
        "port.serial=5556\ngrpc.port=\n",
        "port.serial=5556\ngrpc.port=eight\n",
        "port.serial=5556\ngrpc.port=0\n",
        "port.serial=5556\ngrpc.port=65536\n",
        "grpc.port=8554\n",
        b"\xff\xfe\x00port.serial\x00",
    ],
    ids=["other serial", "empty", "no port", "empty port", "no number", "port 0", "too high", "no serial", "bytes"],
)
def test_useless_discovery_files_are_skipped(write: Write, content: str | bytes) -> None:
    write(DISCOVERY_FILE.replace("8556", "8600"), 2)
    found = find(write(content, 1))
    assert found is not None
    assert found.port == 8600


def test_newest_file_of_a_live_process_counts(write: Write) -> None:
    content = f"{DISCOVERY_FILE}avd.id=Fold\n"
    write(content.replace("8556", "8601"), 1)
    folder = write(content.replace("8556", "8602"), 2, age_s=60)

    found = find(folder)

    assert found is not None
    assert found.port == 8601
    fold = RunningAvd("emulator-5556", 1, "34.1.19 (11237101)", "/home/anna/.android/avd/Pixel_7_Pro.avd")
    assert running_avds((folder,), is_alive=lambda *_: True) == {"Fold": fold}
    assert find(folder, alive=False) is None


def test_other_files_and_missing_folders_are_ignored(write: Write, tmp_path: Path) -> None:
    folder = write(DISCOVERY_FILE)
    (folder / "pid_1.ini").rename(folder / "pid_x.ini")
    (folder / "pid_7.ini").mkdir()
    assert find(folder) is None
    assert find(tmp_path / "nowhere") is None


def test_process_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        wait_until(lambda: not process_is_alive(child.pid))
    assert process_is_alive(os.getpid())
    assert not process_is_alive(child.pid)
    assert not process_is_alive(2**80)

    def refuse(pid: int, signal: int) -> None:
        raise PermissionError(pid, signal)

    monkeypatch.setattr(os, "kill", refuse)
    assert process_is_alive(1), "a process of another user"


USER_FOLDERS = {"ANDROID_EMULATOR_HOME": "/e", "ANDROID_PREFS_ROOT": "/p", "ANDROID_SDK_HOME": "/s"}


@pytest.mark.parametrize(
    ("platform", "environment", "roots"),
    [
        ("linux", {"XDG_RUNTIME_DIR": "/run/user/7"}, ["/run/user/7", f"/run/user/{os.getuid()}"]),
        ("linux", {}, [f"/run/user/{os.getuid()}"]),
        ("darwin", {}, ["/home/anna/Library/Caches/TemporaryItems"]),
        ("win32", {"LOCALAPPDATA": "/home/anna/AppData/Local"}, ["/home/anna/AppData/Local/Temp"]),
        ("win32", {}, []),
    ],
)
def test_running_folders_of_each_platform(platform: str, environment: dict[str, str], roots: list[str]) -> None:
    folders = running_folders({**environment, **USER_FOLDERS, "USER": "anna"}, platform, Path("/home/anna"))
    roots = [*roots, "/e", "/p", "/p/.android", "/s", "/s/.android", "/home/anna/.android"]
    roots += [] if platform == "win32" else ["/tmp/android-anna"]
    assert list(map(PurePath.as_posix, folders)) == [f"{root}/avd/running" for root in roots]


def test_older_file_name_is_found(write: Write) -> None:
    folder = write(DISCOVERY_FILE)
    (folder / "pid_1.ini").rename(folder / "pid_1_info.ini")
    assert find(folder) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not show programs as files")
@pytest.mark.parametrize("name", ["emulator", "qemu-system-x86_64", "qemu-system-aarch64-headless", "bash"])
def test_number_of_an_ended_emulator_may_be_that_of_another_program(write: Write, tmp_path: Path, name: str) -> None:
    sleep = shutil.which("sleep")
    assert sleep is not None
    program = shutil.copy(sleep, tmp_path / name)
    with subprocess.Popen([program, "60"]) as process:
        wait_until(lambda: Path(f"/proc/{process.pid}/exe").readlink() == Path(program))
        folder = write(DISCOVERY_FILE, process.pid)
        found = find_control("emulator-5556", (folder,))
        simulated = find_control("emulator-5556", (write(f"{DISCOVERY_FILE}emulator.build=simulated\n", process.pid),))
        process.kill()
    assert (found is not None) == (name != "bash")
    assert simulated is not None


def test_emulator_itself_says_which_file_is_its_own(write: Write, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def port(told: Callable[[], Path]) -> int | None:
        found = find_control("emulator-5556", (tmp_path,), is_alive=lambda *_: True, told=told)
        return found.port if found is not None else None

    def silent() -> Path:
        raise DeviceError("no console")

    own = elsewhere / "pid_9.ini"
    own.write_text(DISCOVERY_FILE.replace("8556", "8600"))
    assert port(lambda: own) == 8600, "no file has the serial"
    assert port(silent) is None
    assert port(lambda: tmp_path / "gone") is None
    write(DISCOVERY_FILE, 1)
    assert port(lambda: own) == 8556, "one file has it"
    write(DISCOVERY_FILE.replace("8556", "8601"), 2, age_s=60)
    assert port(lambda: own) == 8600, "two files have it"
    assert port(silent) == 8556
    own.write_text(DISCOVERY_FILE.replace("5556", "5558"))
    assert port(lambda: own) == 8556, "another serial"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no owners, links and pipes like these")
def test_links_pipes_and_files_of_others_are_ignored(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = write(DISCOVERY_FILE) / "pid_1.ini"
    uid = os.getuid()
    with monkeypatch.context() as patched:
        patched.setattr(os, "getuid", lambda: uid + 1)
        assert find(tmp_path) is None
    assert find(tmp_path) is not None

    content.rename(tmp_path / "elsewhere")
    content.symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "pid_2.ini")
    assert find(tmp_path) is None


def test_running_avds_by_name(write: Write) -> None:
    write("port.serial=5554\navd.id=Old\navd.name=Very Old\n", 1)
    write("port.serial=5556\navd.name=My Fold\ngrpc.port=8556\n", 2)
    write("port.serial=none\navd.name=Broken\n", 3)
    folder = write("port.serial=5558\navd.id=Gone\n", 4)
    found = running_avds((folder, folder / "missing"), is_alive=lambda pid, _: pid != 4)
    assert found == {"Old": RunningAvd("emulator-5554", 1), "My_Fold": RunningAvd("emulator-5556", 2)}
