"""Repairs of a running device's configuration, as shell commands."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PutSetting:
    """`namespace` is `system`, `secure` or `global`."""

    namespace: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class EnableOverlay:
    """Disables the other overlays of its category."""

    package: str


@dataclass(frozen=True, slots=True)
class SetTimeZone:
    """`zone` is a name in the tz database, such as `Europe/Oslo`."""

    zone: str


@dataclass(frozen=True, slots=True)
class ResetScreen:
    """To the screen's own size and density."""


Repair = PutSetting | EnableOverlay | SetTimeZone | ResetScreen

THREE_BUTTONS = EnableOverlay("com.android.internal.systemui.navbar.threebutton")

WHILE_RECORDING = {
    ("secure", "clipboard_show_access_notifications"): "0",
    ("secure", "stylus_handwriting_enabled"): "0",
}
"""By default Android covers the app to tell that it has pasted, and the keyboard to offer a stylus for a field."""


def shell_line(repair: Repair) -> str:
    match repair:
        case PutSetting(namespace, name, value):
            return shlex.join(("settings", "put", namespace, name, value))
        case EnableOverlay(package):
            return shlex.join(("cmd", "overlay", "enable-exclusive", "--category", package))
        case SetTimeZone(zone):
            return shlex.join(("cmd", "alarm", "set-timezone", zone))
        case ResetScreen():
            return "wm size reset; wm density reset"
