"""Where garbage that refers to itself is swept: on the GUI thread alone, as no other may take Qt's objects apart."""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1000
_WHOLE = 200
"""After so many sweeps of what is young all is swept: that takes as long as a few frames."""


class GarbageCollector(QObject):
    """Stands in for Python's own collector, which runs on whichever thread asks for memory, until it is stopped.

    A window is a web of objects that refer to each other; taken apart by one thread while another one makes widgets,
    it ends the program (PySide6 6.11).
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.sweep)

    def start(self) -> None:
        """Sweep from time to time, for as long as events are handled."""
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.enable()

    def sweep(self) -> None:
        """Sweep what is young, if there is enough of it, and now and then the rest."""
        young, _middle, old = gc.get_count()
        if young > gc.get_threshold()[0]:
            gc.collect(2 if old >= _WHOLE else 1)
