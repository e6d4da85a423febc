"""A device behind the real adb and the control service of the simulated emulator, and what can be done to it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.discovery import ControlEndpoint, find_control
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_link import GrpcOptions
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.faults import FrameFault
from odyssey_recorder.simulator.phone import Phase, Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.device.adb_bench import console

TRIES = 2000


KEY_BACK = 158


@dataclass(frozen=True)
class EmulatorBench:
    """An emulator, and the device by which we reach it."""

    device: EmulatorDevice
    emulator: SimulatedEmulator
    server: AdbServer
    folder: Path

    @property
    def button(self) -> Pixel:
        """The icon of an app on the launcher."""
        icon = next(node for node in self.emulator.phone.view_hierarchy().walk() if node.content_desc == "Notes")
        return Pixel((icon.bounds.left + icon.bounds.right) // 2, (icon.bounds.top + icon.bounds.bottom) // 2)

    def find(self) -> ControlEndpoint | None:
        return find_control(self.emulator.serial, (self.folder,))

    def another_device(
        self,
        *,
        required: bool = False,
        adb_s: float = 20,
        answer_s: float = 2.0,
        shares_memory: bool = True,
    ) -> EmulatorDevice:
        """One more device object for the same emulator."""
        shell = AdbShell(self.emulator.serial, self.server, answer_s=adb_s)
        options = GrpcOptions(self.find, required=required, answer_s=answer_s, shares_memory=shares_memory)
        return EmulatorDevice(shell, options, console=console(self.emulator))

    def change_screen(self) -> None:
        at = self.button
        self.emulator.phone.touch(Phase.DOWN, at.x, at.y)
        self.emulator.phone.touch(Phase.UP, at.x, at.y)

    def press_back_key(self) -> None:
        self.emulator.guest.window_key(KEY_BACK)

    def recents(self) -> list[str]:
        return [task.package for task in self.emulator.phone.tasks() if not task.is_home]

    def freeze(self) -> None:
        self.emulator.faults.freeze()

    def disconnect(self) -> None:
        self.emulator.faults.control.switch_off(off=True)
        self.emulator.faults.go_offline()

    def leave_adb_alone(self) -> None:
        """Switch the control service off, and wait until the device has noticed."""
        self.emulator.faults.control.switch_off(off=True)
        self.wait_for_path("screencap")

    def cut_frames(self) -> None:
        self.leave_adb_alone()
        self.emulator.faults.spoil_frames(FrameFault.CUT)

    def refuse_input(self) -> None:
        self.leave_adb_alone()
        self.emulator.faults.refuse_input(refuse=True)

    def mend(self) -> None:
        self.emulator.faults.clear()
        self.device.wait_until_ready(20)

    def wait_for_path(self, path: str) -> None:
        """Return when frames come by `path`, "gRPC" or "screencap"; the device is kept busy meanwhile."""
        self.wait_until(lambda: self.device.capture_path == path)

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Return when `is_so`; the device is asked in vain meanwhile."""
        for _ in range(TRIES):
            if is_so():
                return
            self.device.input_nodes()
        raise AssertionError("it never was so")

    def next_streamed(self) -> Frame:
        """The next frame of the stream, which must come soon."""
        frame = self.device.next_frame(5)
        assert frame is not None
        assert frame.streamed
        return frame

    def inputs(self) -> list[str]:
        """What the phone was told, in its own words, in order."""
        entries = [json.loads(line) for line in (self.folder / "journal.jsonl").read_text().splitlines()]
        return [entry["input"] for entry in entries if "input" in entry]


def start_bench(profile: str, adb_server: PrivateAdbServer, folder: Path) -> EmulatorBench:
    """A bench whose control service is up; the caller ends device and emulator."""
    phone = Phone(profile_named(profile), animation=False, journal=folder / "journal.jsonl")
    emulator = SimulatedEmulator(phone, adb_server_port=adb_server.port, control=ControlOptions(running_dir=folder))
    emulator.start()
    server = AdbServer(port=adb_server.port)
    shell = AdbShell(emulator.serial, server, answer_s=20)
    AdbDevice(shell).wait_until_ready(20)
    options = GrpcOptions(lambda: find_control(emulator.serial, (folder,)))
    device = EmulatorDevice(shell, options, console=console(emulator))
    device.wait_until_ready(20)
    return EmulatorBench(device, emulator, server, folder)
