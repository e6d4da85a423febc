"""The console's client, against the simulated emulator's console and a scripted one."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.device.emulator_console import (
    EmulatorConsole,
    check_snapshot_name,
    console_of,
    console_port,
    listed_snapshots,
)
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.device.scripted_console import AUTH_REQUIRED, GREETING, scripted_console

REAL_TABLE = """\
List of snapshots present on all disks:
ID        TAG                 VM SIZE                DATE       VM CLOCK
--        default_boot            75M 2026-09-09 11:41:45   00:10:07.753
--        a_name_longer_than_its_column 1.2 GB 2026-09-09 16:55:38   00:10:45.114
2         after.login-2       892 MiB 2026-09-09 16:55:38   00:10:45.114
"""
"""The first row as an emulator printed it; the others have the sizes and long names of newer versions."""


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[SimulatedEmulator]:
    phone = Phone(profile_named("pixel_fold"), animation=False).without_notices()
    with SimulatedEmulator(phone, auth_token_file=tmp_path / "token") as running:
        yield running


@pytest.fixture
def console(emulator: SimulatedEmulator, tmp_path: Path) -> EmulatorConsole:
    found = console_of(emulator.serial, tmp_path / "token")
    assert found is not None
    return found


def test_only_local_emulators_have_a_console(tmp_path: Path) -> None:
    assert console_port("emulator-5554") == 5554
    for serial in ("emulator-0", "emulator-99999", "emulator-5554;x", "127.0.0.1:5555", "R58M123ABC", ""):
        assert console_of(serial, tmp_path) is None


def test_missing_snapshot_is_reported_with_existing_ones(console: EmulatorConsole) -> None:
    with pytest.raises(DeviceError, match=r"no snapshot 'lost'\. It has no snapshots\."):
        console.load_snapshot("lost")
    console.save_snapshot("kept")
    with pytest.raises(DeviceError, match=r"no snapshot 'lost'\. It has kept\."):
        console.load_snapshot("lost")


@pytest.mark.parametrize("name", ["", "two words", "a\nkill", "../up", "..", "-x", "é", "a" * 101, "a;b"])
def test_invalid_snapshot_names_are_refused(console: EmulatorConsole, name: str) -> None:
    for call in (check_snapshot_name, console.save_snapshot, console.load_snapshot):
        with pytest.raises(DeviceError, match="not a valid snapshot name"):
            call(name)
    assert console.snapshots() == ()


def test_commands_cannot_be_injected(console: EmulatorConsole, emulator: SimulatedEmulator) -> None:
    with pytest.raises(DeviceError, match="one line at a time"):
        console.command("ping\nkill")
    assert console.snapshots() == ()
    assert not emulator.killed.is_set()
    console.kill()
    assert emulator.killed.wait(60)


def test_snapshot_table_of_a_real_emulator() -> None:
    assert listed_snapshots(REAL_TABLE) == ("default_boot", "a_name_longer_than_its_column", "after.login-2")
    assert listed_snapshots("There is no snapshot available.") == ()
    partial = f"{REAL_TABLE}\nList of partial (non-loadable) snapshots on 'cache':\n{REAL_TABLE.splitlines()[2]}\n"
    assert listed_snapshots(partial) == listed_snapshots(REAL_TABLE)


def test_missing_console_is_reported_with_advice(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]  # nothing listens there any more
    with pytest.raises(DeviceDisconnectedError, match=rf"emulator-{port} cannot be reached.*Restart it"):
        EmulatorConsole(port, token_file=tmp_path / "token").command("ping")


def test_silent_console_times_out_and_hang_up_is_reported(tmp_path: Path) -> None:
    with scripted_console(GREETING) as (port, _), pytest.raises(DeviceDisconnectedError, match="disconnected"):
        EmulatorConsole(port, token_file=tmp_path / "token").command("ping")
    for answers in ((b"",), (GREETING, b"half a li")):
        with scripted_console(*answers, then_hang=True) as (port, _):
            console = EmulatorConsole(port, token_file=tmp_path / "token", answer_s=0.1)
            with pytest.raises(DeviceTimeoutError, match=f"emulator-{port} did not answer within 0.1 s"):
                console.command("ping")


def test_missing_and_rejected_tokens_name_their_file(tmp_path: Path) -> None:
    token, unreadable = tmp_path / "token", r"token cannot be read.*which writes the file"
    with scripted_console(AUTH_REQUIRED) as (port, _), pytest.raises(DeviceError, match=unreadable):
        EmulatorConsole(port, token_file=token).command("ping")
    token.write_text("mine\n")

    with scripted_console(AUTH_REQUIRED, b"KO: it does not match\r\n") as (port, received):
        with pytest.raises(DeviceError, match=r"rejected the token in .*token"):
            EmulatorConsole(port, token_file=token).command("ping")
        assert received == ["auth mine\n"]


@pytest.mark.parametrize(
    ("act", "message"),
    [("rotate", "was not turned"), ("fold", "was not folded. Only a foldable"), ("unfold", "was not unfolded. Only a")],
)
def test_act_without_an_answer_was_refused(
    console: EmulatorConsole, emulator: SimulatedEmulator, act: str, message: str
) -> None:
    acts = {"rotate": console.rotate, "fold": console.fold, "unfold": console.unfold}
    acts[act]()
    before = emulator.phone.state()
    emulator.faults.hold_posture(hold=True)

    with pytest.raises(DeviceError, match=f"{emulator.serial} {message}") as caught:
        acts[act]()

    assert type(caught.value) is DeviceError, "not a timeout"
    assert emulator.phone.state() == before


def test_device_that_does_not_fold_says_so(tmp_path: Path) -> None:
    phone = Phone(profile_named("small_phone"), animation=False)
    with SimulatedEmulator(phone) as emulator, pytest.raises(DeviceError, match="was not folded"):
        EmulatorConsole(emulator.console_port, token_file=tmp_path / "token").fold()


def test_snapshots_of_the_simulated_console_are_listed_as_by_a_real_one(console: EmulatorConsole) -> None:
    assert console.command("avd snapshot list").startswith("There is no snapshot available")
    console.save_snapshot("default_boot")
    row = console.command("avd snapshot list").splitlines()[-1]
    real = REAL_TABLE.splitlines()[2]
    assert re.sub(r"\d", "0", row).split()[3:] == re.sub(r"\d", "0", real).split()[3:]
    assert row.split()[:2] == real.split()[:2] == ["--", "default_boot"]
