"""Repairs of a running device's configuration, and the shell lines that do them."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PutSetting:
    """One of Android's settings gets a value; `namespace` is `system`, `secure` or `global`."""

    namespace: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class EnableOverlay:
    """A resource overlay is used in place of the others of its category."""

    package: str


@dataclass(frozen=True, slots=True)
class SetTimeZone:
    """The clock shows the time of a zone of the tz database, such as `Europe/Oslo`."""

    zone: str


@dataclass(frozen=True, slots=True)
class ResetScreen:
    """The screen gets back its own size and density."""


Repair = PutSetting | EnableOverlay | SetTimeZone | ResetScreen

THREE_BUTTONS = EnableOverlay("com.android.internal.systemui.navbar.threebutton")
"""Navigation by three buttons in place of gestures."""


def shell_line(repair: Repair) -> str:
    """The line for the device's own shell that carries the repair out."""
    match repair:
        case PutSetting(namespace, name, value):
            return shlex.join(("settings", "put", namespace, name, value))
        case EnableOverlay(package):
            return shlex.join(("cmd", "overlay", "enable-exclusive", "--category", package))
        case SetTimeZone(zone):
            return shlex.join(("cmd", "alarm", "set-timezone", zone))
        case ResetScreen():
            return "wm size reset; wm density reset"
