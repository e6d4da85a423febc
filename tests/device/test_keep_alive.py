"""An emulator that ends after some minutes without gRPC calls, as those of Android Studio do."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import CapturePolicy, DeviceConnector
from odyssey_recorder.device.discovery import ControlEndpoint, find_control
from odyssey_recorder.device.keep_alive import keep_alive
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from tests.cli import wait_until
from tests.simulator.bench import phone_of

IDLE_S = 300


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@contextmanager
def started(running: Path, clock: Clock, adb_port: int | None = None) -> Iterator[SimulatedEmulator]:
    options = ControlOptions(running, idle_s=IDLE_S, clock=clock)
    with SimulatedEmulator(phone_of(), adb_server_port=adb_port, control=options) as emulator:
        yield emulator


def idle_s(emulator: SimulatedEmulator, clock: Clock) -> float:
    assert emulator.control is not None
    return clock.now_s - emulator.control.active_s


def test_emulator_without_grpc_calls_ends(tmp_path: Path) -> None:
    clock = Clock()
    with started(tmp_path, clock) as emulator:
        clock.now_s = IDLE_S
        assert not emulator.killed.is_set()
        clock.now_s += 1
        assert emulator.killed.wait(60)


def test_calls_keep_it_alive_until_the_device_is_closed(tmp_path: Path) -> None:
    clock, closed = Clock(), threading.Event()
    with started(tmp_path, clock) as emulator:

        def find() -> ControlEndpoint | None:
            return find_control(emulator.serial, (tmp_path,))

        keep_alive(emulator.serial, find, closed, every_s=0.01)
        for _ in range(10):
            clock.now_s += IDLE_S - 1
            wait_until(lambda: idle_s(emulator, clock) == 0)
        assert not emulator.killed.is_set()
        closed.set()
        for thread in threading.enumerate():
            if thread.name == f"keeps {emulator.serial} alive":
                thread.join(60)
        clock.now_s += IDLE_S + 1
        assert emulator.killed.wait(60)


@pytest.mark.parametrize("capture", ["adb", "auto"])
def test_device_used_over_adb_alone_calls_its_emulator(
    adb_server: PrivateAdbServer, tmp_path: Path, capture: CapturePolicy
) -> None:
    clock = Clock()
    with started(tmp_path, clock, adb_server.port) as emulator:
        adb_server.adb("-s", emulator.serial, "wait-for-device")
        clock.now_s += IDLE_S - 1
        connector = DeviceConnector(
            AdbServer(port=adb_server.port), capture, (tmp_path,), console_token=tmp_path / "no token"
        )
        device = connector.connect(emulator.serial)
        wait_until(lambda: idle_s(emulator, clock) == 0)
        device.close()
