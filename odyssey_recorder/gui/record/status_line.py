"""The one line under the mirror: where the recording stands, and how pictures come and how old the newest is."""

import time
from enum import Enum
from html import escape

from PySide6.QtCore import QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.parts import named
from odyssey_recorder.gui.theme import Theme

_AGE_MS = 200
_PATHS = {
    "gRPC": (
        "Pictures come from the emulator's own service (gRPC): some 20 ms each, and the device follows your finger."
    ),
    "screencap": (
        "Pictures come through adb (screencap): about half a second each on a real emulator. What you do goes to the"
        " device when the finger lifts."
    ),
}
"""What the annotator may expect of each way that pictures come."""

PATH_CHANGED = {
    "gRPC": "Pictures come from the emulator's own service (gRPC) again.",
    "screencap": (
        "The emulator's own service (gRPC) is lost: pictures come through adb (screencap) now, which is slower. No step"
        " is lost; go on when it says Ready."
    ),
}
"""What to say when the way changes in the middle of a recording."""


class Mood(Enum):
    """What the colour of the dot says."""

    IDLE = "idle"
    READY = "ready"
    BUSY = "busy"
    LOST = "lost"


class StatusLine(QWidget):
    """State, message, and the age of the newest frame."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dot = _Dot()
        self._state = QLabel()
        self._message = _ElidedLabel()
        self._message.setProperty("kind", "hint")
        self._path = named(QLabel(), "How pictures come")
        self._path.setProperty("kind", "hint")
        self._age = named(QLabel(), "Age of the picture")
        self._age.setProperty("kind", "hint")
        self._age.setToolTip("How long ago the newest picture came; over gRPC one comes when the screen changes")
        self._frame: Frame | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 2, 0)
        row.setSpacing(8)
        row.addWidget(self._dot)
        row.addWidget(self._state)
        row.addWidget(self._message, 1)
        row.addWidget(self._path)
        row.addWidget(self._age)
        self._clock = QTimer(self, interval=_AGE_MS)
        self._clock.timeout.connect(self._show_age)
        self._clock.start()

    def show_state(self, mood: Mood, state: str, message: str) -> None:
        """Show a state in a word or two, and one line about it."""
        self._dot.set_mood(mood)
        self._state.setText(state)
        self._message.show_words("" if message.rstrip(".").casefold() == state.casefold() else message)
        self.setAccessibleName(f"{state}. {message}")

    def show_frame(self, frame: Frame | None) -> None:
        """Tell the age of `frame` from now on; None: of nothing."""
        self._frame = frame
        if frame is None:
            self._age.clear()

    def show_capture_path(self, path: str) -> None:
        """Tell by which way pictures come, empty where none do; what it means is in the tooltip."""
        self._path.setText(path)
        self._path.setAccessibleName(f"How pictures come: {path or 'not yet'}")
        self._path.setToolTip(f"<p>{escape(_PATHS.get(path, path))}</p>" if path else "")

    @property
    def capture_path(self) -> str:
        """By which way pictures come."""
        return self._path.text()

    @property
    def state(self) -> str:
        """The state in words."""
        return self._state.text()

    @property
    def message(self) -> str:
        """The line about the state."""
        return self._message.words

    @property
    def age(self) -> str:
        """The age of the picture in words."""
        return self._age.text()

    def _show_age(self) -> None:
        if self._frame is not None:
            age_s = (time.monotonic_ns() - self._frame.arrived_ns) / 1e9
            self._age.setText(f"{age_s:.1f} s" if age_s < 60 else f"{age_s / 60:.0f} min")


class _Dot(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._mood = Mood.IDLE
        self.setFixedSize(QSize(12, 12))

    def set_mood(self, mood: Mood) -> None:
        self._mood = mood
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour())
        painter.drawEllipse(QPointF(6, 6), 5, 5)

    def _colour(self) -> QColor:
        theme = Theme.current()
        colours = {
            Mood.IDLE: theme.off,
            Mood.READY: theme.success,
            Mood.BUSY: theme.warning,
            Mood.LOST: theme.danger,
        }
        return colours[self._mood]


class _ElidedLabel(QLabel):
    """One line of plain text, cut with an ellipsis where there is no room; the tooltip has it whole."""

    def __init__(self) -> None:
        super().__init__()
        self.words: str = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_words(self, words: str) -> None:
        self.words = words
        self.setToolTip(f"<p>{escape(words)}</p>" if words else "")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        words = self.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
