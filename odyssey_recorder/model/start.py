"""From where a task is begun: how the device is brought to a known state before the first step."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AsFound:
    """The device stays as it is."""


@dataclass(frozen=True, slots=True)
class CleanHome:
    """The home screen, with all recent apps closed."""


@dataclass(frozen=True, slots=True)
class FromSnapshot:
    """What the emulator's snapshot `name` holds."""

    name: str


StartState = AsFound | CleanHome | FromSnapshot
