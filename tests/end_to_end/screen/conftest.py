import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.end_to_end.laboratory import BUNDLED_ADB
from tests.end_to_end.screen.display import Display
from tests.end_to_end.screen.phone import shown_phone
from tests.end_to_end.screen.room import Room
from tests.end_to_end.screen.window import ROOT
from tests.gui.slot_probe import SlowDelivery

PROFILES = ("small_phone", "pixel_fold", "pixel_tablet")
PICTURES = Path(os.environ.get("ODYSSEY_TEST_SCREENSHOTS") or ROOT / "build" / "screenshots")
_slow: list[SlowDelivery] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the pictures are, and what was slow."""
    if PICTURES.is_dir():
        terminalreporter.write_line(f"Pictures of the window: {PICTURES}")
    for slow in sorted(_slow, key=lambda one: one.worked_ms, reverse=True):
        terminalreporter.write_line(f"GUI thread: {str(slow).partition(chr(10))[0]}")


@pytest.fixture(scope="session")
def display() -> Iterator[Display]:
    with Display() as started:
        yield started


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(BUNDLED_ADB, tmp_path_factory.mktemp("adb-home")) as started:
        yield started


@pytest.fixture(params=PROFILES)
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def room(display: Display, server: PrivateAdbServer, profile: str, tmp_path: Path) -> Iterator[Room]:
    """A room with a device of the profile; nothing may keep the GUI thread of a window there for too long."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with shown_phone(server, profile, tmp_path) as phone:
        room = Room(display, server, phone, tmp_path, PICTURES)
        yield room
    _slow.extend(room.slow)
    busy = [slow for slow in room.slow if slow.worked_ms > 50]
    assert not busy, "\n".join(str(slow) for slow in busy)
