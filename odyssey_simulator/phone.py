"""The public interface of the simulated device: inputs go in, frames and state come out, from any thread."""

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from odyssey_simulator.apps import APPS
from odyssey_simulator.apps.app import Intent
from odyssey_simulator.compositor import Compositor
from odyssey_simulator.journal import Moment, PhoneJournal
from odyssey_simulator.looper import Looper, Timer
from odyssey_simulator.profile import Profile
from odyssey_simulator.screen import AppTask, ComposedFrame, PackageInfo, PhoneState, TouchPhase, WindowInfo
from odyssey_simulator.system.display import Display
from odyssey_simulator.system.dump import node_of
from odyssey_simulator.system.input_methods import InputMethods
from odyssey_simulator.system.keys import press
from odyssey_simulator.system.system_ui import HOME_TASK, SystemUi
from odyssey_simulator.system.text_entry import Clip
from odyssey_simulator.system.windows import NAVIGATION_BAR
from odyssey_simulator.touch_surface import TouchSurface
from odyssey_simulator.ui.geometry import Rect, Size
from odyssey_simulator.ui.node import Node
from odyssey_simulator.ui.view import Action

__all__ = [
    "AppTask",
    "ComposedFrame",
    "Node",
    "PackageInfo",
    "Phone",
    "PhoneState",
    "Rect",
    "Size",
    "TouchPhase",
    "WindowInfo",
]

ErrorKind = Literal["Application Not Responding", "Application Error"]
_MINUTE_S = 60.0
_PASTE_NOTICE_S = 3.5
_WISHES: Mapping[str, Literal["send", "view"]] = {
    "android.intent.action.SEND": "send",
    "android.intent.action.VIEW": "view",
}
_OPENS: Mapping[str, str] = {"android.settings.SETTINGS": "com.android.settings"}
_Result = TypeVar("_Result")


class Phone:
    """A phone with its own thread; every method is thread-safe and blocks until done, except `screen` and `on_frame`.

    Coordinates are pixels of the frame as displayed, in the current rotation. With `animation` off each input leads to
    at most one new frame. The clock of the status bar shows 10:00 unless it is a `running_clock`. Raises
    PhoneStoppedError when not running.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        seed: int = 0,
        animation: bool = True,
        journal: Path | None = None,
        running_clock: bool = False,
    ) -> None:
        self.profile = profile
        self._looper = Looper("simulated-phone")
        self._journal = PhoneJournal(journal) if journal else None
        self._system = SystemUi(Display.of(profile), seed, APPS)
        self._compositor = Compositor(self._looper, animation=animation, journal=self._journal)
        self._running_clock = running_clock
        self._beat_timer: Timer | None = None
        self._notice_timer: Timer | None = None
        self._seen_clip, self._host_clipboard = self._system.entry.clip, ""
        self._touch_surface = TouchSurface(self._looper, self._compositor, lambda: self._system)
        self._compositor.refresh(self._system)

    def start(self) -> None:
        self._looper.start()
        if self._running_clock:
            self._looper.later(_MINUTE_S, self._tick)

    def stop(self) -> None:
        self._looper.stop()
        if self._journal:
            self._journal.close()

    def screen(self) -> ComposedFrame:
        """The newest frame; never blocks."""
        return self._compositor.screen

    def on_frame(self, callback: Action) -> Action:
        """`callback` runs on the phone's thread and must not block. The returned function unsubscribes."""
        return self._compositor.listen(callback)

    # Inputs ----------------------------------------------------------------------------------------------------

    def touch(self, phase: TouchPhase, x: float, y: float, *, pointer: int = 0, moment: Moment | None = None) -> None:
        """Put a finger down, move it, lift it, or cancel it; two fingers at once do nothing.

        `moment` is the time of the event, by default now. With it, only lifting a finger blocks, so that a finger can
        be moved without delays; if the moment is not `is_awaited`, nothing blocks.
        """
        at_once = moment is not None and (phase is not TouchPhase.UP or not moment.is_awaited)
        moment = moment or Moment(time.monotonic_ns())
        finger = "" if pointer == 0 else f" finger {pointer}"
        number = self._note(f"touch {phase.value} {x:g},{y:g}{finger}", moment)
        at_s = moment.t_ns / 1e9

        def touch() -> None:
            self._touch_surface.touch(phase, (x, y), pointer, at_s=at_s, number=number)
            self._keep_beating()
            self._end_notice_later()
            self._share_clip()

        if at_once:
            self._looper.later(0.0, touch)
        else:
            self._looper.call(touch)

    def press_key(self, code: int, *, long_press: bool = False, moment: Moment | None = None) -> None:
        """An Android key code; a long press is the same as a short one here."""
        number = self._note(f"key {code}{' long' if long_press else ''}", moment)
        self._change(lambda: press(self._system, code), cause=number)

    def type_text(self, text: str) -> None:
        """As on a hardware keyboard, into the focused field; a newline is Enter."""
        number = self._note(f"text {text}")
        lines = text.split("\n")
        for index, line in enumerate(lines):
            if line:
                self._change(partial(self._type, line), cause=number)
            if index + 1 < len(lines):
                self._change(lambda: press(self._system, 66), cause=number)

    # State -----------------------------------------------------------------------------------------------------

    def state(self) -> PhoneState:
        return self._looper.call(self._read_state)

    def view_hierarchy(self, *, all_windows: bool = False) -> Node:
        """As `uiautomator dump` sees the front window; with `all_windows` also the keyboard and the bars."""
        return self._looper.call(lambda: self._read_tree(all_windows=all_windows))

    def windows(self) -> Sequence[WindowInfo]:
        """The windows that take touches, the topmost first."""

        def read() -> list[WindowInfo]:
            windows = [window for window in self._compositor.windows if window.opaque]
            front = [window for window in windows if window.is_front][-1]
            kinds = {"InputMethod": "TYPE_INPUT_METHOD", "StatusBar": "TYPE_SYSTEM", NAVIGATION_BAR: "TYPE_SYSTEM"}
            return [
                WindowInfo(
                    window.name, kinds.get(window.name, "TYPE_APPLICATION"), node_of(window), active=window is front
                )
                for window in reversed(windows)
            ]

        return self._looper.call(read)

    def packages(self) -> Sequence[PackageInfo]:
        return self._looper.call(
            lambda: [
                PackageInfo(app.package, app.component, app.label, app.is_system) for app in self._system.apps.values()
            ]
        )

    def tasks(self) -> Sequence[AppTask]:
        def read() -> list[AppTask]:
            system = self._system
            apps = [*system.recent_apps(), system.launcher]
            tasks = [
                AppTask(
                    number=system.tasks.get(app.package, HOME_TASK),
                    package=app.package,
                    activity=app.component,
                    is_home=app is system.launcher,
                    is_visible=app.package == system.package,
                )
                for app in apps
            ]
            return sorted(tasks, key=lambda task: not task.is_visible)

        return self._looper.call(read)

    def get_setting(self, namespace: str, key: str) -> str | None:
        """None if it was never set."""
        return self._looper.call(lambda: self._system.settings.get((namespace, key)))

    def settings(self, namespace: str) -> dict[str, str]:
        return self._looper.call(
            lambda: {key: value for (space, key), value in sorted(self._system.settings.items()) if space == namespace}
        )

    def facts(self) -> dict[str, Any]:
        """What the apps know, by the last part of their package, and the settings by namespace: JSON values."""
        spaces = "system", "secure", "global"

        def read() -> dict[str, Any]:
            return {app.package.rpartition(".")[2]: app.facts() for app in self._system.apps.values()}

        return self._looper.call(read) | {"settings": {space: self.settings(space) for space in spaces}}

    def get_clipboard(self) -> str:
        return self._looper.call(lambda: self._system.entry.clip.text)

    def host_clipboard(self) -> str:
        """What the emulator's host last saw or set: a snapshot does not bring it back."""
        return self._looper.call(lambda: self._host_clipboard)

    # Keyboards -------------------------------------------------------------------------------------------------

    def input_methods(self, *, installed: bool = False) -> list[str]:
        def read() -> list[str]:
            known = self._system.input_methods
            return list(known.installed if installed else known.enabled)

        return self._looper.call(read)

    def with_input_methods(self, use: Callable[[InputMethods], _Result]) -> _Result:
        answers: list[_Result] = []
        self._change(lambda: answers.append(use(self._system.input_methods)))
        return answers[0]

    # The device ------------------------------------------------------------------------------------------------

    def start_activity(self, component_or_package: str, *, action: str = "", data: str = "") -> None:
        """Bring an app to the front; raises LookupError if it does not exist or does not accept the data.

        With the action android.intent.action.VIEW or SEND and `data`, the app (or with an empty name the first that
        accepts it) gets the address or the text. Settings also opens by its action android.settings.SETTINGS.
        """
        self._change(lambda: self._start(component_or_package, action, data))

    def force_stop(self, package: str) -> None:
        """Its data stays. Raises LookupError if there is no such app."""
        self._change(lambda: self._system.end_task(self._system.app(package)))

    def clear_data(self, package: str) -> None:
        """End an app and forget all that it has stored. Raises LookupError if there is no such app."""
        self._change(lambda: self._system.clear_data(self._system.app(package)))

    def end_task(self, number: int) -> None:
        self._change(lambda: self._system.end_numbered_task(number))

    def clear_recents(self) -> None:
        self._change(lambda: self._system.clear_recents())

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        self._change(lambda: self._system.change_setting(namespace, key, value))

    def without_notices(self) -> "Phone":
        """Before the start: Android neither tells of pasting nor offers a stylus."""
        self._system.change_setting("secure", "clipboard_show_access_notifications", "0")
        self._system.change_setting("secure", "stylus_handwriting_enabled", "0")
        return self

    def prepare(self, *, animation: bool) -> None:
        """Before the start: set what preparing a real device, and recording on it, set."""
        self.without_notices()
        self._system.change_setting("global", "stay_on_while_plugged_in", "7")
        self._system.change_setting("global", "hide_error_dialogs", "1")
        for kind in () if animation else ("window_animation", "transition_animation", "animator_duration"):
            self._system.change_setting("global", f"{kind}_scale", "0")

    def delete_setting(self, namespace: str, key: str) -> bool:
        was_set = self.get_setting(namespace, key) is not None
        self._change(lambda: self._system.delete_setting(namespace, key))
        return was_set

    def set_clipboard(self, text: str) -> None:
        """As from the emulator's host."""
        self._change(lambda: setattr(self._system.entry, "clip", Clip(text)))

    def fail_app(self, kind: ErrorKind) -> None:
        """Show Android's dialog about the app in front, which stays until somebody answers it."""
        self._change(lambda: self._system.fail(kind))

    def forbid_screenshots(self, *, forbidden: bool) -> None:
        """Whether all windows but the bars are black on every frame, as with FLAG_SECURE."""
        self._change(lambda: setattr(self._system, "forbids_screenshots", forbidden))

    def limit_text(self, *, pasted: int | None = None, held: int | None = None) -> None:
        """In letters: at most `pasted` of a clipboard (0: fields refuse it), and at most `held` in a field."""

        def limit() -> None:
            self._system.entry.paste_limit, self._system.entry.field_limit = pasted, held

        self._change(limit)

    def own_long_press(self, after_s: float | None = None) -> None:
        """A press is long after that time, whatever the setting says."""
        self._change(lambda: setattr(self._system, "own_long_press_s", after_s))

    def show_recents_apart(self) -> None:
        """As with another launcher as the home app: the recent apps are an activity of their own."""
        self._change(lambda: setattr(self._system, "recents_apart", True))

    def tilt(self, quarters: int = 1) -> None:
        """Turn the device; what Android shows follows only with auto-rotate."""
        self._change(lambda: self._system.tilt(quarters))

    def lock_rotation(self, rotation: int) -> None:
        """Turn what Android shows, as a rotation lock or an app with an orientation of its own does."""
        self.put_setting("system", "accelerometer_rotation", "0")
        self.put_setting("system", "user_rotation", str(rotation))

    def set_rotation(self, rotation: int) -> None:
        """0..3 quarter turns, counted as Android does: of the device, and of what Android shows."""
        self._change(lambda: self._system.turn(rotation))

    def set_posture(self, name: str) -> None:
        """Raises SettingsError for an unknown posture."""
        self._change(lambda: self._system.fold(name))

    def override_size(self, width: int, height: int) -> None:
        """As `wm size WxH` does."""
        self._change(lambda: self._system.show_on(replace(self._system.display, override=Size(width, height))))

    def reset_size(self) -> None:
        self._change(lambda: self._system.show_on(replace(self._system.display, override=None)))

    def override_density(self, dpi: int | None) -> None:
        """As `wm density DPI` does; None resets it to the panel's."""
        self._change(lambda: self._system.show_on(replace(self._system.display, override_density=dpi)))

    def save_snapshot(self) -> object:
        return self._looper.call(self._copy)

    def load_snapshot(self, snapshot: object) -> None:
        """Shows a new frame; raises TypeError for any other object."""
        if not isinstance(snapshot, SystemUi):
            raise TypeError("Not a snapshot of a simulated emulator.")

        def load() -> None:
            self._system = copy.deepcopy(snapshot)
            self._seen_clip = self._system.entry.clip
            self._touch_surface.clear()
            self._compositor.cause = None
            self._compositor.refresh(self._system, force=True)
            self._keep_beating()

        self._looper.call(load)

    # On the looper ---------------------------------------------------------------------------------------------

    def _note(self, text: str, moment: Moment | None = None) -> int | None:
        if self._journal is None:
            return None
        moment = moment or Moment(time.monotonic_ns())
        return self._journal.input(moment, self._compositor.frame_at(moment.t_ns), text)

    def _change(self, act: Action, *, cause: int | None = None) -> None:
        def change() -> None:
            self._compositor.cause = cause
            self._compositor.change(self._system, act)
            self._keep_beating()
            self._end_notice_later()
            self._share_clip()

        self._looper.call(change)

    def _tick(self) -> None:
        self._looper.later(_MINUTE_S, self._tick)
        self._change(self._system.advance_minute)

    def _keep_beating(self) -> None:
        page = self._system.moving_page
        if page is not None and self._beat_timer is None:
            self._beat_timer = self._looper.later(page.beat_s, self._beat)

    def _beat(self) -> None:
        self._beat_timer = None
        page = self._system.moving_page
        if page is not None:
            page.beat()
            self._compositor.advance(self._system)
            self._keep_beating()

    def _share_clip(self) -> None:
        """The guest tells the host of every clip that is set."""
        clip = self._system.entry.clip
        if clip is not self._seen_clip:
            self._seen_clip, self._host_clipboard = clip, clip.text

    def _end_notice_later(self) -> None:
        if self._system.paste_notice and self._notice_timer is None:
            self._notice_timer = self._looper.later(_PASTE_NOTICE_S, self._end_notice)

    def _end_notice(self) -> None:
        self._notice_timer = None
        self._system.entry.pasted_by = ""
        self._compositor.advance(self._system)

    def _copy(self) -> SystemUi:
        self._system.focused_field = None
        snapshot = copy.deepcopy(self._system)
        self._compositor.lay_out(self._system)
        return snapshot

    def _type(self, text: str) -> None:
        self._system.toast_text = ""
        self._system.entry.insert(text)

    def _start(self, name: str, action: str, data: str) -> None:
        system, package = self._system, name.partition("/")[0]
        wish = _WISHES.get(action)
        if wish is None or not data:
            system.open_app(package or _OPENS.get(action, ""))
            return
        intent = Intent(wish, data)
        if package:
            system.deliver(intent, system.app(package))
        else:
            system.open(intent)

    def _read_tree(self, *, all_windows: bool) -> Node:
        windows = self._compositor.windows
        if all_windows:
            nodes = tuple(node_of(window) for window in windows)
            return Node("hierarchy", "", self._compositor.areas.screen, children=nodes)
        front = [window for window in windows if window.is_front]
        return node_of(front[-1])

    def _read_state(self) -> PhoneState:
        system, areas = self._system, self._compositor.areas
        display = system.display
        return PhoneState(
            physical_size=display.physical_size,
            natural_size=display.natural_size,
            size=display.size,
            frame_on_panel=display.frame_on_panel,
            rotation=display.rotation,
            density=display.density,
            posture=display.posture,
            package=system.package,
            has_toast=bool(system.paste_notice or system.toast_text),
            activity=system.activity,
            title=system.focus_title,
            keyboard=None if areas.keyboard.is_empty else areas.keyboard,
            status_bar=areas.status,
            navigation_bar=areas.navigation,
            awake=system.awake,
            frame=self._compositor.screen.number,
            task=system.task,
        )
