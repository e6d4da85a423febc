"""A simulated emulator behind the real adb, with a journal of everything it showed and received."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.discovery import find_control
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.adb_server import announce
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.journal import RecordedInput, RecordedJournal
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.simulator.bench import half_as_dense
from tests.simulator.person import Person


class CountingDevice(EmulatorDevice):
    """Counts the finger-downs that the emulator has acknowledged."""

    finger_downs = 0

    def put_finger(self, at: Pixel) -> None:
        super().put_finger(at)
        self.finger_downs += 1


class EmulatorBench:
    """A simulated emulator showing a page of switches, so that every tap changes the screen, and its adb server."""

    def __init__(self, server: PrivateAdbServer, folder: Path) -> None:
        self.server = server
        self._journal = folder / "journal.jsonl"
        self._running = folder / "running"
        self.phone = Phone(
            half_as_dense(profile_named("small_phone")), animation=False, journal=self._journal
        ).without_notices()
        control = ControlOptions(running_dir=self._running)
        self.emulator = SimulatedEmulator(self.phone, adb_server_port=server.port, control=control)

    @property
    def serial(self) -> str:
        return self.emulator.serial

    def start(self) -> None:
        self.emulator.start()
        self.phone.start_activity("com.android.settings")
        Person(self.phone).tap("Notifications")
        switches = [node.bounds for node in self.phone.view_hierarchy().walk() if node.checkable]
        self._rows = [(box.top + box.bottom) // 2 for box in switches][:6]
        assert self._rows
        self._switches = self.emulator.guest.save_snapshot()

    def load_snapshot(self) -> None:
        self.emulator.guest.load_snapshot(self._switches)

    def adb_device(self, *, answer_s: float = 5.0) -> AdbDevice:
        self.reconnect()
        return AdbDevice(self._shell(answer_s))

    def emulator_device(self, *, answer_s: float = 5.0) -> CountingDevice:
        self.reconnect()
        find = partial(find_control, self.serial, (self._running,))
        device = CountingDevice(self._shell(answer_s), GrpcOptions(find, answer_s=answer_s, shares_memory=False))
        device.wait_until_ready(20)
        return device

    def position(self, number: int) -> Pixel:
        return Pixel(20 + number % 320, self._rows[number % len(self._rows)])

    def positions(self, first: int, count: int) -> list[Pixel]:
        return [self.position(number) for number in range(first, first + count)]

    def touch_downs(self) -> list[RecordedInput]:
        """Read them only while the emulator is paused."""
        return list(RecordedJournal.read(self._journal).touch_downs())

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Queries the adb server while it waits."""
        expires_s = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < expires_s, "the condition never held"
            AdbServer(port=self.server.port).version()

    def reconnect(self) -> None:
        """Announce the emulator until the adb server lists it; a server that is cleaning up ignores it."""
        device = AdbDevice(self._shell(answer_s=1))
        expires_s = time.monotonic() + 30
        while time.monotonic() < expires_s:
            announce(self.server.port, self.emulator.adb_port)
            with suppress(DeviceError):
                return device.wait_until_ready(1)
        raise AssertionError(f"{self.serial} did not come back")

    def _shell(self, answer_s: float) -> AdbShell:
        return AdbShell(self.serial, AdbServer(port=self.server.port), answer_s=answer_s)


def tap_window(emulator: SimulatedEmulator, at: Pixel, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Tap in the emulator's own window; `meanwhile` runs while the finger is down."""
    emulator.guest.window_touch(at.x, at.y, pressed=True)
    meanwhile()
    emulator.guest.window_touch(at.x, at.y, pressed=False)


def label_positions(phone: Phone, label: str) -> list[Pixel]:
    """The centres of the views with this text or description; also finds keys of the keyboard."""
    nodes = phone.view_hierarchy(all_windows=True).walk()
    found = [node.bounds for node in nodes if label in {node.text, node.content_desc}]
    return [Pixel((box.left + box.right) // 2, (box.top + box.bottom) // 2) for box in found]


@contextmanager
def emulator_bench(server: PrivateAdbServer, folder: Path) -> Iterator[EmulatorBench]:
    bench = EmulatorBench(server, folder)
    bench.start()
    try:
        yield bench
    finally:
        bench.emulator.stop()
