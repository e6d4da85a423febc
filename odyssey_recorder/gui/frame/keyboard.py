"""Which keys go to the focused field and which to the page, and where the focus goes when it is lost.

- A field takes keys that make text, move or delete in it, and copy, cut, paste and select all.
- A field takes undo and redo while it holds text or has something to undo or redo; otherwise the page does.
- The page takes all other keys: Ctrl with a letter, Alt, function keys. Esc moves the focus to the page's home.
- A widget that is hidden, disabled or destroyed loses its focus to the page's home, never to a neighbour or to nothing.
- Asynchronous changes (an image, a changed episode, the end of a job) never take the focus from a field. If they remove
  the field, the rest of the text being typed is dropped and does not run as keys of the page.
"""

from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QDialog,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from odyssey_recorder.gui.frame.page import MainPage

Field = QLineEdit | QPlainTextEdit | QTextEdit | QAbstractSpinBox

PAUSE_MS = 700
"""A person who is typing pauses for less than this between two letters."""

_STANDARD = QKeySequence.StandardKey
_MODIFIER = Qt.KeyboardModifier
_READING = (_STANDARD.Copy, _STANDARD.SelectAll)
_WRITING = (_STANDARD.Cut, _STANDARD.Paste)
_CHANGES = (_STANDARD.Undo, _STANDARD.Redo)
_MOVES = frozenset(
    {
        Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End,
        Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
    }
)  # fmt: skip
_DELETES = frozenset({Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Return, Qt.Key.Key_Enter})
_COMMAND_MODIFIERS = _MODIFIER.ControlModifier | _MODIFIER.AltModifier | _MODIFIER.MetaModifier
_ALT_GR = _MODIFIER.ControlModifier | _MODIFIER.AltModifier
"""Some systems report AltGr as this; either modifier alone makes a command."""


class Keyboard(QObject):
    """Applies these rules in one window, and adds the help key to its dialogs."""

    def __init__(self, window: QWidget, page: Callable[[], MainPage], for_help: QAction) -> None:
        super().__init__(window)
        self._window = window
        self._page = page
        self._for_help = for_help
        self._last: QWidget | None = None
        self._is_pressing = False  # a key of the field is being handled; its changes are the person's own
        self._drop_typing = QTimer(
            self, interval=PAUSE_MS, singleShot=True
        )  # runs while text for a removed field is typed
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_changed)

    def go_home(self) -> None:
        self._drop_typing.stop()
        self._page().focus_home()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Decide before the field, whose own rules differ between desktops."""
        if not isinstance(event, QKeyEvent) or event.type() is QEvent.Type.KeyRelease:
            return False
        if isinstance(watched, Field):
            return event.type() is QEvent.Type.ShortcutOverride and self._decide(watched, event)
        is_dropped = self._drop_typing.isActive() and is_text(event)
        if is_dropped:
            self._drop_typing.start()
            event.accept()
        return is_dropped

    def _decide(self, field: Field, event: QKeyEvent) -> bool:
        self._is_pressing = True
        QTimer.singleShot(0, self, self._end_pressing)
        event.setAccepted(_is_for_field(field, event))
        return True

    def _end_pressing(self) -> None:
        self._is_pressing = False

    def _focus_changed(self) -> None:
        """Handle a focus change; the signal's arguments may be half destroyed, so they are not used."""
        if not shiboken6.isValid(self._window):  # being destroyed
            return
        now = QApplication.focusWidget()
        if now is not None and isinstance(dialog := now.window(), QDialog):
            dialog.addAction(self._for_help)  # a modal dialog blocks the window's keys
        if self._last is not None and shiboken6.isValid(self._last):
            self._last.removeEventFilter(self)
        if not (self._window.isActiveWindow() if now is None else self._window.isAncestorOf(now)):
            return
        before, self._last = self._last, now
        is_lost = before is not None and before is not now and _is_gone(before)
        if isinstance(before, Field) and is_lost and not self._is_pressing:
            self._drop_typing.start()
        # Taking the focus from a button that is being pressed would undo the press.
        is_chosen = QApplication.mouseButtons() is not Qt.MouseButton.NoButton
        if now is None or (is_lost and not is_chosen):
            self._page().focus_home()
        elif not isinstance(now.parentWidget(), QKeySequenceEdit):  # which takes all keys itself
            now.installEventFilter(self)


def is_writing() -> bool:
    """Whether an editable field has the focus, which must not be taken from it."""
    focus = QApplication.focusWidget()
    return isinstance(focus, Field) and not focus.isReadOnly()


def offer_focus(widget: QWidget) -> None:
    """Focus `widget` after an asynchronous change, unless the person is writing."""
    if not is_writing():
        widget.setFocus()


def is_text(event: QKeyEvent) -> bool:
    is_plain = event.modifiers() & _COMMAND_MODIFIERS in (_MODIFIER.NoModifier, _ALT_GR)
    return is_plain and bool(event.text()) and event.text().isprintable()


def _is_for_field(field: Field, event: QKeyEvent) -> bool:
    key, can_write = event.key(), not field.isReadOnly()
    if any(map(event.matches, _READING)) or (can_write and any(map(event.matches, _WRITING))):
        return True
    if any(map(event.matches, _CHANGES)):
        return can_write and _has_changes(field)
    if event.modifiers() & _MODIFIER.AltModifier and not is_text(event):
        return False
    is_plain = not event.modifiers() & _COMMAND_MODIFIERS
    deletes = key in _DELETES and (is_plain or key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete))
    return key in _MOVES or (can_write and (deletes or is_text(event)))


def _has_changes(field: Field) -> bool:
    if isinstance(field, QAbstractSpinBox):
        return True
    if isinstance(field, QLineEdit):
        return bool(field.text()) or field.isUndoAvailable() or field.isRedoAvailable()
    document = field.document()
    return not document.isEmpty() or document.isUndoAvailable() or document.isRedoAvailable()


def _is_gone(widget: QWidget) -> bool:
    return not shiboken6.isValid(widget) or not widget.isVisible() or not widget.isEnabled()
