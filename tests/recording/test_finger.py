"""A live touch is recorded as the device received it, as precisely as the device's answers allow."""

import threading
from collections.abc import Callable
from queue import SimpleQueue

import pytest

from odyssey_recorder.errors import InputRefusedError
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.events import FingerLifted, InputRefused
from odyssey_recorder.recording.live_finger import LiveFinger, Report
from tests.fakes import FakeDevice

ANSWER_S = 0.5


class SlowDevice(FakeDevice):
    """Receives a touch at once and answers late, as on a busy computer."""

    def put_finger(self, at: Pixel) -> None:
        super().put_finger(at)
        threading.Event().wait(ANSWER_S)


class RejectingDevice(FakeDevice):
    """Rejects a touch after `received` positions."""

    received = 0

    def put_finger(self, at: Pixel) -> None:
        if len(self.finger) >= self.received:
            raise InputRefusedError("Look again.")
        super().put_finger(at)


def last_report(device: FakeDevice, lead: Callable[[LiveFinger], None]) -> Report:
    """The second report about a finger that goes down, moves as `lead` says, and lifts."""
    device.streams = True
    reports: SimpleQueue[Report] = SimpleQueue()
    finger = LiveFinger(device, reports.put)
    finger.start()
    finger.begin(Pixel(100, 200))
    lead(finger)
    finger.release()
    reports.get(timeout=60)
    report = reports.get(timeout=60)
    finger.stop()
    finger.join()
    return report


def recorded_duration_us(device: FakeDevice, held_us: int | None) -> int:
    """The duration of a touch that lasted `held_us` on the mirror."""
    lifted = last_report(device, lambda finger: finger.leave(held_us))
    assert isinstance(lifted, FingerLifted)
    return lifted.touch.stroke.duration_us


@pytest.mark.parametrize("received", [0, 1])
def test_rejection_says_whether_part_of_the_touch_was_received(received: int) -> None:
    device = RejectingDevice()
    device.received = received
    rejected = last_report(device, lambda finger: finger.follow(Pixel(100, 300)))
    assert isinstance(rejected, InputRefused)
    assert rejected.is_partial is bool(received)


def test_slow_answers_do_not_lengthen_a_click() -> None:
    assert recorded_duration_us(SlowDevice(), 300_000) == 300_000


def test_touch_sent_at_once_is_shorter_than_on_the_mirror() -> None:
    assert recorded_duration_us(FakeDevice(), 3_600_000_000) < 3_600_000_000


def test_duration_without_gesture_is_that_on_the_device() -> None:
    assert recorded_duration_us(SlowDevice(), None) < ANSWER_S * 1e6
