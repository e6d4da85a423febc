"""Settings: network, display, notifications of each app, and device information."""

from odyssey_recorder.simulator.apps.app import App, Page
from odyssey_recorder.simulator.apps.moving_pages import ScreenSaverPage, SystemUpdatePage
from odyssey_recorder.simulator.ui.controls import Icon, Progress, Radio, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    app_icon,
    button,
    dialog,
    divider,
    list_item,
    page_frame,
    scroll_page,
    search_box,
    section,
    switch_item,
    text_box,
)

_NETWORKS = ("Seeblick", "Home-5G", "CityLibrary", "Cafe Morgenrot", "FRITZ!Box 7590")
_TIMEOUTS = {"15000": "15 seconds", "30000": "30 seconds", "60000": "1 minute", "300000": "5 minutes"}
_FONT_SCALES = {"0.85": "Small", "1.0": "Default", "1.15": "Large", "1.3": "Largest"}


class Settings(App):
    """Changes the settings that `adb shell settings` reads."""

    label = "Settings"
    package = "com.android.settings"
    icon = "cog"
    color = "#4b6a9b"
    category = "General_Tool"
    is_system = True

    def first_page(self) -> Page:
        return SettingsPage(self)


class _Switches(Page):
    def switch(self, title: str, setting: tuple[str, str], *, subtitle: str = "", icon: str = "") -> View:
        namespace, key = setting
        checked = self.system.setting(namespace, key, "0") == "1"

        def turn() -> None:
            self.system.change_setting(namespace, key, "0" if checked else "1")

        return switch_item(title, subtitle, checked=checked, on_tap=turn, icon=icon)

    def framed(self, *rows: View) -> View:
        return page_frame(app_bar(self.title, on_up=self.close), scroll_page(*rows, pad=(0, 0, 0, 24)))


class SettingsPage(Page):
    title = "Settings"
    query = ""

    def build(self, look: Look) -> View:
        wifi = "Seeblick" if self.system.setting("global", "wifi_on") == "1" else "Off"
        dark = "Dark theme on" if self.system.dark else "Dark theme off"
        topics: tuple[tuple[str, str, str, type[Page]], ...] = (
            ("wifi", "Network & internet", f"Wi-Fi: {wifi}, mobile, hotspot", NetworkPage),
            ("bluetooth", "Connected devices", "Bluetooth, pairing", ConnectedPage),
            ("bell-outline", "Notifications", "Notifications of each app", NotificationsPage),
            ("brightness-6", "Display", f"{dark}, font size, screen timeout", DisplayPage),
            ("battery-80", "Battery", "80 %, about 2 days left", BatteryPage),
            ("harddisk", "Storage", "41 % used, 75 GB free", StoragePage),
            ("volume-high", "Sound & vibration", "Ringtone, vibration, touch sounds", SoundPage),
            ("map-marker-outline", "Location", "Which apps may know where you are", LocationPage),
            ("human", "Accessibility", "Captions, contrast, motion", AccessibilityPage),
            ("cog-outline", "System", "Languages, date and time, backup", SystemPage),
            ("cellphone", "About phone", self.system.fact("title"), AboutPage),
        )
        wanted = self.query.lower()
        rows = [
            list_item(title, subtitle, icon=icon, on_tap=self._opens(page), lines=1)
            for icon, title, subtitle, page in topics
            if wanted in f"{title} {subtitle}".lower()
        ]
        field = TextField("search", self.query, self.sets("query"), hint="Search settings", action="search")
        body = scroll_page(
            Surface(Text("Settings", 32), pad=(16, 28, 16, 14)),
            Surface(search_box(field), pad=(16, 0, 16, 12)),
            *(rows or [list_item("Nothing found", "Try another word", icon="magnify")]),
            pad=(0, 0, 0, 16),
        )
        return Surface(body)

    def _opens(self, page: type[Page]) -> Action:
        return lambda: self.go(page(self.app))


class NetworkPage(_Switches):
    title = "Network & internet"
    name = ""
    password = ""

    def build(self, look: Look) -> View:
        rows = [
            self.switch("Wi-Fi", ("global", "wifi_on"), icon="wifi"),
            self.switch("Airplane mode", ("global", "airplane_mode_on"), icon="airplane"),
            self.switch("Mobile data", ("global", "mobile_data"), icon="swap-vertical"),
            self.switch("Hotspot", ("global", "tether_on"), subtitle="Share this connection", icon="access-point"),
            self.switch("Data saver", ("global", "data_saver"), icon="leaf"),
        ]
        if self.system.setting("global", "wifi_on") == "1":
            joined = self.system.setting("global", "wifi_network", _NETWORKS[0])
            rows += [divider(), section("Networks nearby")]
            rows += [self._network(name) for name in dict.fromkeys((*_NETWORKS, joined))]
            rows.append(list_item("Add network", icon="plus", on_tap=self._begin_adding))
        return self.framed(*rows)

    def build_overlay(self, look: Look) -> View | None:
        name = TextField(
            "network",
            self.name,
            self.sets("name"),
            hint="Network name",
            action="next",
            on_action=lambda: self.focus("password"),
        )
        secret = TextField(
            "password", self.password, self.sets("password"), hint="Password", password=True, on_action=self._join
        )
        buttons = (button("Cancel", self.shows(""), kind="text"), button("Save", self._join, kind="text"))
        return dialog(
            "Add network", text_box(name, color="surface"), text_box(secret, color="surface"), buttons=buttons
        )

    def _begin_adding(self) -> None:
        self.name = self.password = ""
        self.show("add")
        self.focus("network")

    def _join(self) -> None:
        self.show("")
        if self.name:
            self.system.change_setting("global", "wifi_network", self.name)

    def _network(self, name: str) -> View:
        joined = self.system.setting("global", "wifi_network", _NETWORKS[0]) == name

        def join() -> None:
            self.system.change_setting("global", "wifi_network", name)

        return list_item(name, "Connected" if joined else "Saved", icon="wifi-lock", on_tap=join)


class ConnectedPage(_Switches):
    title = "Connected devices"

    def build(self, look: Look) -> View:
        rows = [self.switch("Bluetooth", ("global", "bluetooth_on"), icon="bluetooth")]
        if self.system.setting("global", "bluetooth_on") == "1":
            rows += [
                section("Known devices"),
                list_item("Kitchen speaker", "Not connected", icon="speaker"),
                list_item("Buds of Jonas", "Connected, 80 %", icon="headphones"),
            ]
        rows.append(self.switch("NFC", ("global", "nfc_on"), icon="nfc"))
        return self.framed(*rows)


class NotificationsPage(_Switches):
    title = "Notifications"

    def build(self, look: Look) -> View:
        rows = [
            self.switch("Do not disturb", ("global", "zen_mode"), icon="minus-circle-outline"),
            self.switch("Notification dots", ("secure", "notification_badging"), icon="circle-medium"),
            divider(),
            section("App notifications"),
        ]
        return self.framed(*rows, *(self._app(app) for app in self.system.installed()))

    def _app(self, app: App) -> View:
        key = f"notify_{app.package}"
        checked = self.system.setting("secure", key, "1") == "1"

        def turn() -> None:
            self.system.change_setting("secure", key, "0" if checked else "1")

        lead = app_icon(app.icon, app.color, 40)
        return switch_item(app.label, "On" if checked else "Off", checked=checked, on_tap=turn, lead=lead)


class DisplayPage(_Switches):
    title = "Display"

    def build(self, look: Look) -> View:
        dark = self.system.dark
        timeout = _TIMEOUTS.get(self.system.setting("system", "screen_off_timeout"), "1 minute")
        return self.framed(
            section("Brightness"),
            self.switch("Adaptive brightness", ("system", "screen_brightness_mode"), icon="brightness-auto"),
            section("Appearance"),
            switch_item(
                "Dark theme",
                "On" if dark else "Off",
                checked=dark,
                on_tap=lambda: self.system.change_setting("secure", "ui_night_mode", "1" if self.system.dark else "2"),
                icon="weather-night",
            ),
            list_item("Font size", self._font(), icon="format-size", on_tap=self.shows("font")),
            section("Other display controls"),
            list_item("Screen timeout", timeout, icon="timer-outline", on_tap=self.shows("timeout")),
            self.switch("Auto-rotate screen", ("system", "accelerometer_rotation"), icon="screen-rotation"),
            self.switch("Night light", ("secure", "night_display_activated"), icon="lightbulb-night-outline"),
            list_item(
                "Screen saver",
                "Clock",
                icon="television-ambient-light",
                on_tap=lambda: self.go(ScreenSaverPage(self.app)),
            ),
        )

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "timeout":
            return self._choice("Screen timeout", "screen_off_timeout", _TIMEOUTS)
        return self._choice("Font size", "font_scale", _FONT_SCALES)

    def _font(self) -> str:
        return _FONT_SCALES.get(self.system.setting("system", "font_scale"), "Default")

    def _choice(self, title: str, key: str, choices: dict[str, str]) -> View:
        present = self.system.setting("system", key)

        def choose(value: str) -> Action:
            def take() -> None:
                self.system.change_setting("system", key, value)
                self.show("")

            return take

        rows = [
            list_item(label, lead=Radio(checked=value == present), on_tap=choose(value))
            for value, label in choices.items()
        ]
        return dialog(title, *rows, buttons=(button("Cancel", self.shows(""), kind="text"),), gap=0)


class SoundPage(_Switches):
    title = "Sound & vibration"

    def build(self, look: Look) -> View:
        return self.framed(
            self.switch("Vibrate when ringing", ("system", "vibrate_when_ringing"), icon="vibrate"),
            self.switch("Touch sounds", ("system", "sound_effects_enabled"), icon="gesture-tap"),
            self.switch("Screen locking sound", ("system", "lockscreen_sounds_enabled"), icon="lock-outline"),
            self.switch("Charging sounds", ("secure", "charging_sounds_enabled"), icon="battery-charging"),
            list_item("Phone ringtone", "Blossom", icon="music-note"),
            list_item("Default alarm sound", "Fresh start", icon="alarm"),
        )


class LocationPage(_Switches):
    title = "Location"

    def build(self, look: Look) -> View:
        return self.framed(
            self.switch("Use location", ("secure", "location_mode"), icon="map-marker-outline"),
            self.switch("Wi-Fi scanning", ("global", "wifi_scan_always_enabled"), icon="wifi"),
            self.switch("Bluetooth scanning", ("global", "ble_scan_always_enabled"), icon="bluetooth"),
        )


class BatteryPage(_Switches):
    title = "Battery"

    def build(self, look: Look) -> View:
        gauge = Column((Text("80 %", 44, 300), Progress(0.8, 8)), gap=10, pad=(16, 8, 16, 20))
        return self.framed(
            gauge,
            self.switch("Battery Saver", ("global", "low_power"), icon="battery-heart-variant"),
            self.switch("Adaptive Battery", ("global", "adaptive_battery_management_enabled"), icon="battery-sync"),
            self.switch("Battery percentage", ("system", "status_bar_show_battery_percent"), icon="percent"),
        )


class StoragePage(_Switches):
    title = "Storage"

    def build(self, look: Look) -> View:
        used = Column((Text("53 GB used", 28), Text("128 GB total"), Progress(0.41, 8)), gap=8, pad=(16, 8, 16, 20))
        parts = (("Apps", 22), ("System", 14), ("Images", 9), ("Videos", 5), ("Audio", 3))
        rows = [
            list_item(name, lead=Icon("folder-outline"), trail=Text(f"{size} GB", color="on_surface_variant"))
            for name, size in parts
        ]
        return self.framed(used, *rows)


class AccessibilityPage(_Switches):
    title = "Accessibility"

    def build(self, look: Look) -> View:
        return self.framed(
            section("Display"),
            self.switch("Bold text", ("secure", "font_weight_adjustment"), icon="format-bold"),
            self.switch("High contrast text", ("secure", "high_text_contrast_enabled"), icon="contrast-circle"),
            self.switch("Remove animations", ("secure", "reduce_motion"), icon="motion-pause-outline"),
            section("Audio"),
            self.switch("Live caption", ("secure", "odi_captions_enabled"), icon="closed-caption-outline"),
            self.switch("Mono audio", ("system", "master_mono"), icon="headphones"),
        )


class SystemPage(_Switches):
    title = "System"

    def build(self, look: Look) -> View:
        return self.framed(
            list_item("Languages", "English (United States)", icon="translate"),
            self.switch("Set time automatically", ("global", "auto_time"), icon="clock-outline"),
            self.switch("Use 24-hour format", ("system", "time_12_24"), icon="hours-24"),
            self.switch("Backup", ("secure", "backup_enabled"), icon="cloud-upload-outline"),
            self.switch("Developer options", ("global", "development_settings_enabled"), icon="code-braces"),
            list_item(
                "System update",
                "Check for update",
                icon="cellphone-arrow-down",
                on_tap=lambda: self.go(SystemUpdatePage(self.app)),
            ),
        )


class AboutPage(_Switches):
    title = "About phone"

    def build(self, look: Look) -> View:
        fact = self.system.fact
        build_number = "AOSP.simulated.1"
        return self.framed(
            list_item("Device name", fact("title"), icon="cellphone"),
            list_item("Model", fact("model"), icon="information-outline"),
            list_item("Android version", fact("android"), icon="android"),
            list_item("Screen", f"{fact('size')} pixels, {fact('density')}", icon="aspect-ratio"),
            list_item(
                "Build number", build_number, icon="wrench-outline", on_tap=lambda: self.system.copy(build_number)
            ),
            list_item("Battery", "80 %", icon="battery-80"),
            list_item("This phone is simulated", "Nothing here leaves the computer it runs on.", icon="laptop"),
        )
