"""Recognises taps, long presses, scrolls and swipes of one finger, and finds the views they apply to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from odyssey_simulator.ui.controls import TextField, caret_at
from odyssey_simulator.ui.layout import ScrollView, scroll_range
from odyssey_simulator.ui.view import View, ViewBox

REST_S = 0.3
_SLOP_DP = 8
_SWIPE_DP = 40
_FLING_SHARE = 0.35


class TouchedText(Protocol):
    """The effect of a finger on text fields."""

    def tap(self, field: TextField, cursor: int) -> None: ...

    def select_word(self, field: TextField, index: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Fling:
    """Offsets are in pixels."""

    memory: dict[str, int]
    key: str
    start: int
    end: int


@dataclass(slots=True)
class _Drag:
    box: ViewBox
    view: ScrollView
    start: int

    @property
    def memory(self) -> dict[str, int]:
        return self.box.look.memory.scroll

    def follow(self, travel: float, slop: int) -> None:
        """`travel` is in pixels along the list since touch-down."""
        beyond = travel - slop if travel > 0 else travel + slop
        self.move_to(self.start - (0 if abs(travel) <= slop else round(beyond)))

    def move_to(self, offset: int) -> None:
        self.memory[self.view.key] = self.clamped(offset)

    def clamped(self, offset: int) -> int:
        return max(0, min(offset, scroll_range(self.box)))


class Finger:
    """With `only_drags` the finger has stopped a gliding list: lifting it without moving taps nothing."""

    def __init__(self, path: Sequence[ViewBox], x: float, y: float, *, only_drags: bool = False) -> None:
        self._path = path
        self._down = (x, y)
        self._now = (x, y)
        self._slop = path[0].look.px(_SLOP_DP) if path else 0
        self._moved = False
        self._held = False
        self._only_drags = only_drags
        self._drag: _Drag | None = None

    @property
    def may_hold(self) -> bool:
        return self._holder() is not None

    def taps(self, x: float, y: float) -> bool:
        travel = max(abs(x - self._down[0]), abs(y - self._down[1]))
        return not self._held and not self._moved and not self._only_drags and travel <= self._slop

    def move(self, x: float, y: float) -> bool:
        """Returns whether something on the screen follows the finger."""
        self._now = (x, y)
        dx, dy = x - self._down[0], y - self._down[1]
        if not self._moved and max(abs(dx), abs(dy)) > self._slop and not self._held:
            self._moved = True
            self._drag = self._scroller(sideways=abs(dx) > abs(dy))
        if self._drag is None:
            return False
        self._drag.follow(dx if self._drag.view.sideways else dy, self._slop)
        return True

    def hold(self, text: TouchedText) -> None:
        box = self._holder()
        if self._moved or self._only_drags or box is None:
            return
        self._held = True
        view = box.view
        if view.on_long_press:
            view.on_long_press()
        elif isinstance(view, TextField):
            text.select_word(view, caret_at(box, *self._down))

    def lift(self, x: float, y: float, text: TouchedText, *, rested: bool) -> Fling | None:
        """Lift the finger: a tap, a swipe, or the end of a scroll, with a fling unless it has `rested` before.

        The fling depends only on the finger's path, not on its speed: the same swipe leads to the same position however
        busy the computer is.
        """
        self.move(x, y)
        if self._drag is not None:
            return None if rested else self._fling(self._drag)
        if self._moved:
            self._swipe()
        elif not self._held and not self._only_drags:
            self._tap(text)
        return None

    def _tap(self, text: TouchedText) -> None:
        for box in self._path:
            if isinstance(box.view, TextField) and not box.view.read_only:
                text.tap(box.view, caret_at(box, *self._down))
                return
            if box.view.on_tap:
                box.view.on_tap()
                return

    def _swipe(self) -> None:
        dx, dy = self._now[0] - self._down[0], self._now[1] - self._down[1]
        if abs(dx) > abs(dy):
            direction, travel = ("right" if dx > 0 else "left"), abs(dx)
        else:
            direction, travel = ("down" if dy > 0 else "up"), abs(dy)
        taker = next((box for box in self._path if box.view.on_swipe), None)
        if taker and taker.view.on_swipe and travel >= taker.look.px(_SWIPE_DP):
            taker.view.on_swipe(direction)

    def _fling(self, drag: _Drag) -> Fling | None:
        sideways = drag.view.sideways
        travel = self._now[0] - self._down[0] if sideways else self._now[1] - self._down[1]
        start = drag.memory[drag.view.key]
        end = drag.clamped(start - round(travel * _FLING_SHARE))
        return Fling(drag.memory, drag.view.key, start, end) if start != end else None

    def _scroller(self, *, sideways: bool) -> _Drag | None:
        for box in self._path:
            view = box.view
            if isinstance(view, ScrollView) and view.sideways == sideways and scroll_range(box) > 0:
                return _Drag(box, view, box.look.memory.scroll.get(view.key, 0))
        return None

    def _holder(self) -> ViewBox | None:
        for box in self._path:
            if box.view.on_long_press or isinstance(box.view, TextField):
                return box
            if box.view.on_tap:
                return None
        return None


def touched(view: View) -> bool:
    takes = (view.on_tap, view.on_long_press, view.on_swipe)
    return any(takes) or isinstance(view, (TextField, ScrollView))
