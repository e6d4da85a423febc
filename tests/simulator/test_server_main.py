import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from odyssey_simulator.control_server import GrpcAccess
from odyssey_simulator.discovery import running_dir
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.server_main import run
from tests.simulator.bench import TOKEN_FILE, phone_of

PROGRAM = "import os; os.umask(0); from odyssey_recorder.__main__ import main; main()"


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without a word to it")
def test_simulator_stopped_by_a_signal_leaves_nothing_behind(home: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "simulate", "--profile", "small_phone", "--console-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        lines = [program.stdout.readline() for _ in range(4)]
        serial = lines[0].split()[5].rstrip(":")
        made = [home / TOKEN_FILE, *running_dir(os.environ).glob("pid_*.ini")]
        modes = [stat.S_IMODE(path.stat().st_mode) for path in made]

        program.terminate()

        assert program.stdout.read() == f"{serial} has stopped.\n"
        assert program.stderr.read() == ""
        assert program.wait(60) == 0
    assert lines[0] == f"Simulated Small Phone runs as {serial}: adb -s {serial} shell\n"
    assert lines[3] == f"Stop it with Ctrl-C, or: adb -s {serial} emu kill\n"
    assert modes == [0o600, 0o600]
    assert [path for path in home.rglob("*") if not path.is_dir()] == []


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The home of this process, without an adb server."""
    for name in ("HOME", "USERPROFILE", "XDG_RUNTIME_DIR", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    return tmp_path


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_missing_adb_server_is_explained_and_an_existing_token_kept(home: Path, name: str) -> None:
    lines: list[str] = []
    (home / TOKEN_FILE).write_text("of another emulator")

    def print_line(line: str) -> None:
        lines.append(line)
        if line.startswith("Stop it"):
            assert signal.getsignal(signal.Signals[name]) is signal.default_int_handler
            signal.raise_signal(signal.Signals[name])

    run(phone_of(), 0, print_line)

    assert lines[2].startswith("No adb server is up. Once one is: adb connect emu:")
    assert lines[-1].endswith("has stopped.")
    assert (home / TOKEN_FILE).read_text() == "of another emulator"


@pytest.mark.parametrize("grpc", ["token", "open", "jwt", "both", None])
def test_grpc_service_is_discoverable_unless_disabled(home: Path, grpc: GrpcAccess | None) -> None:
    lines: list[str] = []
    discovery_files: list[str] = []

    def read_discovery_files(_: SimulatedEmulator) -> None:
        discovery_files.extend(file.read_text("utf-8") for file in running_dir(os.environ).glob("pid_*.ini"))

    run(phone_of(), 0, lines.append, read_discovery_files, grpc=grpc)

    assert ("gRPC on port" in lines[1]) == bool(grpc)
    assert len(discovery_files) == bool(grpc)
    assert ("grpc.token=" in "".join(discovery_files)) == (grpc in {"token", "both"})
    assert ("grpc.jwks=" in "".join(discovery_files)) == (grpc in {"jwt", "both"})
    assert list(home.rglob("pid_*.ini")) == []


ENVIRONMENT = {"HOME": "/home/ann", "LOCALAPPDATA": "/local"}
WITH_RUNTIME_DIR = {"XDG_RUNTIME_DIR": "/run/user/7"}


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", WITH_RUNTIME_DIR, "/run/user/7/avd/running"),
        ("linux", {}, "/home/ann/.android/avd/running"),
        ("darwin", WITH_RUNTIME_DIR, "/home/ann/Library/Caches/TemporaryItems/avd/running"),
        ("win32", WITH_RUNTIME_DIR, "/local/Temp/avd/running"),
    ],
)
def test_discovery_folder_on_each_system(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], folder: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert running_dir({**ENVIRONMENT, **variables}) == Path(folder)
