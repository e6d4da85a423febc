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
    is_terminal,
)  # fmt: skip
from odyssey_recorder.model.geometry import Point

POINT, OTHER = Point(432, 118), Point(5, 6)


@pytest.mark.parametrize(
    ("action", "name", "words"),
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
def test_an_action_has_its_name_in_the_paper_and_a_line_for_lists_and_ends_an_episode_or_not(
    action: Action, name: str, words: str
) -> None:
    assert action_type(action) == name
    assert describe(action) == words
    assert is_terminal(action) == (name in ("COMPLETE", "IMPOSSIBLE"))
