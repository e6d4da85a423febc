"""Which keys of the emulator's keyboard the control service's names mean, after the web's names of keys."""

from collections.abc import Mapping

_CODES: Mapping[str, int] = {
    "AppSwitch": 0x244,
    "ArrowDown": 0x6C,
    "ArrowLeft": 0x69,
    "ArrowRight": 0x6A,
    "ArrowUp": 0x67,
    "AudioVolumeDown": 0x72,
    "AudioVolumeUp": 0x73,
    "Backspace": 0x0E,
    "Copy": 0x85,
    "Cut": 0x89,
    "Delete": 0x6F,
    "Enter": 0x1C,
    "Escape": 0x01,
    "GoBack": 0x9E,
    "GoHome": 0x66,
    "Menu": 0x8B,
    "Paste": 0x87,
    "Power": 0x74,
    "Tab": 0x0F,
}


def linux_key(name: str) -> int | None:
    """The Linux key code of a key that has a name; None for a character, and for a key there is not."""
    return _CODES.get(name)
