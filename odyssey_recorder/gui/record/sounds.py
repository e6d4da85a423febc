"""Beeps for what an annotator waits for: one when the device is ready, two when it is done, three for an error.

The system's own beep needs no audio device and no file.
"""

import time
from enum import Enum

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView

_PAUSE_MS = 180


class Sound(Enum):
    """The value is the number of beeps."""

    READY = 1
    DONE = 2
    ERROR = 3


_SOUNDS = {
    State.READY: Sound.READY,
    State.FINISHED: Sound.DONE,
    State.DEVICE_LOST: Sound.ERROR,
    State.STORAGE_LOST: Sound.ERROR,
}


class Sounds(QObject):
    """Silent until `is_on`; emits each sound that it plays.

    Ready is announced only after a wait of more than `patience_s`: steps would beep all day.
    """

    played = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.is_on = False
        self.patience_s = 1.0
        self._state: State | None = None
        self._busy_since_s = 0.0

    def follow(self, view: RecordingView) -> None:
        if view.state is self._state:
            return
        if self._state in (None, State.READY):
            self._busy_since_s = time.monotonic()
        self._state = view.state
        sound = _SOUNDS.get(view.state)
        is_quick = sound is Sound.READY and time.monotonic() - self._busy_since_s < self.patience_s
        if sound is not None and not is_quick:
            self.play(sound)

    def play(self, sound: Sound) -> None:
        if self.is_on:
            self.played.emit(sound)
            for number in range(sound.value):
                QTimer.singleShot(number * _PAUSE_MS, self, QApplication.beep)
