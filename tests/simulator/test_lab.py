import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.errors import CancelledError, DeviceError
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.lab import Lab, PhoneProcesses
from tests.simulator.bench import ADB

SIMULATE = [sys.executable, "-m", "odyssey_recorder", "simulate", "--profile", "small_phone", "--console-port", "0"]


@pytest.fixture
def phones(adb_server: PrivateAdbServer) -> Iterator[PhoneProcesses]:
    found = PhoneProcesses(adb_server.environment)
    yield found
    found.stop()


def is_ready(serial: str, server: PrivateAdbServer) -> bool:
    return f"{serial}\tdevice" in server.adb("devices").stdout.decode()


def test_phones_are_up_and_known_when_their_serials_are_told_and_leave_their_journals_behind(
    phones: PhoneProcesses, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    serials = [
        phones.start("small_phone", seed=3, animation=False, journal=tmp_path / "journal.jsonl"),
        phones.start("small_phone"),
    ]
    assert phones.running_dir.is_relative_to(adb_server.home)
    noted = "".join(file.read_text() for file in phones.running_dir.iterdir())
    for serial in serials:
        adb_server.adb("-s", serial, "wait-for-device")
        assert is_ready(serial, adb_server)
        assert f"port.serial={serial.removeprefix('emulator-')}\n" in noted
        assert adb_server.adb("-s", serial, "shell", "wm", "size").stdout.strip() == b"Physical size: 720x1280"

    phones.stop()

    for serial in serials:
        adb_server.adb("-s", serial, "wait-for-disconnect")
    assert len(set(serials)) == 2
    assert list(phones.running_dir.iterdir()) == []
    assert '"rgb_sha256"' in (tmp_path / "journal.jsonl").read_text()


def test_a_profile_that_there_is_not_is_told_of_with_those_that_there_are(phones: PhoneProcesses) -> None:
    with pytest.raises(DeviceError, match=r"did not start\. No simulated device 'nokia'; there are small_phone, "):
        phones.start("nokia")


def test_a_start_that_is_cancelled_ends_at_once_and_leaves_nothing(phones: PhoneProcesses) -> None:
    before = _listeners()
    with pytest.raises(CancelledError, match="small_phone was stopped before it was up"):
        phones.start("small_phone", cancelled=lambda: True)
    assert _listeners() - before == set()


def test_a_phone_that_has_ended_is_not_waited_for_any_more(
    phones: PhoneProcesses, adb_server: PrivateAdbServer
) -> None:
    before = _listeners()
    serial = phones.start("small_phone")
    [listener] = _listeners() - before
    adb_server.adb("-s", serial, "emu", "kill")
    adb_server.adb("-s", serial, "wait-for-disconnect")
    listener.join(timeout=10)
    assert listener not in _listeners()


def _listeners() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "simulated emulator"}


def test_a_phone_ends_by_itself_when_whoever_started_it_is_gone(adb_server: PrivateAdbServer) -> None:
    starter = (
        "from odyssey_recorder.simulator.lab import PhoneProcesses; import os\n"
        "print(PhoneProcesses(os.environ).start('small_phone'), flush=True); input()"
    )
    command = [sys.executable, "-c", starter]
    with subprocess.Popen(
        command, env=adb_server.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        serial = process.stdout.readline().strip()
        process.kill()
    adb_server.adb("-s", serial, "wait-for-disconnect")
    assert not is_ready(serial, adb_server)


def test_a_phone_that_is_told_to_die_ends_cleanly_while_its_input_is_still_open(adb_server: PrivateAdbServer) -> None:
    with subprocess.Popen(
        [*SIMULATE, "--until-stdin-ends"],
        env=adb_server.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as phone:
        assert phone.stdout is not None
        assert phone.stderr is not None
        serial = phone.stdout.readline().split(" runs as ")[1].split(":")[0]
        adb_server.adb("-s", serial, "wait-for-device")
        adb_server.adb("-s", serial, "emu", "kill")
        assert phone.wait(20) == 0
        assert phone.stdout.read().endswith(f"{serial} has stopped.\n")
        assert phone.stderr.read() == ""


def test_a_laboratory_leaves_no_process_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with Lab(ADB) as lab:
        lab.phones.start("small_phone")
        assert lab.server.home.is_relative_to(tmp_path)
    assert lab.server.pid is None
    assert list(tmp_path.iterdir()) == []
