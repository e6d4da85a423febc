"""Carries callbacks of recording and watching threads to the GUI thread, as queued signals."""

from threading import Lock

from PySide6.QtCore import QObject, Qt, Signal, Slot

from odyssey_recorder.device.device import FrameStream
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.recording.frame_reader import FrameReader
from odyssey_recorder.recording.notice import Notice
from odyssey_recorder.recording.view import RecordingView


class RecorderBridge(QObject):
    """A recorder's listener that emits its signals on the GUI thread.

    At most one frame is queued: a slow window skips frames and never falls behind.
    """

    frame_came = Signal(object)
    view_changed = Signal(object)
    notice_came = Signal(object)
    _frame_waits = Signal()
    _view_waits = Signal(object)
    _notice_waits = Signal(object)

    def __init__(self, parent: QObject) -> None:
        """`parent` keeps the bridge alive, so that it is deleted on the GUI thread.

        Calls that come after the parent is gone have no effect. A bridge that is deleted alone must get no more calls.
        """
        super().__init__(parent)
        self._lock = Lock()
        self._is_open = True  # guarded by _lock
        self._newest: Frame | None = None  # guarded by _lock
        self._frame_waits.connect(self._hand_over_frame, Qt.ConnectionType.QueuedConnection)
        self._view_waits.connect(self.view_changed, Qt.ConnectionType.QueuedConnection)
        self._notice_waits.connect(self.notice_came, Qt.ConnectionType.QueuedConnection)
        parent.destroyed.connect(self._close)  # before Qt deletes the children; their own signal comes too late

    def frame(self, frame: Frame) -> None:
        """Called on a reader's thread with every frame."""
        with self._lock:
            is_first = self._newest is None
            self._newest = frame
            if is_first and self._is_open:
                self._frame_waits.emit()

    def changed(self, view: RecordingView) -> None:
        """Called on the recorder's thread with every new view."""
        with self._lock:
            if self._is_open:
                self._view_waits.emit(view)

    def notice(self, notice: Notice) -> None:
        """Called on the recorder's thread with a message for the annotator."""
        with self._lock:
            if self._is_open:
                self._notice_waits.emit(notice)

    @Slot()
    def _close(self) -> None:
        with self._lock:
            self._is_open = False

    @Slot()
    def _hand_over_frame(self) -> None:
        with self._lock:
            frame, self._newest = self._newest, None
        self.frame_came.emit(frame)


class LiveView(QObject):
    """Emits the frames of one device at a time, or why there are none."""

    frame_came = Signal(object)
    failed = Signal(str)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._watch: tuple[FrameReader, RecorderBridge] | None = None

    def start(self, device: FrameStream) -> None:
        self.stop()
        bridge = RecorderBridge(self)
        bridge.frame_came.connect(self.frame_came)
        bridge.notice_came.connect(lambda notice: self.failed.emit(notice.text))

        reader = FrameReader(device, on_frame=bridge.frame, on_failure=lambda error: bridge.notice(Notice(str(error))))
        reader.hurry(False)
        self._watch = reader, bridge
        reader.start()

    def stop(self) -> None:
        if self._watch is None:
            return
        reader, bridge = self._watch
        self._watch = None
        bridge.frame_came.disconnect()
        bridge.notice_came.disconnect()
        reader.stop()
        self._background.run(reader.join, lambda _: bridge.deleteLater())
