import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.errors import CancelledError, DeviceError
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_recorder.simulated.private_emulators import PhoneProcesses, PrivateEmulators
from tests.simulator.bench import ADB


@pytest.fixture
def phones(adb_server: PrivateAdbServer) -> Iterator[PhoneProcesses]:
    processes = PhoneProcesses(adb_server.environment)
    yield processes
    processes.stop()


def is_ready(serial: str, server: PrivateAdbServer) -> bool:
    return f"{serial}\tdevice" in server.adb("devices").stdout.decode()


def test_phone_processes_start_end_and_leave_their_journals(
    phones: PhoneProcesses, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    first = phones.start("small_phone", seed=3, animation=False, journal=tmp_path / "journal.jsonl")
    before = _listener_threads()
    serials = [first, phones.start("small_phone")]
    [listener] = _listener_threads() - before
    assert phones.running_dir.is_relative_to(adb_server.home)
    discovery = "".join(file.read_text() for file in phones.running_dir.iterdir())
    for serial in serials:
        adb_server.adb("-s", serial, "wait-for-device")
        assert is_ready(serial, adb_server)
        assert f"port.serial={serial.removeprefix('emulator-')}\n" in discovery
        assert adb_server.adb("-s", serial, "shell", "wm", "size").stdout.strip() == b"Physical size: 720x1280"

    adb_server.adb("-s", serials[1], "emu", "kill")
    listener.join(timeout=60)
    assert not listener.is_alive()
    phones.stop()

    for serial in serials:
        adb_server.adb("-s", serial, "wait-for-disconnect")
    assert len(set(serials)) == 2
    assert list(phones.running_dir.iterdir()) == []
    assert '"rgb_sha256"' in (tmp_path / "journal.jsonl").read_text()


def test_unknown_profile_is_reported_with_the_known_ones(phones: PhoneProcesses) -> None:
    with pytest.raises(DeviceError, match=r"did not start\. No simulated device 'nokia'; there are small_phone, "):
        phones.start("nokia")


def test_cancelled_start_leaves_nothing_behind(phones: PhoneProcesses) -> None:
    before = _listener_threads()
    with pytest.raises(CancelledError, match="small_phone was stopped before it was up"):
        phones.start("small_phone", cancelled=lambda: True)
    assert _listener_threads() - before == set()


def _listener_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "simulated emulator"}


def test_phone_ends_when_its_starter_dies(adb_server: PrivateAdbServer) -> None:
    starter = (
        "from odyssey_recorder.simulated.private_emulators import PhoneProcesses; import os\n"
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


def test_killed_phone_ends_cleanly_with_stdin_still_open(adb_server: PrivateAdbServer) -> None:
    options = ["--profile", "small_phone", "--console-port", "0", "--until-stdin-ends"]
    with subprocess.Popen(
        [sys.executable, "-m", "odyssey_recorder", "simulate", *options],
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
        assert phone.wait(60) == 0
        assert phone.stdout.read().endswith(f"{serial} has stopped.\n")
        assert phone.stderr.read() == ""


def test_private_emulators_leave_no_process_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with PrivateEmulators(ADB) as emulators:
        emulators.phones.start("small_phone")
        assert emulators.server.home.is_relative_to(tmp_path)
    assert emulators.server.pid is None
    assert list(tmp_path.iterdir()) == []
