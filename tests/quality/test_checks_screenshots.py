"""IMG01 to IMG08: findings, borderline cases, and what cannot be looked at."""

from dataclasses import replace

import pytest

from odyssey_recorder.dataset.lenient import Breach, Rule
from odyssey_recorder.dataset.provenance import CheckRecord
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.quality.thresholds import BLANK_DEVIATION, BLANK_FLAT, OLDEST_PICTURE_US
from tests.quality.evidence import (
    LAUNCHER,
    SIZE,
    TOUCHED_US,
    evidence,
    found,
    screen,
    unproved,
    unseen,
    with_breach,
    with_step,
)

CLEAN = evidence()


def test_a_screenshot_that_is_missing_or_broken_is_found() -> None:
    assert found("IMG01", with_step(CLEAN, 2, picture=None)) == [2]
    assert found("IMG01", with_step(CLEAN, 2, problem="the file is empty")) == [2]


def test_a_file_that_is_not_the_one_the_recorder_wrote_is_found() -> None:
    assert found("IMG01", with_step(CLEAN, 2, png_sha256="f" * 64)) == [2]


def test_without_a_proof_a_whole_file_is_not_compared() -> None:
    assert found("IMG01", unproved(CLEAN)) == []
    assert unseen("IMG01", unproved(CLEAN)) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("rule", [Rule.COUNT, Rule.NUMBER, Rule.SCREENSHOT])
def test_what_disagrees_on_the_steps_is_found(rule: Rule) -> None:
    assert found("IMG02", with_breach(CLEAN, Breach(rule, 1, "so it is"))) == [1]


def test_another_breach_is_not_one_of_counts_and_names() -> None:
    assert found("IMG02", with_breach(CLEAN, Breach(Rule.PLACE, 1, "so it is"))) == []


def test_screenshots_that_no_step_has_are_found() -> None:
    assert found("IMG02", replace(CLEAN, surplus=("0006223132449496_6.png",))) == [None]


def test_a_picture_of_another_size_is_found() -> None:
    assert found("IMG03", with_step(CLEAN, 3, size=Size(719, 1280))) == [3]
    assert found("IMG03", with_step(CLEAN, 3, width=719)) == [3]  # in the provenance only
    assert found("IMG03", with_step(CLEAN, 0, size=Size(1280, 720), screen=None)) == [0]


def test_a_turned_picture_is_right_where_the_device_was_turned_and_wrong_where_it_was_not() -> None:
    lying = with_step(CLEAN, 3, size=SIZE.turned())

    assert found("IMG03", lying) == [3]
    assert found("IMG03", with_step(lying, 3, screen=screen(LAUNCHER, rotation=1))) == []
    assert found("IMG03", with_step(CLEAN, 3, screen=screen(LAUNCHER, rotation=3))) == [3]
    assert found("IMG03", with_step(CLEAN, 3, screen=screen(LAUNCHER, rotation=2))) == []


def test_a_turned_picture_is_found_too_where_nobody_knows_how_the_device_was_held() -> None:
    lying = unproved(with_step(CLEAN, 3, size=SIZE.turned()))

    assert found("IMG03", lying) == [3]
    assert unseen("IMG03", lying) == []


def test_no_size_is_checked_where_the_file_tells_none() -> None:
    assert unseen("IMG03", replace(CLEAN, episode=replace(CLEAN.episode, device=None))) == [-1]


def test_a_blank_picture_is_found() -> None:
    assert found("IMG04", with_step(CLEAN, 1, deviation=BLANK_DEVIATION - 0.01)) == [1]
    assert found("IMG04", with_step(CLEAN, 1, flat=BLANK_FLAT + 0.00001)) == [1]


def test_a_nearly_blank_picture_is_none() -> None:
    assert found("IMG04", with_step(CLEAN, 1, deviation=BLANK_DEVIATION, flat=BLANK_FLAT)) == []


def test_a_missing_picture_is_not_said_to_show_something() -> None:
    assert unseen("IMG04", with_step(CLEAN, 1, picture=None)) == [1]


def test_a_picture_from_after_the_touch_down_is_found() -> None:
    assert found("IMG05", with_step(CLEAN, 0, started_us=TOUCHED_US + 1)) == [0]
    assert found("IMG05", with_step(CLEAN, 0, started_us=TOUCHED_US)) == []


def test_an_old_picture_is_found_unless_a_second_frame_proves_it() -> None:
    old = with_step(CLEAN, 0, age_us=OLDEST_PICTURE_US + 1)
    check = CheckRecord(number=9, started_us=TOUCHED_US + 5, arrived_us=TOUCHED_US + 9)

    assert found("IMG05", old) == [0]
    assert found("IMG05", with_step(old, 0, check=check)) == []
    assert found("IMG05", with_step(CLEAN, 0, age_us=OLDEST_PICTURE_US)) == []


def test_what_the_recorder_doubted_of_a_picture_is_found() -> None:
    flags = (Flag(FlagCode.CHANGING),)

    assert found("IMG05", with_step(CLEAN, 4, flags=flags)) == [4]


@pytest.mark.parametrize("check", ["IMG05", "IMG08"])
def test_without_a_proof_the_moment_of_a_picture_is_not_checked(check: str) -> None:
    assert found(check, unproved(CLEAN)) == []
    assert unseen(check, unproved(CLEAN)) == [0, 1, 2, 3, 4, 5]


def test_an_action_without_an_effect_is_found() -> None:
    assert found("IMG07", with_step(CLEAN, 3, change=0.0)) == [3]
    assert found("IMG07", with_step(CLEAN, 3, change=0.01)) == []


def test_what_the_recorder_saw_change_nothing_is_found() -> None:
    assert found("IMG07", with_step(CLEAN, 3, flags=(Flag(FlagCode.UNCHANGED),))) == [3]


def test_the_effect_of_an_action_is_not_checked_where_pictures_cannot_be_compared() -> None:
    assert unseen("IMG07", with_step(CLEAN, 3, change=None)) == [3]
    assert unseen("IMG07", CLEAN) == []


def test_a_screen_that_had_not_come_to_rest_is_found() -> None:
    assert found("IMG08", with_step(CLEAN, 2, settled=False)) == [2]
    assert found("IMG08", with_step(CLEAN, 2, flags=(Flag(FlagCode.MOVING),))) == [2]
    assert found("IMG08", CLEAN) == []
