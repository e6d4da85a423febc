"""Settings: network, display, notifications of each app, and device information."""

from functools import partial

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.apps.moving_pages import ScreenSaverPage, SystemUpdatePage
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Progress, Text
from odyssey_simulator.ui.layout import Surface, column
from odyssey_simulator.ui.view import Action, Look, View

_NETWORKS = ("Seeblick", "Home-5G", "CityLibrary", "Cafe Morgenrot", "FRITZ!Box 7590")
_JOINED = ("global", "wifi_network")
_CHOICES = {
    "Screen timeout": (
        "screen_off_timeout",
        {"15000": "15 seconds", "30000": "30 seconds", "60000": "1 minute", "300000": "5 minutes"},
    ),
    "Font size": ("font_scale", {"0.85": "Small", "1.0": "Default", "1.15": "Large", "1.3": "Largest"}),
}
"""The key of a system setting, and its values with their names."""


class SettingsApp(App):
    """Changes the settings that `adb shell settings` reads."""

    label = "Settings"
    package = "com.android.settings"
    icon = "cog"
    color = "#4b6a9b"
    category = "General_Tool"
    is_system = True

    def first_page(self) -> Page:
        return SettingsPage(self)


class TopicPage(Page):
    title = ""

    def build(self, look: Look) -> View:
        return ui.page_frame(ui.app_bar(self.title, on_up=self.close), ui.scroll_page(*self.rows(), pad=(0, 0, 0, 24)))

    def rows(self) -> list[View]:
        raise NotImplementedError

    def is_on(self, namespace: str, key: str) -> bool:
        return self.system.setting(namespace, key) == "1"

    def switch(self, icon: str, title: str, namespace: str, key: str, *, subtitle: str = "") -> View:
        checked = self.is_on(namespace, key)
        turn = partial(self.system.change_setting, namespace, key, "0" if checked else "1")
        return ui.switch_item(title, subtitle, checked=checked, on_tap=turn, icon=icon)


class SettingsPage(Page):
    def build(self, look: Look) -> View:
        wifi = "Seeblick" if self.system.setting("global", "wifi_on") == "1" else "Off"
        dark = "Dark theme on" if self.system.dark else "Dark theme off"
        topics: tuple[tuple[str, str, type[TopicPage]], ...] = (
            ("wifi", f"Wi-Fi: {wifi}, mobile, hotspot", NetworkPage),
            ("bluetooth", "Bluetooth, pairing", ConnectedPage),
            ("bell-outline", "Notifications of each app", NotificationsPage),
            ("brightness-6", f"{dark}, font size, screen timeout", DisplayPage),
            ("battery-80", "80 %, about 2 days left", BatteryPage),
            ("harddisk", "41 % used, 75 GB free", StoragePage),
            ("volume-high", "Ringtone, vibration, touch sounds", SoundPage),
            ("map-marker-outline", "Which apps may know where you are", LocationPage),
            ("human", "Captions, contrast, motion", AccessibilityPage),
            ("cog-outline", "Languages, date and time, backup", SystemPage),
            ("cellphone", self.system.fact("title"), AboutPage),
        )
        query = self.query.lower()
        rows = [
            ui.list_item(page.title, subtitle, icon=icon, on_tap=self._opens(page), lines=1)
            for icon, subtitle, page in topics
            if query in f"{page.title} {subtitle}".lower()
        ]
        body = ui.scroll_page(
            Surface(Text("Settings", 32), pad=(16, 28, 16, 14)),
            Surface(ui.search_box(self.search_field("Search settings")), pad=(16, 0, 16, 12)),
            *(rows or [ui.list_item("Nothing found", "Try another word", icon="magnify")]),
            pad=(0, 0, 0, 16),
        )
        return Surface(body)

    def _opens(self, page: type[Page]) -> Action:
        return lambda: self.go(page(self.app))


class NetworkPage(TopicPage):
    title = "Network & internet"
    network = ""
    password = ""

    def rows(self) -> list[View]:
        rows = [
            self.switch("wifi", "Wi-Fi", "global", "wifi_on"),
            self.switch("airplane", "Airplane mode", "global", "airplane_mode_on"),
            self.switch("swap-vertical", "Mobile data", "global", "mobile_data"),
            self.switch("access-point", "Hotspot", "global", "tether_on", subtitle="Share this connection"),
            self.switch("leaf", "Data saver", "global", "data_saver"),
        ]
        if self.is_on("global", "wifi_on"):
            rows += [Divider(), ui.section("Networks nearby")]
            rows += [self._network(name) for name in dict.fromkeys((*_NETWORKS, self._joined))]
            rows.append(ui.list_item("Add network", icon="plus", on_tap=self._begin_adding))
        return rows

    def build_overlay(self, look: Look) -> View | None:
        name = self.field("network", "Network name", then="password")
        secret = self.field("password", "Password", password=True, on_action=self._join)
        return self.form("Add network", name, secret, label="Save", act=self._join)

    @property
    def _joined(self) -> str:
        return self.system.setting(*_JOINED, _NETWORKS[0])

    def _begin_adding(self) -> None:
        self.network = self.password = ""
        self.show("add")
        self.focus("network")

    def _join(self) -> None:
        self.show("")
        if self.network:
            self.system.change_setting(*_JOINED, self.network)

    def _network(self, name: str) -> View:
        state = "Connected" if name == self._joined else "Saved"
        return ui.list_item(name, state, icon="wifi-lock", on_tap=partial(self.system.change_setting, *_JOINED, name))


class ConnectedPage(TopicPage):
    title = "Connected devices"

    def rows(self) -> list[View]:
        known = [
            ui.section("Known devices"),
            ui.list_item("Kitchen speaker", "Not connected", icon="speaker"),
            ui.list_item("Buds of Jonas", "Connected, 80 %", icon="headphones"),
        ]
        return [
            self.switch("bluetooth", "Bluetooth", "global", "bluetooth_on"),
            *(known if self.is_on("global", "bluetooth_on") else ()),
            self.switch("nfc", "NFC", "global", "nfc_on"),
        ]


class NotificationsPage(TopicPage):
    title = "Notifications"

    def rows(self) -> list[View]:
        return [
            self.switch("minus-circle-outline", "Do not disturb", "global", "zen_mode"),
            self.switch("circle-medium", "Notification dots", "secure", "notification_badging"),
            Divider(),
            ui.section("App notifications"),
            *map(self._app, self.system.installed()),
        ]

    def _app(self, app: App) -> View:
        key = f"notify_{app.package}"
        checked = self.system.setting("secure", key, "1") == "1"
        turn = partial(self.system.change_setting, "secure", key, "0" if checked else "1")
        lead = ui.app_icon(app.icon, app.color, 40)
        return ui.switch_item(app.label, "On" if checked else "Off", checked=checked, on_tap=turn, lead=lead)


class DisplayPage(TopicPage):
    title = "Display"

    def rows(self) -> list[View]:
        dark = self.system.dark
        turn = partial(self.system.change_setting, "secure", "ui_night_mode", "1" if dark else "2")
        saver = partial(self.go, ScreenSaverPage(self.app))
        return [
            ui.section("Brightness"),
            self.switch("brightness-auto", "Adaptive brightness", "system", "screen_brightness_mode"),
            ui.section("Appearance"),
            ui.switch_item("Dark theme", "On" if dark else "Off", checked=dark, on_tap=turn, icon="weather-night"),
            self._choice("format-size", "Font size", "Default"),
            ui.section("Other display controls"),
            self._choice("timer-outline", "Screen timeout", "1 minute"),
            self.switch("screen-rotation", "Auto-rotate screen", "system", "accelerometer_rotation"),
            self.switch("lightbulb-night-outline", "Night light", "secure", "night_display_activated"),
            ui.list_item("Screen saver", "Clock", icon="television-ambient-light", on_tap=saver),
        ]

    def _choice(self, icon: str, title: str, fallback: str) -> View:
        key, choices = _CHOICES[title]
        present = choices.get(self.system.setting("system", key), fallback)
        return ui.list_item(title, present, icon=icon, on_tap=self.shows(title))

    def build_overlay(self, look: Look) -> View | None:
        key, choices = _CHOICES[self.overlay]
        rows = [
            ui.radio_item(
                label,
                checked=value == self.system.setting("system", key),
                on_tap=self.closing(partial(self.system.change_setting, "system", key, value)),
            )
            for value, label in choices.items()
        ]
        return ui.dialog(self.overlay, *rows, buttons=(ui.button("Cancel", self.shows(""), kind="text"),), gap=0)


class SoundPage(TopicPage):
    title = "Sound & vibration"

    def rows(self) -> list[View]:
        return [
            self.switch("vibrate", "Vibrate when ringing", "system", "vibrate_when_ringing"),
            self.switch("gesture-tap", "Touch sounds", "system", "sound_effects_enabled"),
            self.switch("lock-outline", "Screen locking sound", "system", "lockscreen_sounds_enabled"),
            self.switch("battery-charging", "Charging sounds", "secure", "charging_sounds_enabled"),
            ui.list_item("Phone ringtone", "Blossom", icon="music-note"),
            ui.list_item("Default alarm sound", "Fresh start", icon="alarm"),
        ]


class LocationPage(TopicPage):
    title = "Location"

    def rows(self) -> list[View]:
        return [
            self.switch("map-marker-outline", "Use location", "secure", "location_mode"),
            self.switch("wifi", "Wi-Fi scanning", "global", "wifi_scan_always_enabled"),
            self.switch("bluetooth", "Bluetooth scanning", "global", "ble_scan_always_enabled"),
        ]


class BatteryPage(TopicPage):
    title = "Battery"

    def rows(self) -> list[View]:
        return [
            column(Text("80 %", 44, 300), Progress(0.8, 8), gap=10, pad=(16, 8, 16, 20)),
            self.switch("battery-heart-variant", "Battery Saver", "global", "low_power"),
            self.switch("battery-sync", "Adaptive Battery", "global", "adaptive_battery_management_enabled"),
            self.switch("percent", "Battery percentage", "system", "status_bar_show_battery_percent"),
        ]


class StoragePage(TopicPage):
    title = "Storage"

    def rows(self) -> list[View]:
        used = (Text("53 GB used", 28), Text("128 GB total"), Progress(0.41, 8))
        parts = (("Apps", 22), ("System", 14), ("Images", 9), ("Videos", 5), ("Audio", 3))
        rows = [ui.list_item(name, icon="folder-outline", trail=ui.muted(f"{size} GB")) for name, size in parts]
        return [column(*used, gap=8, pad=(16, 8, 16, 20)), *rows]


class AccessibilityPage(TopicPage):
    title = "Accessibility"

    def rows(self) -> list[View]:
        return [
            ui.section("Display"),
            self.switch("format-bold", "Bold text", "secure", "font_weight_adjustment"),
            self.switch("contrast-circle", "High contrast text", "secure", "high_text_contrast_enabled"),
            self.switch("motion-pause-outline", "Remove animations", "secure", "reduce_motion"),
            ui.section("Audio"),
            self.switch("closed-caption-outline", "Live caption", "secure", "odi_captions_enabled"),
            self.switch("headphones", "Mono audio", "system", "master_mono"),
        ]


class SystemPage(TopicPage):
    title = "System"

    def rows(self) -> list[View]:
        update = partial(self.go, SystemUpdatePage(self.app))
        return [
            ui.list_item("Languages", "English (United States)", icon="translate"),
            self.switch("clock-outline", "Set time automatically", "global", "auto_time"),
            self.switch("hours-24", "Use 24-hour format", "system", "time_12_24"),
            self.switch("cloud-upload-outline", "Backup", "secure", "backup_enabled"),
            self.switch("code-braces", "Developer options", "global", "development_settings_enabled"),
            ui.list_item("System update", "Check for update", icon="cellphone-arrow-down", on_tap=update),
        ]


class AboutPage(TopicPage):
    title = "About phone"

    def rows(self) -> list[View]:
        fact, build = self.system.fact, "AOSP.simulated.1"
        return [
            ui.list_item("Device name", fact("title"), icon="cellphone"),
            ui.list_item("Model", fact("model"), icon="information-outline"),
            ui.list_item("Android version", fact("android"), icon="android"),
            ui.list_item("Screen", f"{fact('size')} pixels, {fact('density')}", icon="aspect-ratio"),
            ui.list_item("Build number", build, icon="wrench-outline", on_tap=partial(self.system.copy, build)),
            ui.list_item("Battery", "80 %", icon="battery-80"),
            ui.list_item("This phone is simulated", "Nothing here leaves the computer it runs on.", icon="laptop"),
        ]
