"""The keys that an annotator has chosen for commands: which are allowed, and how they are stored."""

import logging
import threading
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.window_state import KeptFile

_PORTABLE = QKeySequence.SequenceFormat.PortableText
_NATIVE = QKeySequence.SequenceFormat.NativeText
_FIXED = frozenset(
    {
        Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Space,
        Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down,
        Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Insert,
    }
)  # fmt: skip
"""Keys with a meaning in every window and field, unless Ctrl or Alt is held."""

_log = logging.getLogger(__name__)


class Shortcuts(QObject):
    changed = Signal()

    def __init__(self, commands: Commands, file: KeptFile) -> None:
        """Assign the stored keys; they win over default keys of newer commands.

        Stored keys of unknown commands are kept.
        """
        super().__init__(commands)
        self._commands = commands
        self.changeable = tuple(command for command in commands if not command.value.is_fixed)
        self._letter_pages = {
            command.value.page for command in commands if 1 in map(len, (command.value.keys, command.value.more_keys))
        }
        """Pages with single letters and digits as keys, which work outside fields."""
        self._file = file
        self._numbered: dict[Command, tuple[QKeySequence, ...]] = {}
        self._writing = threading.Lock()
        kept = file.read().get("shortcuts")
        self._chosen: dict[str, str] = _valid_keys(kept) if isinstance(kept, dict) else {}
        self._written = self._chosen
        self._apply()

    def number(self, pages: Sequence[Command], offered: Sequence[Command]) -> None:
        """Give the `offered` ones of all `pages` the keys Ctrl+1, Ctrl+2, …, and the other pages none."""
        self._numbered = dict.fromkeys(pages, ())
        for number, page in enumerate(offered, start=1):
            self._numbered[page] = (QKeySequence(f"Ctrl+{number}"), *page.own_keys[1:])
        self._apply()

    def keys(self, command: Command) -> QKeySequence:
        return self._commands[command].shortcut()

    def is_changed(self, command: Command) -> bool:
        return self.keys(command) != self._original(command)

    def refusal(self, command: Command, keys: QKeySequence) -> str:
        """Why `command` cannot have `keys`, for the annotator; empty if it can."""
        if keys.isEmpty():
            return ""
        return self._why_taken(command, keys) or self._why_unfit(command, keys[0], keys.toString(_NATIVE))  # type: ignore[index]

    def change(self, command: Command, keys: QKeySequence) -> None:
        """Assign `keys`, for which `refusal` is empty."""
        chosen = {other: text for other, text in self._chosen.items() if other != command.name}
        if keys != self._original(command):
            chosen[command.name] = keys.toString(_PORTABLE)
        self._chosen = chosen
        self._apply()

    def reset(self, command: Command) -> str:
        """Restore the default keys; return why that is refused, otherwise an empty text."""
        original = self._original(command)
        refusal = "" if original.isEmpty() else self._why_taken(command, original)
        if not refusal:
            self.change(command, original)
        return refusal

    def reset_all(self) -> None:
        self._chosen = {}
        self._apply()

    def keep(self) -> None:
        """Write changes since the last time; blocks, and may be called on any thread."""
        with self._writing:
            if self._chosen is not self._written:
                self._written = self._chosen
                self._file.write({"shortcuts": self._written})

    def _why_taken(self, command: Command, keys: QKeySequence) -> str:
        others = (other for other in self.changeable if _can_conflict(other, command))
        holder = next((other for other in others if keys in self._commands[other].shortcuts()), None)
        if holder is None:
            return ""
        tip = holder.value.tip[0].lower() + holder.value.tip[1:]
        return f"{keys.toString(_NATIVE)} is already used for “{name(holder)}” ({tip}). Change that shortcut first."

    def _why_unfit(self, command: Command, pressed: QKeyCombination, text: str) -> str:
        key, modifiers = pressed.key(), pressed.keyboardModifiers()
        if command.value.page in self._letter_pages and not modifiers and key not in _FIXED:
            return ""
        if modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier):
            return ""
        if modifiers & Qt.KeyboardModifier.AltModifier:
            is_letter = Qt.Key.Key_A <= key <= Qt.Key.Key_Z
            return f"{text} moves to a field of the page. Use it with Ctrl." if is_letter else ""
        if key in _FIXED or Qt.Key.Key_Space <= key <= Qt.Key.Key_ydiaeresis:
            return f"{text} is needed for typing and navigation. Add Ctrl, or use a function key."
        return ""

    def _apply(self) -> None:
        chosen = {
            command: QKeySequence.fromString(self._chosen[command.name], _PORTABLE)
            for command in self.changeable
            if command.name in self._chosen
        }
        for command in self.changeable:
            taken = [keys for other, keys in chosen.items() if _can_conflict(other, command)]
            defaults = [keys for keys in self._default_keys(command) if keys not in taken]
            wanted = [chosen[command]] if command in chosen else defaults
            new = [keys for keys in wanted if not keys.isEmpty()]
            if new != self._commands[command].shortcuts():
                self._commands.set_keys(command, *new)
        self.changed.emit()

    def _default_keys(self, command: Command) -> tuple[QKeySequence, ...]:
        return self._numbered.get(command, command.own_keys)

    def _original(self, command: Command) -> QKeySequence:
        return next(iter(self._default_keys(command)), QKeySequence())


def name(command: Command) -> str:
    return command.value.label.rstrip("…")


def _valid_keys(kept: Mapping[str, object]) -> dict[str, str]:
    valid = {}
    for command, text in kept.items():
        keys = QKeySequence.fromString(text, _PORTABLE) if isinstance(text, str) else QKeySequence()
        if isinstance(text, str) and keys.toString(_PORTABLE) == text and keys.count() <= 1:
            valid[command] = text
        else:
            _log.warning("The saved keys %r of %s are not valid.", text, command)
    return valid


def _can_conflict(first: Command, second: Command) -> bool:
    pages = {first.value.page, second.value.page}
    return first is not second and ("" in pages or len(pages) == 1)
