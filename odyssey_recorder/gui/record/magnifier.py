"""The loupe: the pixels around the pointer four times as large, the one under it framed, and its place in words."""

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.record.mirror_canvas import frame_image
from odyssey_recorder.gui.theme import MARK, Theme
from odyssey_recorder.model.geometry import Pixel

PIXELS = 41
"""So many of the device's pixels are seen side by side: an odd number, so that one is in the middle."""

ENLARGED = 4
"""How many units of the window one of them takes."""

_SIDE = PIXELS * ENLARGED
_WORDS_PX = 24.0
_OFF = 24.0
"""How far from the pointer the loupe keeps."""

_HAIRLINE = QColor(255, 255, 255, 170)


class Magnifier(QWidget):
    """A round loupe that lies over its parent, beside the pointer; the mouse goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Magnifier")
        self._frame: Frame | None = None
        self._pixel = Pixel(0, 0)
        self.resize(_SIDE + 4, round(_SIDE + 4 + _WORDS_PX))
        self.hide()

    @property
    def pixel(self) -> Pixel | None:
        """The pixel in the middle; None while the loupe is not shown."""
        return self._pixel if self.isVisible() else None

    def show_at(self, frame: Frame, pixel: Pixel, pointer: QPointF, room: QRectF) -> None:
        """Show what is around `pixel` of `frame`, in `room` of the parent and beside its point `pointer`."""
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
        _paint_place(painter, f"{self._pixel.x}, {self._pixel.y}", glass)

    def _paint_pixels(self, painter: QPainter, glass: QRectF, frame: Frame) -> None:
        half = PIXELS // 2
        # Beyond the edge of the picture QImage.copy gives black.
        part = frame_image(frame).copy(QRect(self._pixel.x - half, self._pixel.y - half, PIXELS, PIXELS))
        circle = QPainterPath()
        circle.addEllipse(glass)
        painter.save()
        painter.setClipPath(circle)
        painter.fillRect(glass, Theme.current().window)
        painter.drawImage(glass, part)
        painter.restore()


def beside(pointer: QPointF, size: QSizeF, room: QRectF) -> QPointF:
    """The top left corner of something of `size` that lies in `room` beside the pointer and never under it."""
    left = pointer.x() + _OFF
    if left + size.width() > room.right():
        left = pointer.x() - _OFF - size.width()
    top = pointer.y() - _OFF - size.height()
    if top < room.top():
        top = pointer.y() + _OFF
    return QPointF(max(room.left(), left), min(top, room.bottom() - size.height()))


def _paint_cross(painter: QPainter, glass: QRectF) -> None:
    """Lines that lead to the pixel in the middle, and a frame around it."""
    middle = glass.center()
    gap = ENLARGED * 2.5
    for pen in (QPen(_HAIRLINE, 3), QPen(MARK, 1)):
        painter.setPen(pen)
        painter.drawLine(QPointF(glass.left() + 4, middle.y()), QPointF(middle.x() - gap, middle.y()))
        painter.drawLine(QPointF(middle.x() + gap, middle.y()), QPointF(glass.right() - 4, middle.y()))
        painter.drawLine(QPointF(middle.x(), glass.top() + 4), QPointF(middle.x(), middle.y() - gap))
        painter.drawLine(QPointF(middle.x(), middle.y() + gap), QPointF(middle.x(), glass.bottom() - 4))
        half = ENLARGED / 2 + 2  # the pixel itself stays free
        painter.drawRect(QRectF(middle.x() - half, middle.y() - half, 2 * half, 2 * half))


def _paint_place(painter: QPainter, words: str, glass: QRectF) -> None:
    font = QFont(painter.font())
    font.setPixelSize(12)
    font.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetricsF(font)
    pill = QRectF(0, 0, metrics.horizontalAdvance(words) + 18, _WORDS_PX - 4)
    pill.moveCenter(QPointF(glass.center().x(), glass.bottom() + _WORDS_PX / 2))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(22, 24, 29, 235))
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    painter.setFont(font)
    painter.setPen(QColor("white"))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
