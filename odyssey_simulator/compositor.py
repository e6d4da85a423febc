"""Composes windows into frames, numbers them, and plays the transitions between them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image

from odyssey_simulator.journal import PhoneJournal
from odyssey_simulator.looper import Looper, Timer
from odyssey_simulator.screen import ComposedFrame
from odyssey_simulator.system.floating import Scrim
from odyssey_simulator.system.system_ui import SystemUi
from odyssey_simulator.system.transition import STEP_S, ScreenChange, Transition, images
from odyssey_simulator.system.windows import Areas, Window, build_windows
from odyssey_simulator.ui.draw import Canvas
from odyssey_simulator.ui.geometry import Rect
from odyssey_simulator.ui.view import NOWHERE, Action

_REMEMBERED = 30


@dataclass(frozen=True, slots=True)
class _Before:
    front: str
    pages: int
    layers: dict[str, Rect | None]


class Compositor:
    """Lives on the looper, except `listen` and `screen`, which is replaced as a whole: any thread may use these."""

    def __init__(self, looper: Looper, *, animation: bool, journal: PhoneJournal | None) -> None:
        self._looper = looper
        self._animation = animation
        self._journal = journal
        self._image: Image.Image | None = None
        self._settled: Image.Image | None = None
        self._player: Timer | None = None
        self._gliding: list[Action] | None = None
        self._listeners: list[Action] = []
        self._shown: tuple[tuple[int, int], ...] = ()
        self.cause: int | None = None
        self.screen = ComposedFrame(0, 0, 0, b"", 0)
        self.windows: list[Window] = []
        self.areas = Areas(*(Rect(0, 0, 0, 0) for _ in range(5)))

    def frame_at(self, t_ns: int) -> int:
        """The number of the frame shown at a recent time of the host's monotonic clock."""
        shown = self._shown
        return next((number for since_ns, number in reversed(shown) if since_ns <= t_ns), shown[0][1])

    def listen(self, callback: Action) -> Action:
        """Call `callback` after every new frame; the returned function unsubscribes."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def lay_out(self, system: SystemUi) -> None:
        self.windows, self.areas = build_windows(system)

    def change(self, system: SystemUi, act: Action) -> None:
        self._finish_gliding(system)
        before = self._before(system)
        act()
        self._keep_thumbnail(system, before)
        self.lay_out(system)
        self._show_change(self._compose(system), self._transition(system, before), system)

    def refresh(self, system: SystemUi, *, force: bool = False) -> None:
        """With `force` there is a new frame even if nothing on it has changed."""
        self.lay_out(system)
        self._cancel()
        self._present(self._compose(system), system, force=force)

    def advance(self, system: SystemUi) -> None:
        """Show changes that happen without input, unless a transition is playing."""
        if self._player is None:
            self.cause = None
            self.refresh(system)

    def glide(self, steps: Sequence[Action], system: SystemUi) -> None:
        left = list(steps)

        def advance() -> None:
            if left:
                left.pop(0)()
                self.refresh(system)
                self._player = self._looper.later(STEP_S, advance)
                self._gliding = left
            else:
                self._gliding = self._player = None

        advance()

    def stop_gliding(self) -> bool:
        gliding, self._gliding = self._gliding, None
        if gliding is not None:
            self._cancel()
        return gliding is not None

    def moves(self, system: SystemUi) -> bool:
        scale = system.number_setting("global", "transition_animation_scale", 1.0)
        return self._animation and system.awake and scale > 0

    def _finish_gliding(self, system: SystemUi) -> None:
        """A list that is still gliding reaches its end before anything else happens, however late its steps run."""
        gliding, self._gliding = self._gliding, None
        if gliding:
            gliding[-1]()
            self.lay_out(system)

    def _before(self, system: SystemUi) -> _Before:
        return _Before(system.package, len(system.front.pages), self._layers())

    def _layers(self) -> dict[str, Rect | None]:
        return {window.name: window.moving for window in self.windows if window.name in {"Overlay", "InputMethod"}}

    def _keep_thumbnail(self, system: SystemUi, before: _Before) -> None:
        if before.front != system.package and self._settled is not None:
            width, height = self.areas.screen.right, self.areas.navigation.top
            system.keep_thumbnail(before.front, self._settled.crop((0, 0, width, height)).reduce(2))

    def _transition(self, system: SystemUi, before: _Before) -> ScreenChange | None:
        areas = self.areas
        whole = Rect(0, areas.status.bottom, areas.screen.right, areas.navigation.top)
        requested, system.transition = system.transition, None
        if requested:
            return ScreenChange(requested, whole)
        pages = len(system.front.pages)
        if pages != before.pages and system.package == before.front:
            return ScreenChange(_turn(deeper=pages > before.pages, at_home=system.front is system.launcher), whole)
        return _layer_change(before.layers, self._layers())

    def _show_change(self, after: Image.Image, change: ScreenChange | None, system: SystemUi) -> None:
        before = self._image
        self._cancel()
        if change is None or before is None or before.size != after.size or not self.moves(system):
            self._present(after, system)
            return
        steps = enumerate(images(change, before, after), 1)
        begun_s = time.monotonic()

        def advance() -> None:
            number, image = next(steps, (0, after))
            self._present(image, system)
            rest_s = begun_s + number * STEP_S - time.monotonic()
            self._player = self._looper.later(max(0.0, rest_s), advance) if number else None

        advance()

    def _cancel(self) -> None:
        if self._player is not None:
            self._player.cancel()
            self._player = None

    def _compose(self, system: SystemUi) -> Image.Image:
        size = system.display.size
        image = Image.new("RGBA", (size.width, size.height), (0, 0, 0, 255))
        if system.awake:
            canvas = Canvas(image)
            for window in self.windows:
                if not system.forbids_screenshots or window.name in {"StatusBar", "NavigationBar0"}:
                    window.box.paint(canvas)
        self._settled = image
        return image

    def _present(self, image: Image.Image, system: SystemUi, *, force: bool = False) -> None:
        self._image = image
        display = system.display
        screen = ComposedFrame(
            self.screen.number + 1,
            image.width,
            image.height,
            image.tobytes(),
            0,
            0,
            display.panel,
            display.rotation,
            display.folded,
            system.awake,
            display.frame_on_panel,
            display.held,
        )
        if screen.shows_same_as(self.screen) and not force:
            if screen.held != self.screen.held:
                self.screen = replace(self.screen, held=screen.held)
            return
        # Comparing takes a while; the timestamp must be the moment from which the frame is visible.
        screen = replace(screen, shown_ns=time.monotonic_ns(), shown_us=time.time_ns() // 1000)
        self._shown = (*self._shown[-_REMEMBERED:], (screen.shown_ns, screen.number))
        self.screen = screen
        if self._journal:
            self._journal.frame(screen.shown_ns, screen.number, image, self.cause)
        for callback in tuple(self._listeners):
            callback()


def _turn(*, deeper: bool, at_home: bool) -> Transition:
    if at_home:
        return Transition.OPEN if deeper else Transition.CLOSE
    return Transition.FORWARD if deeper else Transition.BACKWARD


def _layer_change(before: dict[str, Rect | None], after: dict[str, Rect | None]) -> ScreenChange | None:
    for name, moving in after.items():
        if name not in before:
            veil = Scrim.ALPHA if name == "Overlay" else 0.0
            return ScreenChange(Transition.RISE, moving, veil) if moving else ScreenChange(Transition.FADE, NOWHERE)
    for name, moving in before.items():
        if name not in after:
            return ScreenChange(Transition.SINK, moving) if moving else ScreenChange(Transition.FADE, NOWHERE)
    return None
