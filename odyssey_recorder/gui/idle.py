"""What takes long and nobody waits for: done a little at a time, with room for everything else in between."""

from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

_TURN_MS = 30
_END = object()


class IdleQueue(QObject):
    """Takes one of `turns` after the other on the GUI thread, until there are no more or `parent` is gone."""

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
