import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without a word to it")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_says_where_it_is_leaves_nothing_behind_however_it_is_stopped_and_shows_its_tokens_to_nobody(
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
        said = [program.stdout.readline() for _ in range(4)]
        serial = said[0].split()[5].rstrip(":")
        made = [home / TOKEN_FILE, *running.glob("pid_*.ini")]
        modes = [stat.S_IMODE(path.stat().st_mode) for path in made]

        program.send_signal(how)

        assert program.stdout.read() == f"{serial} has stopped.\n"
        assert program.wait(10) == 0
    assert said[0] == f"Simulated Small Phone runs as {serial}: adb -s {serial} shell\n"
    assert said[3] == f"Stop it with Ctrl-C, or: adb -s {serial} emu kill\n"
    assert modes == [0o600, 0o600]
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The home of this process, without an adb server."""
    for name in ("HOME", "USERPROFILE", "XDG_RUNTIME_DIR", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "1")
    return tmp_path


def test_without_an_adb_server_it_says_how_to_connect_one_and_a_token_that_was_there_stays(home: Path) -> None:
    said: list[str] = []
    (home / TOKEN_FILE).write_text("of another emulator")

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("Stop it"):
            raise KeyboardInterrupt

    run(Phone(profile_named("small_phone"), animation=False), 0, say)

    assert said[2].startswith("No adb server is up. Once one is: adb connect emu:")
    assert said[-1].endswith("has stopped.")
    assert (home / TOKEN_FILE).read_text() == "of another emulator"


@pytest.mark.parametrize("grpc", [True, False])
def test_the_control_service_runs_and_is_found_unless_it_is_not_wanted(home: Path, *, grpc: bool) -> None:
    said: list[str] = []
    found: list[str] = []

    def look(_: SimulatedEmulator) -> None:
        found.extend(file.read_text("utf-8") for file in running_dir(os.environ).glob("pid_*.ini"))

    run(Phone(profile_named("small_phone"), animation=False), 0, said.append, look, grpc=grpc)

    assert ("gRPC on port" in said[1]) == grpc
    assert len(found) == grpc
    assert list(home.rglob("pid_*.ini")) == []


ENVIRONMENT = {"HOME": "/home/ann", "LOCALAPPDATA": "/local"}
ANN_S_RUNTIME = {"XDG_RUNTIME_DIR": "/run/user/7"}


@pytest.mark.parametrize(
    ("platform", "more", "folder"),
    [
        ("linux", ANN_S_RUNTIME, "/run/user/7/avd/running"),
        ("linux", {}, "/home/ann/.android/avd/running"),
        ("darwin", ANN_S_RUNTIME, "/home/ann/Library/Caches/TemporaryItems/avd/running"),
        ("win32", ANN_S_RUNTIME, "/local/Temp/avd/running"),
    ],
)
def test_emulators_are_found_where_each_system_keeps_such_files(
    monkeypatch: pytest.MonkeyPatch, platform: str, more: dict[str, str], folder: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)

    assert running_dir({**ENVIRONMENT, **more}) == Path(folder)
