"""What recording requires of a device: checks, repairs and preparation."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from subprocess import list2cmdline

from odyssey_recorder.device.device import Device
from odyssey_recorder.device.profile import DeviceProfile, Preparation, profile_of
from odyssey_recorder.device.repair import (
    THREE_BUTTONS,
    EnableOverlay,
    PutSetting,
    Repair,
    ResetScreen,
    SetTimeZone,
    shell_line,
)
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.model.geometry import Size

_ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_NAVIGATION = {
    "three_button": ("0", THREE_BUTTONS),
    "gestural": ("2", EnableOverlay("com.android.internal.systemui.navbar.gestural")),
}
_SYSTEM_KEYS = {"KEY_BACK", "KEY_HOME", "KEY_HOMEPAGE"}
_POINTER = re.compile(r"virtio.*(mouse|tablet)", re.IGNORECASE)
"""The emulator's own mouse: with it, clicks in the emulator's window are no touches."""
_ALL_POWER_SOURCES = 1 | 2 | 4
"""Mains, USB and wireless: the bits of `stay_on_while_plugged_in`. An emulator runs on mains power."""

_MIN_FREE_BYTES = 500 * 1024**2
"""Below this, Android starts to refuse to store data for apps."""


IMAGE_LOCALE = "en-US"
"""The default language of the emulator's system images."""


@dataclass(frozen=True, slots=True)
class PreflightReadings:
    """A setting that was never set is empty; `size` and `density` are what Android lays out for.

    `adb` is the program and the arguments that run adb for the device in a terminal.
    """

    adb: tuple[str, ...]
    size: Size
    panel: Size | None
    density: int
    profile: DeviceProfile | None
    free_bytes: int
    nodes: tuple[InputDeviceNode, ...]
    sends_frames: bool
    follows_finger: bool
    navigation_mode: str
    animation_scales: tuple[str, str, str]
    keyboard_beside_hardware: str
    stays_on: str
    hides_error_dialogs: str
    unmarked_panel: str = ""
    not_allowed: frozenset[str] = frozenset()

    @property
    def has_keyboard(self) -> bool:
        return any(node.keys & _SYSTEM_KEYS for node in self.nodes)


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """`fix` is empty if the check passed; with `prevents` the device cannot be recorded.

    `command` is the terminal command in `fix`. `repairs` do the same through a `Device`; then only `why` is shown.
    """

    what: str
    found: str
    fix: str = ""
    prevents: bool = False
    command: str = ""
    repairs: tuple[Repair, ...] = ()
    why: str = ""


def take_readings(device: Device) -> PreflightReadings:
    window, transition, animator = (device.setting("global", name) for name in _ANIMATIONS)
    properties, panel = device.properties(), device.screen_state().panel
    return PreflightReadings(
        adb=device.adb_command,
        size=properties.size,
        panel=panel,
        density=properties.density,
        profile=profile_of(properties, panel),
        free_bytes=device.free_bytes(),
        nodes=device.input_nodes(),
        sends_frames=device.sends_frames,
        follows_finger=device.follows_finger,
        navigation_mode=device.setting("secure", "navigation_mode"),
        animation_scales=(window, transition, animator),
        keyboard_beside_hardware=device.setting("secure", "show_ime_with_hard_keyboard"),
        stays_on=device.setting("global", "stay_on_while_plugged_in"),
        hides_error_dialogs=device.setting("global", "hide_error_dialogs"),
        unmarked_panel="" if device.sends_frames else device.unmarked_panel(),
        not_allowed=device.not_allowed,
    )


def findings(readings: PreflightReadings) -> tuple[PreflightFinding, ...]:
    return (
        _screen(readings),
        *_panel(readings),
        _touch_screen(readings),
        _keyboard(readings),
        _soft_keyboard(readings),
        _navigation(readings),
        _animations(readings),
        _staying_awake(readings),
        _error_dialogs(readings),
        _free_space(readings),
        _frames(readings),
    )


def terminal_line(command_parts: Sequence[str]) -> str:
    """A command to paste into a terminal of this computer."""
    return list2cmdline(command_parts) if os.name == "nt" else shlex.join(command_parts)


def fix(device: Device, finding: PreflightFinding) -> None:
    for repair in finding.repairs:
        device.repair(repair)


def _screen(readings: PreflightReadings) -> PreflightFinding:
    found, profile = f"{readings.size} at {readings.density} dpi", readings.profile
    if profile is None:
        fix = "This is not one of the dataset's 6 devices. Record on one of those."
        return PreflightFinding("Screen", found, fix)
    if readings.density == profile.density and readings.size in profile.screens:
        return PreflightFinding("Screen", f"{found}, as {profile.name}")
    wanted = f"{profile.name} has {profile.size} at {profile.density} dpi."
    if readings.panel in profile.screens:
        return _repairable(readings, "Screen", found, wanted, ResetScreen())
    return PreflightFinding(
        "Screen", found, f"{wanted} Create the virtual device again from its profile (Devices, Create)."
    )


def _panel(readings: PreflightReadings) -> Iterator[PreflightFinding]:
    if readings.unmarked_panel:
        fix = (
            "Android does not say which of its panels is on. The recorder takes the one that is not black, and looks "
            "again after each fold. Check in the mirror that it is the right one."
        )
        yield PreflightFinding("Panel", f"{readings.unmarked_panel} is recorded", fix)


def _touch_screen(readings: PreflightReadings) -> PreflightFinding:
    screens = [node.name for node in readings.nodes if node.is_touchscreen]
    slotless = [node.name for node in readings.nodes if node.is_slotless]
    if not screens and slotless:
        fix = "Passive mode needs protocol B, which all Android SDK emulators use. Record in mirror mode."
        found = f"{slotless[0]} uses multi-touch protocol A (no ABS_MT_SLOT)"
        return PreflightFinding("Touch screen", found, fix, prevents=True)
    if not screens:
        fix = "Its touches cannot be read. Restart the device. If that does not help, record in mirror mode."
        return PreflightFinding("Touch screen", "no input device reports touches", fix, prevents=True)
    pointer = next((node.name for node in readings.nodes if _POINTER.search(node.name)), "")
    if pointer:
        fix = (
            "Clicks in the emulator's window arrive there and not as touches: passive mode records none of them. "
            "Start the emulator with -feature -VirtioMouse,-VirtioTablet, or record in mirror mode."
        )
        return PreflightFinding("Touch screen", f"the emulator has a mouse ({pointer})", fix)
    more = f" and {len(screens) - 1} more" if len(screens) > 1 else ""
    return PreflightFinding("Touch screen", screens[0] + more)


def _keyboard(readings: PreflightReadings) -> PreflightFinding:
    if readings.has_keyboard:
        return PreflightFinding("Keyboard", "keys of the emulator's window are recorded")
    fix = (
        "Set hw.keyboard=yes in the config.ini of the virtual device (in Android Studio: Device Manager, Edit, "
        "Additional settings, Enable keyboard input), then restart it with a cold boot."
    )
    return PreflightFinding("Keyboard", "missing: the emulator's toolbar and your keyboard have no effect", fix)


def _soft_keyboard(readings: PreflightReadings) -> PreflightFinding:
    if not readings.has_keyboard or readings.keyboard_beside_hardware == "1":
        return PreflightFinding("On-screen keyboard", "opens for every field")
    found, why = "hidden because of a hardware keyboard", "Text would be typed without a visible keyboard."
    manual_way = "Settings, System, Languages & input, Physical keyboard, Use on-screen keyboard"
    repair = PutSetting("secure", "show_ime_with_hard_keyboard", "1")
    return _repairable(readings, "On-screen keyboard", found, why, repair, manual_way=manual_way)


def _navigation(readings: PreflightReadings) -> PreflightFinding:
    kinds = {"2": "by gestures", "1": "by 2 buttons and a gesture"}
    if readings.navigation_mode not in kinds:
        return PreflightFinding("Navigation", "by 3 buttons")
    found, manual_way = kinds[readings.navigation_mode], "Settings, System, Gestures, Navigation mode, 3-button"
    why = "HOME, BACK and RECENT are recognised from swipes, which is less reliable than buttons."
    return _repairable(readings, "Navigation", found, why, THREE_BUTTONS, manual_way=manual_way)


def _animations(readings: PreflightReadings) -> PreflightFinding:
    enabled = [name for name, scale in zip(_ANIMATIONS, readings.animation_scales, strict=True) if not _is_off(scale)]
    if not enabled:
        return PreflightFinding("Animations", "off")
    repairs = [PutSetting("global", name, "0") for name in enabled]
    return _repairable(readings, "Animations", "on", "Screens take longer to settle.", *repairs)


def _staying_awake(readings: PreflightReadings) -> PreflightFinding:
    if readings.stays_on.isdecimal() and int(readings.stays_on) & _ALL_POWER_SOURCES:
        return PreflightFinding("Stay awake", "the screen stays on")
    repair = PutSetting("global", "stay_on_while_plugged_in", str(_ALL_POWER_SOURCES))
    why = "A screen that turns off during a task spoils the recording."
    manual_way = "Settings, System, Developer options, Stay awake"
    return _repairable(readings, "Stay awake", "the screen turns off after a while", why, repair, manual_way=manual_way)


def _error_dialogs(readings: PreflightReadings) -> PreflightFinding:
    if readings.hides_error_dialogs == "1":
        return PreflightFinding("Error dialogs", "hidden")
    why = "On a slow computer Android soon says that an app isn't responding, and covers the app."
    repair = PutSetting("global", "hide_error_dialogs", "1")
    return _repairable(readings, "Error dialogs", "shown over the app", why, repair)


def _free_space(readings: PreflightReadings) -> PreflightFinding:
    found = f"{readings.free_bytes / 1024**3:.1f} GiB left on the device's disk"
    if readings.free_bytes >= _MIN_FREE_BYTES:
        return PreflightFinding("Free space", found)
    fix = "Apps may fail to save data. Remove apps or files on the device, or reset it (Devices, Reset)."
    return PreflightFinding("Free space", found, fix)


def _frames(readings: PreflightReadings) -> PreflightFinding:
    if readings.not_allowed:
        calls = ", ".join(sorted(readings.not_allowed))
        found = f"over gRPC, but without {calls}, which this emulator does not allow"
        return PreflightFinding("Screenshots", found, "adb is used for these. Start it with -grpc-use-token.")
    if readings.sends_frames and not readings.follows_finger:
        fix = (
            "Touches over gRPC may land elsewhere, so each finished gesture is sent over adb. If this device was not "
            "checked in this posture, check it (devices check): then it may follow your finger."
        )
        return PreflightFinding("Screenshots", "over gRPC, but touches go over adb", fix)
    if readings.sends_frames:
        return PreflightFinding("Screenshots", "over gRPC, at each change of the screen")
    fix = (
        "Steps whose screenshot may be too old will be flagged. Start the emulator from Android "
        "Studio, or with -grpc 8554 -grpc-use-token, to get a screenshot at each change."
    )
    return PreflightFinding("Screenshots", "by screencap, one after another", fix)


def _is_off(scale: str) -> bool:
    """A scale that was never set counts as 1."""
    try:
        return float(scale) == 0
    except ValueError:
        return False


def _repairable(
    readings: PreflightReadings, what: str, found: str, why: str, *repairs: Repair, manual_way: str = ""
) -> PreflightFinding:
    lines = "; ".join(shell_line(repair) for repair in repairs)
    command = terminal_line((*readings.adb, "shell", lines))
    fix = f"{why} Run: {command}" + (f" (on the device: {manual_way})." if manual_way else "")
    return PreflightFinding(what, found, fix, command=command, repairs=repairs, why=why)


def prepare(device: Device, preparation: Preparation, *, animations: bool) -> tuple[PreflightFinding, ...]:
    """Returns a finding for each refused step. Raises `DeviceDisconnectedError`."""
    return (
        *_carry_out(device, list(_settings(preparation, animations=animations))),
        *_carry_out(device, _navigation_repairs(device, preparation)),
        *_locale(device, preparation.locale),
    )


def _settings(preparation: Preparation, *, animations: bool) -> Iterator[Repair]:
    yield from (PutSetting("global", name, "1" if animations else "0") for name in _ANIMATIONS)
    yield PutSetting("secure", "show_ime_with_hard_keyboard", "1" if preparation.soft_keyboard else "0")
    yield PutSetting("global", "stay_on_while_plugged_in", str(_ALL_POWER_SOURCES) if preparation.stay_awake else "0")
    yield PutSetting("global", "auto_time_zone", "0")
    yield SetTimeZone(preparation.time_zone)


def _navigation_repairs(device: Device, preparation: Preparation) -> list[Repair]:
    """Empty if the navigation is right already: a change makes the screen flicker."""
    mode, overlay = _NAVIGATION[preparation.navigation]
    return [] if device.setting("secure", "navigation_mode") == mode else [overlay]


def _carry_out(device: Device, repairs: list[Repair]) -> Iterator[PreflightFinding]:
    for repair in repairs:
        try:
            device.repair(repair)
        except DeviceDisconnectedError:
            raise
        except DeviceError as error:
            yield PreflightFinding("Preparation", f"`{shell_line(repair)}` was refused", str(error))


def _locale(device: Device, wanted: str) -> Iterator[PreflightFinding]:
    """The language can be chosen only at the start; if it never was, it is the image's."""
    chosen = device.setting("system", "system_locales") or IMAGE_LOCALE
    if chosen.split(",")[0] != wanted:
        fix = f"On the device, open Settings, System, Languages, and put {wanted} first. Or reset the device."
        yield PreflightFinding("Language", f"{chosen}, not {wanted}", fix)
