"""What passive mode needs of a device, what is found instead, and the exact words that mend it."""

import shlex
from dataclasses import dataclass

from odyssey_recorder.device.device import Device
from odyssey_recorder.gesture.getevent import InputNode

_ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_THREE_BUTTONS = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.threebutton"
_GESTURES, _TWO_BUTTONS = "2", "1"
_SYSTEM_KEYS = {"KEY_BACK", "KEY_HOME", "KEY_HOMEPAGE"}


@dataclass(frozen=True, slots=True)
class Readings:
    """What is asked of a device; a setting that was never set is empty."""

    serial: str
    nodes: tuple[InputNode, ...]
    sends_frames: bool
    navigation_mode: str
    animation_scales: tuple[str, str, str]
    keyboard_beside_hardware: str

    @property
    def has_keyboard(self) -> bool:
        """Whether keys of the emulator's window reach the device."""
        return any(node.keys & _SYSTEM_KEYS for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `mend` is empty where all is well; with `prevents` nothing can be recorded.

    `command` is the line for a terminal that `mend` speaks of, empty where it is no matter of a command.
    """

    what: str
    found: str
    mend: str = ""
    prevents: bool = False
    command: str = ""


def take_readings(device: Device) -> Readings:
    """Ask the device; nothing is changed. Raises DeviceError."""
    window, transition, animator = (device.setting("global", name) for name in _ANIMATIONS)
    return Readings(
        serial=device.serial,
        nodes=device.input_nodes(),
        sends_frames=device.sends_frames,
        navigation_mode=device.setting("secure", "navigation_mode"),
        animation_scales=(window, transition, animator),
        keyboard_beside_hardware=device.setting("secure", "show_ime_with_hard_keyboard"),
    )


def findings(readings: Readings) -> tuple[Finding, ...]:
    """What the readings mean for passive mode: each thing once, whether it is well or not."""
    return (
        _touch_screen(readings),
        _keyboard(readings),
        _soft_keyboard(readings),
        _navigation(readings),
        _animations(readings),
        _pictures(readings),
    )


def _touch_screen(readings: Readings) -> Finding:
    screens = [node.name for node in readings.nodes if node.is_touchscreen]
    if not screens:
        mend = "Start the device again; if it stays so, record in mirror mode: its touches cannot be heard."
        return Finding("Touch screen", "no input node tells of fingers", mend, prevents=True)
    more = f" and {len(screens) - 1} more" if len(screens) > 1 else ""
    return Finding("Touch screen", screens[0] + more)


def _keyboard(readings: Readings) -> Finding:
    if readings.has_keyboard:
        return Finding("Keyboard", "keys of the emulator's window are heard")
    mend = (
        "Write hw.keyboard=yes into the config.ini of the virtual device (in Android Studio: Device Manager, Edit, "
        "Additional settings, Enable keyboard input), then start it again with Cold Boot."
    )
    return Finding("Keyboard", "none: the toolbar's keys and typing on your keyboard reach nobody", mend)


def _soft_keyboard(readings: Readings) -> Finding:
    if not readings.has_keyboard or readings.keyboard_beside_hardware == "1":
        return Finding("On-screen keyboard", "comes up for every field")
    command = _adb(readings, "settings put secure show_ime_with_hard_keyboard 1")
    mend = (
        f"Run: {command} (on the device: Settings, System, "
        "Languages & input, Physical keyboard, Use on-screen keyboard)."
    )
    return Finding("On-screen keyboard", "stays away, for there is a hardware keyboard", mend, command=command)


def _navigation(readings: Readings) -> Finding:
    kinds = {_GESTURES: "by gestures", _TWO_BUTTONS: "by two buttons and a gesture"}
    if readings.navigation_mode not in kinds:
        return Finding("Navigation", "by three buttons")
    command = _adb(readings, _THREE_BUTTONS)
    mend = (
        f"HOME, BACK and RECENT are told from swipes, less surely than from buttons. Run: "
        f"{command} (on the device: Settings, System, Gestures, Navigation mode, 3-button)."
    )
    return Finding("Navigation", kinds[readings.navigation_mode], mend, command=command)


def _animations(readings: Readings) -> Finding:
    moving = [name for name, scale in zip(_ANIMATIONS, readings.animation_scales, strict=True) if not _is_off(scale)]
    if not moving:
        return Finding("Animations", "off")
    command = _adb(readings, "; ".join(f"settings put global {name} 0" for name in moving))
    mend = f"Screens take longer to come to rest. Run: {command}"
    return Finding("Animations", "on: " + ", ".join(moving), mend, command=command)


def _pictures(readings: Readings) -> Finding:
    if readings.sends_frames:
        return Finding("Pictures", "by the emulator's control service (gRPC), each time that the screen changes")
    mend = (
        "A step whose picture may be too old will be flagged. Start the emulator from Android Studio, or with "
        "-grpc 8554 -grpc-use-token, to have a picture of every change."
    )
    return Finding("Pictures", "by screencap, one after the other", mend)


def _is_off(scale: str) -> bool:
    """Whether an animation scale is 0; one that was never set is 1."""
    try:
        return float(scale) == 0
    except ValueError:
        return False


def _adb(readings: Readings, line: str) -> str:
    """The command for a person's own terminal that runs `line` on the device."""
    return shlex.join(("adb", "-s", readings.serial, "shell", line))
