"""The complete state of the phone: apps and tasks, the front page, keys, intents, settings."""

import zlib
from dataclasses import replace
from typing import Literal

from PIL import Image

from odyssey_simulator.apps.app import App, Intent, Page
from odyssey_simulator.system.display import Display
from odyssey_simulator.system.input_methods import InputMethods
from odyssey_simulator.system.launcher import Launcher
from odyssey_simulator.system.text_entry import TextEntry
from odyssey_simulator.system.transition import Transition
from odyssey_simulator.ui.controls import TextField
from odyssey_simulator.ui.view import Action, Memory

LONG_PRESS_S = 0.4
HOME_TASK = 1
"""All others are larger and never reused."""

_DEFAULTS = {
    ("global", "window_animation_scale"): "1.0",
    ("global", "transition_animation_scale"): "1.0",
    ("global", "animator_duration_scale"): "1.0",
    ("global", "airplane_mode_on"): "0",
    ("global", "wifi_on"): "1",
    ("global", "bluetooth_on"): "1",
    ("global", "device_provisioned"): "1",
    ("secure", "navigation_mode"): "0",
    ("secure", "show_ime_with_hard_keyboard"): "1",
    ("secure", "ui_night_mode"): "1",
    ("system", "accelerometer_rotation"): "0",
    ("system", "user_rotation"): "0",
    ("system", "screen_brightness"): "128",
    ("system", "screen_off_timeout"): "60000",
    ("system", "font_scale"): "1.0",
}

_RIGHT_TO_LEFT = {"ar", "fa", "he", "iw", "ur"}


class AppThumbnail:
    """Immutable, so that copies of the phone share it."""

    def __init__(self, image: Image.Image) -> None:
        self._image = image
        self._sized = image

    def __deepcopy__(self, memo: dict[int, object]) -> "AppThumbnail":
        return self

    def painted(self, width: int, height: int) -> Image.Image:
        if self._sized.size != (width, height):
            fitted = self._image.resize((width, max(1, self._image.height * width // self._image.width)))
            self._sized = Image.new("RGBA", (width, height), fitted.getpixel((width // 2, fitted.height - 1)))
            self._sized.paste(fitted)
        return self._sized


class SystemUi:
    """Lives on the looper, not thread-safe. A deep copy of it is a snapshot of the phone."""

    def __init__(self, display: Display, seed: int, apps: tuple[type[App], ...]) -> None:
        self.display = display
        self.seed = seed
        self.settings = dict(_DEFAULTS)
        if display.posture is not None:
            self.settings["system", "accelerometer_rotation"] = "1"
        self.awake = True
        self._minutes = 10 * 60
        self.toast_text = ""
        self.recents = False
        self.recents_apart = False
        """Another launcher is the home app, so the recent apps are an activity of their own."""
        self.recents_memory = Memory()
        self.shared: Intent | None = None
        self.share_memory = Memory()
        self.error_dialog = ""
        """Its title, as in `dumpsys window`; empty without one."""
        self.forbids_screenshots = False
        """As with FLAG_SECURE: windows are black on every frame, and as always in the view hierarchy."""
        self.own_long_press_s: float | None = None
        """Replaces the setting."""
        self.transition: Transition | None = None
        self.focused_field: TextField | None = None
        self.entry = TextEntry(self._focused, self._memory, self._front_app, self._offers_stylus)
        self.input_methods = InputMethods(self.settings, self.entry)
        self.launcher = Launcher(self)
        self.apps: dict[str, App] = {self.launcher.package: self.launcher}
        for app in apps:
            self.apps[app.package] = app(self)
        self.launcher.pages.append(self.launcher.first_page())
        self.tasks: dict[str, int] = {}
        """Most recently used last, with their task numbers."""
        self._tasks_begun = HOME_TASK
        self._thumbnails: dict[str, AppThumbnail] = {}
        self._front = self.launcher.package

    # Front window -------------------------------------------------------------------------------------------

    @property
    def front(self) -> App:
        return self.apps[self._front]

    @property
    def page(self) -> Page:
        return self.front.pages[-1]

    @property
    def moving_page(self) -> Page | None:
        return self.page if self.page.beat_s and self.awake and not self.recents else None

    @property
    def package(self) -> str:
        return self.launcher.package if self.recents else self._front

    @property
    def activity(self) -> str:
        if self.recents:
            return "com.android.quickstep.RecentsActivity" if self.recents_apart else self.launcher.component
        return self.front.component if len(self.front.pages) == 1 else f"{self._front}.{self._page_name}"

    @property
    def window_title(self) -> str:
        return f"{self.package}/{self.activity}"

    @property
    def focus_title(self) -> str:
        """Of the window that has the focus: menus have a title of their own, and so have the pop-ups of Compose."""
        if self.error_dialog:
            return self.error_dialog
        overlay = "" if self.recents else self.page.overlay
        if not overlay:
            return self.window_title
        return f"PopupWindow:{zlib.crc32(overlay.encode()):x}" if "menu" in overlay else "Pop-Up Window"

    @property
    def _page_name(self) -> str:
        return type(self.page).__name__.removesuffix("Page").lstrip("_") + "Activity"

    @property
    def clock(self) -> str:
        return f"{self._minutes // 60 % 24}:{self._minutes % 60:02}"

    def advance_minute(self) -> None:
        self._minutes += 1

    @property
    def keyboard_shown(self) -> bool:
        return self.entry.keyboard.shown and self.input_methods.draws

    @property
    def field_has_keyboard(self) -> bool:
        """With a hardware keyboard even while none is drawn."""
        field = self.focused_field
        has_keyboard = self.keyboard_shown or self.display.profile.keyboard
        return has_keyboard and field is not None and not field.read_only and not self.recents

    @property
    def has_taskbar(self) -> bool:
        return self.display.is_large and not self.has_gestures and not self.display.profile.is_android_9

    @property
    def is_right_to_left(self) -> bool:
        """By its first language; only the navigation bar follows."""
        return self.setting("system", "system_locales").partition("-")[0] in _RIGHT_TO_LEFT

    # User actions --------------------------------------------------------------------------------------------------

    @property
    def navigation_presses(self) -> dict[str, Action]:
        return {"Back": self.press_back, "Home": self.press_home, "Overview": self.press_overview}

    def press_home(self) -> None:
        self._leave()
        self.recents = False
        if self._front != self.launcher.package:
            self.transition = Transition.CLOSE
        self._front = self.launcher.package
        self.launcher.go_home()

    def press_back(self) -> None:
        if self.error_dialog:
            return
        if self.entry.stylus_offered:
            self.entry.decline_stylus()
        elif self.entry.toolbar:
            self.entry.toolbar = False
        elif self.keyboard_shown:
            self.entry.hide_keyboard()
        elif self.shared is not None:
            self.end_share()
        elif self.recents:
            self.recents = False
            self.transition = Transition.CLOSE
        else:
            self._back_in_app()

    def _back_in_app(self) -> None:
        page = self.page
        if page.overlay:
            page.show("")
        elif page.on_back():
            return
        elif len(self.front.pages) > 1:
            page.close()
        elif self.front is not self.launcher:
            self.press_home()

    def press_overview(self) -> None:
        if self.recents:
            self.recents = False
            if self._front == self.launcher.package and self.tasks:
                self.open_app(next(reversed(self.tasks)))
            return
        self._leave()
        self.recents = True
        self.recents_memory = Memory()
        self.transition = Transition.CLOSE

    def choose_input_method(self) -> None:
        self.toast("The only keyboard is Gboard")

    def _leave(self) -> None:
        self.entry.blur()
        self.shared = None
        self.toast_text = ""

    # Apps and tasks ----------------------------------------------------------------------------------------------

    def installed(self) -> list[App]:
        shown = [app for app in self.apps.values() if app.in_launcher]
        return sorted(shown, key=lambda app: app.label.lower())

    def open_app(self, package: str) -> None:
        """As it was left; raises LookupError if it is not installed."""
        app = self.app(package)
        if app is self.launcher:
            self.press_home()
            return
        if self._front != package or self.recents:
            self.transition = Transition.OPEN
        self._leave()
        self.recents = False
        if not app.pages:
            app.pages.append(app.first_page())
        if package not in self.tasks:
            self._tasks_begun += 1
        self.tasks[package] = self.tasks.pop(package, self._tasks_begun)
        self._front = package

    def app(self, package: str) -> App:
        """Raises LookupError if it is not installed."""
        try:
            return self.apps[package]
        except KeyError as error:
            raise LookupError(f"No app {package!r} is installed.") from error

    def fail(self, kind: Literal["Application Not Responding", "Application Error"]) -> None:
        """The app in front fails, and Android says so unless the setting `hide_error_dialogs` is on."""
        if self.setting("global", "hide_error_dialogs") != "1":
            self.error_dialog = f"{kind}: {self.package}"

    def end_error_dialog(self) -> None:
        self.error_dialog = ""

    def close_failed_app(self) -> None:
        self.end_task(self.front)
        self.end_error_dialog()

    def recent_apps(self) -> list[App]:
        return [self.apps[package] for package in reversed(self.tasks)]

    def end_task(self, app: App) -> None:
        if app is self.launcher:
            return
        app.pages.clear()
        self._thumbnails.pop(app.package, None)
        self.tasks.pop(app.package, None)
        if self._front == app.package:
            self._front = self.launcher.package
            self._leave()

    def clear_data(self, app: App) -> None:
        """It is as at the first start of the phone."""
        self.end_task(app)
        if app is not self.launcher:
            self.apps[app.package] = type(app)(self)

    @property
    def task(self) -> int:
        return self.tasks.get(self.package, HOME_TASK)

    def end_numbered_task(self, number: int) -> None:
        for app in self.recent_apps():
            if self.tasks[app.package] == number:
                self.end_task(app)

    def clear_recents(self) -> None:
        for app in self.recent_apps():
            self.end_task(app)
        self.recents = False

    def keep_thumbnail(self, package: str, image: Image.Image) -> None:
        self._thumbnails[package] = AppThumbnail(image)

    def thumbnail(self, app: App) -> AppThumbnail:
        return self._thumbnails.get(app.package) or AppThumbnail(Image.new("RGBA", (9, 16), app.color))

    # Intents -----------------------------------------------------------------------------------------------------

    def share(self, text: str, *, subject: str = "") -> None:
        self.page.show("")
        self.entry.blur()
        self.share_memory = Memory()
        self.shared = Intent("send", text, subject)

    def end_share(self) -> None:
        self.shared = None

    def share_targets(self, intent: Intent) -> list[App]:
        return [app for app in self.installed() if intent.action in app.takes]

    def hand_over(self, app: App) -> None:
        if self.shared is not None:
            self.deliver(self.shared, app)

    def deliver(self, intent: Intent, app: App) -> None:
        """Raises LookupError if the app does not accept the intent."""
        if intent.action not in app.takes:
            raise LookupError(f"{app.label} does not take what another app wants to {intent.action}.")
        self.open_app(app.package)
        app.pages.append(app.receive(intent))

    def open(self, intent: Intent) -> None:
        share_targets = self.share_targets(intent)
        if share_targets:
            self.deliver(intent, share_targets[0])
        else:
            self.toast("No app can open this")

    def copy_shared(self) -> None:
        if self.shared is not None:
            self.copy(self.shared.text)
        self.end_share()

    def copy(self, text: str) -> None:
        self.entry.copy_text(text)
        self.toast("Copied")

    def toast(self, text: str) -> None:
        self.toast_text = text

    @property
    def paste_notice(self) -> str:
        """Shown for a while after an app has read the clipboard, unless that is switched off."""
        is_off = self.setting("secure", "clipboard_show_access_notifications") == "0"
        return "" if is_off or not self.entry.pasted_by else f"{self.entry.pasted_by} pasted from your clipboard"

    # Settings ----------------------------------------------------------------------------------------------------

    @property
    def dark(self) -> bool:
        return self.settings.get(("secure", "ui_night_mode")) == "2"

    def setting(self, namespace: str, key: str, fallback: str = "") -> str:
        return self.settings.get((namespace, key), fallback)

    def number_setting(self, namespace: str, key: str, fallback: float) -> float:
        """From 0 to 100; the fallback if the setting is no such number."""
        try:
            value = float(self.setting(namespace, key))
        except ValueError:
            return fallback
        return value if 0 <= value <= 100 else fallback

    @property
    def long_press_s(self) -> float:
        if self.own_long_press_s is not None:
            return self.own_long_press_s
        chosen = self.setting("secure", "long_press_timeout")
        return int(chosen) / 1000 if chosen.isdecimal() else LONG_PRESS_S

    @property
    def has_gestures(self) -> bool:
        return self.settings.get(("secure", "navigation_mode")) == "2"

    def change_setting(self, namespace: str, key: str, value: str) -> None:
        self.settings[namespace, key] = value
        follows = self.settings.get(("system", "accelerometer_rotation")) == "1"
        wanted = str(self.display.held) if follows else self.settings.get(("system", "user_rotation"), "")
        if namespace == "system" and wanted in {"0", "1", "2", "3"}:
            self.show_on(self.display.turned(int(wanted)))

    def delete_setting(self, namespace: str, key: str) -> None:
        self.settings.pop((namespace, key), None)

    def show_on(self, display: Display) -> None:
        if display != self.display:
            self.display = display
            self.entry.reveal = True

    def turn(self, rotation: int) -> None:
        """How a person turns a device whose screen follows."""
        self.show_on(replace(self.display.turned(rotation), held=rotation))
        self.settings["system", "user_rotation"] = str(rotation)

    def tilt(self, quarters: int) -> None:
        """Turn the device itself; Android follows only with auto-rotate."""
        self.display = self.display.tilted(quarters)
        if self.setting("system", "accelerometer_rotation") == "1":
            self.turn(self.display.held)

    def fold(self, posture: str) -> None:
        self.show_on(self.display.in_posture(posture))

    def fact(self, name: str) -> str:
        size = self.display.natural_size
        return {
            "title": self.display.profile.title,
            "model": "sdk_gphone64_x86_64",
            "android": "14",
            "size": f"{size.width} x {size.height}",
            "density": f"{self.display.density} dpi",
        }[name]

    # The focused text field -----------------------------------------------------------------------------------------

    def _memory(self) -> Memory:
        return self.page.memory

    def _front_app(self) -> tuple[str, str]:
        return self._front, self.front.label

    def _offers_stylus(self) -> bool:
        return self.setting("secure", "stylus_handwriting_enabled") != "0"

    def _focused(self) -> TextField | None:
        return self.focused_field
