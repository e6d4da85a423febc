"""Types text in any script with the ADBKeyBoard input method."""

import base64
import hashlib
import json
import logging
import os
import re
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.input_command import ENTER_COMMAND
from odyssey_recorder.errors import InputRefusedError
from odyssey_recorder.files import Largest, create_file, read_text

ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
"""https://github.com/senzhk/ADBKeyBoard"""

_BROADCAST = "am broadcast -p com.android.adbkeyboard -a ADB_INPUT_B64"
"""Addressed to ADBKeyBoard alone, so that no other app receives the text."""

_CHOSEN = "settings get secure default_input_method"
_IDENTITY = "getprop ro.boot.qemu.avd_name; getprop ro.serialno"
_SWITCH_S = 5.0
_SWITCH_POLL_S = 0.05

_PIECE = 500
"""Characters per broadcast: at most 2,700 bytes in base64; old devices take commands of up to 4,096 bytes."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _UserKeyboard:
    method: str
    had_adb_keyboard: bool


class AdbKeyboard:
    """ADBKeyBoard on one device, active only while it types.

    The user's own keyboard is recorded in `folder`, from where any process can restore it; None disables switching.
    """

    def __init__(self, shell: AdbShell, folder: Path | None) -> None:
        self._serial, self._label = shell.serial, shell.label
        self._ask = shell.ask
        self._folder = folder

    def can_type(self, text: str) -> bool:
        """False without ADBKeyBoard, and for text with a lone surrogate."""
        if self._folder is None or any("\ud800" <= character <= "\udfff" for character in text):
            return False
        [installed] = self._ask("ime list -s -a")
        return ADB_KEYBOARD in installed.split()

    @contextmanager
    def chosen(self) -> Iterator[None]:
        """Raises InputRefusedError if ADBKeyBoard does not start."""
        enabled, own = self._ask("ime list -s", _CHOSEN)
        if own == ADB_KEYBOARD:
            yield
            return
        self._save(_UserKeyboard(own, ADB_KEYBOARD in enabled.split()))
        try:
            self._choose()
            yield
        finally:
            self.restore()

    def restore(self) -> None:
        if self._folder is None or not any(self._folder.glob("*.json")):
            return
        path = self._path(self._folder)
        own = _read(path)
        if own is None:
            return
        [chosen] = self._ask(_CHOSEN)
        if chosen == ADB_KEYBOARD:
            _, chosen = self._ask(f"ime set {shlex.quote(own.method)}", _CHOSEN)
            if chosen != own.method:
                _log.warning("%s did not switch back to its keyboard %s.", self._serial, own.method)
        if not own.had_adb_keyboard and chosen != ADB_KEYBOARD:
            self._ask(f"ime disable {ADB_KEYBOARD}")
        path.unlink(missing_ok=True)

    def _choose(self) -> None:
        self._ask(f"ime enable {ADB_KEYBOARD}", f"ime set {ADB_KEYBOARD}")
        expires_s = time.monotonic() + _SWITCH_S
        while not _is_open(*self._ask("dumpsys input_method")):
            if time.monotonic() > expires_s:
                raise InputRefusedError(
                    f"ADBKeyBoard does not open on {self._label}. Tap the field, or reinstall ADBKeyBoard. "
                    "Nothing was typed."
                )
            time.sleep(_SWITCH_POLL_S)

    def _save(self, own: _UserKeyboard) -> None:
        assert self._folder is not None, "can_type comes first"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._path(self._folder)
            part = path.with_suffix(".part")
            part.unlink(missing_ok=True)
            with create_file(part) as file:
                file.write(json.dumps(asdict(own)).encode())
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            raise InputRefusedError(
                f"The keyboard of {self._label} cannot be saved in {self._folder} ({error.strerror}), so "
                "it was not switched. Nothing was typed. Free some space there."
            ) from error

    def _path(self, folder: Path) -> Path:
        """Named after the device's identity, because another emulator may get the same serial later."""
        [identity] = self._ask(_IDENTITY)
        name = hashlib.sha256(f"{self._serial}\n{identity}".encode()).hexdigest()
        return folder / f"{name[:32]}.json"


def broadcast_commands(text: str) -> list[tuple[str, str]]:
    """Pairs of a piece of `text` and the command that types it."""
    pieces = re.findall(rf"\n|[^\n]{{1,{_PIECE}}}", text)
    return [(piece, ENTER_COMMAND if piece == "\n" else _broadcast(piece)) for piece in pieces]


def _broadcast(piece: str) -> str:
    return f"{_BROADCAST} --es msg {base64.b64encode(piece.encode()).decode()}"


def _is_open(input_method: str) -> bool:
    """Some versions of `dumpsys input_method` do not say whether the keyboard is bound."""
    chosen = f"mCurMethodId={ADB_KEYBOARD}" in input_method
    return chosen and "mHaveConnection=false" not in input_method and "mBoundToMethod=false" not in input_method


def _read(path: Path) -> _UserKeyboard | None:
    try:
        match json.loads(read_text(path, Largest.WRITTEN_BY_HAND)):
            case {"method": str(method), "had_adb_keyboard": bool(had_adb_keyboard)}:
                return _UserKeyboard(method, had_adb_keyboard)
            case _:
                _log.warning("The previous keyboard is not in %s.", path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _log.warning("The previous keyboard cannot be read from %s: %s", path, error)
    return None
