"""How the window describes a recording: the status line, and the texts and overlay of each state."""

import time
from dataclasses import dataclass, replace
from enum import Enum
from html import escape

from PySide6.QtCore import QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.kit.parts import fill_row, named, set_kind
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.canvas import Overlay, OverlayOpacity
from odyssey_recorder.gui.screen.step_strip import wrapped
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView

_AGE_MS = 200
_HINT_MS = 1200
_REFUSAL_MS = 4000
_PATHS = {
    "gRPC": "Fast connection (gRPC): a screenshot takes about 20 ms, and the device follows your finger.",
    "screencap": (
        "Screenshots come from adb (screencap): about half a second each on a real emulator. "
        "Your input is sent when you lift the finger."
    ),
}

GRPC_LOST = (
    "The gRPC connection is lost. Screenshots now come from adb (screencap), which is "
    "slower. No step is lost. Continue when it says Ready."
)


class Activity(Enum):
    IDLE = "idle"
    READY = "ready"
    BUSY = "busy"
    LOST = "lost"


class StatusLine(QWidget):
    refused = Signal(bool)
    """Whether it shows a refusal, which needs the room beside the line too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dot = _Dot()
        self._state = QLabel()
        self._message = ElidedLabel()
        self._message.setProperty("kind", "hint")
        self._path = named(QLabel(), "Screenshot source")
        self._path.setProperty("kind", "hint")
        self._age = named(QLabel(), "Age of the screenshot")
        self._age.setProperty("kind", "hint")
        self._age.setToolTip("Time since the newest screenshot; over gRPC, one arrives when the screen changes")
        self._frame: Frame | None = None
        self._hint = ElidedLabel(lines=2)
        self._hint.setAccessibleName("What was recorded")
        self._hint_timer = QTimer(self, singleShot=True)
        self._hint_timer.timeout.connect(lambda: self.show_hint(""))
        messages = (self._hint, 1), (self._message, 1)
        fill_row(self, self._dot, self._state, *messages, self._path, self._age, margins=(2, 0, 2, 0))
        self.show_hint("")
        self._clock = QTimer(self, interval=_AGE_MS)
        self._clock.timeout.connect(self._show_age)
        self._clock.start()

    def show_state(self, activity: Activity, state: str, message: str, *, is_shown_elsewhere: bool = False) -> None:
        """A message that `is_shown_elsewhere` is for screen readers only."""
        self._dot.set_activity(activity)
        self._state.setText(state)
        is_shown_elsewhere = is_shown_elsewhere or message.rstrip(".").casefold() == state.casefold()
        self._message.show_text("" if is_shown_elsewhere else message)
        self.setAccessibleName(f"{state}. {message}")

    def show_hint(self, text: str, *, is_refusal: bool = False, stays: bool = False) -> None:
        """Show instead of the message what an input is or became; one hint replaces the other.

        It leaves by itself unless it `stays`.
        """
        self._hint.show_text(text)
        if is_refusal != (self._hint.property("kind") == "refusal"):
            set_kind(self._hint, "refusal" if is_refusal else "made")
        for part, shown in ((self._hint, True), (self._message, False), (self._path, False), (self._age, False)):
            part.setVisible(shown == bool(text))
        self._dot.setHidden(is_refusal)
        self._state.setHidden(is_refusal)
        self.refused.emit(is_refusal)
        if text and not stays:
            self._hint_timer.start(_REFUSAL_MS if is_refusal else _HINT_MS)
        else:
            self._hint_timer.stop()

    @property
    def hint(self) -> str:
        return self._hint.words

    def show_frame(self, frame: Frame | None) -> None:
        self._frame = frame
        if frame is None:
            self._age.clear()

    def show_capture_path(self, path: str) -> None:
        self._path.setText(path)
        self._path.setAccessibleName(f"Screenshot source: {path or 'not yet'}")
        self._path.setToolTip(f"<p>{escape(_PATHS.get(path, path))}</p>" if path else "")

    @property
    def capture_path(self) -> str:
        return self._path.text()

    @property
    def state(self) -> str:
        return self._state.text()

    @property
    def message(self) -> str:
        return self._message.words

    def _show_age(self) -> None:
        if self._frame is not None:
            age_s = (time.monotonic_ns() - self._frame.arrived_ns) / 1e9
            self._age.setText(f"{age_s:.1f} s" if age_s < 60 else f"{age_s / 60:.0f} min")


class _Dot(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._activity = Activity.IDLE
        self.setFixedSize(QSize(12, 12))

    def set_activity(self, activity: Activity) -> None:
        self._activity = activity
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
            Activity.IDLE: theme.off,
            Activity.READY: theme.success,
            Activity.BUSY: theme.warning,
            Activity.LOST: theme.danger,
        }
        return colours[self._activity]


class ElidedLabel(QLabel):
    def __init__(self, *, lines: int = 1) -> None:
        super().__init__()
        self.words: str = ""
        self._lines = lines
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(0, self._lines * self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def show_text(self, text: str) -> None:
        self.words = text
        self.setToolTip(f"<p>{escape(text)}</p>" if text else "")
        self.update()

    @property
    def shown(self) -> str:
        """The text in its lines, elided if they have too little room."""
        return "\n".join(wrapped(self.words, self.fontMetrics(), self._area.width(), self._lines))

    @property
    def _area(self) -> QRect:
        return self.rect().adjusted(8, 0, -4, 0) if self.property("kind") == "refusal" else self.rect()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self._area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.shown)


@dataclass(frozen=True, slots=True)
class StatusText:
    """Text of status line and mirror; without an overlay the mirror takes input."""

    activity: Activity
    word: str
    message: str
    overlay: Overlay | None

    @property
    def is_ready(self) -> bool:
        return self.activity is Activity.READY and self.overlay in (None, _LOOK_ONLY)

    @property
    def takes_input(self) -> bool:
        return self.overlay is None

    @property
    def is_pause(self) -> bool:
        """Whether a recording is under way, but nothing is recorded until something is done about it."""
        return self.activity is Activity.LOST or self.word in ("Paused", "Restoring", "Returning")

    @property
    def hindrance(self) -> str:
        """Why an action on the device cannot become a step now."""
        return "work in the emulator's own window" if self.overlay == _LOOK_ONLY else _HINDRANCES.get(self.word, _BUSY)

    def by_agent(self, action: str) -> "StatusText":
        """The same while an agent acts; the mirror does not flicker with each step, and a lost device still shows."""
        if self.activity is Activity.LOST:
            return self
        overlay = self.overlay and replace(self.overlay, weight=OverlayOpacity.CLEAR)
        return StatusText(self.activity, "Agent", action, overlay)

    def paused(self) -> "StatusText":
        """The same during a break: no input, but a lost device still shows."""
        overlay = Overlay(_PAUSED, OverlayOpacity.MEDIUM, "pause_circle_outline")
        return self if self.activity is Activity.LOST else StatusText(Activity.IDLE, "Paused", _PAUSED, overlay)


_PAUSED = "Nothing is recorded until you press Resume."
_BUSY = "the phone was still busy"
_OVER = "this episode has ended"
_HINDRANCES = {
    "No device": "choose or start a device first",
    "Connecting": "wait until the device is connected",
    "Live view": "press Start recording first",
    "Starting": "the recording was still starting",
    "Settling": "the screen was still changing",
    "Saving": "the screen was still changing",
    "Returning": "the device was being restored",
    "Restoring": "restore the screen first",
    "Paused": "the recording is paused",
    "Device lost": "the device does not answer",
    "Not saved": "the recording cannot be saved",
    "Publishing": _OVER,
    "Published": _OVER,
    "Recorded": _OVER,
}
"""By the word of the state."""
_LOOK_ONLY = Overlay("Work in the emulator's own window", OverlayOpacity.CLEAR)


def phase_text(phase: Phase, device: str, *, practice: bool = False) -> StatusText:
    """The text of a phase without a recorder; `practice`: the recording is never published."""
    match phase:
        case Phase.NO_DEVICE:
            text = "Choose or start a device at the left"
            return StatusText(Activity.IDLE, "No device", "", Overlay(text, OverlayOpacity.HEAVY))
        case Phase.CONNECTING:
            text = f"Connecting to {device}…" if device else "Starting the simulated emulator…"
            return StatusText(Activity.BUSY, "Connecting", "", Overlay(text, OverlayOpacity.HEAVY, "cellphone_link"))
        case Phase.WATCHING:
            overlay = Overlay("Live view, not recording", OverlayOpacity.CLEAR)
            return StatusText(Activity.IDLE, "Live view", "Nothing is recorded yet", overlay)
        case Phase.STARTING | Phase.RECORDING:
            return StatusText(Activity.BUSY, "Starting", "", Overlay("Starting…"))
        case Phase.FINISHED:
            text = "Practice episode recorded" if practice else ""  # the page says what is published, and where
            overlay = Overlay(text, OverlayOpacity.HEAVY, "check_circle_outline")
            return StatusText(Activity.READY, "Recorded" if practice else "Published", "", overlay)


def device_lost_text(message: str) -> StatusText:
    return StatusText(Activity.LOST, "Device lost", message, Overlay(message, OverlayOpacity.HEAVY, "cellphone_off"))


def passive_view_text(view: RecordingView, *, practice: bool = False) -> StatusText:
    match view.state:
        case State.READY:
            return StatusText(Activity.READY, "Listening", "Your input on the device is recorded.", _LOOK_ONLY)
        case State.IDLE | State.SETTLING:
            message = f"Not recording yet. {view.message}"
            return StatusText(Activity.BUSY, "Starting", message, Overlay(message, OverlayOpacity.HEAVY))
        case State.RESTORING:
            return StatusText(Activity.BUSY, "Restoring", view.message, _LOOK_ONLY)
        case _:
            return view_text(view, practice=practice)


def view_text(view: RecordingView, *, touched: bool = False, practice: bool = False) -> StatusText:
    """The text of a recorder in mirror mode; `touched`: a finger is down on the mirror."""
    match view.state:
        case State.INJECTING if touched:
            return StatusText(Activity.BUSY, "Touching", "The device follows your finger.", None)
        case State.READY:
            return StatusText(Activity.READY, "Ready", view.message, None)
        case State.RESTORING:
            return StatusText(Activity.BUSY, "Restoring", view.message, None)
        case State.DEVICE_LOST:
            return device_lost_text(view.message)
        case State.STORAGE_LOST:
            overlay = Overlay(view.message, OverlayOpacity.HEAVY, "alert_outline")
            return StatusText(Activity.LOST, "Not saved", view.message, overlay)
        case State.FINISHED:
            return phase_text(Phase.FINISHED, "", practice=practice)
        case State.ABANDONED:
            overlay = Overlay("The draft is in the trash", OverlayOpacity.HEAVY)
            return StatusText(Activity.IDLE, "Discarded", view.message, overlay)
        case State.IDLE | State.SETTLING | State.CAPTURING | State.CHECKING | State.INJECTING | State.RETURNING as busy:
            ending = "Saving" if practice else "Publishing"
            is_over = bool(view.steps) and isinstance(view.steps[-1].action, Complete | Impossible)
            word = ending if is_over else _BUSY_WORDS[busy]
            return StatusText(Activity.BUSY, word, view.message, Overlay(f"{word}…"))


_BUSY_WORDS = {
    State.IDLE: "Starting",
    State.SETTLING: "Settling",
    State.CAPTURING: "Saving",
    State.CHECKING: "Checking",
    State.INJECTING: "Sending",
    State.RETURNING: "Returning",
}
