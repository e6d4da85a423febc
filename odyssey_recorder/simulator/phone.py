"""The simulated phone from outside: inputs go in, frames and facts come out, from any thread."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from odyssey_recorder.simulator.journal import Journal
from odyssey_recorder.simulator.looper import Looper
from odyssey_recorder.simulator.profile import Profile
from odyssey_recorder.simulator.screen import PackageInfo, Phase, PhoneState, Screen
from odyssey_recorder.simulator.system.display import Display
from odyssey_recorder.simulator.ui.geometry import Rect, Size
from odyssey_recorder.simulator.ui.node import Node

__all__ = ["Node", "PackageInfo", "Phase", "Phone", "PhoneState", "Rect", "Screen", "Size"]


class Phone:
    """A phone with one thread of its own; every method is safe from any thread and waits until it is done.

    Only `screen` never waits. Coordinates are pixels of the picture as displayed, in the current rotation.
    With `animation` off each input leads to at most one new frame. Raises PhoneStoppedError when not running.
    """

    def __init__(
        self, profile: Profile, *, seed: int = 0, animation: bool = True, journal: Path | None = None
    ) -> None:
        self.profile = profile
        self._looper = Looper("simulated-phone")
        self._journal = Journal(journal) if journal else None
        self._display = Display.of(profile)
        self._settings: dict[tuple[str, str], str] = {}
        self._clipboard = ""
        self._marks: list[tuple[float, float]] = []
        self._screen = Screen(0, 0, 0, b"", 0)
        self._compose()

    def start(self) -> None:
        """Begin to react; may be called once."""
        self._looper.start()

    def stop(self) -> None:
        """Stop reacting and end the thread; the last frame stays."""
        self._looper.stop()
        if self._journal:
            self._journal.close()

    def screen(self) -> Screen:
        """The newest composed frame; never waits."""
        return self._screen

    def touch(self, phase: Phase, x: float, y: float, *, pointer: int = 0) -> None:
        """A finger goes down, moves, lifts, or is taken away by the system."""
        self._note(f"touch {phase.value} {x:g},{y:g}")

        def act() -> None:
            if phase is Phase.UP:
                self._marks.append((x, y))
                self._compose()

        self._looper.call(act)

    def press_key(self, code: int, *, long_press: bool = False) -> None:
        """A key by its Android key code is pressed and released."""
        self._note(f"key {code}")

    def type_text(self, text: str) -> None:
        """Characters as from a hardware keyboard."""
        self._note(f"text {text}")

    def state(self) -> PhoneState:
        """Size, rotation, what is in front, what is where."""
        return self._looper.call(self._read_state)

    def view_tree(self) -> Node:
        """What `uiautomator dump` sees."""
        return self._looper.call(
            lambda: Node("android.widget.FrameLayout", "com.android.launcher3", self._bounds())
        )

    def packages(self) -> Sequence[PackageInfo]:
        """The apps that are installed."""
        return ()

    def start_activity(self, component_or_package: str, *, action: str = "", data: str = "") -> None:
        """Bring an app to the front; raises LookupError when there is none such."""
        raise LookupError(f"No app {component_or_package!r} is installed.")

    def force_stop(self, package: str) -> None:
        """End an app's task; raises LookupError when there is none such."""
        raise LookupError(f"No app {package!r} is installed.")

    def get_setting(self, namespace: str, key: str) -> str | None:
        """A value of `settings get`; None where it was never set."""
        return self._looper.call(lambda: self._settings.get((namespace, key)))

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        """Set a value of `system`, `secure` or `global`, with its effect on the screen where it has one."""
        self._looper.call(lambda: self._settings.__setitem__((namespace, key), value))

    def set_rotation(self, rotation: int) -> None:
        """Turn the phone: 0..3 quarter turns counted as Android counts them."""
        self._looper.call(lambda: self._show_on(self._display.turned(rotation)))

    def set_posture(self, name: str) -> None:
        """Open or fold a foldable; raises SettingsError where there is no such posture."""
        self._looper.call(lambda: self._show_on(self._display.in_posture(name)))

    def override_size(self, width: int, height: int) -> None:
        """Lay out for another size than the panel's, as `wm size WxH` does."""
        self._looper.call(lambda: self._show_on(replace(self._display, override=Size(width, height))))

    def reset_size(self) -> None:
        """Back to the panel's own size."""
        self._looper.call(lambda: self._show_on(replace(self._display, override=None)))

    def get_clipboard(self) -> str:
        """The text on the clipboard."""
        return self._looper.call(lambda: self._clipboard)

    def set_clipboard(self, text: str) -> None:
        """Put text on the clipboard, as the emulator's host side does."""

        def put() -> None:
            self._clipboard = text

        self._looper.call(put)

    def clear_recents(self) -> None:
        """End every task."""

    def save_snapshot(self) -> object:
        """All of the phone's state, to hand to `load_snapshot` later, any number of times."""
        return self._looper.call(lambda: self._display)

    def load_snapshot(self, snapshot: object) -> None:
        """Be again as when `snapshot` was saved; raises TypeError for what is no snapshot."""
        if not isinstance(snapshot, Display):
            raise TypeError("Not a snapshot of a simulated phone.")
        self._looper.call(lambda: self._show_on(snapshot))

    def _note(self, words: str) -> None:
        if self._journal:
            self._journal.input(time.monotonic_ns(), self._screen.number, words)

    def _show_on(self, display: Display) -> None:
        self._display = display
        self._compose()

    def _bounds(self) -> Rect:
        return Rect(0, 0, self._display.size.width, self._display.size.height)

    def _read_state(self) -> PhoneState:
        display, bounds = self._display, self._bounds()
        return PhoneState(
            physical_size=display.physical_size,
            natural_size=display.natural_size,
            size=display.size,
            rotation=display.rotation,
            density=display.density,
            posture=display.posture,
            package="com.android.launcher3",
            activity="com.android.launcher3.Launcher",
            title="com.android.launcher3/com.android.launcher3.Launcher",
            keyboard=None,
            status_bar=Rect(0, 0, bounds.width, 24 * display.density // 160),
            navigation_bar=Rect(0, bounds.height - 48 * display.density // 160, bounds.width, bounds.height),
            awake=True,
            frame=self._screen.number,
        )

    def _compose(self) -> None:
        size = self._display.size
        picture = Image.new("RGB", (size.width, size.height), "#24425f")
        draw = ImageDraw.Draw(picture)
        for x, y in self._marks:
            draw.ellipse((x - 20, y - 20, x + 20, y + 20), fill="#ffffff")
        rgba = picture.convert("RGBA").tobytes()
        if rgba == self._screen.rgba:
            return
        now = time.monotonic_ns()
        number = self._screen.number + 1
        if self._journal:
            self._journal.frame(now, number, picture)
        self._screen = Screen(number, size.width, size.height, rgba, now)
