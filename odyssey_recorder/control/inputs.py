"""The input for a recorded action: the recorded stroke, or else a plausible one."""

from odyssey_recorder.gesture.recognizer import LONG_PRESS_MS
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import Point, Size, to_grid, to_pixel

Input = TouchStroke | actions.SystemKey | str
"""A finger in pixels, a system key, or text to type."""

CLICK_MS = 100
LONG_PRESSES = 2
"""A long press lasts twice the device's own time for it: it must be long on a slow device too."""
SCROLL_POINT_MS = 10
SCROLL_LEAST_MS = 300
"""A released trajectory has no times; its points came from a touch screen that reports about every 10 ms."""


def input_for(
    action: actions.Action, size: Size, *, exact: TouchStroke | None = None, long_press_ms: int = LONG_PRESS_MS
) -> Input | None:
    """The input for `action` on a screen of `size`; None for a terminal action and an empty text.

    `exact`, the recorded finger, is used if it starts and ends in the action's grid cells, otherwise their centres are;
    and if the device, with its own `long_press_ms`, takes it for the same kind of press.
    """
    is_long = exact is not None and exact.duration_us >= long_press_ms * 1000
    match action:
        case actions.Click(point):
            return _recorded(None if is_long else exact, (point,), size) or _press(point, size, CLICK_MS)
        case actions.LongPress(point):
            held = _recorded(exact if is_long else None, (point,), size)
            return held or _press(point, size, LONG_PRESSES * long_press_ms)
        case actions.Scroll(start, end, path):
            return _recorded(exact, (start, end), size) or _drag(path, size)
        case actions.Press(key):
            return key
        case actions.Type(text):
            return text or None
        case actions.Complete() | actions.Impossible():
            return None


def _recorded(exact: TouchStroke | None, ends: tuple[Point, ...], size: Size) -> TouchStroke | None:
    if exact is None or any(size.clamp(sample.at) != sample.at for sample in exact.samples):
        return None
    touched = (to_grid(exact.start, size), to_grid(exact.end, size))
    return exact if touched[: len(ends)] == ends else None


def _press(point: Point, size: Size, duration_ms: int) -> TouchStroke:
    return TouchStroke.press(to_pixel(point, size), duration_ms=duration_ms)


def _drag(path: tuple[Point, ...], size: Size) -> TouchStroke:
    pixels = tuple(to_pixel(point, size) for point in path)
    if len(pixels) == 1:
        pixels *= 2
    return TouchStroke.drag(pixels, duration_ms=max(SCROLL_LEAST_MS, SCROLL_POINT_MS * len(pixels)))
