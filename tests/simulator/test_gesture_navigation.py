"""Swipes from the edges of the screen, and touches with two fingers."""

import re
import time
from collections.abc import Iterator

import pytest

from odyssey_recorder.simulator.journal import Moment
from odyssey_recorder.simulator.phone import Phase
from odyssey_recorder.simulator.ui.touch import REST_S
from tests.simulator.bench import Bench, Launch
from tests.simulator.person import Person, person_with

GESTURAL = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.gestural"
THREE_BUTTONS = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.threebutton"
RECENTS = "com.android.quickstep.RecentsActivity"
NOTES = "com.odyssey.notes"


@pytest.fixture(params=[0, 1])
def person(request: pytest.FixtureRequest) -> Iterator[Person]:
    """In Notes with gesture navigation, in portrait and landscape."""
    with person_with() as someone:
        someone.phone.set_rotation(request.param)
        someone.phone.put_setting("secure", "navigation_mode", "2")
        someone.open("Notes")
        yield someone


def edges(person: Person) -> tuple[int, int]:
    size = person.phone.state().size
    return size.width, size.height


def test_a_swipe_up_from_the_bottom_edge_is_home(person: Person) -> None:
    width, height = edges(person)

    person.swipe((width / 2, height - 3), (width / 2, height * 0.6))

    assert person.phone.state().package == "com.android.launcher3"
    assert person.phone.state().activity != RECENTS


def test_a_swipe_up_that_comes_to_rest_shows_the_recent_apps(person: Person) -> None:
    width, height = edges(person)
    person.phone.touch(Phase.DOWN, width / 2, height - 3)
    person.phone.touch(Phase.MOVE, width / 2, height * 0.6)
    later = Moment(time.monotonic_ns() + int((REST_S + 0.05) * 1e9))
    person.phone.touch(Phase.UP, width / 2, height * 0.6, moment=later)

    assert person.phone.state().activity == RECENTS


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_swipe_inwards_from_a_side_is_back(person: Person, side: str) -> None:
    width, height = edges(person)
    person.tap("Pancakes")
    start, end = (2, width * 0.4) if side == "left" else (width - 2, width * 0.6)

    person.swipe((start, height * 0.4), (end, height * 0.42))

    assert person.sees("New note")
    assert person.phone.state().package == NOTES


def test_a_swipe_that_turns_back_or_is_short_does_nothing(person: Person) -> None:
    width, height = edges(person)
    before = person.phone.screen().number

    person.swipe((2, height * 0.4), (30, height * 0.4))
    person.swipe((width / 2, height - 3), (width / 2 + 30, height - 5))
    person.phone.touch(Phase.DOWN, 2, height * 0.4)
    person.phone.touch(Phase.MOVE, width * 0.3, height * 0.4)
    person.phone.touch(Phase.MOVE, 5, height * 0.4)
    person.phone.touch(Phase.UP, 5, height * 0.4)

    assert person.phone.screen().number == before


def test_a_tap_at_the_edge_is_the_apps(person: Person) -> None:
    note = person.find("Pancakes").bounds
    left = next(node.bounds for node in reversed(person.nodes) if node.clickable and node.bounds.contains(*note.center))

    person.tap_at(left.left + 4, note.center[1])

    assert not person.sees("New note")


def test_with_three_buttons_the_edges_mean_nothing() -> None:
    with person_with() as someone:
        someone.open("Notes")
        width, height = edges(someone)
        someone.swipe((2, height * 0.4), (width * 0.4, height * 0.4))

        assert someone.phone.state().package == NOTES
        assert someone.sees("Overview")


def test_the_bar_becomes_a_handle_and_buttons_again(start: Launch) -> None:
    bench = start()
    high = bench.emulator.phone.state().navigation_bar

    assert bench.shell(GESTURAL) == ""
    low = navigation_bar(bench)
    assert "[x] com.android.internal.systemui.navbar.gestural" in bench.shell("cmd overlay list")
    assert bench.shell("settings get secure navigation_mode") == "2\n"
    bench.shell(THREE_BUTTONS)

    assert low == [0, 1280 - 48, 720, 1280]
    assert navigation_bar(bench) == [high.left, high.top, high.right, high.bottom]


def navigation_bar(bench: Bench) -> list[int]:
    """The bar's bounds according to the window manager."""
    [edges] = re.findall(r"type=navigationBars frame=\[(\d+),(\d+)\]\[(\d+),(\d+)\]", bench.shell("dumpsys window"))
    return [int(edge) for edge in edges]


def test_two_fingers_tap_nothing_and_scroll_nothing() -> None:
    with person_with() as someone:
        x, y = someone.find("Notes").bounds.center
        before = someone.phone.screen().number
        for phase, at, pointer in (
            (Phase.DOWN, (x, y), 0),
            (Phase.DOWN, (x + 100, y + 100), 1),
            (Phase.MOVE, (x + 200, y + 300), 1),
            (Phase.UP, (x, y), 0),
            (Phase.UP, (x + 200, y + 300), 1),
        ):
            someone.phone.touch(phase, *at, pointer=pointer)

        assert someone.phone.screen().number == before
        someone.tap_at(x, y)
        assert someone.phone.state().package == NOTES


def test_a_finger_that_stays_when_the_other_has_gone_does_nothing_until_it_lifts() -> None:
    with person_with() as someone:
        x, y = someone.find("Notes").bounds.center
        someone.phone.touch(Phase.DOWN, 10, 10)
        someone.phone.touch(Phase.DOWN, x, y, pointer=1)
        someone.phone.touch(Phase.UP, 10, 10)
        someone.phone.touch(Phase.UP, x, y, pointer=1)

        assert someone.phone.state().package != NOTES
