import pytest

from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    LongPress,
    Press,
    Scroll,
    SystemKey,
    Type,
    action_type,
    describe,
    in_words,
    in_words_at,
    is_terminal,
)  # fmt: skip
from odyssey_recorder.model.geometry import Point

POINT, OTHER = Point(432, 118), Point(5, 6)


@pytest.mark.parametrize(
    ("action", "name", "text"),
    [
        (Click(POINT), "CLICK", "CLICK 432, 118"),
        (LongPress(POINT), "LONG_PRESS", "LONG_PRESS 432, 118"),
        (Scroll(POINT, OTHER, (POINT, OTHER)), "SCROLL", "SCROLL 432, 118 → 5, 6"),
        (Type("two words"), "TYPE", "TYPE “two words”"),
        (Press(SystemKey.HOME), "HOME", "HOME"),
        (Press(SystemKey.BACK), "BACK", "BACK"),
        (Press(SystemKey.RECENT), "RECENT", "RECENT"),
        (Complete(), "COMPLETE", "COMPLETE"),
        (Complete("It rains."), "COMPLETE", "COMPLETE It rains."),
        (Impossible("No flights"), "IMPOSSIBLE", "IMPOSSIBLE No flights"),
    ],
)
def test_type_and_description_of_an_action(action: Action, name: str, text: str) -> None:
    assert action_type(action) == name
    assert describe(action) == text
    assert is_terminal(action) == (name in ("COMPLETE", "IMPOSSIBLE"))


def scroll(end: Point) -> Scroll:
    return Scroll(POINT, end, (POINT, end))


@pytest.mark.parametrize(
    ("action", "element", "text"),
    [
        (Click(POINT), "", "Click"),
        (Click(POINT), "Settings", "Click “Settings”"),
        (LongPress(POINT), "", "Long press"),
        (LongPress(POINT), " Oslo\n\tweather\u202e", "Long press “Oslo weather”"),
        (Click(POINT), "a" * 400, f"Click “{'a' * 47}…”"),
        (Type("oslo"), "", "Type “oslo”"),
        (Type("oslo"), "Search", "Type “oslo” into “Search”"),
        (scroll(Point(430, 18)), "", "Scroll down"),
        (scroll(Point(430, 218)), "", "Scroll up"),
        (scroll(Point(32, 118)), "", "Scroll right"),
        (scroll(Point(832, 118)), "", "Scroll left"),
        (Press(SystemKey.HOME), "", "Press Home"),
        (Complete(), "", "Complete"),
        (Complete("It rains."), "", "Complete: It rains."),
        (Impossible("No flights"), "", "Impossible: No flights"),
    ],
)
def test_step_is_described_with_its_element(action: Action, element: str, text: str) -> None:
    assert in_words(action, element) == text


def test_step_is_described_with_its_position() -> None:
    assert in_words_at(Click(POINT)) == "Click at 432, 118"
    assert in_words_at(scroll(OTHER)) == "Scroll right from 432, 118 to 5, 6"
    assert in_words_at(Press(SystemKey.BACK)) == "Press Back"
