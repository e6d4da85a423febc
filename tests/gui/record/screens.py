"""Helpers of the recording tests: frames, screenshot files, a device whose screen never changes."""

import time
from pathlib import Path
from typing import TypeVar

from PIL import Image
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QListView

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.phone.phone_screen import PhoneScreen
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.screen.viewport import FitScale
from odyssey_recorder.model.geometry import Size
from tests.fakes import FakeDevice
from tests.gui.pilot import Pilot

C = TypeVar("C", bound=QObject)


def record_one_step(pilot: Pilot) -> None:
    """Start recording and click."""
    pilot.start()
    pilot.click(180, 300)
    pilot.wait_for_steps(1)


def choose_step(pilot: Pilot, number: int) -> None:
    steps = pilot.named(QListView, "Steps")
    steps.setCurrentIndex(steps.model().index(number, 0))


class UnchangingDevice(FakeDevice):
    """Not on screen 0, which is as good as black."""

    def __init__(self) -> None:
        super().__init__()
        self.show(1)

    def touch(self, stroke: TouchStroke) -> None:
        super().touch(stroke)
        self.show(1)


def frame_of(size: Size, pixels: bytes, number: int = 1) -> Frame:
    """`pixels` has three or four bytes per pixel."""
    now = time.monotonic_ns()
    return Frame(number, size, pixels, now, now, "test")


def frame(size: Size, number: int = 1, colour: tuple[int, int, int] = (10, 120, 200)) -> Frame:
    return frame_of(size, bytes((*colour, 255)) * (size.width * size.height), number)


def screenshot_in(folder: Path, size: Size = Size(720, 1280)) -> Path:  # noqa: B008 - immutable
    path = folder / "0.png"
    Image.new("RGB", (size.width, size.height), (20, 90, 160)).save(path)
    return path


def child_of(parent: QObject, kind: type[C]) -> C:
    child = parent.findChild(kind)
    assert child is not None
    return child


def fit_of(screen: MirrorView | PhoneScreen) -> FitScale:
    fit = screen.fit()
    assert fit is not None
    return fit
