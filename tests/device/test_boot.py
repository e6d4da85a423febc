import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import PART
from odyssey_recorder.device.boot import Boot, BootStage, end_emulator
from odyssey_recorder.device.emulator_launch import LaunchedEmulator
from odyssey_recorder.errors import DeviceError, DeviceTimeoutError
from tests.device.scripted_adb_server import ScriptedAdbServer, block, printed, shell

SERIAL = "emulator-45678"
LISTED = block(f"{SERIAL} device product:sdk model:sdk transport_id:1\n")


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[LaunchedEmulator]:
    command = [sys.executable, "-c", "import threading; print('INFO | up', flush=True); threading.Event().wait()"]
    emulator = LaunchedEmulator(command, {}, tmp_path / "emulator.log")
    yield emulator
    emulator.end()


def boot(emulator: LaunchedEmulator, port: int) -> Boot:
    return Boot("small_phone", SERIAL, emulator, AdbServer(port=port), lambda: False, boot_s=0, home_s=0)


@pytest.mark.parametrize(
    ("answers", "stages"),
    [
        ({"host:devices-l": block("")}, [BootStage.WAITING_FOR_ADB]),
        (
            {"host:devices-l": LISTED, shell("getprop*"): printed(b"0\n")},
            [BootStage.WAITING_FOR_ADB, BootStage.BOOTING],
        ),
    ],
)
def test_boot_that_takes_too_long_is_reported_with_its_stage(
    emulator: LaunchedEmulator, answers: dict[str, bytes], stages: list[BootStage]
) -> None:
    seen = list[BootStage]()
    message = rf"small_phone .* Last stage: {stages[-1].value}\..*cold boot.*log"
    with ScriptedAdbServer(answers) as adb, pytest.raises(DeviceTimeoutError, match=message):
        boot(emulator, adb.port).wait(seen.append)
    assert seen == stages


def screen(focus: str) -> bytes:
    size, display = "Physical size: 720x1280\n", f"Display: mDisplayId=0\nmCurrentFocus=Window{{1 u0 {focus}}}\n"
    return f"{PART}\n".join((size, display, "\n", "\n", size)).encode()


@pytest.mark.parametrize(
    ("shown", "is_home"),
    [
        (screen("com.google.android.apps.nexuslauncher/.NexusLauncherActivity"), True),
        (screen("com.android.settings/com.android.settings.FallbackHome"), False),
        (screen("NotificationShade"), False),
        (b"", False),
    ],
    ids=["home", "fallback home", "no activity", "no answer"],
)
def test_boot_waits_for_the_home_screen(emulator: LaunchedEmulator, shown: bytes, is_home: bool) -> None:
    seen = list[BootStage]()
    answers = {"host:devices-l": LISTED, shell("getprop*"): printed(b"1\n"), shell("wm size*"): printed(shown)}

    with ScriptedAdbServer(answers) as adb:
        replace(boot(emulator, adb.port), home_s=0.5).wait(seen.append)

        reads = [request for request in adb.requests if request.startswith(shell("wm size"))]
    assert (len(reads) == 1) == is_home
    assert seen == [BootStage.WAITING_FOR_ADB, BootStage.BOOTING, BootStage.WAITING_FOR_HOME]


def test_emulator_that_does_not_stop_is_reported(tmp_path: Path) -> None:
    kill = threading.Event()

    with (
        ScriptedAdbServer({"host:devices-l": LISTED}) as adb,
        pytest.raises(DeviceTimeoutError, match=rf"{SERIAL} did not stop within 0 s"),
    ):
        end_emulator(SERIAL, kill.set, AdbServer(port=adb.port), (tmp_path,), stop_s=0)

    assert kill.is_set()


def test_missing_emulator_program_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"/nowhere/emulator could not be started: No such file or directory"):
        LaunchedEmulator(["/nowhere/emulator"], {}, tmp_path / "log")


def test_emulator_runs_in_its_own_session(tmp_path: Path) -> None:
    script = "import os; print(os.getsid(0) == os.getpid())"
    emulator = LaunchedEmulator([sys.executable, "-c", script], {}, tmp_path / "log")
    while not emulator.has_ended:
        threading.Event().wait(0.02)
    assert emulator.log.read_text() == "True\n"
