"""Reports what is visible in the program's window, by accessible names.

Runs in the program's process. Reads requests as JSON lines from standard input, and pickles its answers to standard
output; when standard input ends, so does the program.
"""

import json
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleInterface, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QMainWindow,
    QPushButton,
    QWidget,
)

from odyssey_recorder.gui.frame.application import use_theme
from odyssey_recorder.gui.record.mirror import MirrorView
from tests.end_to_end.screen.window_content import Element, Mirror, Rect, WindowContent
from tests.gui.slot_probe import ProbedApplication


class WindowReporter(QObject):
    """Answers requests on the GUI thread; each is a list of a delay, a command and its arguments."""

    requested = Signal(list)

    def __init__(self, app: ProbedApplication) -> None:
        super().__init__(app)
        QAccessible.setActive(True)  # as with a screen reader; otherwise Qt reports outdated list rows
        self._answers: dict[str, Callable[..., Any]] = {
            "content": content,
            "slow": lambda: [slow for slow in app.slow if type(self).__name__ not in slow.receiver],
            "use theme": use_theme,
            "save screenshot": save_screenshot,
            "focus": focus,
        }
        self.requested.connect(self._take, Qt.ConnectionType.QueuedConnection)
        threading.Thread(target=self._read, name="window reporter", daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self.requested.emit(json.loads(line))
        os._exit(3)  # the test is gone

    def _take(self, request: list[Any]) -> None:
        delay_ms, command, *arguments = request
        timer = QTimer(self, singleShot=True, interval=delay_ms)
        timer.setObjectName(type(self).__name__)
        timer.timeout.connect(lambda: self._answer(command, arguments))
        timer.timeout.connect(timer.deleteLater)
        timer.start()

    def _answer(self, command: str, arguments: list[Any]) -> None:
        pickle.dump(self._answers[command](*arguments), sys.stdout.buffer)
        sys.stdout.flush()


def content() -> WindowContent:
    top = _active_window()
    if top is None:
        return WindowContent("", 0, has_focus=False, mirror=None, elements=())
    window = top.windowHandle()
    return WindowContent(
        title=top.windowTitle(),
        window_id=int(top.winId()),
        has_focus=window is not None and QGuiApplication.focusWindow() is window,
        mirror=_mirror(top),
        elements=tuple(_elements(QAccessible.queryAccessibleInterface(top), (), top)),
    )


def focus() -> None:
    """Give the active window the keyboard focus, since there is no window manager."""
    top = _active_window()
    if top is not None and QApplication.activePopupWidget() is None:
        top.raise_()
        top.activateWindow()


def save_screenshot(path: str) -> None:
    main = _main_window()
    assert main is not None
    rect = main.frameGeometry()
    for other in QApplication.topLevelWidgets():
        if other.isVisible():
            rect = rect.united(other.frameGeometry())
    rect &= main.screen().geometry()
    grab = main.screen().grabWindow(0, rect.x(), rect.y(), rect.width(), rect.height())
    assert grab.save(path), f"{path} could not be written"


def _main_window() -> QMainWindow | None:
    windows = (top for top in QApplication.topLevelWidgets() if isinstance(top, QMainWindow) and top.isVisible())
    return next(windows, None)


def _active_window() -> QWidget | None:
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or _main_window()


def _elements(interface: QAccessibleInterface | None, ancestors: tuple[str, ...], around: QWidget) -> Iterator[Element]:
    if interface is None or not interface.isValid():
        return
    widget = interface.object()
    state = interface.state()
    is_widget = isinstance(widget, QWidget)
    if isinstance(widget, QWidget):
        if not widget.isVisible():
            return
        around = widget
    # On Linux Qt returns the selected entry as the name of a combo box.
    name = widget.accessibleName() if isinstance(widget, QComboBox) else interface.text(QAccessible.Text.Name)
    role = interface.role().name
    if name or role in _CONTROLS:
        rect, visible = interface.rect(), _visible_part(around, is_widget=is_widget)
        yield Element(
            role=role,
            name=name,
            value=interface.text(QAccessible.Text.Value),
            rect=Rect(rect.x(), rect.y(), rect.width(), rect.height()),
            ancestors=ancestors,
            is_enabled=not state.disabled,
            is_fully_visible=visible.contains(rect) and not rect.isEmpty(),
            is_checked=bool(state.checked),
            has_focus=bool(state.focused),
            is_cut_off=is_widget and _is_cut_off(around),
            takes_focus=is_widget and around.focusPolicy() is not Qt.FocusPolicy.NoFocus,
        )
    inner = (*ancestors, name) if name else ancestors
    for number in range(interface.childCount()):
        yield from _elements(interface.child(number), inner, around)


_CONTROLS = {"Button", "CheckBox", "RadioButton", "EditableText", "ComboBox", "List", "Table", "SpinBox", "Slider"}


def _visible_part(widget: QWidget, *, is_widget: bool) -> QRect:
    """The visible part of a widget in screen coordinates; for its items that of the viewport."""
    shown = widget.viewport() if isinstance(widget, QAbstractItemView) and not is_widget else widget
    region = shown.visibleRegion()
    return QRect() if region.isEmpty() else region.boundingRect().translated(shown.mapToGlobal(QRect().topLeft()))


def _is_cut_off(widget: QWidget) -> bool:
    match widget:
        case QLabel() if widget.wordWrap():
            return widget.heightForWidth(widget.width()) > widget.height()
        case QLabel():
            return bool(widget.text()) and widget.sizeHint().width() > widget.width()
        case QAbstractButton():
            beside = isinstance(widget, QPushButton) and bool(widget.text()) and not widget.icon().isNull()
            needed = widget.fontMetrics().size(0, widget.text()).width() + beside * widget.iconSize().width()
            return needed > widget.width()
        case _:
            return False


def _mirror(top: QWidget) -> Mirror | None:
    mirror = next((view for view in top.findChildren(MirrorView) if view.isVisible()), None)
    fit = mirror.fit() if mirror is not None else None
    if mirror is None or fit is None:
        return None
    corner = mirror.mapToGlobal(fit.area.topLeft())
    return Mirror(
        area=Rect(round(corner.x()), round(corner.y()), round(fit.area.width()), round(fit.area.height())),
        screenshot=(fit.frame_size.width, fit.frame_size.height),
        takes_input=mirror.takes_input,
        gesture=mirror.gesture,
        frame=mirror.frame_number or 0,
    )
