"""Reports what is visible in the program's window, by accessible names.

Runs in the program's process and changes nothing there. Reads questions as JSON lines from standard input and answers
on standard output; when standard input ends, so does the program.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
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

from odyssey_recorder.gui.application import use_theme
from odyssey_recorder.gui.record.mirror import MirrorView
from tests.end_to_end.screen.sight import Mirror, Rect, Seen, Sight
from tests.gui.slot_probe import ProbedApplication


class Eyes(QObject):
    """Answers questions on the GUI thread; each is a list of a command and its arguments."""

    asked = Signal(list)

    def __init__(self, app: ProbedApplication) -> None:
        super().__init__(app)
        QAccessible.setActive(True)  # as with a screen reader; otherwise Qt reports outdated list rows
        self._answers: dict[str, Callable[..., Any]] = {
            "look": lambda: asdict(look()),
            "slow": lambda: [asdict(slow) for slow in app.slow if type(self).__name__ not in slow.receiver],
            "use theme": use_theme,
            "photograph": photograph,
            "attend": attend,
        }
        self.asked.connect(self._take, Qt.ConnectionType.QueuedConnection)
        threading.Thread(target=self._read, name="eyes", daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self.asked.emit(json.loads(line))
        os._exit(3)  # the questioner is gone

    def _take(self, question: list[Any]) -> None:
        delay_ms, word, *arguments = question
        timer = QTimer(self, singleShot=True, interval=delay_ms)
        timer.setObjectName("Eyes")
        timer.timeout.connect(lambda: self._answer(word, arguments))
        timer.timeout.connect(timer.deleteLater)
        timer.start()

    def _answer(self, word: str, arguments: list[Any]) -> None:
        sys.stdout.write(json.dumps(self._answers[word](*arguments)) + "\n")
        sys.stdout.flush()


def look() -> Sight:
    top = _attended()
    if top is None:
        return Sight("", 0, has_focus=False, mirror=None, seen=())
    seen = tuple(_seen(QAccessible.queryAccessibleInterface(top), (), top))
    window = top.windowHandle()
    return Sight(
        title=top.windowTitle(),
        window=int(top.winId()),
        has_focus=window is not None and QGuiApplication.focusWindow() is window,
        mirror=_mirror(top),
        seen=seen,
    )


def attend() -> None:
    """Give the active window the keyboard focus, since there is no window manager."""
    top = _attended()
    if top is not None and QApplication.activePopupWidget() is None:
        top.raise_()
        top.activateWindow()


def photograph(path: str) -> None:
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


def _attended() -> QWidget | None:
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or _main_window()


def _seen(interface: QAccessibleInterface | None, within: tuple[str, ...], around: QWidget) -> Iterator[Seen]:
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
    rect = interface.rect()
    sought = _part_in_sight(around, is_widget=is_widget)
    if name or role in _CONTROLS:
        yield Seen(
            role=role,
            name=name,
            value=interface.text(QAccessible.Text.Value),
            rect=Rect(rect.x(), rect.y(), rect.width(), rect.height()),
            within=within,
            is_enabled=not state.disabled,
            is_whole=sought.contains(rect) and not rect.isEmpty(),
            is_checked=bool(state.checked),
            has_focus=bool(state.focused),
            is_cut=is_widget and _is_cut(around),
            takes_focus=is_widget and around.focusPolicy() is not Qt.FocusPolicy.NoFocus,
        )
    inner = (*within, name) if name else within
    for number in range(interface.childCount()):
        yield from _seen(interface.child(number), inner, around)


_CONTROLS = {"Button", "CheckBox", "RadioButton", "EditableText", "ComboBox", "List", "Table", "SpinBox", "Slider"}


def _part_in_sight(widget: QWidget, *, is_widget: bool) -> QRect:
    """The visible part of a widget in screen coordinates; for its items that of the viewport."""
    place = widget.viewport() if isinstance(widget, QAbstractItemView) and not is_widget else widget
    region = place.visibleRegion()
    return QRect() if region.isEmpty() else region.boundingRect().translated(place.mapToGlobal(QRect().topLeft()))


def _is_cut(widget: QWidget) -> bool:
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
