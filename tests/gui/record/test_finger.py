"""Bursts of the mouse wheel as strokes."""

import pytest

from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gui.record.finger import WHEEL_LENGTH, wheel_stroke
from odyssey_recorder.model.action import Scroll
from odyssey_recorder.model.geometry import Pixel, Size

PHONE = Size(1080, 2340)


@pytest.mark.parametrize(
    ("right", "down", "end"),
    [(0, 120, Pixel(700, 1500 - round(2340 * WHEEL_LENGTH))), (120, 0, Pixel(700 - round(1080 * WHEEL_LENGTH), 1500))],
)
def test_to_see_more_the_finger_moves_the_other_way_from_the_pointer(right: int, down: int, end: Pixel) -> None:
    stroke = wheel_stroke(Pixel(700, 1500), PHONE, right=right, down=down)
    assert (stroke.start, stroke.end) == (Pixel(700, 1500), end)


@pytest.mark.parametrize("turns", [1, 120, 5000])
def test_the_drag_has_one_length_however_far_the_wheel_was_turned(turns: int) -> None:
    stroke = wheel_stroke(Pixel(500, 1200), PHONE, right=0, down=-turns)
    assert stroke.end.y - stroke.start.y == round(2340 * WHEEL_LENGTH)


@pytest.mark.parametrize("y", [0, 30, 2339])
@pytest.mark.parametrize("down", [-120, 120])
def test_near_an_edge_the_drag_keeps_its_length_and_stays_away_from_the_edge(y: int, down: int) -> None:
    stroke = wheel_stroke(Pixel(500, y), PHONE, right=0, down=down)
    assert abs(stroke.end.y - stroke.start.y) == round(2340 * WHEEL_LENGTH)
    assert {234 <= sample.at.y <= 2106 for sample in stroke.samples} == {True}


def test_it_is_a_scroll_with_a_trajectory_and_times() -> None:
    stroke = wheel_stroke(Pixel(500, 1500), PHONE, right=0, down=120)
    action = recognize(stroke, TouchRules.for_density(420), PHONE)
    assert isinstance(action, Scroll)
    assert len(action.path) > 10
    assert [sample.time_us for sample in stroke.samples] == sorted({sample.time_us for sample in stroke.samples})
    assert stroke.duration_us == 300_000
