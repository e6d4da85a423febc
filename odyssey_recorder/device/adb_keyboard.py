"""Types text in any script with the ADBKeyBoard input method."""

import base64
import re
import shlex
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.dumpsys import app_version
from odyssey_recorder.device.input_command import ENTER_COMMAND
from odyssey_recorder.device.kept_settings import Undo, undone_afterwards
from odyssey_recorder.errors import DatasetError, InputRefusedError

ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
"""https://github.com/senzhk/ADBKeyBoard"""

_BROADCAST = "am broadcast -p com.android.adbkeyboard -a ADB_INPUT_B64"
"""Addressed to ADBKeyBoard alone, so that no other app receives the text."""

CHOSEN_KEYBOARD = ("secure", "default_input_method")
_CHOSEN = f"settings get {shlex.join(CHOSEN_KEYBOARD)}"
_ENABLED = "settings get secure enabled_input_methods"
_IS_ENABLED = f"{_ENABLED} | grep -oF {ADB_KEYBOARD}"
_READY_FLAGS = ("mHaveConnection", "mHasMainConnection", "mBoundToMethod")
_PACKAGE = ADB_KEYBOARD.partition("/")[0]
_API_36 = 36
_SWITCH_S = 5.0
_SWITCH_POLL_S = 0.05

_PIECE = 500
"""Characters per broadcast: at most 2,700 bytes in base64; old devices take commands of up to 4,096 bytes."""


class AdbKeyboard:
    """ADBKeyBoard on one device, active only while it types.

    How to bring back the user's own keyboard is kept in `folder`; None disables switching.
    """

    def __init__(self, shell: AdbShell, folder: Path | None) -> None:
        self._shell, self._label = shell, shell.label
        self._ask = shell.ask
        self._folder = folder

    def can_type(self, text: str) -> bool:
        """False without ADBKeyBoard, and for text with a lone surrogate."""
        if self._folder is None or any("\ud800" <= character <= "\udfff" for character in text):
            return False
        installed, enabled = self._ask("ime list -s -a", _ENABLED)  # some devices refuse the first
        return ADB_KEYBOARD in (installed.split() or _methods(enabled))

    @contextmanager
    def chosen(self) -> Iterator[None]:
        """Raises InputRefusedError if ADBKeyBoard does not start."""
        self._refuse_unsuitable()
        enabled, own = self._ask(_ENABLED, _CHOSEN)
        if own == ADB_KEYBOARD:
            yield
            return
        undos = [Undo(_CHOSEN, ADB_KEYBOARD, shlex.join(("ime", "set", own)))]
        if ADB_KEYBOARD not in _methods(enabled):
            undos.append(Undo(_IS_ENABLED, ADB_KEYBOARD, f"ime disable {ADB_KEYBOARD}"))
        with ExitStack() as stack:
            try:
                stack.enter_context(undone_afterwards(self._shell, self._folder, undos))
            except DatasetError as error:
                raise InputRefusedError(
                    f"The keyboard of {self._label} cannot be saved in {self._folder}, so it was not switched. "
                    f"Nothing was typed. {error}"
                ) from error
            self._choose()
            yield

    def _refuse_unsuitable(self) -> None:
        sdk, dump = self._ask("getprop ro.build.version.sdk", f"dumpsys package {_PACKAGE}")
        version = app_version(dump)
        number = re.match(r"v?(\d+)\.(\d+)", version)
        if sdk.isdecimal() and int(sdk) >= _API_36 and number and (int(number[1]), int(number[2])) < (2, 5):
            raise InputRefusedError(
                f"ADBKeyBoard {version} on {self._label} does not work on Android 16 and newer. Install v2.5-dev or "
                "newer. Nothing was typed."
            )

    def _choose(self) -> None:
        """A keyboard that was just installed can be enabled a moment later only."""
        expires_s = time.monotonic() + _SWITCH_S
        choose = f"ime enable {ADB_KEYBOARD}", f"ime set {ADB_KEYBOARD}"
        while not is_open(self._ask(*choose, "dumpsys input_method")[-1]):
            if time.monotonic() > expires_s:
                raise InputRefusedError(
                    f"ADBKeyBoard does not open on {self._label}. Tap the field, or reinstall ADBKeyBoard. "
                    "Nothing was typed."
                )
            time.sleep(_SWITCH_POLL_S)


def broadcast_commands(text: str) -> list[tuple[str, str]]:
    """Pairs of a piece of `text` and the command that types it."""
    pieces = re.findall(rf"\n|[^\n]{{1,{_PIECE}}}", text)
    return [(piece, ENTER_COMMAND if piece == "\n" else _broadcast(piece)) for piece in pieces]


def _broadcast(piece: str) -> str:
    return f"{_BROADCAST} --es msg {base64.b64encode(piece.encode()).decode()}"


def is_open(input_method: str) -> bool:
    """In every form of `dumpsys input_method`; from Android 16 on it has one section for each user."""
    users = re.split(r"(?=\bUserId=\d)", input_method)
    own = next((user for user in users if re.search(rf"\bmCurId={re.escape(ADB_KEYBOARD)}(?!\S)", user)), None)
    return own is not None and not any(f"{flag}=false" in own for flag in _READY_FLAGS)


def _methods(enabled: str) -> list[str]:
    """Those of the setting, in which subtypes follow a keyboard."""
    return [method.partition(";")[0] for method in enabled.split(":")]
