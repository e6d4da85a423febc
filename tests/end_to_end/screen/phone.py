"""A simulated emulator with a journal of what it showed and received."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.discovery import running_dir
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.journal import RecordedJournal
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.end_to_end.emulator_bench import label_positions

PROFILES = ("small_phone", "pixel_fold", "pixel_tablet")
PROFILE_PARAMETERS = ("small_phone", *(pytest.param(name, marks=pytest.mark.soak) for name in PROFILES[1:]))
"""Every profile; all but the first only in the long run."""


@dataclass(frozen=True, slots=True)
class SimulatedPhone:
    emulator: SimulatedEmulator
    journal: Path

    @property
    def profile(self) -> str:
        return self.emulator.phone.profile.name

    @property
    def serial(self) -> str:
        return self.emulator.serial

    def shows(self, label: str) -> bool:
        return bool(label_positions(self.emulator.phone, label))

    def position_of(self, label: str) -> Pixel:
        positions = label_positions(self.emulator.phone, label)
        assert positions, f"{label!r} is not on the phone's screen"
        return positions[0]

    def read_journal(self) -> RecordedJournal:
        return RecordedJournal.read(self.journal)


@contextmanager
def simulated_phone(server: PrivateAdbServer, profile: str, folder: Path) -> Iterator[SimulatedPhone]:
    journal = folder / f"{profile}.jsonl"
    phone = Phone(profile_named(profile), animation=False, journal=journal).without_notices()
    emulator = SimulatedEmulator(
        phone,
        adb_server_port=server.port,
        auth_token_file=server.home / TOKEN_FILE,
        control=ControlOptions(running_dir=running_dir(server.environment)),
    )
    with emulator:
        yield SimulatedPhone(emulator, journal)
