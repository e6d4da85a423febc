"""The glass of the simulated phone: what fingers that come down, move, rest and lift do to the screen."""

from collections.abc import Callable
from functools import partial

from odyssey_recorder.simulator.looper import Looper, Timer
from odyssey_recorder.simulator.screen import Phase
from odyssey_recorder.simulator.stage import Stage
from odyssey_recorder.simulator.system.gesture_navigation import EdgeSwipe, edge_swipe
from odyssey_recorder.simulator.system.system_ui import SystemUi
from odyssey_recorder.simulator.ui.touch import LONG_PRESS_S, REST_S, Finger, Fling, touched
from odyssey_recorder.simulator.ui.view import Action, Box

_FRAME_S = 0.033
_FLING_STEPS = 8


class Glass:
    """Lives on the looper. One finger touches what lies under it; as soon as there are two, neither does."""

    def __init__(self, looper: Looper, stage: Stage, system: Callable[[], SystemUi]) -> None:
        self._looper = looper
        self._stage = stage
        self._system = system
        self._down: set[int] = set()
        self._finger: Finger | None = None
        self._edge: EdgeSwipe | None = None
        self._navigates = False
        self._moved_s = 0.0
        self._input: int | None = None
        self._hold_timer: Timer | None = None
        self._frame_timer: Timer | None = None

    def touch(self, phase: Phase, at: tuple[float, float], pointer: int, *, at_s: float, number: int | None) -> None:
        """A finger does something; `at_s` is when on the monotonic clock, `number` that of the input."""
        self._input = self._stage.cause = number
        match phase:
            case Phase.DOWN:
                self._down.add(pointer)
                self._drop_finger()
                if len(self._down) == 1 and self._system().awake:
                    self._finger_down(*at)
            case Phase.CANCEL:
                self.clear()
            case Phase.MOVE if pointer in self._down:
                self._decide(*at)
                if self._finger is not None and self._finger.move(*at):
                    self._show_soon()
                self._moved_s = at_s
            case Phase.UP if pointer in self._down:
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
        caught = self._stage.stop_gliding()
        finger = Finger(self._boxes_at(x, y), x, y, only_drags=caught)
        self._finger = finger
        if system.has_gestures:
            self._edge = edge_swipe(x, y, system.display.size, system.display.density)
        if finger.may_hold:
            self._hold_timer = self._looper.later(LONG_PRESS_S, partial(self._hold, finger))

    def _boxes_at(self, x: float, y: float) -> list[Box]:
        for window in reversed(self._stage.windows):
            path = window.box.under(x, y)
            if path and (window.opaque or any(touched(box.view) for box in path)):
                return path
        return []

    def _on_toolbar(self, x: float, y: float) -> bool:
        toolbars = [window for window in self._stage.windows if window.name == "FloatingToolbar"]
        return any(window.box.visible.contains(x, y) for window in toolbars)

    def _decide(self, x: float, y: float) -> None:
        """Once it is clear where a finger from the edge goes, it is the system's or that of what lies under it."""
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
            self._stage.change(system, system.navigation_presses[button])

    def _hold(self, finger: Finger) -> None:
        if finger is self._finger:
            self._stage.cause = self._input
            system = self._system()
            self._stage.change(system, lambda: finger.hold(system.entry))

    def _finger_up(self, finger: Finger, x: float, y: float, *, rested: bool) -> None:
        system = self._system()
        flings: list[Fling] = []

        def lift() -> None:
            system.toast_text = ""
            if finger.taps(x, y) and not self._on_toolbar(x, y):
                system.entry.dismiss()
            fling = finger.lift(x, y, system.entry, rested=rested)
            if fling is not None and self._stage.moves(system):
                flings.append(fling)

        self._stage.change(system, lift)
        for fling in flings:
            self._stage.glide(_glide(fling), system)

    def _drop_finger(self) -> None:
        self._finger = self._edge = None
        self._navigates = False
        for timer in (self._hold_timer, self._frame_timer):
            if timer is not None:
                timer.cancel()
        self._hold_timer = self._frame_timer = None

    def _show_soon(self) -> None:
        if not self._stage.moves(self._system()):
            self._stage.refresh(self._system())
        elif self._frame_timer is None:
            self._frame_timer = self._looper.later(_FRAME_S, self._show_now)

    def _show_now(self) -> None:
        self._frame_timer = None
        self._stage.cause = self._input
        self._stage.refresh(self._system())


def _glide(fling: Fling) -> list[Action]:
    shares = [1 - (1 - step / _FLING_STEPS) ** 2 for step in range(1, _FLING_STEPS + 1)]
    offsets = [fling.start + round((fling.end - fling.start) * share) for share in shares]
    return [partial(fling.memory.__setitem__, fling.key, offset) for offset in offsets]
