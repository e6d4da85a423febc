"""The simulated emulator's screen: the mouse is a finger, with Ctrl two, and the keyboard types."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.viewport import FitScale
from odyssey_recorder.model.geometry import Pixel, Size
from odyssey_simulator.phone import Phone
from odyssey_simulator.screen import ComposedFrame


@dataclass(frozen=True, slots=True)
class PhoneFrame:
    """A frame: its number, its size, and an image of it that fits `room`, in monitor pixels."""

    number: int
    size: Size
    room: QSize
    image: QImage


class PhoneFrames(QObject):
    """Emits an image of each new frame of the phone; a slow window gets the newest."""

    frame_came = Signal(object)
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
        self._room = room
        self._make_newest()

    def close(self) -> None:
        self._stop_listening()
        self._background.close()

    @Slot()
    def _make_newest(self) -> None:
        screen = self._phone.screen()
        if self._is_making or self._room.isEmpty() or (screen.number, self._room) == self._made:
            return
        self._is_making = True
        self._background.run(partial(_scaled_frame, screen, self._room), self._on_made)

    def _on_made(self, frame: PhoneFrame) -> None:
        self._is_making = False
        self._made = frame.number, frame.room
        self.frame_came.emit(frame)
        self._make_newest()


def _scaled_frame(screen: ComposedFrame, room: QSize) -> PhoneFrame:
    size = Size(screen.width, screen.height)
    place = FitScale.inside(size, QRectF(0, 0, room.width(), room.height())).area.size().toSize()
    whole = QImage(screen.rgba, size.width, size.height, size.width * 4, QImage.Format.Format_RGBX8888)
    aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    # Qt scales its native pixel format in a third of the time, conversion included.
    fitted = whole.convertToFormat(QImage.Format.Format_RGB32).scaled(place, aspect, smooth)
    return PhoneFrame(screen.number, size, room, fitted)


_KEYS: Mapping[int, int] = {
    Qt.Key.Key_Escape: 0x01,
    Qt.Key.Key_Backspace: 0x0E,
    Qt.Key.Key_Tab: 0x0F,
    Qt.Key.Key_Return: 0x1C,
    Qt.Key.Key_Enter: 0x1C,
    Qt.Key.Key_F1: 0x3B,
    Qt.Key.Key_Home: 0x66,
    Qt.Key.Key_Up: 0x67,
    Qt.Key.Key_Left: 0x69,
    Qt.Key.Key_Right: 0x6A,
    Qt.Key.Key_Down: 0x6C,
    Qt.Key.Key_Delete: 0x6F,
}
"""Linux codes of keys that type no character."""

_RING_PX = 14.0
_RING = QColor(255, 255, 255, 150)
_RING_EDGE = QColor(0, 0, 0, 170)


class PhoneScreen(QWidget):
    """The screen, fitted with its aspect ratio.

    Emits fingers as tuples of image pixels, and typing: characters as text, other keys by Linux code.
    """

    fingers_down = Signal(object)
    fingers_moved = Signal(object)
    fingers_lifted = Signal(object)
    wheel_turned = Signal(object, float)
    back_asked = Signal()
    text_typed = Signal(str)
    key_typed = Signal(int)
    room_changed = Signal(QSize)

    def __init__(self) -> None:
        super().__init__()
        self._frame: PhoneFrame | None = None
        self._fingers: tuple[Pixel, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 200)
        self.setAccessibleName("Phone screen")

    def show_frame(self, frame: PhoneFrame) -> None:
        self._frame = frame
        self.update()

    @property
    def frame_number(self) -> int:
        return 0 if self._frame is None else self._frame.number

    def fit(self) -> FitScale | None:
        if self._frame is None:
            return None
        return FitScale.inside(self._frame.size, QRectF(self.rect()), device_pixel_ratio=self.devicePixelRatioF())

    # Mouse and keyboard.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        fit = self.fit()
        pixel = None if fit is None else fit.pixel_at(event.position())
        if fit is None or pixel is None or self._fingers:
            return
        if event.button() is Qt.MouseButton.RightButton:
            self.back_asked.emit()
        elif event.button() is Qt.MouseButton.LeftButton:
            pinches = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._fingers = (pixel, _opposite(pixel, fit)) if pinches else (pixel,)
            self.fingers_down.emit(self._fingers)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._follow(event):
            self.fingers_moved.emit(self._fingers)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._follow(event):
            fingers, self._fingers = self._fingers, ()
            self.fingers_lifted.emit(fingers)

    def wheelEvent(self, event: QWheelEvent) -> None:
        fit, notches = self.fit(), event.angleDelta().y() / 120
        pixel = None if fit is None else fit.pixel_at(event.position())
        if pixel is not None and notches and not self._fingers:
            self.wheel_turned.emit(pixel, notches)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        code = _KEYS.get(event.key())
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            super().keyPressEvent(event)
        elif code is not None:
            self.key_typed.emit(code)
        elif event.text():
            self.text_typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab belongs to the phone; every tool of the window has its own key."""
        return False

    def _follow(self, event: QMouseEvent) -> bool:
        """Move the fingers to the mouse; False if none is down."""
        fit = self.fit()
        if fit is None or not self._fingers:
            return False
        pixel = fit.nearest_pixel(event.position())
        self._fingers = (pixel, _opposite(pixel, fit))[: len(self._fingers)]
        self.update()
        return True

    # Painting.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.room_changed.emit((QRectF(self.rect()).size() * self.devicePixelRatioF()).toSize())

    def paintEvent(self, event: QPaintEvent) -> None:
        fit = self.fit()
        if fit is None or self._frame is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(fit.area, self._frame.image)
        painter.setPen(QPen(Theme.current().outline, 1))
        painter.drawRect(fit.area.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setBrush(_RING)
        painter.setPen(QPen(_RING_EDGE, 1.5))
        for finger in self._fingers if len(self._fingers) > 1 else ():
            painter.drawEllipse(fit.point_of(finger), _RING_PX, _RING_PX)


def _opposite(pixel: Pixel, fit: FitScale) -> Pixel:
    return Pixel(fit.frame_size.width - 1 - pixel.x, fit.frame_size.height - 1 - pixel.y)
