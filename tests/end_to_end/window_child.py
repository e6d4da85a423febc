"""The window in a process of its own, which a test may kill in the middle of a gesture."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb import AdbServer
from odyssey_recorder.gui.application import prepare
from odyssey_recorder.gui.record.recording_controller import Phase, RecordingController
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.wiring import Desk, Reach
from tests.gui.pilot import Pilot


@dataclass(frozen=True)
class Job:
    """What a child records: one click after the other, then a finger that comes down and stays."""

    serial: str
    server_port: int
    dataset: Path
    drafts: Path
    clicks: tuple[Pixel, ...]


class EventLoop:
    """Waits as a QtBot does."""

    def waitUntil(self, callback: Callable[[], bool], *, timeout: int = 5000) -> None:  # noqa: N802 - Qt's spelling
        expires_s = time.monotonic() + timeout / 1000
        while not callback():
            assert time.monotonic() < expires_s
            QTest.qWait(10)


def record_until_killed(job: Job, parent: Connection) -> None:
    """Open the window, carry out a job, and tell the steps in the list once the finger is down."""
    app = QApplication([])
    prepare(app)
    desk = Desk(Reach(AdbServer(port=job.server_port)), EpisodeStore(job.dataset, drafts=job.drafts), "Tester")
    pilot = Pilot(EventLoop(), RecordingController(desk), job.serial)
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.start()
    for number, place in enumerate(job.clicks, start=1):
        pilot.click(place.x, place.y)
        pilot.wait_for_steps(number)
    pilot.put_finger_down(job.clicks[-1].x, job.clicks[-1].y)
    parent.send(pilot.steps)
    app.exec()
