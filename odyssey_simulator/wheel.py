"""The wheel of the mouse over the emulator's window: a finger that drags the screen.

While the wheel turns, the finger is lifted after a sixteenth of the screen and put down again at the pointer.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

TICK_S = 0.015
_TICKS = 20

Vector = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Drag:
    """`tick` of its ticks are over; it becomes slower towards its end."""

    down: Vector
    start: Vector
    end: Vector
    tick: int = 0

    @property
    def offset(self) -> Vector:
        share = 1 - (1 - self.tick / _TICKS) ** 2
        (x, y), (to_x, to_y) = self.start, self.end
        return x + (to_x - x) * share, y + (to_y - y) * share


class Wheel:
    """Thread-safe. `put` gets the finger's place, and whether it is down, on the wheel's own thread or the caller's."""

    def __init__(self, put: Callable[[float, float, bool], None]) -> None:
        self._put = put
        self._lock = threading.Lock()
        self._drag: _Drag | None = None  # guarded by _lock

    def turn(self, at: Vector, by: Vector, restart: Vector) -> None:
        """Drag on by `by` at the pointer's place `at`, with a new finger if the old one moved as far as `restart`.

        Returns at once; the drag goes on for 20 ticks.
        """
        with self._lock:
            drag = self._drag
            if drag is None:
                self._drag = _Drag(at, (0, 0), by)
                threading.Thread(target=self._run, name="wheel", daemon=True).start()
                self._show(self._drag, pressed=True)
                return
            (x, y), (to_x, to_y) = drag.offset, drag.end
            if abs(x) >= restart[0] or abs(y) >= restart[1]:
                self._show(drag, pressed=False)
                self._drag = _Drag(at, (0, 0), (to_x - x + by[0], to_y - y + by[1]))
            else:
                self._drag = _Drag(drag.down, (x, y), (to_x + by[0], to_y + by[1]))
            self._show(self._drag, pressed=True)

    def _run(self) -> None:
        due_s = time.monotonic()
        while True:
            due_s += TICK_S
            time.sleep(max(0.0, due_s - time.monotonic()))
            with self._lock:
                assert self._drag is not None, "only this thread ends a drag"
                self._drag = replace(self._drag, tick=self._drag.tick + 1)
                self._show(self._drag, pressed=True)
                if self._drag.tick == _TICKS:
                    self._show(self._drag, pressed=False)
                    self._drag = None
                    return

    def _show(self, drag: _Drag, *, pressed: bool) -> None:
        x, y = drag.offset
        self._put(drag.down[0] + x, drag.down[1] + y, pressed)
