"""A live finger is recorded as the device received it, as precisely as the device's answers allow."""

import threading
from queue import SimpleQueue

from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.events import FingerLifted
from odyssey_recorder.recording.finger import LiveFinger, Report
from tests.fakes import FakeDevice

ANSWER_S = 0.5


class SlowDevice(FakeDevice):
    """Receives a finger at once and answers late, as on a busy computer."""

    def put_finger(self, at: Pixel) -> None:
        super().put_finger(at)
        threading.Event().wait(ANSWER_S)


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
