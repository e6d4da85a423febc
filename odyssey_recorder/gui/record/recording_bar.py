"""The line above the phone that can be read from across the room: recording or paused, steps and time."""

import time
from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.parts import fill_row, named, text_label
from odyssey_recorder.gui.record.mirror_canvas import Framing
from odyssey_recorder.gui.theme import Theme

_HEIGHT = 32
_MARK_PX = 14.0


class RecordingBar(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._before_s = 0.0
        self._since_s: float | None = None
        self._pill = _Pill()
        self._count = named(text_label(kind="title"), "Recorded steps")
        self._time = named(text_label(kind="title"), "Recorded time")
        self._time.setToolTip("Time spent recording, without breaks")
        for label in (self._count, self._time):
            label.setWordWrap(False)
        fill_row(self, self._pill, self._count, None, self._time, margins=(2, 0, 2, 0), spacing=12)
        self.setFixedHeight(_HEIGHT)  # the phone below must not move
        self._clock = QTimer(self, interval=1000)
        self._clock.timeout.connect(self._show_time)

    def begin(self) -> None:
        """Count the time from zero."""
        self._before_s, self._since_s = 0.0, None

    def show_state(self, framing: Framing, words: str, steps: int | None) -> None:
        """`steps` is None without a recording."""
        is_running = framing is Framing.RECORDING
        if is_running != (self._since_s is not None):
            self._before_s, self._since_s = self.elapsed_s, time.monotonic() if is_running else None
        self._clock.start() if is_running else self._clock.stop()
        self._pill.show_state(framing, words)
        self._count.setText("" if steps is None else "1 step" if steps == 1 else f"{steps} steps")
        self._time.setVisible(steps is not None)
        self._show_time()
        self.setAccessibleName(f"{words}. {self._count.text()}")

    @property
    def framing(self) -> Framing:
        return self._pill.framing

    @property
    def words(self) -> str:
        return f"{self._pill.words} {self._count.text()}".strip()

    @property
    def elapsed_s(self) -> float:
        return self._before_s + (0.0 if self._since_s is None else time.monotonic() - self._since_s)

    def _show_time(self) -> None:
        minutes, seconds = divmod(int(self.elapsed_s), 60)
        self._time.setText(f"{minutes}:{seconds:02}")


class _Pill(QWidget):
    """A filled shape with a mark: a disc while recording, two bars during a pause, a ring otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self.framing = Framing.PLAIN

    def show_state(self, framing: Framing, words: str) -> None:
        if (framing, words) != (self.framing, self.words):
            self.framing, self.words = framing, words
            self.setToolTip(f"<p>{escape(words)}</p>")
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(_MARK_PX) + 34 + QFontMetrics(self._strong).horizontalAdvance(self.words), _HEIGHT - 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def _strong(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Bold)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, is_plain = Theme.current(), self.framing is Framing.PLAIN
        ink = theme.text if is_plain else QColor("white") if self.framing is Framing.RECORDING else theme.card
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(theme.outline if is_plain else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if is_plain else self.framing.colour)
        painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)
        self._paint_mark(painter, ink, QPointF(area.left() + 10 + _MARK_PX / 2, area.center().y()))
        painter.setFont(self._strong)
        painter.setPen(ink)
        painter.drawText(area.adjusted(18 + _MARK_PX, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.words)

    def _paint_mark(self, painter: QPainter, ink: QColor, centre: QPointF) -> None:
        half = _MARK_PX / 2
        if self.framing is Framing.PAUSED:
            for left in (-half + 1, 2.0):
                painter.fillRect(QRectF(centre.x() + left, centre.y() - half + 1, 4, _MARK_PX - 2), ink)
            return
        painter.setPen(ink)
        painter.setBrush(ink if self.framing is Framing.RECORDING else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, half - 1, half - 1)
