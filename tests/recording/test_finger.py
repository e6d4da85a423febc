"""A live finger is recorded as the device received it, as precisely as the device's answers allow."""

import threading
from queue import SimpleQueue

import pytest

from odyssey_recorder.errors import InputRefusedError
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.events import FingerLifted, InputRefused
from odyssey_recorder.recording.finger import LiveFinger, Report
from tests.fakes import FakeDevice

ANSWER_S = 0.5


class SlowDevice(FakeDevice):
    """Receives a finger at once and answers late, as on a busy computer."""

    def put_finger(self, at: Pixel) -> None:
        super().put_finger(at)
        threading.Event().wait(ANSWER_S)


class RefusingDevice(FakeDevice):
    """Refuses a finger from its `last` position on."""

    last = 0

    def put_finger(self, at: Pixel) -> None:
        if len(self.finger) >= self.last:
            raise InputRefusedError("Look again.")
        super().put_finger(at)


@pytest.mark.parametrize("received", [0, 1])
def test_a_refusal_says_whether_the_device_received_a_part(received: int) -> None:
    device = RefusingDevice()
    device.streams, device.last = True, received
    reports: SimpleQueue[Report] = SimpleQueue()
    finger = LiveFinger(device, reports.put)
    finger.start()
    finger.begin(Pixel(100, 200))
    finger.follow(Pixel(100, 300))
    finger.release()
    reports.get(timeout=20)
    refused = reports.get(timeout=20)
    finger.stop()
    finger.join()
    assert isinstance(refused, InputRefused)
    assert refused.is_partial is bool(received)


def led(device: FakeDevice, held_us: int | None) -> int:
    """The recorded duration (µs) of a finger that was down on the mirror for `held_us`."""
    device.streams = True
    reports: SimpleQueue[Report] = SimpleQueue()
    finger = LiveFinger(device, reports.put)
    finger.start()
    finger.begin(Pixel(100, 200))
    finger.leave(held_us)
    finger.release()
    reports.get(timeout=20)
    lifted = reports.get(timeout=20)
    finger.stop()
    finger.join()
    assert isinstance(lifted, FingerLifted)
    return lifted.touch.stroke.duration_us


def test_a_click_stays_a_click_where_the_device_answers_late() -> None:
    assert led(SlowDevice(), 300_000) == 300_000


def test_a_finger_that_was_sent_all_at_once_was_not_down_for_as_long_as_on_the_mirror() -> None:
    assert led(FakeDevice(), 3_600_000_000) < 3_600_000_000


def test_of_a_finger_that_left_without_a_gesture_only_the_device_tells_for_how_long_it_was_down() -> None:
    assert led(SlowDevice(), None) < ANSWER_S * 1e6
