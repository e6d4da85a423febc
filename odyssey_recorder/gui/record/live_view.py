"""The screen of a device that is connected but not recorded: its frames as they come, and why there are none."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from odyssey_recorder.device.device import FrameStream
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.record.recorder_bridge import RecorderBridge
from odyssey_recorder.recording.frame_reader import FrameReader


@dataclass(frozen=True, slots=True)
class _Watch:
    """A reader, and the way of its news into the thread of the window."""

    reader: FrameReader
    bridge: RecorderBridge


class LiveView(QObject):
    """Emits the frames of one device at a time, and why there are none."""

    frame_came = Signal(object)
    failed = Signal(str)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._watch: _Watch | None = None

    def start(self, device: FrameStream) -> None:
        """Watch `device` in place of the one before."""
        self.stop()
        bridge = RecorderBridge(self)
        bridge.frame_came.connect(self.frame_came)
        bridge.notice_came.connect(self.failed)

        def tell(error: DeviceError) -> None:
            bridge.notice(str(error))

        reader = FrameReader(device, on_frame=bridge.frame, on_failure=tell)
        reader.hurry(False)
        self._watch = _Watch(reader, bridge)
        reader.start()

    def stop(self) -> None:
        """Watch nothing."""
        if self._watch is None:
            return
        reader, bridge = self._watch.reader, self._watch.bridge
        self._watch = None
        bridge.frame_came.disconnect()
        bridge.notice_came.disconnect()
        reader.stop()
        self._background.run(reader.join, lambda _: bridge.deleteLater(), _never)


def _never(error: Exception) -> None:
    raise error
