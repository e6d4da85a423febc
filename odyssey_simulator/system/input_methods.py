"""Which keyboards are installed, enabled and selected, and what ADBKeyBoard types when it is sent a broadcast."""

import base64
import binascii
from collections.abc import Mapping

from odyssey_simulator.system.text_entry import TextEntry

SOFT_KEYBOARD = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
CHOSEN, ENABLED = ("secure", "default_input_method"), ("secure", "enabled_input_methods")


class InputMethods:
    """State is in `settings`, as on a real device. ADBKeyBoard is absent until installed, and draws no keyboard."""

    def __init__(self, settings: dict[tuple[str, str], str], entry: TextEntry) -> None:
        self._settings = settings
        self._entry = entry
        self.installed = [SOFT_KEYBOARD]
        self.reset()

    @property
    def enabled(self) -> list[str]:
        listed = self._settings.get(ENABLED, "").split(":")
        return [method for method in self.installed if method in listed]

    @property
    def draws(self) -> bool:
        return self._settings.get(CHOSEN) != ADB_KEYBOARD or ADB_KEYBOARD not in self.installed

    def install(self, method: str) -> None:
        """It must be enabled and selected before it can be used."""
        if method not in self.installed:
            self.installed.append(method)

    def uninstall(self, method: str) -> bool:
        if method not in self.installed:
            return False
        self.disable(method)
        self.installed.remove(method)
        return True

    def enable(self, method: str) -> bool:
        """Returns whether it was enabled before. Raises LookupError if it is not installed."""
        if method not in self.installed:
            raise LookupError(method)
        before = self.enabled
        if method not in before:
            self._settings[ENABLED] = ":".join([*before, method])
        return method in before

    def disable(self, method: str) -> bool:
        before = self.enabled
        if method in before:
            self._settings[ENABLED] = ":".join(name for name in before if name != method)
            if self._settings.get(CHOSEN) == method:
                self._settings[CHOSEN] = SOFT_KEYBOARD
        return method in before

    def choose(self, method: str, *, is_sticky: bool = False) -> None:
        """Unless ADBKeyBoard is chosen and `is_sticky`. Raises LookupError if it is not enabled."""
        if method not in self.enabled:
            raise LookupError(method)
        if not (is_sticky and self._settings[CHOSEN] == ADB_KEYBOARD):
            self._settings[CHOSEN] = method

    def reset(self) -> None:
        self._settings[CHOSEN] = self._settings[ENABLED] = SOFT_KEYBOARD

    def receive(self, action: str, extras: Mapping[str, str]) -> None:
        if self.draws:
            return
        match action:
            case "ADB_INPUT_TEXT":
                self._entry.insert(extras.get("msg", ""))
            case "ADB_INPUT_B64":
                self._entry.insert(_decoded(extras.get("msg", "")))
            case "ADB_CLEAR_TEXT":
                self._entry.clear()
            case "ADB_EDITOR_CODE":
                self._entry.act()
            case _:
                pass


def _decoded(text: str) -> str:
    """Malformed UTF-8 is replaced as in Java; empty for invalid base64."""
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""
