"""The screen of a device that is connected but not recorded: looks again and again, and says when it cannot."""

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from odyssey_recorder.device.device import Device
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.background import Background

_PAUSE_MS = 60
_PAUSE_WHILE_LOST_MS = 1000


class LiveView(QObject):
    """Emits the frames of one device at a time, and why there are none."""

    frame_came = Signal(object)
    failed = Signal(str)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._device: Device | None = None
        self._watch = object()  # another one for each `start`: what an earlier one asked for is no longer wanted
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._look)

    def start(self, device: Device) -> None:
        """Watch `device` in place of the one before."""
        self.stop()
        self._device = device
        self._look()

    def stop(self) -> None:
        """Watch nothing."""
        self._device = None
        self._watch = object()
        self._pause.stop()

    def _look(self) -> None:
        if self._device is not None:
            self._background.run(
                self._device.capture, partial(self._show, self._watch), partial(self._fail, self._watch)
            )

    def _show(self, watch: object, frame: Frame) -> None:
        if watch is self._watch:
            self.frame_came.emit(frame)
            self._pause.start(_PAUSE_MS)

    def _fail(self, watch: object, error: Exception) -> None:
        if watch is not self._watch:
            return
        if not isinstance(error, DeviceError):
            raise error
        self.failed.emit(str(error))
        self._pause.start(_PAUSE_WHILE_LOST_MS)
