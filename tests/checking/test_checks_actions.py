"""ACT01 to ACT09: findings, borderline cases, and what cannot be looked at."""

from dataclasses import replace

import pytest

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.thresholds import LONGEST_CLICK_US, SHORTEST_SCROLL
from odyssey_recorder.dataset.lenient import Breach, Rule
from odyssey_recorder.dataset.provenance import StrokeRecord
from odyssey_recorder.device.view_hierarchy import ViewNode
from odyssey_recorder.model.action import Click, Complete, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.geometry import Box, Point
from tests.checking.evidence import (
    CHROME,
    FIELD,
    Cases,
    evidence,
    found_steps,
    screen,
    severities,
    with_breach,
    with_keys,
    with_step,
    without_provenance,
)

CLEAN = evidence()
RELEASED = without_provenance(CLEAN)
TAP = Click(Point(300, 300))


def scrolled(*path: Point) -> EpisodeEvidence:
    return evidence(Scroll(path[0], path[-1], path), Complete())


def held(duration_us: int) -> EpisodeEvidence:
    return with_step(CLEAN, 0, input=StrokeRecord(samples=((216, 384, 0),), duration_us=duration_us))


def typed(text: str, shown: str) -> EpisodeEvidence:
    return with_step(evidence(Type(text), Complete()), 1, views=(replace(FIELD, text=shown),))


def with_view(number: int, **changes: object) -> EpisodeEvidence:
    """The clean episode with changes to the only view of a step."""
    return with_step(CLEAN, number, views=(replace(FIELD, **changes),))  # type: ignore[arg-type]


def without_effect(one: EpisodeEvidence, *steps: int) -> EpisodeEvidence:
    for step in steps:
        one = with_step(one, step, change=0.0)
    return one


def screen_sequence(order: str) -> EpisodeEvidence:
    """Clicks at different positions on these screens; the same letter is the same screenshot."""
    one = evidence(*(Click(Point(100 * at, 100)) for at in range(len(order) - 1)), Complete())
    for number, name in enumerate(order):
        screenshot = one.steps[number].screenshot
        assert screenshot is not None
        one = with_step(one, number, screenshot=replace(screenshot, sha256=name))
    return one


def without_focused_field(*views: ViewNode) -> EpisodeEvidence:
    return with_step(CLEAN, 1, views=(replace(FIELD, focused=False), *views), screen=screen(CHROME))


VIEW_ABOVE_TAP = with_view(0, box=Box(0, 0, 720, 700))
NOT_CLICKABLE = with_view(0, clickable=False)
THREE_TAPS = evidence(TAP, TAP, TAP, Complete())
TWO_PRESSES = without_provenance(evidence(TAP, TAP, Complete()))

FOUND: Cases = {
    "ACT04 scroll as short as a tap": (scrolled(Point(500, 500), Point(500, 499 + SHORTEST_SCROLL)), [0]),
    "ACT04 shortest allowed scroll": (scrolled(Point(500, 500), Point(500, 500 + SHORTEST_SCROLL)), []),
    "ACT04 scroll back to its start is allowed": (scrolled(Point(500, 500), Point(500, 600), Point(500, 500)), []),
    "ACT04 held click": (held(LONGEST_CLICK_US + 1), [0]),
    "ACT04 longest allowed click": (held(LONGEST_CLICK_US), []),
    "ACT05 empty text": (typed("", ""), [0]),
    "ACT05 blank text": (typed("  ", "  "), [0]),
    "ACT05 trailing backslash": (typed("milk\\", "milk\\"), [0]),
    "ACT05 text within others in another case is allowed": (typed("milk", "Buy: MILK!"), []),
    "ACT05 any script is allowed": (typed("Käse\\Brot, 牛乳 и хлеб", "Käse\\Brot, 牛乳 и хлеб"), []),
    "ACT05 two lines are allowed": (typed("two\nlines", "two\nlines"), []),
    "ACT05 text that no view shows": (with_view(2, text="something else"), [1]),
    "ACT05 text without a focused field": (without_focused_field(), [1]),
    "ACT05 text in a focused field is allowed": (without_focused_field(FIELD), []),
    "ACT05 text on the keyboard is allowed": (
        with_step(without_focused_field(), 1, screen=screen(CHROME, keyboard=True)),
        [],
    ),
    "ACT06 third equal action without effect": (without_effect(THREE_TAPS, 0, 1), [2]),
    "ACT06 equal actions with an effect are allowed": (THREE_TAPS, []),
    "ACT06 second equal action is allowed": (without_effect(evidence(TAP, TAP, Complete()), 0), []),
    "ACT06 actions at other positions are allowed": (
        without_effect(evidence(TAP, Click(Point(300, 311)), TAP, Complete()), 0, 1),
        [],
    ),
    "ACT06 two alternating screens": (screen_sequence("xababa"), [5]),
    "ACT06 long alternation is found once": (screen_sequence("abababab"), [4]),
    "ACT06 two screens twice are allowed": (screen_sequence("abab"), []),
    "ACT06 way back is allowed": (screen_sequence("abcba"), []),
    "ACT06 unchanged screen is allowed": (screen_sequence("aaaaa"), []),
    "ACT07 click outside all views": (with_view(0, box=Box(0, 1000, 720, 1280)), [0]),
    "ACT07 click without effect on a view that is not clickable": (without_effect(NOT_CLICKABLE, 0), [0]),
    "ACT07 click with an effect is allowed": (NOT_CLICKABLE, []),
    "ACT07 click below the views without a keyboard": (with_step(VIEW_ABOVE_TAP, 0, screen=screen(CHROME)), [0]),
    "ACT08 HOME that leads elsewhere": (with_step(CLEAN, 3, screen=screen(CHROME)), [2]),
    "ACT08 other launchers are allowed": (
        with_step(CLEAN, 3, screen=screen("com.google.android.apps.nexuslauncher")),
        [],
    ),
    "ACT08 BACK without an effect": (without_effect(CLEAN, 4), [4]),
    "ACT09 press without a box where others have one": (with_keys(TWO_PRESSES, 0, sam2_bbox=[290, 290, 310, 310]), [1]),
}
UNSEEN: Cases = {
    "ACT04 without provenance": (RELEASED, [0]),
    "ACT05 without view hierarchies": (RELEASED, [1]),
    "ACT05 password": (with_view(2, text="•••", password=True), [1]),
    "ACT07 without view hierarchies": (RELEASED, [0]),
    "ACT07 view that is not clickable, and unknown effect": (with_step(NOT_CLICKABLE, 0, change=None), [0]),
    "ACT07 click on the keyboard": (with_step(VIEW_ABOVE_TAP, 0, screen=screen(CHROME, keyboard=True)), [0]),
    "ACT08 without provenance": (RELEASED, [2]),
    "ACT08 unknown effect": (with_step(CLEAN, 4, change=None), [4]),
    "ACT08 RECENT is not a key of the check": (evidence(Press(SystemKey.RECENT), Complete()), []),
    "ACT09 presses without boxes": (TWO_PRESSES, [0, 1]),
}


@pytest.mark.parametrize(
    ("check", "rule"), [("ACT01", Rule.VOCABULARY), ("ACT01", Rule.FORM), ("ACT02", Rule.PLACE), ("ACT03", Rule.ENDING)]
)
def test_each_breach_is_found_by_one_check_only(check: str, rule: Rule) -> None:
    broken = with_breach(CLEAN, Breach(rule, 2, "step 2, it is so"))
    assert found_steps(check, broken) == [2]
    assert [other for other in ("ACT01", "ACT02", "ACT03", "IMG02") if found_steps(other, broken)] == [check]


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
def test_wrong_box_in_provenance_is_found(box: tuple[int, int, int, int], is_wrong: bool) -> None:
    assert found_steps("ACT09", with_step(CLEAN, 0, bbox=box)) == [0] * is_wrong


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
def test_wrong_box_in_annotation_is_found(box: list[float] | None, is_wrong: bool) -> None:
    assert found_steps("ACT09", with_keys(RELEASED, 0, sam2_bbox=box)) == [0] * is_wrong  # type: ignore[arg-type]


def test_colon_is_a_note_and_huge_box_a_warning() -> None:
    assert severities("ACT05", typed("at 9:30", "at 9:30")) == [Severity.NOTE]
    assert severities("ACT09", with_step(CLEAN, 0, bbox=(0, 0, 720, 1280))) == [Severity.WARNING]
