"""Checks every control of a window: accessible name, tooltip, and text that is cut off."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QToolButton, QWidget

_ROOM_FOR_ROUNDING = 1
_FRAME = 10
"""Left and right border and padding of a button, in pixels."""


def faults(window: QWidget) -> list[str]:
    return sorted({fault for widget in visible(window) for fault in _faults(widget)})


def visible(window: QWidget) -> Iterator[QWidget]:
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window:
            yield widget


def _faults(widget: QWidget) -> Iterator[str]:
    if takes_focus(widget) and not _name(widget):
        yield f"{what(widget)} has no accessible name"
    if isinstance(widget, QPushButton | QToolButton) and not widget.toolTip():
        yield f"{what(widget)} has no tooltip"
    if isinstance(widget, QLabel | QPushButton | QToolButton) and widget.text():
        wanted, there = _needed(widget)
        if wanted > there + _ROOM_FOR_ROUNDING:
            yield f"{what(widget)} is cut: {there} px of {wanted}"


def takes_focus(widget: QWidget) -> bool:
    is_a_part = widget.objectName().startswith("qt_") or widget.focusProxy() is not None
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled() and not is_a_part


def _needed(widget: QLabel | QPushButton | QToolButton) -> tuple[int, int]:
    """The length the text needs and has: heights for wrapped text, otherwise widths."""
    words = widget.fontMetrics().horizontalAdvance(widget.text().replace("&", ""))
    match widget:
        case QPushButton():
            return widget.sizeHint().width(), widget.width()
        case QToolButton():
            return words, widget.width() - _FRAME
        case QLabel():
            is_long = widget.wordWrap()
            return (widget.heightForWidth(widget.width()), widget.height()) if is_long else (words, widget.width())


def _name(widget: QWidget) -> str:
    if isinstance(widget, QComboBox):  # some systems read only the selected item
        return widget.accessibleName()
    seen = QAccessible.queryAccessibleInterface(widget)
    return seen.text(QAccessible.Text.Name) if seen is not None else ""


def what(widget: QWidget) -> str:
    words = widget.text() if isinstance(widget, QLabel | QPushButton | QToolButton) else ""
    return f"{type(widget).__name__} “{words or _name(widget)}” of {type(widget.parentWidget()).__name__}"
