import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.control.inputs import input_for
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
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
)
from odyssey_recorder.model.geometry import Pixel, Point, Size

PHONE = Size(1440, 3120)
RULES = TouchRules.for_density(560)
points = st.builds(Point, st.integers(0, 999), st.integers(0, 999))


@given(points)
def test_a_press_replayed_from_the_grid_is_recognised_as_the_same(point: Point) -> None:
    assert touch(Click(point)) == Click(point)
    assert touch(LongPress(point)) == LongPress(point)


@given(st.lists(points, min_size=2, max_size=80).filter(lambda path: abs(path[0].y - path[-1].y) > 50))
def test_a_scroll_replayed_from_the_grid_is_recognised_as_the_same_scroll(path: list[Point]) -> None:
    scroll = Scroll(path[0], path[-1], tuple(path))

    assert touch(scroll) == scroll


def touch(action: Action) -> Action:
    stroke = input_for(action, PHONE)
    assert isinstance(stroke, TouchStroke)
    return recognize(stroke, RULES, PHONE)


def test_a_released_scroll_takes_the_time_of_its_points() -> None:
    path = tuple(Point(500, 900 - 10 * index) for index in range(69))

    stroke = input_for(Scroll(path[0], path[-1], path), PHONE)

    assert isinstance(stroke, TouchStroke)
    assert stroke.duration_us == 690_000


def test_a_scroll_of_one_point_is_a_finger_that_stays() -> None:
    at = Point(500, 500)

    stroke = input_for(Scroll(at, at, (at,)), PHONE)

    assert isinstance(stroke, TouchStroke)
    assert stroke.start == stroke.end


@pytest.mark.parametrize(
    ("action", "todo"),
    [
        (Press(SystemKey.HOME), SystemKey.HOME),
        (Type("a\nb"), "a\nb"),
        (Type(""), None),
        (Complete("note"), None),
        (Impossible("no flights"), None),
    ],
)
def test_keys_and_text_go_as_they_are_and_nothing_goes_for_an_end(action: Action, todo: object) -> None:
    assert input_for(action, PHONE) == todo


@pytest.mark.parametrize(
    "stroke",
    [
        TouchStroke.press(Pixel(722, 1560)),
        TouchStroke.press(Pixel(-5, 1560)),
        TouchStroke((TouchSample(Pixel(720, 1560), 0), TouchSample(Pixel(720, 99999), 5)), 9),
    ],
)
def test_a_finger_on_record_that_is_elsewhere_or_off_the_screen_is_not_followed(stroke: TouchStroke) -> None:
    assert input_for(Click(Point(500, 500)), PHONE, exact=stroke) == TouchStroke.press(Pixel(720, 1561))


def test_a_click_keeps_its_recorded_tremble() -> None:
    trembling = TouchStroke((TouchSample(Pixel(721, 1560), 0), TouchSample(Pixel(725, 1569), 40)), 90)

    assert input_for(Click(Point(500, 500)), PHONE, exact=trembling) is trembling
