"""Devices on the real adb and the simulated emulator, with access to the emulator behind them."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import adbutils

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.discovery import ControlEndpoint, find_control
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.device.measured import NOTHING_MEASURED, MeasuredDevices
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.faults import FrameFault
from odyssey_simulator.guest import Snapshot
from odyssey_simulator.profile import Profile, profile_named
from tests.simulator.bench import half_as_dense, inputs_in, phone_of
from tests.simulator.person import Person

BUNDLED_ADB = Path(adbutils.__file__).parent / "binaries" / ("adb.exe" if os.name == "nt" else "adb")

_TRIES = 2000
_KEY_BACK = 158


@dataclass(frozen=True)
class DeviceBench:
    """A device over adb alone or with gRPC, and the simulated emulator behind it.

    `opened` closes the additional connections.
    """

    device: AdbDevice
    emulator: SimulatedEmulator
    server: AdbServer
    folder: Path
    journal_start: int = 0
    opened: ExitStack = field(default_factory=ExitStack)

    @property
    def button(self) -> Pixel:
        return self.center_of("Notes")

    def center_of(self, label: str) -> Pixel:
        self.wait_for_touches()
        return Pixel(*Person(self.emulator.phone).find(label).bounds.center)

    def tap_button(self) -> None:
        self.device.touch(TouchStroke.press(self.button))
        self.wait_for_touches()

    def wait_for_touches(self) -> None:
        """The gRPC service confirms a touch before it happens."""
        assert self.emulator.control is not None
        self.emulator.control.wait_for_touches()

    def find(self) -> ControlEndpoint | None:
        return find_control(self.emulator.serial, (self.folder,))

    def connect_over_adb(self, serial: str = "", *, answer_s: float = 20) -> AdbDevice:
        """Another connection, by default to the same device."""
        device = AdbDevice(AdbShell(serial or self.emulator.serial, self.server, answer_s=answer_s))
        self.opened.callback(device.close)
        return device

    def connect(
        self, options: GrpcOptions | None = None, *, adb_s: float = 20, known: MeasuredDevices = NOTHING_MEASURED
    ) -> EmulatorDevice:
        """Another connection to the same device."""
        shell = AdbShell(self.emulator.serial, self.server, answer_s=adb_s)
        device = EmulatorDevice(shell, options or GrpcOptions(self.find), console=console(self.emulator), known=known)
        self.opened.callback(device.close)
        device.wait_until_ready(20)
        return device

    def change_screen(self) -> None:
        Person(self.emulator.phone).tap("Notes")

    def press_back_key(self) -> None:
        self.emulator.guest.window_key(_KEY_BACK)

    @property
    def recents(self) -> list[str]:
        return [task.package for task in self.emulator.phone.tasks() if not task.is_home]

    def freeze(self) -> None:
        self.emulator.faults.freeze()

    def disconnect(self) -> None:
        self.emulator.faults.control.switch_off(off=True)
        self.emulator.faults.go_offline()

    def switch_off_grpc(self) -> None:
        self.emulator.faults.control.switch_off(off=True)
        self.wait_for_path("screencap")

    def cut_frames(self) -> None:
        self.switch_off_grpc()
        self.emulator.faults.spoil_frames(FrameFault.CUT)

    def refuse_input(self) -> None:
        self.switch_off_grpc()
        self.emulator.faults.refuse_input(refuse=True)

    def recover(self) -> None:
        self.emulator.faults.clear()
        self.device.wait_until_ready(20)

    def wait_for_path(self, path: str) -> None:
        self.wait_until(lambda: self.device.capture_path == path)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Calls the device until the condition holds."""
        for _ in range(_TRIES):
            if condition():
                return
            self.device.input_nodes()
        raise AssertionError("the condition never held")

    def next_streamed(self) -> Frame:
        frame = self.device.next_frame(5)
        assert frame is not None
        assert frame.streamed
        return frame

    def inputs(self) -> list[str]:
        """From the emulator's journal, with every touch that was sent."""
        self.wait_for_touches()
        return inputs_in(_journal(self.folder), self.journal_start)


class EmulatorPool:
    """One emulator per profile, with a quarter of its pixels unless `form` says otherwise, restored for every test."""

    def __init__(
        self, server: PrivateAdbServer, folder: Path, form: Callable[[Profile], Profile] = half_as_dense
    ) -> None:
        self._form = form
        self._server = server
        self._folder = folder
        self._started: dict[str, tuple[SimulatedEmulator, Snapshot, Path]] = {}

    def bench(self, profile: str, *, grpc: bool) -> DeviceBench:
        """The caller closes the device."""
        if profile not in self._started or self._started[profile][0].killed.is_set():
            folder = self._folder / f"{profile}-{len(list(self._folder.iterdir()))}"
            folder.mkdir()
            emulator = start_emulator(self._form(profile_named(profile)), self._server, folder)
            self._started[profile] = emulator, emulator.guest.save_snapshot(), folder
        emulator, snapshot, folder = self._started[profile]
        emulator.faults.clear()
        emulator.guest.restore(snapshot)
        for name in console(emulator).snapshots():
            console(emulator).delete_snapshot(name)
        return connected_bench(emulator, self._server, folder, grpc=grpc)

    def stop(self) -> None:
        for emulator, _, _ in self._started.values():
            emulator.stop()


StartBench = Callable[[str], DeviceBench]


def console(emulator: SimulatedEmulator) -> EmulatorConsole:
    return EmulatorConsole(emulator.console_port, token_file=Path("no token"))


def start_emulator(profile: Profile, server: PrivateAdbServer, folder: Path) -> SimulatedEmulator:
    """The caller stops the emulator."""
    phone = phone_of(profile, journal=_journal(folder))
    emulator = SimulatedEmulator(phone, adb_server_port=server.port, control=ControlOptions(running_dir=folder))
    emulator.start()
    return emulator


def connected_bench(
    emulator: SimulatedEmulator, private: PrivateAdbServer, folder: Path, *, grpc: bool = True
) -> DeviceBench:
    server = AdbServer(port=private.port)
    shell = AdbShell(emulator.serial, server, answer_s=20)
    device = AdbDevice(shell, console=console(emulator))
    device.wait_until_ready(20)
    if grpc:
        find = GrpcOptions(lambda: find_control(emulator.serial, (folder,)))
        device = EmulatorDevice(shell, find, console=console(emulator))
        device.wait_until_ready(20)
    return DeviceBench(device, emulator, server, folder, _journal(folder).stat().st_size)


def start_bench(profile: Profile, server: PrivateAdbServer, folder: Path) -> DeviceBench:
    """The caller closes the device and stops the emulator."""
    return connected_bench(start_emulator(profile, server, folder), server, folder)


def _journal(folder: Path) -> Path:
    return folder / "journal.jsonl"
