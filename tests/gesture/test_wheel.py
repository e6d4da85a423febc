"""Which contacts are one turn of a mouse wheel, and which are swipes of a person."""

from dataclasses import replace

import pytest

from odyssey_recorder.gesture.contacts import Contact, RawSample
from odyssey_recorder.gesture.getevent import AxisRange, InputDeviceNode
from odyssey_recorder.gesture.wheel import PAUSE_US, goes_on, joined, may_go_on

TOUCH = "/dev/input/event1"
AXIS = AxisRange(0, 32767)
SCREEN = InputDeviceNode(TOUCH, "touch", frozenset(), {"ABS_MT_POSITION_X": AXIS, "ABS_MT_POSITION_Y": AXIS})


def drag(*places: tuple[int, int], at_us: int, slot: int = 0, fingers: int = 1) -> Contact:
    samples = tuple(RawSample(x, y, at_us + 15_000 * tick) for tick, (x, y) in enumerate(places))
    return Contact(TOUCH, slot, samples, samples[-1].time_us, fingers)


FIRST = drag((9000, 20000), (9000, 19000), (9000, 17500), at_us=0)
SECOND = drag((9000, 20000), (9000, 18000), at_us=FIRST.lifted_us)


def test_contacts_from_one_place_in_one_direction_are_one_turn() -> None:
    assert may_go_on(FIRST, SCREEN)
    assert goes_on(FIRST, SECOND, SCREEN)
    level = [drag((9000, 20000), (9000 - far, 20000), at_us=at_us) for far, at_us in ((3000, 0), (2500, 15_000))]
    assert may_go_on(level[0], SCREEN)
    assert goes_on(level[0], level[1], SCREEN)


@pytest.mark.parametrize(
    "later",
    [
        drag((9000, 20000), (9000, 18000), at_us=FIRST.lifted_us + PAUSE_US + 1),
        drag((9000, 19990), (9000, 18000), at_us=FIRST.lifted_us),
        drag((9010, 20000), (9010, 18000), at_us=FIRST.lifted_us),
        drag((9000, 20000), (9000, 21000), at_us=FIRST.lifted_us),
        drag((9000, 20000), (9005, 18000), at_us=FIRST.lifted_us),
        drag((9000, 20000), (8000, 20000), at_us=FIRST.lifted_us),
        drag((9000, 20000), at_us=FIRST.lifted_us),
        replace(SECOND, slot=1),
        replace(SECOND, fingers=2),
    ],
    ids=[
        *("after a pause", "from elsewhere", "from beside it", "the other way", "bent", "sideways", "a tap"),
        *("another finger", "two fingers"),
    ],
)
def test_another_contact_is_a_gesture_of_its_own(later: Contact) -> None:
    assert not goes_on(FIRST, later, SCREEN)


@pytest.mark.parametrize(
    "contact",
    [
        drag((9000, 20000), (9000, 20000 - 32767 // 3), at_us=0),
        drag((9000, 20000), (9003, 19000), (9001, 18000), at_us=0),
        drag((9000, 20000), at_us=0),
        replace(FIRST, fingers=2),
    ],
    ids=["a long swipe", "of a trembling finger", "a tap", "two fingers"],
)
def test_what_no_wheel_does_is_not_waited_on(contact: Contact) -> None:
    assert not may_go_on(contact, SCREEN)


def test_joined_contacts_travel_as_far_as_all_of_them_up_to_the_edge() -> None:
    both = joined(FIRST, SECOND, SCREEN)
    assert [(sample.x, sample.y) for sample in both.samples] == [
        *((9000, 20000), (9000, 19000), (9000, 17500)),
        (9000, 15500),
    ]
    assert (both.lifted_us, both.samples[-1].time_us) == (SECOND.lifted_us, SECOND.samples[-1].time_us)
    far = drag((9000, 20000), (9000, 100), at_us=SECOND.lifted_us)
    assert joined(both, far, SCREEN).samples[-1].y == 0
