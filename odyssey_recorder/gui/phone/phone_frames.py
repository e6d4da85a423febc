"""What the simulated phone shows, made to measure for its window on a thread of its own."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.record.scale import FitScale
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.screen import Screen


@dataclass(frozen=True, slots=True)
class PhoneFrame:
    """One frame: its number, its own size, and an image of it that fits into `room`, in pixels of the monitor."""

    number: int
    size: Size
    room: QSize
    image: QImage


class PhoneFrames(QObject):
    """Emits a picture of each new frame of the phone; where the window is slower, of the newest one."""

    picture_came = Signal(object)
    _frame_came = Signal()

    def __init__(self, phone: Phone, parent: QObject) -> None:
        super().__init__(parent)
        self._phone = phone
        self._background = Background(self, threads=1)
        self._room = QSize()
        self._is_making = False
        self._made: tuple[int, QSize] = (0, QSize())
        self._frame_came.connect(self._make_newest, Qt.ConnectionType.QueuedConnection)
        self._stop_listening = phone.on_frame(self._frame_came.emit)

    def fit_into(self, room: QSize) -> None:
        """Make the pictures for a screen of so many pixels of the monitor, beginning with the one that is shown."""
        self._room = room
        self._make_newest()

    def close(self) -> None:
        """Make no more."""
        self._stop_listening()
        self._background.close()

    @Slot()
    def _make_newest(self) -> None:
        screen = self._phone.screen()
        if self._is_making or self._room.isEmpty() or (screen.number, self._room) == self._made:
            return
        self._is_making = True
        self._background.run(partial(_made_to_measure, screen, self._room), self._take, _fail)

    def _take(self, picture: PhoneFrame) -> None:
        self._is_making = False
        self._made = picture.number, picture.room
        self.picture_came.emit(picture)
        self._make_newest()


def _fail(error: Exception) -> None:
    raise error


def _made_to_measure(screen: Screen, room: QSize) -> PhoneFrame:
    size = Size(screen.width, screen.height)
    place = FitScale.inside(size, QRectF(0, 0, room.width(), room.height())).area.size().toSize()
    whole = QImage(screen.rgba, size.width, size.height, size.width * 4, QImage.Format.Format_RGBX8888)
    aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    # Qt scales its own format of pixels in a third of the time, the conversion included.
    fitted = whole.convertToFormat(QImage.Format.Format_RGB32).scaled(place, aspect, smooth)
    return PhoneFrame(screen.number, size, room, fitted)
