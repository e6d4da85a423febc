"""A simulated emulator behind the real adb, with a journal of everything it showed and received."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import adbutils

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.discovery import find_control
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulator.adb_server import PrivateAdbServer, announce
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.journal import RecordedInput, RecordedJournal
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.simulator.person import Person

BUNDLED_ADB = Path(adbutils.__file__).parent / "binaries" / ("adb.exe" if os.name == "nt" else "adb")


class Felt(EmulatorDevice):
    answered = 0

    def put_finger(self, at: Pixel) -> None:
        super().put_finger(at)
        self.answered += 1


class Laboratory:
    """A simulated emulator showing a page of switches, so that every tap changes the screen, and its adb server."""

    def __init__(self, server: PrivateAdbServer, folder: Path) -> None:
        self.server = server
        self._journal = folder / "journal.jsonl"
        self._running = folder / "running"
        self.phone = Phone(profile_named("small_phone"), animation=False, journal=self._journal)
        control = ControlOptions(running_dir=self._running)
        self.emulator = SimulatedEmulator(self.phone, adb_server_port=server.port, control=control)
        self._rows: list[int] = []

    @property
    def serial(self) -> str:
        return self.emulator.serial

    def start(self) -> None:
        self.emulator.start()
        self.phone.start_activity("com.android.settings")
        Person(self.phone).tap("Notifications")
        switches = [node for node in self.phone.view_hierarchy().walk() if node.checkable]
        self._rows = [(node.bounds.top + node.bounds.bottom) // 2 for node in switches][:6]
        assert self._rows
        self._switches = self.emulator.guest.save_snapshot()

    def load_snapshot(self) -> None:
        self.emulator.guest.load_snapshot(self._switches)

    def stop(self) -> None:
        self.emulator.stop()

    def device(self, *, answer_s: float = 5.0) -> AdbDevice:
        self.bring_back()
        return AdbDevice(AdbShell(self.serial, AdbServer(port=self.server.port), answer_s=answer_s))

    def emulator_device(self, *, answer_s: float = 5.0) -> "Felt":
        self.bring_back()
        shell = AdbShell(self.serial, AdbServer(port=self.server.port), answer_s=answer_s)
        find = partial(find_control, self.serial, (self._running,))
        device = Felt(shell, GrpcOptions(find, answer_s=answer_s, shares_memory=False))
        device.wait_until_ready(20)
        return device

    def place(self, number: int) -> Pixel:
        return Pixel(40 + number % 600, self._rows[number % len(self._rows)])

    def places(self, first: int, count: int) -> list[Pixel]:
        return [self.place(number) for number in range(first, first + count)]

    def recorded(self) -> RecordedJournal:
        """Read it only while the emulator is paused."""
        return RecordedJournal.read(self._journal)

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Queries the adb server while it waits."""
        expires_s = time.monotonic() + 30
        while not is_so():
            assert time.monotonic() < expires_s, "it never was so"
            AdbServer(port=self.server.port).version()

    def bring_back(self) -> None:
        """Announce the emulator until the adb server lists it; a server that is cleaning up ignores it."""
        device = AdbDevice(AdbShell(self.serial, AdbServer(port=self.server.port), answer_s=1))
        expires_s = time.monotonic() + 30
        while time.monotonic() < expires_s:
            announce(self.server.port, self.emulator.adb_port)
            with suppress(DeviceError):
                return device.wait_until_ready(1)
        raise AssertionError(f"{self.serial} did not come back")


def place_of(tap: RecordedInput) -> Pixel:
    """Where a touch was felt; the emulator's window and its gRPC service put it a fraction of a pixel off."""
    x, y = (round(float(number)) for number in tap.words.split()[-1].split(","))
    return Pixel(x, y)


@contextmanager
def laboratory(server: PrivateAdbServer, folder: Path) -> Iterator[Laboratory]:
    lab = Laboratory(server, folder)
    lab.start()
    try:
        yield lab
    finally:
        lab.stop()
