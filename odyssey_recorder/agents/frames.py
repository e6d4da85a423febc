"""Converts a model's coordinates and scroll directions to those of the dataset and back.

Sizes of images are those that are sent; a server that resizes them again by a smaller limit shifts every coordinate.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from odyssey_recorder.agents.parsing import UnreadableAnswerError, numbers, two_numbers
from odyssey_recorder.model.action import Scroll, scroll_direction
from odyssey_recorder.model.geometry import GRID, Point, Size

_STEEPEST = 200
_TRAVEL = 400
_LEAST_TRAVEL = 100
_TOLERANCE = 1
"""Models name the far edge 1000 where 999 is the last, or the width where width - 1 is."""


@dataclass(frozen=True, slots=True)
class CoordinateFrame:
    """Coordinates from 0 to `width` and to `height`, both included; or the number of one of `marks`, from 1."""

    width: int
    height: int
    marks: tuple[Point, ...] = ()

    def point(self, x: float, y: float) -> Point:
        """The nearest grid point. Raises UnreadableError for a place outside the frame."""
        return Point(_on_grid(x, self.width), _on_grid(y, self.height))

    def at(self, value: object) -> Point:
        """The same of a list, a text with numbers, the centre of a box, or the number of a mark."""
        if self.marks and len(found := numbers(value.strip(" <>") if isinstance(value, str) else value)) == 1:
            if found[0] not in range(1, len(self.marks) + 1):
                raise UnreadableAnswerError("outside", f"{found[0]:g} is none of the {len(self.marks)} tags")
            return self.marks[int(found[0]) - 1]
        return self.point(*two_numbers(value))

    def place(self, point: Point) -> tuple[int, int]:
        """The inverse: the nearest coordinates, so that both together err by at most one grid point."""
        return round(point.x * self.width / GRID), round(point.y * self.height / GRID)


FrameOf: TypeAlias = Callable[[Size, Size], CoordinateFrame]
"""The frame of an answer about an image: of its size as sent, and of the screenshot's true size."""


def grid_frame(_sent: Size, _true: Size) -> CoordinateFrame:
    return CoordinateFrame(GRID, GRID)


def grid_999_frame(_sent: Size, _true: Size) -> CoordinateFrame:
    """Qwen3-VL: the prompt calls the screen 999x999."""
    return CoordinateFrame(GRID - 1, GRID - 1)


def sent_frame(sent: Size, _true: Size) -> CoordinateFrame:
    return CoordinateFrame(sent.width, sent.height)


def true_frame(_sent: Size, true: Size) -> CoordinateFrame:
    return CoordinateFrame(true.width, true.height)


def _on_grid(value: float, extent: int) -> int:
    if not -_TOLERANCE <= value <= extent + _TOLERANCE:  # NaN is outside too
        raise UnreadableAnswerError("outside", f"{value:.6g} is not between 0 and {extent}")
    return min(max(round(value * GRID / extent), 0), GRID)


# Sizes.


def smart_resize(size: Size, factor: int, least: int = 56 * 56, most: int = 28 * 28 * 1280) -> Size:
    """The size to which Qwen2-VL's image processor resizes an image: multiples of `factor`, `least` to `most` pixels.

    As `smart_resize` of transformers 5.23. Raises ValueError for a side over 200 times the other.
    """
    width, height = size.width, size.height
    if max(width, height) / min(width, height) > _STEEPEST:
        raise ValueError(f"an image of {size} is too long for this model")
    area = width * height
    rounded = Size(round(width / factor) * factor, round(height / factor) * factor)
    if rounded.width * rounded.height > most:
        beta = math.sqrt(area / most)
        fitted = (max(factor, math.floor(side / beta / factor) * factor) for side in (width, height))
        return Size(*fitted)
    if rounded.width * rounded.height < least:
        beta = math.sqrt(least / area)
        return Size(*(math.ceil(side * beta / factor) * factor for side in (width, height)))
    return rounded


@dataclass(frozen=True, slots=True)
class Fit:
    """The size in which a screenshot is sent, of `least` to `most` pixels; smaller images stay as they are.

    With a `factor`, as Qwen2-VL's processor resizes it; otherwise it keeps the aspect ratio, and no side is longer than
    `longest`.
    """

    most: int = 1 << 30
    factor: int = 0
    least: int = 56 * 56
    longest: int = 1 << 15

    def __call__(self, size: Size) -> Size:
        """Raises ValueError as `smart_resize`."""
        if self.factor:
            return smart_resize(size, self.factor, self.least, self.most)
        scale = min(1.0, self.longest / max(size.width, size.height), math.sqrt(self.most / (size.width * size.height)))
        return Size(max(1, round(size.width * scale)), max(1, round(size.height * scale)))


# Directions, in upper case. A finger that moves up moves the content up, and shows what is further down.

_DELTAS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
_OPPOSITE = {"UP": "DOWN", "DOWN": "UP", "LEFT": "RIGHT", "RIGHT": "LEFT"}


def finger_direction(scroll: Scroll) -> str:
    """Of the finger; DOWN if it did not move, as in the official evaluation."""
    if scroll.start == scroll.end:
        return "DOWN"
    return _OPPOSITE[view_direction(scroll)]


def view_direction(scroll: Scroll) -> str:
    """Of the view, as wheels and scroll bars have it."""
    return scroll_direction(scroll.start, scroll.end).upper() if scroll.start != scroll.end else "UP"


def finger_scroll(direction: object, start: Point | None = None) -> Scroll:
    """A scroll in the direction of the finger, of usual length, from `start` or about the middle of the screen.

    Raises UnreadableError for another word.
    """
    across, down = _DELTAS[_word(direction)]
    if start is None:
        start = Point(GRID // 2 - across * _TRAVEL // 2, GRID // 2 - down * _TRAVEL // 2)
    end = Point(_clamped(start.x + across * _TRAVEL), _clamped(start.y + down * _TRAVEL))
    if abs(end.x - start.x) + abs(end.y - start.y) < _LEAST_TRAVEL:  # it began at the edge to which it leads
        start = Point(_clamped(end.x - across * _TRAVEL), _clamped(end.y - down * _TRAVEL))
    return path(start, end)


def view_scroll(direction: object, start: Point | None = None) -> Scroll:
    """The same for a direction of the view."""
    return finger_scroll(_OPPOSITE[_word(direction)], start)


def path(start: Point, end: Point) -> Scroll:
    return Scroll(start, end, (start, end))


def _word(direction: object) -> str:
    word = direction.strip().upper() if isinstance(direction, str) else ""
    if word not in _DELTAS:
        raise UnreadableAnswerError("unreadable", f"{direction!r:.40} is not a direction")
    return word


def _clamped(value: int) -> int:
    return min(max(value, 0), GRID)
