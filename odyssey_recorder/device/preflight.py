"""What recording needs of a device, what is found instead, and what mends it: words, a command, a repair."""

import shlex
from dataclasses import dataclass

from odyssey_recorder.device.device import Device, DeviceSetup
from odyssey_recorder.device.profile import DeviceProfile, profile_of
from odyssey_recorder.device.repair import THREE_BUTTONS, PutSetting, Repair, ResetScreen, shell_line
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.model.geometry import Size

_ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_GESTURES, _TWO_BUTTONS = "2", "1"
_SYSTEM_KEYS = {"KEY_BACK", "KEY_HOME", "KEY_HOMEPAGE"}
_EVERY_PLUG = 1 | 2 | 4
"""Mains, USB and wireless: what `stay_on_while_plugged_in` counts together. An emulator hangs on the mains."""

_LITTLE_ROOM_BYTES = 500 * 1024**2
"""Below this Android begins to refuse what apps want to store."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What is asked of a device; a setting that was never set is empty.

    `size`, `panel` and `density` are what the system lays out for, and what the screen itself has; `profile` is the one
    that the device should be like, None where it is like none.
    """

    serial: str
    size: Size
    panel: Size | None
    density: int
    profile: DeviceProfile | None
    free_bytes: int
    nodes: tuple[InputDeviceNode, ...]
    sends_frames: bool
    navigation_mode: str
    animation_scales: tuple[str, str, str]
    keyboard_beside_hardware: str
    stays_on: str

    @property
    def has_keyboard(self) -> bool:
        """Whether keys of the emulator's window reach the device."""
        return any(node.keys & _SYSTEM_KEYS for node in self.nodes)


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """One thing that was looked at. `mend` is empty where all is well; with `prevents` nothing can be recorded.

    `command` is the line for a terminal that `mend` speaks of, empty where it is no matter of a command; `repairs` do
    the same through a `Device`, none where only a person can, and `why` is then all that is left to say.
    """

    what: str
    found: str
    mend: str = ""
    prevents: bool = False
    command: str = ""
    repairs: tuple[Repair, ...] = ()
    why: str = ""


def take_readings(device: Device) -> Readings:
    """Ask the device; nothing is changed. Raises DeviceError."""
    window, transition, animator = (device.setting("global", name) for name in _ANIMATIONS)
    properties, panel = device.properties(), device.screen_state().panel
    return Readings(
        serial=device.serial,
        size=properties.size,
        panel=panel,
        density=properties.density,
        profile=profile_of(properties, panel),
        free_bytes=device.free_bytes(),
        nodes=device.input_nodes(),
        sends_frames=device.sends_frames,
        navigation_mode=device.setting("secure", "navigation_mode"),
        animation_scales=(window, transition, animator),
        keyboard_beside_hardware=device.setting("secure", "show_ime_with_hard_keyboard"),
        stays_on=device.setting("global", "stay_on_while_plugged_in"),
    )


def findings(readings: Readings) -> tuple[PreflightFinding, ...]:
    """What the readings mean for a recording: each thing once, whether it is well or not."""
    return (
        _screen(readings),
        _touch_screen(readings),
        _keyboard(readings),
        _soft_keyboard(readings),
        _navigation(readings),
        _animations(readings),
        _staying_awake(readings),
        _room(readings),
        _pictures(readings),
    )


def mend(device: DeviceSetup, finding: PreflightFinding) -> None:
    """Carry out all repairs of a finding. Raises DeviceError."""
    for repair in finding.repairs:
        device.repair(repair)


def _screen(readings: Readings) -> PreflightFinding:
    found, profile = f"{readings.size} at {readings.density} dpi", readings.profile
    if profile is None:
        mend = "None of the six devices of the dataset is like this: record on one of them."
        return PreflightFinding("Screen", found, mend)
    if readings.density == profile.density and readings.size in _sizes(profile):
        return PreflightFinding("Screen", f"{found}, as {profile.name}")
    wanted = f"{profile.name} has {profile.size} at {profile.density} dpi."
    if readings.panel in _sizes(profile):
        return _repairable(readings, "Screen", found, wanted, ResetScreen())
    return PreflightFinding("Screen", found, f"{wanted} Make the virtual device anew by its profile (Devices, Create).")


def _sizes(profile: DeviceProfile) -> tuple[Size, ...]:
    """The screens of a device: a foldable has another one outside."""
    outer = (Size(profile.fold.outer_width, profile.fold.outer_height),) if profile.fold else ()
    return (profile.size, *outer)


def _touch_screen(readings: Readings) -> PreflightFinding:
    screens = [node.name for node in readings.nodes if node.is_touchscreen]
    slotless = [node.name for node in readings.nodes if node.is_slotless]
    if not screens and slotless:
        mend = "Passive mode needs protocol B, which all emulators of Android's SDK speak. Record in mirror mode."
        found = f"{slotless[0]} speaks multi-touch protocol A (no ABS_MT_SLOT)"
        return PreflightFinding("Touch screen", found, mend, prevents=True)
    if not screens:
        mend = "Start the device again; if it stays so, record in mirror mode: its touches cannot be heard."
        return PreflightFinding("Touch screen", "no input node tells of fingers", mend, prevents=True)
    more = f" and {len(screens) - 1} more" if len(screens) > 1 else ""
    return PreflightFinding("Touch screen", screens[0] + more)


def _keyboard(readings: Readings) -> PreflightFinding:
    if readings.has_keyboard:
        return PreflightFinding("Keyboard", "keys of the emulator's window are heard")
    mend = (
        "Write hw.keyboard=yes into the config.ini of the virtual device (in Android Studio: Device Manager, Edit, "
        "Additional settings, Enable keyboard input), then start it again with Cold Boot."
    )
    return PreflightFinding("Keyboard", "none: the toolbar's keys and typing on your keyboard reach nobody", mend)


def _soft_keyboard(readings: Readings) -> PreflightFinding:
    if not readings.has_keyboard or readings.keyboard_beside_hardware == "1":
        return PreflightFinding("On-screen keyboard", "comes up for every field")
    found = "stays away, for there is a hardware keyboard"
    by_hand = "Settings, System, Languages & input, Physical keyboard, Use on-screen keyboard"
    repair = PutSetting("secure", "show_ime_with_hard_keyboard", "1")
    return _repairable(readings, "On-screen keyboard", found, "Fields would take text unseen.", repair, by_hand=by_hand)


def _navigation(readings: Readings) -> PreflightFinding:
    kinds = {_GESTURES: "by gestures", _TWO_BUTTONS: "by two buttons and a gesture"}
    if readings.navigation_mode not in kinds:
        return PreflightFinding("Navigation", "by three buttons")
    found, by_hand = kinds[readings.navigation_mode], "Settings, System, Gestures, Navigation mode, 3-button"
    why = "HOME, BACK and RECENT are told from swipes, less surely than from buttons."
    return _repairable(readings, "Navigation", found, why, THREE_BUTTONS, by_hand=by_hand)


def _animations(readings: Readings) -> PreflightFinding:
    moving = [name for name, scale in zip(_ANIMATIONS, readings.animation_scales, strict=True) if not _is_off(scale)]
    if not moving:
        return PreflightFinding("Animations", "off")
    repairs = [PutSetting("global", name, "0") for name in moving]
    return _repairable(
        readings, "Animations", "on: " + ", ".join(moving), "Screens take longer to come to rest.", *repairs
    )


def _staying_awake(readings: Readings) -> PreflightFinding:
    if readings.stays_on.isdecimal() and int(readings.stays_on) & _EVERY_PLUG:
        return PreflightFinding("Staying awake", "the screen stays on")
    repair = PutSetting("global", "stay_on_while_plugged_in", str(_EVERY_PLUG))
    why = "A screen that goes dark in the middle of a task spoils the recording."
    by_hand = "Settings, System, Developer options, Stay awake"
    return _repairable(readings, "Staying awake", "the screen goes dark after a while", why, repair, by_hand=by_hand)


def _room(readings: Readings) -> PreflightFinding:
    found = f"{readings.free_bytes / 1024**3:.1f} GiB left on the device's disk"
    if readings.free_bytes >= _LITTLE_ROOM_BYTES:
        return PreflightFinding("Room", found)
    mend = "Apps will fail to store things. Remove apps or files on the device, or reset it (Devices, Reset)."
    return PreflightFinding("Room", found, mend)


def _pictures(readings: Readings) -> PreflightFinding:
    if readings.sends_frames:
        return PreflightFinding(
            "Pictures", "by the emulator's control service (gRPC), each time that the screen changes"
        )
    mend = (
        "A step whose picture may be too old will be flagged. Start the emulator from Android Studio, or with "
        "-grpc 8554 -grpc-use-token, to have a picture of every change."
    )
    return PreflightFinding("Pictures", "by screencap, one after the other", mend)


def _is_off(scale: str) -> bool:
    """Whether an animation scale is 0; one that was never set is 1."""
    try:
        return float(scale) == 0
    except ValueError:
        return False


def _repairable(
    readings: Readings, what: str, found: str, why: str, *repairs: Repair, by_hand: str = ""
) -> PreflightFinding:
    """What can be put right over adb: by `repairs`, by the command for a terminal, and `by_hand` on the device."""
    lines = "; ".join(shell_line(repair) for repair in repairs)
    command = shlex.join(("adb", "-s", readings.serial, "shell", lines))
    mend = f"{why} Run: {command}" + (f" (on the device: {by_hand})." if by_hand else "")
    return PreflightFinding(what, found, mend, command=command, repairs=repairs, why=why)
