"""Looks at every control of a window: what a screen reader calls it, what its tooltip says, which words are cut."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QToolButton, QWidget

_ROOM_FOR_ROUNDING = 1
_FRAME = 10
"""Border and padding of a button at the left and at the right."""


def faults(window: QWidget) -> list[str]:
    """What is wrong with the visible controls and words of `window`."""
    return sorted({fault for widget in visible(window) for fault in _faults(widget)})


def visible(window: QWidget) -> Iterator[QWidget]:
    """All that can be seen of the window, but not the windows over it."""
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
    """Whether Tab must lead to it."""
    is_a_part = widget.objectName().startswith("qt_") or widget.focusProxy() is not None
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled() and not is_a_part


def _needed(widget: QLabel | QPushButton | QToolButton) -> tuple[int, int]:
    """How much room the words need, and have: in height where they go over several lines, otherwise in width."""
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
    if isinstance(widget, QComboBox):  # of which some systems are told what is chosen
        return widget.accessibleName()
    seen = QAccessible.queryAccessibleInterface(widget)
    return seen.text(QAccessible.Text.Name) if seen is not None else ""


def what(widget: QWidget) -> str:
    """How a fault names it."""
    words = widget.text() if isinstance(widget, QLabel | QPushButton | QToolButton) else ""
    return f"{type(widget).__name__} “{words or _name(widget)}” of {type(widget.parentWidget()).__name__}"
