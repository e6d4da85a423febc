"""Runs slow work that nothing waits for on the GUI thread, a little at a time."""

from collections.abc import Iterator

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets
from PySide6.QtCore import QObject, QTimer

_TURN_MS = 30
_END = object()


class IdleQueue(QObject):
    """Advances `turns` on the GUI thread until it ends or `parent` is destroyed."""

    def __init__(self, turns: Iterator[object], parent: QObject) -> None:
        super().__init__(parent)
        self._turns = turns
        self._timer = QTimer(self, interval=_TURN_MS)
        self._timer.timeout.connect(self._take_turn)
        self._timer.start()

    def _take_turn(self) -> None:
        if next(self._turns, _END) is _END:
            self._timer.stop()
            self.deleteLater()


_CLASSES_PER_TURN = 40


def make_classes() -> Iterator[None]:
    """Create Qt's classes, some in each turn; on the GUI thread, before another thread loads modules that use them.

    Two threads that create one at once crash the program (PySide6 6.11).
    """
    for module in (QtCore, QtGui, QtSvg, QtWidgets):
        names = [name for name in dir(module) if name not in vars(module)]
        for first in range(0, len(names), _CLASSES_PER_TURN):
            for name in names[first : first + _CLASSES_PER_TURN]:
                getattr(module, name)
            yield
