"""How a device is set before it is recorded: what a profile asks for, and what of it the device does not take."""

from collections.abc import Iterator

from odyssey_recorder.device.device import DeviceSetup
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device.profile import Preparation
from odyssey_recorder.device.repair import THREE_BUTTONS, EnableOverlay, PutSetting, Repair, SetTimeZone, shell_line
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError

IMAGE_LOCALE = "en-US"
"""The language of the emulator's system images as they come."""

_ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_GESTURES = EnableOverlay("com.android.internal.systemui.navbar.gestural")
_NAVIGATION = {"three_button": ("0", THREE_BUTTONS), "gestural": ("2", _GESTURES)}
_ON_EVERY_POWER = "7"


def prepare(device: DeviceSetup, wanted: Preparation, *, animations: bool) -> tuple[PreflightFinding, ...]:
    """Set the device as `wanted`, its animations on or off; a finding for each thing that it refuses.

    Raises `DeviceDisconnectedError` where the device goes away meanwhile.
    """
    return (
        *_repaired(device, list(_settings(wanted, animations=animations))),
        *_repaired(device, _navigation(device, wanted)),
        *_locale(device, wanted.locale),
    )


def _settings(wanted: Preparation, *, animations: bool) -> Iterator[Repair]:
    yield from (PutSetting("global", name, "1" if animations else "0") for name in _ANIMATIONS)
    yield PutSetting("secure", "show_ime_with_hard_keyboard", "1" if wanted.soft_keyboard else "0")
    yield PutSetting("global", "stay_on_while_plugged_in", _ON_EVERY_POWER if wanted.stay_awake else "0")
    yield PutSetting("global", "auto_time_zone", "0")
    yield SetTimeZone(wanted.time_zone)


def _navigation(device: DeviceSetup, wanted: Preparation) -> list[Repair]:
    """What brings the navigation that is wanted; nothing where it is there: the change makes the screen flicker."""
    mode, overlay = _NAVIGATION[wanted.navigation]
    return [] if device.setting("secure", "navigation_mode") == mode else [overlay]


def _repaired(device: DeviceSetup, repairs: list[Repair]) -> Iterator[PreflightFinding]:
    for repair in repairs:
        try:
            device.repair(repair)
        except DeviceDisconnectedError:
            raise
        except DeviceError as error:
            yield PreflightFinding("Preparation", f"`{shell_line(repair)}` was refused", str(error))


def _locale(device: DeviceSetup, wanted: str) -> Iterator[PreflightFinding]:
    """The language can only be chosen while the device starts; one that was never chosen is the image's own."""
    chosen = device.setting("system", "system_locales") or IMAGE_LOCALE
    if chosen.split(",")[0] != wanted:
        mend = f"On the device: Settings, System, Languages: put {wanted} first. Or reset the device."
        yield PreflightFinding("Language", f"{chosen}, not {wanted}", mend)
