"""How a recording is going, as the window tells it: the status line, and the texts and the veil of each state."""

import time
from dataclasses import dataclass
from enum import Enum
from html import escape

from PySide6.QtCore import QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.parts import named
from odyssey_recorder.gui.record.mirror_canvas import Veil, Weight
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView

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


@dataclass(frozen=True, slots=True)
class StateText:
    """What status line and mirror say; without a veil the mirror takes input."""

    mood: Mood
    word: str
    message: str
    veil: Veil | None

    @property
    def is_ready(self) -> bool:
        """Whether an action may come now, wherever the annotator works."""
        return self.mood is Mood.READY and self.veil in (None, _LOOK_ONLY)

    @property
    def takes_input(self) -> bool:
        """Whether touches on the mirror, keys and text go to the device now, recorded or not."""
        return self.veil is None

    def paused(self) -> "StateText":
        """The same while the annotator takes a break: it takes no input, and trouble is told all the same."""
        veil = Veil(_PAUSED, Weight.HEAVY, "pause_circle_outline")
        return self if self.mood is Mood.LOST else StateText(Mood.IDLE, "Paused", "", veil)


_PAUSED = "Paused. Nothing is recorded until you press Resume."
_LOOK_ONLY = Veil("Work in the emulator's own window", Weight.CLEAR)


def tell_phase(phase: Phase, serial: str, *, practice: bool = False) -> StateText:
    """The words for a phase in which no recorder speaks; `practice`: what is recorded is never published."""
    match phase:
        case Phase.NO_DEVICE:
            words = "No device: start an emulator, or start the simulated one."
            return StateText(Mood.IDLE, "No device", "", Veil(words, Weight.HEAVY))
        case Phase.CONNECTING:
            words = f"Connecting to {serial}…" if serial else "Starting the simulated emulator…"
            return StateText(Mood.BUSY, "Connecting", "", Veil(words, Weight.HEAVY, "cellphone_link"))
        case Phase.WATCHING:
            veil = Veil("Live view, not recording", Weight.CLEAR)
            return StateText(Mood.IDLE, "Live view", "Nothing is recorded yet", veil)
        case Phase.STARTING | Phase.RECORDING:
            return StateText(Mood.BUSY, "Starting", "", Veil("Starting…"))
        case Phase.FINISHED if practice:
            veil = Veil("Practice episode recorded", Weight.HEAVY, "check_circle_outline")
            return StateText(Mood.READY, "Recorded", "", veil)
        case Phase.FINISHED:
            return StateText(
                Mood.READY, "Published", "", Veil("Episode published", Weight.HEAVY, "check_circle_outline")
            )


def tell_lost_while_watching(message: str) -> StateText:
    """The words for a device that does not answer while nothing is recorded."""
    return StateText(Mood.LOST, "Device lost", message, Veil(message, Weight.HEAVY, "cellphone_off"))


def tell_passive_view(view: RecordingView, *, practice: bool = False) -> StateText:
    """The words for what a recorder says of itself that listens to the emulator's own window."""
    match view.state:
        case State.READY:
            return StateText(Mood.READY, "Listening", "What you do on the device is recorded.", _LOOK_ONLY)
        case State.IDLE | State.SETTLING:
            return StateText(
                Mood.BUSY, "Starting", "Nothing is recorded yet: wait until it listens.", Veil("Starting…")
            )
        case State.LEADING_BACK:
            return StateText(Mood.BUSY, "Leading back", view.message, _LOOK_ONLY)
        case _:
            return tell_view(view, practice=practice)


def tell_view(view: RecordingView, *, touched: bool = False, practice: bool = False) -> StateText:
    """The words for what a recorder says of itself; `touched`: a finger is down on the mirror."""
    match view.state:
        case State.INJECTING if touched:
            return StateText(Mood.BUSY, "Touching", "The device follows your finger.", None)
        case State.READY:
            return StateText(Mood.READY, "Ready", view.message, None)
        case State.LEADING_BACK:
            return StateText(Mood.BUSY, "Leading back", view.message, None)
        case State.DEVICE_LOST:
            return StateText(Mood.LOST, "Device lost", view.message, Veil(view.message, Weight.HEAVY, "cellphone_off"))
        case State.STORAGE_LOST:
            return StateText(Mood.LOST, "Not saved", view.message, Veil(view.message, Weight.HEAVY, "alert_outline"))
        case State.FINISHED:
            return tell_phase(Phase.FINISHED, "", practice=practice)
        case State.ABANDONED:
            return StateText(Mood.IDLE, "Discarded", view.message, Veil("The draft is in the trash", Weight.HEAVY))
        case State.IDLE | State.SETTLING | State.CAPTURING | State.CHECKING | State.INJECTING | State.RETURNING as busy:
            ending = "Saving" if practice else "Publishing"
            word = ending if _is_over(view) else _BUSY_WORDS[busy]
            return StateText(Mood.BUSY, word, view.message, Veil(f"{word}…"))


_BUSY_WORDS = {
    State.IDLE: "Starting",
    State.SETTLING: "Settling",
    State.CAPTURING: "Saving",
    State.CHECKING: "Checking",
    State.INJECTING: "Sending",
    State.RETURNING: "Returning",
}


def _is_over(view: RecordingView) -> bool:
    return bool(view.steps) and isinstance(view.steps[-1].action, Complete | Impossible)
