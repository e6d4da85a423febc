"""How often frames are requested from a device that sends none by itself."""

import threading
import time

import pytest

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.recording.frame_reader import CALM_S, FrameReader
from tests.fakes import FakeDevice

PATIENCE_S = 20.0


def seconds_for(frames: int, *, moving: bool) -> float:
    """Seconds that a calm reader takes for `frames` frames after the first."""
    device = FakeDevice()
    came: list[float] = []
    enough = threading.Event()

    def take(_: Frame) -> None:
        came.append(time.monotonic())
        if moving:
            device.show(len(came) % 2)
        if len(came) > frames:
            enough.set()

    def fail(error: DeviceError) -> None:
        pytest.fail(str(error))

    reader = FrameReader(device, on_frame=take, on_failure=fail)
    reader.hurry(False)
    reader.start()
    assert enough.wait(PATIENCE_S)
    reader.stop()
    reader.join()
    return came[frames] - came[0]


def test_a_screen_at_rest_is_looked_at_now_and_then() -> None:
    assert seconds_for(4, moving=False) >= 4 * CALM_S


def test_a_screen_that_moves_is_followed() -> None:
    assert seconds_for(40, moving=True) < 40 * CALM_S
