"""The one crossing from the recorder's threads to the GUI thread: callbacks become queued signals."""

from contextlib import suppress
from threading import Lock

from PySide6.QtCore import QObject, Qt, Signal, Slot

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.recording.view import RecordingView


class RecorderBridge(QObject):
    """A recorder's listener that lives on the GUI thread and emits its signals there.

    At most one frame is under way to the GUI: a slow window skips frames, it never falls behind.
    """

    frame_came = Signal(object)
    view_changed = Signal(object)
    notice_came = Signal(str)
    _frame_waits = Signal()
    _view_waits = Signal(object)
    _notice_waits = Signal(str)

    def __init__(self, parent: QObject) -> None:
        """`parent` keeps the bridge alive on the GUI thread, whichever thread lets go of it last."""
        super().__init__(parent)
        self._lock = Lock()
        self._newest: Frame | None = None  # guarded by _lock
        self._frame_waits.connect(self._hand_over_frame, Qt.ConnectionType.QueuedConnection)
        self._view_waits.connect(self.view_changed, Qt.ConnectionType.QueuedConnection)
        self._notice_waits.connect(self.notice_came, Qt.ConnectionType.QueuedConnection)

    def frame(self, frame: Frame) -> None:
        """Called from a reader's thread with every frame."""
        with self._lock:
            is_under_way = self._newest is not None
            self._newest = frame
        if not is_under_way:
            with suppress(RuntimeError):  # the window, and the bridge with it, may be gone before the last frame
                self._frame_waits.emit()

    def changed(self, view: RecordingView) -> None:
        """Called from the recorder's thread with every new view."""
        self._view_waits.emit(view)

    def notice(self, text: str) -> None:
        """Called from the recorder's thread with what the annotator must read."""
        self._notice_waits.emit(text)

    @Slot()
    def _hand_over_frame(self) -> None:
        with self._lock:
            frame, self._newest = self._newest, None
        self.frame_came.emit(frame)
