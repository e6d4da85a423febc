"""Checks all controls of a window: accessible name, tooltip, and text that is cut off."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QToolButton, QWidget

_TOLERANCE_PX = 1
_BORDER_PX = 10
"""Left and right border and padding of a button, in pixels."""


def faults(window: QWidget) -> list[str]:
    return sorted({fault for widget in visible(window) for fault in _faults(widget)})


def visible(window: QWidget) -> Iterator[QWidget]:
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window:
            yield widget


def _faults(widget: QWidget) -> Iterator[str]:
    if takes_focus(widget) and not _name(widget):
        yield f"{describe(widget)} has no accessible name"
    if isinstance(widget, QPushButton | QToolButton) and not widget.toolTip():
        yield f"{describe(widget)} has no tooltip"
    if isinstance(widget, QLabel | QPushButton | QToolButton) and widget.text():
        needed, available = _text_length(widget)
        if needed > available + _TOLERANCE_PX:
            yield f"{describe(widget)} is cut: {available} px of {needed}"


def takes_focus(widget: QWidget) -> bool:
    is_inner = widget.objectName().startswith("qt_") or widget.focusProxy() is not None
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled() and not is_inner


def _text_length(widget: QLabel | QPushButton | QToolButton) -> tuple[int, int]:
    """What the text needs and has: heights if it wraps, otherwise widths."""
    width = widget.fontMetrics().horizontalAdvance(widget.text().replace("&", ""))
    match widget:
        case QPushButton():
            return widget.sizeHint().width(), widget.width()
        case QToolButton():
            return width, widget.width() - _BORDER_PX
        case QLabel() if widget.wordWrap():
            return widget.heightForWidth(widget.width()), widget.height()
        case _:
            return width, widget.width()


def _name(widget: QWidget) -> str:
    if isinstance(widget, QComboBox):  # some systems read only the selected item
        return widget.accessibleName()
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


def describe(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QLabel | QPushButton | QToolButton) else ""
    return f"{type(widget).__name__} “{text or _name(widget)}” of {type(widget.parentWidget()).__name__}"
