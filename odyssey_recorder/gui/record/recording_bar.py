"""The line above the phone that can be read from across the room: recording or paused, steps and time."""

import time

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.kit.parts import fill_row, named, set_kind, text_label
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.gui.record.status import StatusLine
from odyssey_recorder.gui.screen.canvas import Framing

_HEIGHT = 32
_MARKS = {Framing.PLAIN: "○", Framing.RECORDING: "●", Framing.PAUSED: "▮▮"}


class RecordingBar(QWidget):
    def __init__(self, status: StatusLine, undo: QWidget) -> None:
        """`status` has the room between the steps and the time; a refusal has theirs too."""
        super().__init__()
        self.framing = Framing.PLAIN
        self._before_s = 0.0
        self._since_s: float | None = None
        self._state = text_label(kind=Framing.PLAIN.value)
        self._count = named(text_label(kind="title"), "Recorded steps")
        self._time = named(text_label(kind="title"), "Recorded time")
        self._time.setToolTip("Time spent recording, without breaks")
        for label in (self._state, self._count, self._time):
            label.setWordWrap(False)
        fill_row(self, self._state, self._count, undo, (status, 1), self._time, margins=(2, 0, 2, 0), spacing=12)
        self._clock = QTimer(self, interval=1000)
        self._clock.timeout.connect(self._show_time)
        self._is_refusing = False
        status.refused.connect(self._make_room)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.StyleChange:
            self.setFixedHeight(grown(_HEIGHT))  # the phone below must not move
        return super().event(event)

    def begin(self) -> None:
        """Count the time from zero."""
        self._before_s, self._since_s = 0.0, None

    def show_state(self, framing: Framing, text: str, steps: int | None) -> None:
        """`steps` is None without a recording."""
        is_running = framing is Framing.RECORDING
        if is_running != (self._since_s is not None):
            self._before_s, self._since_s = self._elapsed_s, time.monotonic() if is_running else None
        self._clock.start() if is_running else self._clock.stop()
        if framing is not self.framing:
            self.framing = framing
            set_kind(self._state, framing.value)
        self._state.setText(f"{_MARKS[framing]}  {text}")
        self._state.setVisible(framing is not Framing.PLAIN)  # the status line says the same
        self._count.setText("" if steps is None else "1 step" if steps == 1 else f"{steps} steps")
        self._show_time()
        self._make_room(self._is_refusing)
        self.setAccessibleName(self.words)

    def _make_room(self, is_refusing: bool) -> None:
        self._is_refusing = is_refusing
        for label in (self._count, self._time):
            label.setVisible(bool(self._count.text()) and not is_refusing)

    @property
    def words(self) -> str:
        return f"{self._state.text()} {self._count.text()}".strip()

    @property
    def _elapsed_s(self) -> float:
        return self._before_s + (0.0 if self._since_s is None else time.monotonic() - self._since_s)

    def _show_time(self) -> None:
        minutes, seconds = divmod(int(self._elapsed_s), 60)
        self._time.setText(f"{minutes}:{seconds:02}")
