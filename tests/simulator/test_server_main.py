import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.discovery import running_dir
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from odyssey_recorder.simulator.server_main import run
from tests.simulator.bench import TOKEN_FILE

PROGRAM = """
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from odyssey_recorder.simulator.server_main import run

run(Phone(profile_named("small_phone")), 0, lambda line: print(line, flush=True))
"""


def test_it_says_where_it_is_and_stops_on_ctrl_c(adb_server: PrivateAdbServer) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=adb_server.environment, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        said = [program.stdout.readline() for _ in range(3)]
        serial = said[0].split()[5].rstrip(":")
        adb_server.adb("-s", serial, "wait-for-device")
        asked = adb_server.adb("-s", serial, "shell", "getprop ro.product.name").stdout

        program.send_signal(signal.SIGINT)

        assert program.stdout.read() == f"{serial} has stopped.\n"
        assert program.wait(10) == 0
    assert asked == b"sdk_gphone64_x86_64\n"
    assert said[0] == f"Simulated Small Phone runs as {serial}: adb -s {serial} shell\n"
    assert said[2] == f"Stop it with Ctrl-C, or: adb -s {serial} emu kill\n"


def test_it_can_stop_with_the_program_that_started_it(adb_server: PrivateAdbServer) -> None:
    bound_to_stdin = PROGRAM.replace("import run", "import run, stop_when_stdin_ends\n\nstop_when_stdin_ends()")
    with subprocess.Popen(
        [sys.executable, "-c", bound_to_stdin],
        env=adb_server.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        said = [program.stdout.readline() for _ in range(3)]

        program.stdin.close()

        assert program.stdout.read().endswith("has stopped.\n")
        assert program.wait(10) == 0
    assert said[2].startswith("Stop it with Ctrl-C")


def test_it_stops_when_its_console_is_told_to_kill(
    adb_server: PrivateAdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE", "XDG_RUNTIME_DIR", "ANDROID_ADB_SERVER_PORT"):
        monkeypatch.setenv(name, adb_server.environment[name])
    said: list[str] = []
    ready = threading.Event()

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("Stop it"):
            ready.set()

    phone = Phone(profile_named("small_phone"), animation=False)
    program = threading.Thread(target=run, args=(phone, 0, say))
    program.start()
    assert ready.wait(10)
    serial = said[0].split()[5].rstrip(":")
    adb_server.adb("-s", serial, "wait-for-device")

    adb_server.adb("-s", serial, "emu", "kill")

    program.join(10)
    assert said[-1] == f"{serial} has stopped."


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without a word to it")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_however_it_is_stopped_it_leaves_nothing_behind_and_shows_its_tokens_to_nobody(
    tmp_path: Path, how: signal.Signals
) -> None:
    home, running = tmp_path, tmp_path / "run" / "avd" / "running"
    (tmp_path / "run").mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "ANDROID_ADB_SERVER_PORT": "1",
    }
    with subprocess.Popen(
        [sys.executable, "-c", f"import os; os.umask(0)\n{PROGRAM}"], env=environment, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        for line in program.stdout:
            if line.startswith("Stop it with Ctrl-C"):
                break
        made = [home / TOKEN_FILE, *running.glob("pid_*.ini")]
        modes = [stat.S_IMODE(path.stat().st_mode) for path in made]

        program.send_signal(how)

        assert program.stdout.read().endswith("has stopped.\n")
        assert program.wait(10) == 0
    assert modes == [0o600, 0o600]
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


def test_a_token_that_was_there_before_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HOME", "USERPROFILE", "XDG_RUNTIME_DIR", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    (tmp_path / TOKEN_FILE).write_text("of another emulator")

    run(Phone(profile_named("small_phone"), animation=False), 0, lambda _: None, lambda _: None, grpc=False)

    assert (tmp_path / TOKEN_FILE).read_text() == "of another emulator"


def test_without_an_adb_server_it_says_how_to_connect_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("Stop it"):
            raise KeyboardInterrupt

    run(Phone(profile_named("small_phone"), animation=False), 0, say)

    assert said[2].startswith("No adb server is up. Once one is: adb connect emu:")
    assert said[-1].endswith("has stopped.")


@pytest.mark.parametrize("grpc", [True, False])
def test_the_control_service_runs_and_is_found_unless_it_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, grpc: bool
) -> None:
    for name in ("HOME", "USERPROFILE", "XDG_RUNTIME_DIR", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    said: list[str] = []
    found: list[str] = []

    def look(_: SimulatedEmulator) -> None:
        found.extend(file.read_text("utf-8") for file in running_dir(os.environ).glob("pid_*.ini"))

    run(Phone(profile_named("small_phone"), animation=False), 0, said.append, look, grpc=grpc)

    assert ("gRPC on port" in said[1]) == grpc
    assert len(found) == grpc
    assert list(running_dir(os.environ).glob("pid_*.ini")) == []
