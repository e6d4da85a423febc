"""Mouse and keys that change the view of the mirror, not the device: panning, zooming, magnifying."""

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.kit.theme import MARK, Theme
from odyssey_recorder.gui.screen.canvas import frame_image
from odyssey_recorder.gui.screen.viewport import PANS, Viewport
from odyssey_recorder.model.geometry import Pixel

PIXELS = 41
"""Device pixels on each side; odd, so that one is in the middle."""

ENLARGED = 4
"""Window units for each device pixel."""

_SIDE = PIXELS * ENLARGED
_LABEL_PX = 24.0
_POINTER_GAP = 24.0
"""Distance between the pointer and the magnifier."""

_HAIRLINE = QColor(255, 255, 255, 170)


class Magnifier(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Magnifier")
        self._frame: Frame | None = None
        self._pixel = Pixel(0, 0)
        self.resize(_SIDE + 4, round(_SIDE + 4 + _LABEL_PX))
        self.hide()

    @property
    def pixel(self) -> Pixel | None:
        return self._pixel if self.isVisible() else None

    def show_at(self, frame: Frame, pixel: Pixel, pointer: QPointF, room: QRectF) -> None:
        self._frame, self._pixel = frame, pixel
        self.move(beside(pointer, QSizeF(self.size()), room).toPoint())
        self.setAccessibleDescription(f"{pixel.x}, {pixel.y}")
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._frame is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        glass = QRectF(2, 2, _SIDE, _SIDE)
        self._paint_pixels(painter, glass, self._frame)
        _paint_cross(painter, glass)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(Theme.current().outline, 2))
        painter.drawEllipse(glass)
        _paint_position(painter, f"{self._pixel.x}, {self._pixel.y}", glass)

    def _paint_pixels(self, painter: QPainter, glass: QRectF, frame: Frame) -> None:
        half = PIXELS // 2
        # QImage.copy fills with black beyond the edge.
        part = frame_image(frame).copy(QRect(self._pixel.x - half, self._pixel.y - half, PIXELS, PIXELS))
        circle = QPainterPath()
        circle.addEllipse(glass)
        painter.save()
        painter.setClipPath(circle)
        painter.fillRect(glass, Theme.current().window)
        painter.drawImage(glass, part)
        painter.restore()


def beside(pointer: QPointF, size: QSizeF, room: QRectF) -> QPointF:
    """The top left corner for `size` in `room`, beside the pointer and never under it."""
    left = pointer.x() + _POINTER_GAP
    if left + size.width() > room.right():
        left = pointer.x() - _POINTER_GAP - size.width()
    top = pointer.y() - _POINTER_GAP - size.height()
    if top < room.top():
        top = pointer.y() + _POINTER_GAP
    return QPointF(max(room.left(), left), min(top, room.bottom() - size.height()))


def _paint_cross(painter: QPainter, glass: QRectF) -> None:
    centre = glass.center()
    gap = ENLARGED * 2.5
    for pen in (QPen(_HAIRLINE, 3), QPen(MARK, 1)):
        painter.setPen(pen)
        painter.drawLine(QPointF(glass.left() + 4, centre.y()), QPointF(centre.x() - gap, centre.y()))
        painter.drawLine(QPointF(centre.x() + gap, centre.y()), QPointF(glass.right() - 4, centre.y()))
        painter.drawLine(QPointF(centre.x(), glass.top() + 4), QPointF(centre.x(), centre.y() - gap))
        painter.drawLine(QPointF(centre.x(), centre.y() + gap), QPointF(centre.x(), glass.bottom() - 4))
        half = ENLARGED / 2 + 2  # the pixel itself stays free
        painter.drawRect(QRectF(centre.x() - half, centre.y() - half, 2 * half, 2 * half))


def _paint_position(painter: QPainter, text: str, glass: QRectF) -> None:
    font = QFont(painter.font())
    font.setPixelSize(12)
    font.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetricsF(font)
    pill = QRectF(0, 0, metrics.horizontalAdvance(text) + 18, _LABEL_PX - 4)
    pill.moveCenter(QPointF(glass.center().x(), glass.bottom() + _LABEL_PX / 2))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(22, 24, 29, 235))
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    painter.setFont(font)
    painter.setPen(QColor("white"))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


_NOTHING_HELD = Qt.KeyboardModifier.NoModifier


class ViewPanning:
    """Moves the viewport of a widget and shows its magnifier; methods return whether they took the event.

    Space or Alt with a drag pans, and so do the arrow keys; Ctrl with the wheel zooms around the pointer; Shift shows
    the magnifier while it is held.
    """

    def __init__(self, widget: QWidget, viewport: Viewport) -> None:
        self._widget = widget
        self._viewport = viewport
        self._magnifier = Magnifier(widget)
        self._frame: Frame | None = None
        self._is_magnifying = False
        self._grip: QPointF | None = None  # where the frame is held
        self._space_is_down = False

    def press(self, event: QMouseEvent) -> bool:
        held = self._space_is_down or bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if held and self._viewport.can_pan and event.button() is Qt.MouseButton.LeftButton:
            self._grip = event.position()
        self._show_cursor()
        return self._grip is not None

    def move(self, event: QMouseEvent) -> bool:
        if self._grip is None:
            self._magnify(event.position(), event.modifiers())
            return False
        self._viewport.pan(event.position() - self._grip)
        self._grip = event.position()
        return True

    def release(self, event: QMouseEvent) -> bool:
        if self._grip is None or event.button() is not Qt.MouseButton.LeftButton:
            return False
        self._grip = None
        self._show_cursor()
        return True

    def turn(self, event: QWheelEvent, *, may_zoom: bool) -> bool:
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if may_zoom:
            self._viewport.turn(event.angleDelta().y(), event.position())
        return True

    def key(self, event: QKeyEvent, *, down: bool) -> bool:
        match event.key():
            case Qt.Key.Key_Space if self._viewport.can_pan or self._space_is_down:
                self._space_is_down = down or event.isAutoRepeat()
                self._show_cursor()
                return True
            case Qt.Key.Key_Shift:
                self._magnify(self._pointer(), Qt.KeyboardModifier.ShiftModifier if down else _NOTHING_HELD)
            case Qt.Key.Key_Left | Qt.Key.Key_Right | Qt.Key.Key_Up | Qt.Key.Key_Down as arrow if down:
                self._viewport.pan(PANS[Qt.Key(arrow)])
                return self._viewport.can_pan
        return False

    def leave(self) -> None:
        self._magnifier.hide()
        self._space_is_down = False
        self._show_cursor()

    def show_frame(self, frame: Frame | None) -> None:
        self._frame = frame
        if self._magnifier.isVisible():
            self._magnify(self._pointer(), Qt.KeyboardModifier.ShiftModifier)

    def set_magnifying(self, magnifying: bool) -> None:
        self._is_magnifying = magnifying
        self._magnify(self._pointer(), _NOTHING_HELD)

    @property
    def magnified(self) -> Pixel | None:
        return self._magnifier.pixel

    def _pointer(self) -> QPointF:
        return self._widget.mapFromGlobal(QPointF(self._widget.cursor().pos()))

    def _magnify(self, pointer: QPointF, held: Qt.KeyboardModifier) -> None:
        fit, room = self._viewport.fit, QRectF(self._widget.rect())
        is_wanted = self._is_magnifying or bool(held & Qt.KeyboardModifier.ShiftModifier)
        pixel = fit.pixel_at(pointer) if fit is not None and room.contains(pointer) else None
        if is_wanted and pixel is not None and self._frame is not None:
            self._magnifier.show_at(self._frame, pixel, pointer, room)
        else:
            self._magnifier.hide()

    def _show_cursor(self) -> None:
        if self._grip is not None:
            self._widget.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self._space_is_down:
            self._widget.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self._widget.unsetCursor()
