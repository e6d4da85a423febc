"""A simulated emulator with a journal of what it showed and felt."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.discovery import running_dir
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.journal import RecordedJournal
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named

PROFILES = ("small_phone", "pixel_fold", "pixel_tablet")
PHONE_ALWAYS = ("small_phone", *(pytest.param(name, marks=pytest.mark.soak) for name in PROFILES[1:]))
"""Every profile; all but the first only in the long run."""


@dataclass(frozen=True, slots=True)
class ShownPhone:
    emulator: SimulatedEmulator
    journal: Path

    @property
    def profile(self) -> str:
        return self.emulator.phone.profile.name

    @property
    def serial(self) -> str:
        return self.emulator.serial

    def shows(self, label: str) -> bool:
        return bool(self._carrying(label))

    def place_of(self, label: str) -> Pixel:
        places = self._carrying(label)
        assert places, f"{label!r} is not on the phone's screen"
        return places[0]

    def recorded(self) -> RecordedJournal:
        return RecordedJournal.read(self.journal)

    def _carrying(self, label: str) -> list[Pixel]:
        nodes = self.emulator.phone.view_hierarchy(all_windows=True).walk()
        found = [node.bounds for node in nodes if label in {node.text, node.content_desc}]
        return [Pixel((b.left + b.right) // 2, (b.top + b.bottom) // 2) for b in found]


@contextmanager
def shown_phone(server: PrivateAdbServer, profile: str, folder: Path) -> Iterator[ShownPhone]:
    journal = folder / f"{profile}.jsonl"
    phone = Phone(profile_named(profile), animation=False, journal=journal)
    emulator = SimulatedEmulator(
        phone,
        adb_server_port=server.port,
        auth_token_file=server.home / TOKEN_FILE,
        control=ControlOptions(running_dir=running_dir(server.environment)),
    )
    with emulator:
        yield ShownPhone(emulator, journal)
