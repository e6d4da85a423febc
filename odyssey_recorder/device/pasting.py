"""Typing into the focused field from the clipboard, and how much of the text the field took."""

import re
import time
import unicodedata
from collections.abc import Callable

from odyssey_recorder.device import input_command, view_hierarchy
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.device import OnTyped
from odyssey_recorder.device.emulator_grpc import EmulatorControl
from odyssey_recorder.errors import DeviceError, InputRefusedError

LONG_LINE = 400
"""From this line length, pasting and reading the field back is faster than typing: ten commands."""

_CLIPBOARD_S = 0.2
"""The guest receives a new clipboard, and some apps read it, with this delay."""
_READS = 5


def is_pasted(text: str) -> bool:
    return not input_command.is_plain(text) or max(map(len, text.split("\n"))) >= LONG_LINE


def check_pasted_text(text: str) -> None:
    """Raise `InputRefusedError`, naming the first bad character."""
    for place, character in enumerate(text, start=1):
        if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs"):
            raise InputRefusedError(
                f"{character!r}, character {place} of the text, cannot be typed. Nothing was typed. Change the text."
            )


def arrived(before: str, after: str, wanted: str) -> int | None:
    """How many leading characters of `wanted` a field took that held `before` and now holds `after`.

    They may be anywhere in the old text, or have replaced it, as they replace a hint or a selection. None if
    unclear.
    """
    for kept in (before, ""):
        count = len(after) - len(kept)
        ends = range(len(kept) + 1)
        if 0 <= count <= len(wanted) and any(after == kept[:at] + wanted[:count] + kept[at:] for at in ends):
            return count
    return len(wanted) if wanted in after and wanted not in before and len(after) < len(before) + len(wanted) else None


class Pasting:
    """Types one text into the focused field, line by line; long or non-ASCII lines from the clipboard.

    Long lines are read back, and what the field did not take is typed. The caller restores the clipboard.
    """

    def __init__(
        self,
        device: AdbDevice,
        type_by_adb: Callable[[str, OnTyped], None],
        control: EmulatorControl,
        wait_until: Callable[[float], None],
        on_typed: OnTyped,
    ) -> None:
        self._device = device
        self._type_by_adb = type_by_adb
        self._control = control
        self._wait_until = wait_until
        self._on_typed = on_typed
        self._typed = 0

    def type_text(self, text: str) -> None:
        """Raises InputRefusedError, with the number of characters typed, if the field did not take all of it."""
        for piece in re.findall(r"\n|[^\n]+", text):
            before = self._typed
            try:
                if is_pasted(piece):
                    self._paste_checked(piece)
                else:
                    self._type(piece)
            except DeviceError as error:
                why = error.__cause__ if isinstance(error.__cause__, DeviceError) else error
                raise input_command.partly_typed(self._typed, text, why) from error
            self._report(before + len(piece))

    def _report(self, typed: int) -> None:
        self._typed = typed
        self._on_typed(typed)

    def _type(self, piece: str) -> None:
        before = self._typed
        self._type_by_adb(piece, lambda count: self._report(before + count))

    def _paste_checked(self, piece: str) -> None:
        before_text = self._field_text() if len(piece) >= LONG_LINE else None
        if before_text is None and input_command.is_plain(piece):
            self._type(piece)
            return
        self._paste(piece)
        if before_text is None:
            return
        start = self._typed
        count = self._pasted_count(before_text, piece)
        if count is not None and count < len(piece):
            self._report(start + count)
            self._type(piece[count:])
            count = self._pasted_count(before_text, piece)
        if count != len(piece):
            self._typed = start + (count or 0)
            raise InputRefusedError(
                "The field accepts no more text." if count is not None else "The field shows another text."
            )

    def _paste(self, piece: str) -> None:
        self._control.set_clipboard(piece)
        self._wait_until(time.monotonic() + _CLIPBOARD_S)
        self._device.paste()
        self._wait_until(time.monotonic() + _CLIPBOARD_S)

    def _pasted_count(self, before_text: str, piece: str) -> int | None:
        """How much of the line is in the field, once that is stable; None if unclear."""
        now = last = None
        for _ in range(_READS):
            now = self._field_text()
            if now is not None and (now == last or arrived(before_text, now, piece) == len(piece)):
                break
            last = now
        return arrived(before_text, now, piece) if now is not None else None

    def _field_text(self) -> str | None:
        """None for no focused field, for a password, and while the screen moves."""
        try:
            return view_hierarchy.focused_text(view_hierarchy.parse(self._device.view_hierarchy()))
        except DeviceError:
            return None
