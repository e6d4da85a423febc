import socket
from contextlib import suppress
from pathlib import Path

import pytest

from odyssey_recorder.device.emulator_launch import explained, free_ports, new_log
from odyssey_recorder.errors import DeviceError
from tests.simulator.bench import free_console_port


def console_with_listener(offset: int) -> tuple[int, socket.socket]:
    """A free console port, and a listener on the port `offset` above it."""
    while True:  # another program may take the port first
        console = free_console_port()
        with suppress(OSError):
            return console, socket.create_server(("127.0.0.1", console + offset))


def test_taken_console_port_is_skipped() -> None:
    second = free_console_port()
    first, listener = console_with_listener(1)
    with listener:
        assert free_ports((first, second)).console == second
    assert free_ports((first, second)).console == first


def test_taken_grpc_port_is_replaced() -> None:
    console, listener = console_with_listener(3000)
    with listener:
        found = free_ports((console,))
    assert found.console == console
    assert found.control not in {console, console + 1, console + 3000}


def test_no_free_port_is_reported_with_advice() -> None:
    with pytest.raises(DeviceError, match=r"No port is free for another emulator\. Stop a running one"):
        free_ports(())


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("emulator: ERROR: x86 emulation currently requires hardware acceleration!", "Virtualisation is off"),
        ("/dev/kvm is not found: VT disabled in BIOS or KVM kernel module not loaded", "Virtualisation is off"),
        ("This user doesn't have permissions to use KVM (/dev/kvm).", "gpasswd -a $USER kvm"),
        ("PANIC: Broken AVD system path. Check your ANDROID_SDK_ROOT value [/sdk]!", "image is not installed"),
        ("ERROR   | Unknown AVD name [test], use -list-avds to see valid list.", "Create it again"),
        ("ERROR: Running multiple emulators with the same AVD is an experimental feature.", "It is already running"),
        ("FATAL | Not enough space to create userdata partition. Available: 7966.75 MB", "Free some disk space"),
        ("Device pixel_fold requires foldable feature, but the system image does not support. Quit.", "API 34"),
        ("qt.qpa.xcb: could not connect to display :0", "--no-window"),
        ("unknown option: -grpc-use-token", "sdkmanager --update"),
    ],
)
def test_known_emulator_errors_are_explained(message: str, advice: str) -> None:
    explanation = explained(f"INFO | Android emulator version 36.5.11.0\n{message}\n")
    assert advice in explanation
    assert " ".join(message.split()) in explanation
    assert "version" not in explanation


def test_unknown_emulator_errors_are_quoted() -> None:
    lines = [f"ERROR | {number}" for number in range(20)]
    assert explained("\n".join(lines)) == "Its output: " + " / ".join(lines[-6:])
    assert explained("INFO    | all is well\n\n") == "Its output: INFO | all is well"
    assert explained("") == "It printed nothing."


def test_only_the_newest_logs_are_kept(tmp_path: Path) -> None:
    other = new_log(tmp_path, "Fold-2")
    other.touch()
    for _ in range(15):
        new_log(tmp_path, "Fold").touch()
    assert len(list(tmp_path.glob("emulator-Fold-[0-9][0-9][0-9][0-9]*.log"))) == 10
    assert other.exists(), "the log of another device"
