import queue
from collections.abc import Iterator, Sequence

import pytest

from odyssey_recorder.simulator.control_service import Fingers
from odyssey_recorder.simulator.evdev import InputNode, RawEvent
from odyssey_recorder.simulator.evdev_names import ABS_MT_TRACKING_ID
from odyssey_recorder.simulator.guest import Guest
from tests.simulator.person import guest_with


@pytest.fixture
def guest() -> Iterator[Guest]:
    with guest_with() as found:
        yield found


def test_a_finger_that_nobody_moves_is_lifted_after_a_while_and_its_slot_is_free_again(guest: Guest) -> None:
    tracked: queue.Queue[int] = queue.Queue()

    def read(_: InputNode, report: Sequence[RawEvent]) -> None:
        for event in report:
            if event.code == ABS_MT_TRACKING_ID:
                tracked.put(event.value)

    guest.nodes.read(read, lambda: None)
    fingers = Fingers(guest, expires_s=0.05)

    fingers.put(1, 10, 10, expires=False)
    fingers.put(2, 20, 20)

    assert [tracked.get(timeout=10) for _ in range(3)] == [0, 1, -1]
    assert list(guest.nodes.touch_screens[0].contacts()) == [0]
    fingers.put(3, 30, 30, expires=False)
    assert list(guest.nodes.touch_screens[0].contacts()) == [0, 1]
    fingers.stop()


def test_ten_fingers_are_felt_and_no_more(guest: Guest) -> None:
    fingers = Fingers(guest)

    for identifier in range(100, 112):
        fingers.put(identifier, identifier, 500)
    assert len(guest.touch_screen().contacts()) == 10

    fingers.lift(111)
    fingers.lift(100)
    assert len(guest.touch_screen().contacts()) == 9
    fingers.stop()
