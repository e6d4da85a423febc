"""The recorder's real window, offscreen, at work on a device: timer, touch latency and idle load."""

import json
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtTest import QTest

from benchmarks.bare import BareControl
from benchmarks.figure import Figure, percentile
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import CapturePolicy, DeviceConnector
from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.application import application
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.window.main_window import MainWindow
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

PROFILE = "pixel_7_pro"
TASK = TaskInfo("General_Tool", ("Settings",), "Measure.", "Measure.", "Measure.")
TICK_MS = 10
CLICKS = 25
STEPS_TIMED = 12
IDLE_S = 8.0
_FINGER_S = 0.12
_PATIENCE_S = 30.0
_EMPTY = Pixel(720, 900)
_POINTS = (Pixel(300, 2300), Pixel(700, 2300), Pixel(700, 1200), Pixel(400, 1600))
_PRESSURE = 1024


def measure(emulators: PrivateEmulators, folder: Path) -> list[Figure]:
    journal = folder / "window.jsonl"
    serial = emulators.phones.start(PROFILE, animation=True, journal=journal)
    with _recording(emulators, serial, folder, "grpc") as window:
        finger = _finger(window, BareControl(serial, emulators.phones.running_dir), journal)
        timer = _timer(window)
        at_rest = _at_rest("gRPC", "<= 3")
    with _recording(emulators, serial, folder, "adb"):
        at_rest_adb = _at_rest("adb", "")
    return [timer, *finger, at_rest, at_rest_adb]


class BenchWindow:
    def __init__(self, service: RecordingService, workplace: Workplace | None = None) -> None:
        self.controller = RecordingController(service)
        self._steps = 0
        self.controller.view_changed.connect(lambda view: setattr(self, "_steps", len(view.steps)))
        self.widget = MainWindow(self.controller, workplace)
        mirror = self.widget.findChild(MirrorView)
        assert mirror is not None
        self.mirror = mirror

    def connect(self, serial: str) -> None:
        self.widget.open_on(serial)
        run_until(lambda: self.controller.phase is Phase.WATCHING)

    def open(self, serial: str) -> None:
        self.connect(serial)
        self.controller.start(Assignment(TASK))
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        run_until(lambda: self.controller.phase is Phase.RECORDING and self.mirror.takes_input)

    def click(self, at: Pixel) -> int:
        """Click in the mirror and wait for the recorded step; returns when the finger came down (ns)."""
        before = self._steps
        place = self._place(at)
        began_ns = time.monotonic_ns()
        QTest.mousePress(self.mirror, Qt.MouseButton.LeftButton, pos=place)
        run_events(_FINGER_S)
        QTest.mouseRelease(self.mirror, Qt.MouseButton.LeftButton, pos=place)
        self._await_step(before)
        return began_ns

    def press(self, key: SystemKey) -> None:
        before = self._steps
        self.controller.ask(lambda recorder: recorder.press(key))
        self._await_step(before)

    def close(self) -> None:
        self.widget.close()
        self.widget.deleteLater()

    def _await_step(self, before: int) -> None:
        run_until(lambda: self._steps > before)
        self.wait_until_ready()

    def _place(self, at: Pixel) -> QPoint:
        fit = self.mirror.fit()
        assert fit is not None
        return fit.point_of(at).toPoint()


@contextmanager
def _recording(emulators: PrivateEmulators, serial: str, folder: Path, capture: CapturePolicy) -> Iterator[BenchWindow]:
    application()
    connector = DeviceConnector(AdbServer(port=emulators.server.port), capture, (emulators.phones.running_dir,))
    window = BenchWindow(
        RecordingService(connector, EpisodeStore(folder / "dataset", drafts=folder / "drafts"), "bench", "script")
    )
    try:
        window.open(serial)
        yield window
    finally:
        window.close()


def _finger(window: BenchWindow, bare: BareControl, journal: Path) -> list[Figure]:
    """Delay from the mouse button to the phone's touch, and the same for a bare call."""
    ours: list[int] = []
    theirs: list[int] = []
    for _ in range(CLICKS):
        ours.append(window.click(_EMPTY))
        theirs.append(time.monotonic_ns())
        bare.touch(_EMPTY.x, _EMPTY.y, _PRESSURE)
        bare.touch(_EMPTY.x, _EMPTY.y, 0)
        run_events(0.3)
        window.wait_until_ready()
    bare.close()
    downs = [entry["t_ns"] for entry in map(json.loads, journal.open()) if "touch down" in entry.get("input", "")]
    ours_ms, bare_ms = _delays(ours, downs), _delays(theirs, downs)
    added = percentile(ours_ms, 95) - percentile(bare_ms, 95)
    return [
        Figure("finger to phone over gRPC, median", *_beside(statistics.median(ours_ms), statistics.median(bare_ms))),
        Figure("finger to phone over gRPC, p95", *_beside(percentile(ours_ms, 95), percentile(bare_ms, 95))),
        Figure("added by us at p95", added, goal="<= 5 ms"),
    ]


def _beside(ours_ms: float, bare_ms: float) -> tuple[float, str, str, float]:
    return ours_ms, "ms", "bare sendTouch", bare_ms


def _delays(began: list[int], downs: list[int]) -> list[float]:
    return [(next(down for down in downs if down >= start) - start) / 1e6 for start in began]


def _timer(window: BenchWindow) -> Figure:
    """Interval of a 10 ms timer's ticks while steps with moving screens are recorded."""
    ticks: list[float] = []
    timer = QTimer(window.mirror, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: ticks.append(time.perf_counter()))
    timer.start()
    places = random.Random(0)
    for number in range(STEPS_TIMED):
        if number % 3 == 2:
            window.press(SystemKey.HOME)
        else:
            window.click(places.choice(_POINTS))
    timer.stop()
    gaps_ms = [1000 * (after - before) for before, after in pairwise(ticks)]
    return Figure("the window's 10 ms timer, p99", percentile(gaps_ms, 99), goal="< 20 ms")


def _at_rest(way: str, goal: str) -> Figure:
    """Share of a core used while nobody acts and the screen is still."""
    run_events(1.0)
    before, began_s = os.times(), time.monotonic()
    run_events(IDLE_S)
    after = os.times()
    busy_s = after.user + after.system - before.user - before.system
    return Figure(f"recorder at rest, {way}", 100 * busy_s / (time.monotonic() - began_s), "% of a core", goal=goal)


def run_events(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def run_until(wanted: Callable[[], bool]) -> None:
    """Process events until `wanted` returns true. Raises TimeoutError."""
    loop = QEventLoop()
    look = QTimer(interval=TICK_MS)
    deadline_s = time.monotonic() + _PATIENCE_S
    look.timeout.connect(lambda: loop.quit() if wanted() or time.monotonic() > deadline_s else None)
    look.start()
    loop.exec()
    if not wanted():
        raise TimeoutError("The window did not get there.")
