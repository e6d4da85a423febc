"""How much of an episode was seen: a piece for each step, filled once the step was shown."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.theme import Theme

_SIZE = QSize(132, 6)
_GAP_PX = 2
_NARROWEST_PX = 3
"""Pieces that would be narrower touch each other."""


class SeenBar(QWidget):
    """Unlike a progress bar it paints itself with all else: turning to another step must not wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(_SIZE)
        self.setAccessibleName("Steps seen")
        self._seen: frozenset[int] = frozenset()
        self._steps = 0

    def show_seen(self, seen: frozenset[int], steps: int) -> None:
        """Show which of the steps 0 to `steps` - 1 were seen."""
        self._seen, self._steps = seen, steps
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._steps:
            return
        theme = Theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        stride = self.width() / self._steps
        gap = _GAP_PX if stride - _GAP_PX >= _NARROWEST_PX else 0
        for number in range(self._steps):
            painter.setBrush(theme.accent if number in self._seen else theme.outline)
            piece = QRectF(number * stride, 0, stride - gap, self.height())
            painter.drawRoundedRect(piece, 2 if gap else 0, 2 if gap else 0)
