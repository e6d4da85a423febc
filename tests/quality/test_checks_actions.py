"""ACT01 to ACT09: findings, borderline cases, and what cannot be looked at."""

from dataclasses import replace

import pytest

from odyssey_recorder.dataset.lenient import Breach, Rule
from odyssey_recorder.dataset.provenance import StrokeRecord
from odyssey_recorder.model.action import Click, Complete, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Box, Point
from odyssey_recorder.quality.finding import Finding, Severity
from odyssey_recorder.quality.thresholds import LONGEST_CLICK_US, SHORTEST_SCROLL
from tests.quality.evidence import (
    CHROME,
    FIELD,
    evidence,
    found,
    said,
    screen,
    unproved,
    unseen,
    with_breach,
    with_keys,
    with_step,
)

CLEAN = evidence()
TAP = Click(Point(300, 300))


@pytest.mark.parametrize(
    ("check", "rule"),
    [("ACT01", Rule.VOCABULARY), ("ACT01", Rule.FORM), ("ACT02", Rule.PLACE), ("ACT03", Rule.ENDING)],
)
def test_each_breach_of_an_action_is_found_by_its_check_alone(check: str, rule: Rule) -> None:
    broken = with_breach(CLEAN, Breach(rule, 2, "step 2, it is so"))

    assert found(check, broken) == [2]
    assert [other for other in ("ACT01", "ACT02", "ACT03", "IMG02") if found(other, broken)] == [check]


def test_a_scroll_as_short_as_a_tap_is_found() -> None:
    def scroll(length: int) -> Scroll:
        start, end = Point(500, 500), Point(500, 500 + length)
        return Scroll(start, end, (start, end))

    assert found("ACT04", evidence(scroll(SHORTEST_SCROLL - 1), Complete())) == [0]
    assert found("ACT04", evidence(scroll(SHORTEST_SCROLL), Complete())) == []


def test_a_scroll_that_came_back_to_where_it_began_is_as_long_as_its_way() -> None:
    begin, turn = Point(500, 500), Point(500, 600)

    assert found("ACT04", evidence(Scroll(begin, begin, (begin, turn, begin)), Complete())) == []


def test_a_click_that_was_held_is_found() -> None:
    def held(duration_us: int) -> StrokeRecord:
        return StrokeRecord(samples=((216, 384, 0),), duration_us=duration_us)

    assert found("ACT04", with_step(CLEAN, 0, input=held(LONGEST_CLICK_US + 1))) == [0]
    assert found("ACT04", with_step(CLEAN, 0, input=held(LONGEST_CLICK_US))) == []
    assert unseen("ACT04", unproved(CLEAN)) == [0]


def test_what_the_recorder_was_not_sure_of_is_found() -> None:
    flags = (Flag(FlagCode.NO_KEY),)

    assert found("ACT04", with_step(CLEAN, 3, flags=flags)) == [3]


# --- texts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "  ", "milk\\"])
def test_a_text_that_is_none_or_ends_in_a_backslash_is_found(text: str) -> None:
    assert found("ACT05", with_step(evidence(Type(text), Complete()), 1, views=(replace(FIELD, text=text),))) == [0]


@pytest.mark.parametrize("text", ["milk", "Käse\\Brot, 牛乳 и хлеб", "two\nlines"])
def test_a_text_that_the_next_screen_shows_is_right(text: str) -> None:
    shown = replace(FIELD, text=f"Buy: {text.upper()}!")

    assert found("ACT05", with_step(evidence(Type(text), Complete()), 1, views=(shown,))) == []


def test_a_text_that_no_view_shows_is_found() -> None:
    assert found("ACT05", with_step(CLEAN, 2, views=(replace(FIELD, text="something else"),))) == [1]


def test_a_text_typed_nowhere_is_found() -> None:
    unfocused = replace(FIELD, focused=False)
    nowhere = with_step(with_step(CLEAN, 1, views=(unfocused,)), 1, screen=screen(CHROME))

    assert found("ACT05", nowhere) == [1]
    assert found("ACT05", with_step(nowhere, 1, views=(FIELD,))) == []
    assert found("ACT05", with_step(nowhere, 1, screen=screen(CHROME, keyboard=True))) == []


def test_a_colon_is_a_note() -> None:
    at_nine = with_step(evidence(Type("at 9:30"), Complete()), 1, views=(replace(FIELD, text="at 9:30"),))

    assert [one.severity for one in said("ACT05", at_nine) if isinstance(one, Finding)] == [Severity.NOTE]


def test_a_text_is_not_checked_on_the_screen_where_no_view_tree_or_a_password_is() -> None:
    assert unseen("ACT05", unproved(CLEAN)) == [1]
    assert unseen("ACT05", with_step(CLEAN, 2, views=(replace(FIELD, text="•••", password=True),))) == [1]


def test_a_text_that_the_recorder_could_not_read_is_found() -> None:
    assert found("ACT05", with_step(CLEAN, 1, flags=(Flag(FlagCode.WRONG_TEXT),))) == [1]


# --- repeats ---------------------------------------------------------------------------------------------


def test_the_third_equal_action_without_effect_is_found() -> None:
    thrice = evidence(TAP, TAP, TAP, Complete())
    idle = with_step(with_step(thrice, 0, change=0.0), 1, change=0.0)

    assert found("ACT06", idle) == [2]
    assert found("ACT06", thrice) == []
    assert found("ACT06", with_step(evidence(TAP, TAP, Complete()), 0, change=0.0)) == []


def test_equal_actions_at_other_places_are_no_repeats() -> None:
    idle = evidence(TAP, Click(Point(300, 311)), TAP, Complete())

    assert found("ACT06", with_step(with_step(idle, 0, change=0.0), 1, change=0.0)) == []


def test_two_screens_in_turn_are_found_when_one_is_there_for_the_third_time() -> None:
    def screens(order: str) -> object:
        one = evidence(*(Click(Point(100 * at, 100)) for at in range(len(order) - 1)), Complete())
        for number, name in enumerate(order):
            assert one.steps[number].picture is not None
            one = with_step(one, number, picture=replace(one.steps[number].picture, sha256=name))  # type: ignore[type-var]
        return found("ACT06", one)

    assert screens("xababa") == [5]
    assert screens("abababab") == [4]
    assert screens("abab") == []
    assert screens("abcba") == []
    assert screens("aaaaa") == []


# --- targets ---------------------------------------------------------------------------------------------


def test_a_click_beside_all_views_is_found() -> None:
    elsewhere = replace(FIELD, box=Box(0, 1000, 720, 1280))

    assert found("ACT07", with_step(CLEAN, 0, views=(elsewhere,))) == [0]
    assert found("ACT07", CLEAN) == []


def test_a_click_on_what_cannot_be_clicked_is_found_where_it_had_no_effect() -> None:
    label = with_step(CLEAN, 0, views=(replace(FIELD, clickable=False),))

    assert found("ACT07", with_step(label, 0, change=0.0)) == [0]
    assert found("ACT07", label) == []
    assert unseen("ACT07", with_step(label, 0, change=None)) == [0]


def test_a_click_on_the_keyboard_is_not_checked() -> None:
    above = replace(FIELD, box=Box(0, 0, 720, 700))
    one = with_step(with_step(CLEAN, 0, views=(above,)), 0, screen=screen(CHROME, keyboard=True))

    assert unseen("ACT07", one) == [0]
    assert found("ACT07", with_step(one, 0, screen=screen(CHROME))) == [0]


def test_without_a_view_tree_no_click_is_checked() -> None:
    assert unseen("ACT07", unproved(CLEAN)) == [0]


def test_home_that_does_not_lead_home_is_found() -> None:
    assert found("ACT08", with_step(CLEAN, 3, screen=screen(CHROME))) == [2]
    assert found("ACT08", with_step(CLEAN, 3, screen=screen("com.google.android.apps.nexuslauncher"))) == []
    assert found("ACT08", CLEAN) == []


def test_back_without_an_effect_is_found() -> None:
    assert found("ACT08", with_step(CLEAN, 4, change=0.0)) == [4]


def test_keys_are_not_checked_where_nobody_knows_what_was_in_front() -> None:
    assert unseen("ACT08", unproved(CLEAN)) == [2]
    assert unseen("ACT08", with_step(CLEAN, 4, change=None)) == [4]
    assert unseen("ACT08", evidence(Press(SystemKey.RECENT), Complete())) == []


# --- boxes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("box", "is_wrong"),
    [
        ((477, 935, 557, 1015), False),
        ((557, 935, 477, 1015), True),
        ((520, 935, 600, 1015), False),  # within five thousandths of 720
        ((530, 935, 600, 1015), True),
        ((0, 0, 720, 1280), True),
        ((0, 600, 720, 1280), False),
    ],
)
def test_a_box_of_the_proof_that_is_none_is_found(box: tuple[int, int, int, int], is_wrong: bool) -> None:
    assert found("ACT09", with_step(CLEAN, 0, bbox=box)) == [0] * is_wrong


@pytest.mark.parametrize(
    ("box", "is_wrong"),
    [
        ([719, 762, 719, 762], False),
        ([724, 762, 800, 800], False),
        ([725, 762, 800, 800], True),
        ([], True),
        ([1, 2, 3], True),
        ([700, 700, 1001, 800], True),
        ([0.5, 700, 800, 800], True),
        (None, True),
        ([100, 100, 900, 900], True),
        ([800, 700, 700, 800], True),
    ],
)
def test_a_box_of_the_file_that_is_none_is_found(box: list[float] | None, is_wrong: bool) -> None:
    assert found("ACT09", with_keys(unproved(CLEAN), 0, sam2_bbox=box)) == [0] * is_wrong  # type: ignore[arg-type]


def test_a_box_of_nearly_the_whole_screen_is_a_warning() -> None:
    large = with_step(CLEAN, 0, bbox=(0, 0, 720, 1280))

    assert [one.severity for one in said("ACT09", large) if isinstance(one, Finding)] == [Severity.WARNING]


def test_a_press_without_a_box_is_found_where_others_have_one_and_otherwise_not_checked() -> None:
    two = unproved(evidence(TAP, TAP, Complete()))

    assert unseen("ACT09", two) == [0, 1]
    assert found("ACT09", with_keys(two, 0, sam2_bbox=[290, 290, 310, 310])) == [1]
