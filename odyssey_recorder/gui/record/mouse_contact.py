"""The mouse as a finger: one contact in progress, with its path in pixels and times."""

import time

from PySide6.QtGui import QInputEvent

from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.action import Click, LongPress, Scroll
from odyssey_recorder.model.geometry import Pixel, Size

WHEEL_LENGTH = 0.4
"""Length of the drag for a burst of the wheel, as a share of the frame's extent along it."""

WHEEL_MARGIN = 0.1
"""A wheel's drag keeps this distance from the edges, where system gestures begin; a share of the extent."""

WHEEL_MS = 300
_WHEEL_SAMPLES = 13


class MouseContact:
    """A finger on a frame of `size` pixels.

    Stamps are event times in ms, as a busy window receives events late; 0 means none, then the time of receipt counts.
    """

    def __init__(self, at: Pixel, size: Size, rules: TouchRules, stamp_ms: int) -> None:
        self._size = size
        self._rules = rules
        self._pressed_ns, self._pressed_ms = time.monotonic_ns(), stamp_ms
        self._samples = [TouchSample(at, 0)]

    def move(self, at: Pixel, stamp_ms: int) -> bool:
        if at == self._samples[-1].at:
            return False
        self._samples.append(TouchSample(at, self._time_us(stamp_ms)))
        return True

    @property
    def at(self) -> Pixel:
        return self._samples[-1].at

    def stroke(self, stamp_ms: int) -> TouchStroke:
        return TouchStroke(tuple(self._samples), self._time_us(stamp_ms))

    def action(self) -> Click | LongPress | Scroll:
        return recognize(TouchStroke(tuple(self._samples), self._age_us()), self._rules, self._size)

    def held_share(self) -> float:
        return min(1.0, self._age_us() / self._rules.long_press_us)

    def _time_us(self, stamp_ms: int) -> int:
        since_us = (stamp_ms - self._pressed_ms) * 1000 if stamp_ms and self._pressed_ms else self._age_us()
        return max(since_us, self._samples[-1].time_us)

    def _age_us(self) -> int:
        return (time.monotonic_ns() - self._pressed_ns) // 1000


def stamp_ms(event: QInputEvent) -> int:
    """When an input was made; without a stamp, when it is received."""
    return event.timestamp() or time.monotonic_ns() // 1_000_000


def wheel_stroke(pointer: Pixel, size: Size, *, right: int, down: int) -> TouchStroke:
    """The drag for a burst of the wheel: of fixed length, at the pointer, on a frame of `size`.

    `right` and `down` are the direction in which to see more; the finger moves the other way.
    """
    horizontal = abs(right) > abs(down)
    extent = size.width if horizontal else size.height
    length = round(extent * WHEEL_LENGTH) * (-1 if (right if horizontal else down) > 0 else 1)
    low, high = round(extent * WHEEL_MARGIN), round(extent * (1 - WHEEL_MARGIN))
    at = pointer.x if horizontal else pointer.y
    first = min(max(at, low, low - length), high, high - length)
    places = [first + length * step // (_WHEEL_SAMPLES - 1) for step in range(_WHEEL_SAMPLES)]
    path = tuple(Pixel(place, pointer.y) if horizontal else Pixel(pointer.x, place) for place in places)
    return TouchStroke.drag(path, duration_ms=WHEEL_MS)
