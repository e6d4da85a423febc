"""A device behind the real adb, and what can be done to it: the simulated emulator is on the other side."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import adbutils

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.faults import FrameFault
from odyssey_recorder.simulator.phone import Phase

BUNDLED_ADB = Path(adbutils.__file__).parent / "binaries" / ("adb.exe" if os.name == "nt" else "adb")


KEY_BACK = 158


@dataclass(frozen=True)
class AdbBench:
    """A device behind the real adb, the emulator that it is, and the server between."""

    device: AdbDevice
    emulator: SimulatedEmulator
    server: AdbServer
    journal: Path

    @property
    def button(self) -> Pixel:
        """The icon of an app on the launcher."""
        icon = next(node for node in self.emulator.phone.view_hierarchy().walk() if node.content_desc == "Notes")
        return Pixel((icon.bounds.left + icon.bounds.right) // 2, (icon.bounds.top + icon.bounds.bottom) // 2)

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
        self.emulator.faults.go_offline()

    def cut_frames(self) -> None:
        self.emulator.faults.spoil_frames(FrameFault.CUT)

    def refuse_input(self) -> None:
        self.emulator.faults.refuse_input(refuse=True)

    def mend(self) -> None:
        self.emulator.faults.clear()
        self.device.wait_until_ready(20)

    def inputs(self) -> list[str]:
        """What the phone was told, in its own words, in order."""
        entries = [json.loads(line) for line in self.journal.read_text().splitlines()]
        return [entry["input"] for entry in entries if "input" in entry]

    def shown(self) -> list[str]:
        """The SHA-256 of every picture that the phone has shown."""
        entries = [json.loads(line) for line in self.journal.read_text().splitlines()]
        return [entry["rgb_sha256"] for entry in entries if "rgb_sha256" in entry]


def console(emulator: SimulatedEmulator) -> EmulatorConsole:
    """The console of an emulator that asks for no token."""
    return EmulatorConsole(emulator.console_port, token_file=Path("no token"))


StartBench = Callable[[str], AdbBench]
"""Starts a simulated emulator of a profile and connects to it."""
