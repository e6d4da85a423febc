"""Swipes from the edges of the screen, and touches with two fingers."""

import re
import time

import pytest

from odyssey_simulator.journal import Moment
from odyssey_simulator.phone import TouchPhase
from odyssey_simulator.ui.touch import REST_S
from tests.simulator.bench import Bench
from tests.simulator.person import Person

GESTURAL = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.gestural"
THREE_BUTTONS = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.threebutton"
NOTES = "com.odyssey.notes"


@pytest.fixture(params=[0, 1])
def gestural(request: pytest.FixtureRequest, person: Person) -> Person:
    """In Notes with gesture navigation, in portrait and landscape."""
    person.phone.set_rotation(request.param)
    person.phone.put_setting("secure", "navigation_mode", "2")
    person.open("Notes")
    return person


def edges(person: Person) -> tuple[int, int]:
    size = person.phone.state().size
    return size.width, size.height


def test_swipe_up_from_the_bottom_goes_home(gestural: Person) -> None:
    width, height = edges(gestural)
    gestural.swipe((width / 2, height - 3), (width / 2, height * 0.6))
    assert gestural.phone.state().package == "com.android.launcher3"
    assert not gestural.in_recents


def test_swipe_up_and_hold_shows_recent_apps(gestural: Person) -> None:
    width, height = edges(gestural)
    gestural.phone.touch(TouchPhase.DOWN, width / 2, height - 3)
    gestural.phone.touch(TouchPhase.MOVE, width / 2, height * 0.6)
    later = Moment(time.monotonic_ns() + int((REST_S + 0.05) * 1e9))
    gestural.phone.touch(TouchPhase.UP, width / 2, height * 0.6, moment=later)
    assert gestural.in_recents


@pytest.mark.parametrize("side", ["left", "right"])
def test_swipe_inwards_from_either_side_goes_back(gestural: Person, side: str) -> None:
    width, height = edges(gestural)
    gestural.tap("Pancakes")
    start, end = (2, width * 0.4) if side == "left" else (width - 2, width * 0.6)
    gestural.swipe((start, height * 0.4), (end, height * 0.42))
    assert gestural.sees("New note")
    assert gestural.phone.state().package == NOTES


def test_short_or_reversed_swipe_does_nothing(gestural: Person) -> None:
    width, height = edges(gestural)
    before = gestural.phone.screen().number

    gestural.swipe((2, height * 0.4), (30, height * 0.4))
    gestural.swipe((width / 2, height - 3), (width / 2 + 30, height - 5))
    gestural.phone.touch(TouchPhase.DOWN, 2, height * 0.4)
    gestural.phone.touch(TouchPhase.MOVE, width * 0.3, height * 0.4)
    gestural.phone.touch(TouchPhase.MOVE, 5, height * 0.4)
    gestural.phone.touch(TouchPhase.UP, 5, height * 0.4)

    assert gestural.phone.screen().number == before


def test_tap_at_the_edge_reaches_the_app(gestural: Person) -> None:
    note = gestural.find("Pancakes").bounds
    left = next(
        node.bounds for node in reversed(gestural.nodes) if node.clickable and node.bounds.contains(*note.center)
    )
    gestural.tap_at(left.left + 4, note.center[1])
    assert not gestural.sees("New note")


def test_edge_swipes_do_nothing_with_three_buttons(person: Person) -> None:
    person.open("Notes")
    width, height = edges(person)
    person.swipe((2, height * 0.4), (width * 0.4, height * 0.4))
    assert person.phone.state().package == NOTES
    assert person.sees("Overview")


def test_navigation_bar_switches_between_handle_and_buttons(fresh_bench: Bench) -> None:
    high = fresh_bench.phone.state().navigation_bar

    assert fresh_bench.shell(GESTURAL) == ""
    low = navigation_bar(fresh_bench)
    assert "[x] com.android.internal.systemui.navbar.gestural" in fresh_bench.shell("cmd overlay list")
    assert fresh_bench.shell("settings get secure navigation_mode") == "2\n"
    fresh_bench.shell(THREE_BUTTONS)

    assert low == [0, 1280 - 48, 720, 1280]
    assert navigation_bar(fresh_bench) == [high.left, high.top, high.right, high.bottom]


def navigation_bar(bench: Bench) -> list[int]:
    """The bar's bounds according to the window manager."""
    [edges] = re.findall(r"type=navigationBars frame=\[(\d+),(\d+)\]\[(\d+),(\d+)\]", bench.shell("dumpsys window"))
    return [int(edge) for edge in edges]


def test_two_fingers_neither_tap_nor_scroll(person: Person) -> None:
    x, y = person.find("Notes").bounds.center
    before = person.phone.screen().number
    for phase, at, pointer in (
        (TouchPhase.DOWN, (x, y), 0),
        (TouchPhase.DOWN, (x + 100, y + 100), 1),
        (TouchPhase.MOVE, (x + 200, y + 300), 1),
        (TouchPhase.UP, (x, y), 0),
        (TouchPhase.UP, (x + 200, y + 300), 1),
    ):
        person.phone.touch(phase, *at, pointer=pointer)

    assert person.phone.screen().number == before
    person.tap_at(x, y)
    assert person.phone.state().package == NOTES


def test_remaining_finger_of_two_does_not_tap(person: Person) -> None:
    x, y = person.find("Notes").bounds.center
    person.phone.touch(TouchPhase.DOWN, 10, 10)
    person.phone.touch(TouchPhase.DOWN, x, y, pointer=1)
    person.phone.touch(TouchPhase.UP, 10, 10)
    person.phone.touch(TouchPhase.UP, x, y, pointer=1)
    assert person.phone.state().package != NOTES
