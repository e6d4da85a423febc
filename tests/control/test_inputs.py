import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.control.inputs import input_for
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.geometry import Pixel, Point, Size

PHONE = Size(1440, 3120)
RULES = TouchRules.for_density(560)
points = st.builds(Point, st.integers(0, 999), st.integers(0, 999))


def stroke_for(action: Action) -> TouchStroke:
    stroke = input_for(action, PHONE)
    assert isinstance(stroke, TouchStroke)
    return stroke


@given(points)
def test_press_survives_a_replay_from_the_grid(point: Point) -> None:
    for action in (Click(point), LongPress(point)):
        assert recognize(stroke_for(action), RULES, PHONE) == action


@given(st.lists(points, min_size=2, max_size=80).filter(lambda path: abs(path[0].y - path[-1].y) > 50))
def test_scroll_survives_a_replay_from_the_grid(path: list[Point]) -> None:
    scroll = Scroll(path[0], path[-1], tuple(path))
    assert recognize(stroke_for(scroll), RULES, PHONE) == scroll


@pytest.mark.parametrize(
    ("action", "recorded_ms", "long_press_ms", "sent_ms"),
    [
        (LongPress(Point(0, 0)), 450, 400, 450),
        (LongPress(Point(0, 0)), 450, 500, 1000),
        (LongPress(Point(0, 0)), 900, 1500, 3000),
        (Click(Point(0, 0)), 450, 500, 450),
        (Click(Point(0, 0)), 450, 400, 100),
    ],
)
def test_recorded_press_is_as_long_as_the_device_needs(
    action: Action, recorded_ms: int, long_press_ms: int, sent_ms: int
) -> None:
    exact = TouchStroke.press(Pixel(0, 0), duration_ms=recorded_ms)
    stroke = input_for(action, PHONE, exact=exact, long_press_ms=long_press_ms)
    assert isinstance(stroke, TouchStroke)
    assert stroke.duration_us == sent_ms * 1000


def test_scroll_duration_follows_its_points() -> None:
    path = tuple(Point(500, 900 - 10 * index) for index in range(69))
    assert stroke_for(Scroll(path[0], path[-1], path)).duration_us == 690_000


def test_scroll_of_one_point_does_not_move() -> None:
    at = Point(500, 500)
    stroke = stroke_for(Scroll(at, at, (at,)))
    assert stroke.start == stroke.end


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Press(SystemKey.HOME), SystemKey.HOME),
        (Type("a\nb"), "a\nb"),
        (Type(""), None),
        (Complete("note"), None),
        (Impossible("no flights"), None),
    ],
)
def test_keys_and_text_are_sent_and_terminal_steps_are_not(action: Action, expected: object) -> None:
    assert input_for(action, PHONE) == expected


@pytest.mark.parametrize(
    "stroke",
    [
        TouchStroke.press(Pixel(722, 1560)),
        TouchStroke.press(Pixel(-5, 1560)),
        TouchStroke((TouchSample(Pixel(720, 1560), 0), TouchSample(Pixel(720, 99999), 5)), 9),
    ],
)
def test_implausible_recorded_stroke_is_ignored(stroke: TouchStroke) -> None:
    assert input_for(Click(Point(500, 500)), PHONE, exact=stroke) == TouchStroke.press(Pixel(720, 1561))


def test_recorded_stroke_of_a_click_is_used() -> None:
    stroke = TouchStroke((TouchSample(Pixel(721, 1560), 0), TouchSample(Pixel(725, 1569), 40)), 90)
    assert input_for(Click(Point(500, 500)), PHONE, exact=stroke) is stroke
