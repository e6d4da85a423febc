"""The effect of fingers on the screen."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from odyssey_simulator.compositor import Compositor
from odyssey_simulator.looper import Looper, Timer
from odyssey_simulator.screen import TouchPhase
from odyssey_simulator.system.bars import nearest_key
from odyssey_simulator.system.system_ui import SystemUi
from odyssey_simulator.system.windows import NAVIGATION_BAR, TASKBAR
from odyssey_simulator.ui.geometry import Size
from odyssey_simulator.ui.touch import REST_S, Finger, Fling, touched
from odyssey_simulator.ui.view import Action, ViewBox

_BOTTOM_DP, _SIDE_DP = 32, 30
_SLOP_DP, _FAR_DP = 8, 40


@dataclass(frozen=True, slots=True)
class EdgeSwipe:
    """In pixels of the frame; it may become a swipe inwards."""

    edge: Literal["bottom", "left", "right"]
    down: tuple[float, float]
    density: int

    def is_clear(self, x: float, y: float) -> bool:
        return max(self._inwards(x, y), self._along(x, y)) > self._px(_SLOP_DP)

    def leads_inwards(self, x: float, y: float) -> bool:
        return self._inwards(x, y) > self._along(x, y)

    def pressed(self, x: float, y: float, *, rested: bool) -> Literal["", "Home", "Overview", "Back"]:
        """Empty if the finger has not moved far enough."""
        if self._inwards(x, y) < self._px(_FAR_DP):
            return ""
        if self.edge == "bottom":
            return "Overview" if rested else "Home"
        return "Back"

    def _inwards(self, x: float, y: float) -> float:
        match self.edge:
            case "bottom":
                return self.down[1] - y
            case "left":
                return x - self.down[0]
            case "right":
                return self.down[0] - x

    def _along(self, x: float, y: float) -> float:
        return abs(x - self.down[0]) if self.edge == "bottom" else abs(y - self.down[1])

    def _px(self, dp: float) -> float:
        return dp * self.density / 160


def edge_swipe(x: float, y: float, size: Size, density: int) -> EdgeSwipe | None:
    px = density / 160
    if y >= size.height - _BOTTOM_DP * px:
        return EdgeSwipe("bottom", (x, y), density)
    if x < _SIDE_DP * px:
        return EdgeSwipe("left", (x, y), density)
    return EdgeSwipe("right", (x, y), density) if x >= size.width - _SIDE_DP * px else None


_FRAME_S = 0.033
_FLING_STEPS = 8


class TouchSurface:
    """Lives on the looper. A single finger touches the views below it; once there are two, neither does."""

    def __init__(self, looper: Looper, compositor: Compositor, system: Callable[[], SystemUi]) -> None:
        self._looper = looper
        self._compositor = compositor
        self._system = system
        self._down: set[int] = set()
        self._finger: Finger | None = None
        self._edge: EdgeSwipe | None = None
        self._navigates = False
        self._moved_s = 0.0
        self._input: int | None = None
        self._hold_timer: Timer | None = None
        self._frame_timer: Timer | None = None

    def touch(
        self, phase: TouchPhase, at: tuple[float, float], pointer: int, *, at_s: float, number: int | None
    ) -> None:
        """`at_s` is on the monotonic clock, `number` that of the input."""
        self._input = self._compositor.cause = number
        match phase:
            case TouchPhase.DOWN:
                self._down.add(pointer)
                self._drop_finger()
                if len(self._down) == 1 and self._system().awake:
                    self._finger_down(*at)
            case TouchPhase.CANCEL:
                self.clear()
            case TouchPhase.MOVE if pointer in self._down:
                self._decide(*at)
                if self._finger is not None and self._finger.move(*at):
                    self._show_soon()
                self._moved_s = at_s
            case TouchPhase.UP if pointer in self._down:
                self._down.remove(pointer)
                self._decide(*at)
                self._lift(*at, rested=at_s - self._moved_s > REST_S)
            case _:
                pass

    def clear(self) -> None:
        self._down.clear()
        self._drop_finger()

    def _finger_down(self, x: float, y: float) -> None:
        system = self._system()
        caught = self._compositor.stop_gliding()
        finger = Finger(self._boxes_at(x, y), x, y, only_drags=caught)
        self._finger = finger
        if system.has_gestures:
            self._edge = edge_swipe(x, y, system.display.size, system.display.density)
        if finger.may_hold:
            self._hold_timer = self._looper.later(system.long_press_s, partial(self._hold, finger))

    def _boxes_at(self, x: float, y: float) -> list[ViewBox]:
        for window in reversed(self._compositor.windows):
            path = window.box.under(x, y)
            if path and window.name in {NAVIGATION_BAR, TASKBAR} and not any(touched(box.view) for box in path):
                nearest = nearest_key(path[-1], x, is_large=self._system().display.is_large)
                return [nearest, *path] if nearest is not None else path
            if path and (window.opaque or any(touched(box.view) for box in path)):
                return path
        return []

    def _on_toolbar(self, x: float, y: float) -> bool:
        toolbars = [window for window in self._compositor.windows if window.name == "FloatingToolbar"]
        return any(window.box.visible.contains(x, y) for window in toolbars)

    def _decide(self, x: float, y: float) -> None:
        edge = self._edge
        if edge is None or self._navigates or not edge.is_clear(x, y):
            return
        self._edge = None
        if edge.leads_inwards(x, y):
            self._drop_finger()
            self._edge, self._navigates = edge, True

    def _lift(self, x: float, y: float, *, rested: bool) -> None:
        edge, navigates, finger = self._edge, self._navigates, self._finger
        self._drop_finger()
        if edge is not None and navigates:
            self._navigate(edge.pressed(x, y, rested=rested))
        elif finger is not None:
            self._finger_up(finger, x, y, rested=rested)

    def _navigate(self, button: str) -> None:
        system = self._system()
        if button:
            self._compositor.change(system, system.navigation_presses[button])

    def _hold(self, finger: Finger) -> None:
        if finger is self._finger:
            self._compositor.cause = self._input
            system = self._system()
            self._compositor.change(system, lambda: finger.hold(system.entry))

    def _finger_up(self, finger: Finger, x: float, y: float, *, rested: bool) -> None:
        system = self._system()
        flings: list[Fling] = []

        def lift() -> None:
            system.toast_text = ""
            if finger.taps(x, y) and not self._on_toolbar(x, y):
                system.entry.dismiss()
            fling = finger.lift(x, y, system.entry, rested=rested)
            if fling is not None and self._compositor.moves(system):
                flings.append(fling)

        self._compositor.change(system, lift)
        for fling in flings:
            self._compositor.glide(_glide(fling), system)

    def _drop_finger(self) -> None:
        self._finger = self._edge = None
        self._navigates = False
        for timer in (self._hold_timer, self._frame_timer):
            if timer is not None:
                timer.cancel()
        self._hold_timer = self._frame_timer = None

    def _show_soon(self) -> None:
        if not self._compositor.moves(self._system()):
            self._compositor.refresh(self._system())
        elif self._frame_timer is None:
            self._frame_timer = self._looper.later(_FRAME_S, self._show_now)

    def _show_now(self) -> None:
        self._frame_timer = None
        self._compositor.cause = self._input
        self._compositor.refresh(self._system())


def _glide(fling: Fling) -> list[Action]:
    shares = [1 - (1 - step / _FLING_STEPS) ** 2 for step in range(1, _FLING_STEPS + 1)]
    offsets = [fling.start + round((fling.end - fling.start) * share) for share in shares]
    return [partial(fling.memory.__setitem__, fling.key, offset) for offset in offsets]
