"""How often frames are requested from a device that sends none by itself."""

import threading
import time

import pytest

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.recording.frame_reader import SLOW_S, FrameReader
from tests.fakes import FakeDevice

PATIENCE_S = 60.0


def seconds_to_read(frames: int, *, moving: bool) -> float:
    """Seconds that a calm reader takes for `frames` frames after the first."""
    device = FakeDevice()
    arrived: list[float] = []
    enough = threading.Event()

    def take(_: Frame) -> None:
        arrived.append(time.monotonic())
        if moving:
            device.show(len(arrived) % 2)
        if len(arrived) > frames:
            enough.set()

    def fail(error: DeviceError) -> None:
        pytest.fail(str(error))

    reader = FrameReader(device, on_frame=take, on_failure=fail)
    reader.hurry(False)
    reader.start()
    assert enough.wait(PATIENCE_S)
    reader.stop()
    reader.join()
    return arrived[frames] - arrived[0]


def test_still_screen_is_read_rarely() -> None:
    assert seconds_to_read(4, moving=False) >= 4 * SLOW_S


def test_moving_screen_is_read_often() -> None:
    assert seconds_to_read(40, moving=True) < 40 * SLOW_S
