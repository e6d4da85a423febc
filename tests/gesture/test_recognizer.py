import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, LongPress, Scroll
from odyssey_recorder.model.geometry import Pixel, Point, Size, to_grid

PHONE = Size(1080, 2400)
RULES = TouchRules(touch_slop_px=21)
START = Pixel(540, 1200)


@pytest.mark.parametrize(("duration_ms", "kind"), [(0, Click), (399, Click), (400, LongPress), (60_000, LongPress)])
def test_press_is_long_after_the_long_press_time(duration_ms: int, kind: type) -> None:
    assert isinstance(recognize(TouchStroke.press(START, duration_ms=duration_ms), RULES, PHONE), kind)


@pytest.mark.parametrize(
    ("long_press_ms", "duration_ms", "kind", "depends"),
    [
        (400, 399, Click, False),
        (400, 400, LongPress, True),
        (400, 499, LongPress, True),
        (400, 500, LongPress, False),
        (500, 499, Click, False),
        (500, 500, LongPress, False),
        (1000, 700, Click, True),
        (1000, 1000, LongPress, False),
    ],
)
def test_long_press_time_is_the_devices_own(long_press_ms: int, duration_ms: int, kind: type, depends: bool) -> None:
    rules, press = TouchRules.for_density(420, long_press_ms), TouchStroke.press(START, duration_ms=duration_ms)
    assert isinstance(recognize(press, rules, PHONE), kind)
    assert rules.depends_on_app(press) is depends


@pytest.mark.parametrize(
    ("to", "kind"),
    [
        (Pixel(561, 1200), Click),
        (Pixel(562, 1200), Scroll),
        (Pixel(540, 1179), Click),
        (Pixel(540, 1178), Scroll),
        (Pixel(556, 1216), Scroll),
        (Pixel(554, 1214), Click),
    ],
)
def test_movement_within_the_touch_slop_is_a_click(to: Pixel, kind: type) -> None:
    action = recognize(TouchStroke.drag((START, to), duration_ms=100), RULES, PHONE)
    assert isinstance(action, kind)
    assert isinstance(action, Scroll) or action == Click(Point(500, 500)), "a click is at the touch-down"


def test_leaving_and_reentering_the_slop_is_a_scroll() -> None:
    stroke = TouchStroke.drag((START, Pixel(540, 1500), START), duration_ms=5_000)
    start, turn = Point(500, 500), Point(500, 625)
    assert recognize(stroke, RULES, PHONE) == Scroll(start, start, (start, turn, start))


@given(st.lists(st.builds(Pixel, st.integers(0, 1079), st.integers(0, 2399)), min_size=2))
def test_scroll_path_has_all_samples(path: list[Pixel]) -> None:
    stroke = TouchStroke.drag((*path, Pixel(0, 0), Pixel(1079, 2399)), duration_ms=300)
    action = recognize(stroke, RULES, PHONE)
    assert isinstance(action, Scroll)
    assert action.path == tuple(to_grid(sample.at, PHONE) for sample in stroke.samples)
    assert (action.start, action.end) == (action.path[0], action.path[-1])


@pytest.mark.parametrize(("dpi", "slop_px"), [(160, 8), (320, 16), (420, 21), (480, 24), (560, 28), (489, 24), (1, 1)])
def test_touch_slop_is_8_dp(dpi: int, slop_px: int) -> None:
    assert TouchRules.for_density(dpi) == TouchRules(touch_slop_px=slop_px, long_press_us=400_000)


def test_drag_spreads_its_points_evenly_over_time() -> None:
    stroke = TouchStroke.drag((START, Pixel(1, 1), Pixel(2, 2)), duration_ms=300)
    assert [sample.time_us for sample in stroke.samples] == [0, 150_000, 300_000]
    assert (stroke.start, stroke.end, stroke.duration_us) == (START, Pixel(2, 2), 300_000)
