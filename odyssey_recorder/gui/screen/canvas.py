"""Drawing of the mirror: the visible part of a frame at its scale, and overlays."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil, floor

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.theme import RECORDING_RED, Theme
from odyssey_recorder.gui.screen.action_painter import paint_action, paint_finger, paint_holding
from odyssey_recorder.gui.screen.viewport import FitScale
from odyssey_recorder.model.action import Click, LongPress, Scroll

FRAME_PX = 6
"""Room for the frame around the screen."""

_ICON_PX = 40
_GAP_PX = 12


class OverlayOpacity(Enum):
    """Opacity of an overlay, 0 to 255."""

    CLEAR = 0
    LIGHT = 70
    MEDIUM = 150
    HEAVY = 240


@dataclass(frozen=True, slots=True)
class Overlay:
    """Why the mirror takes no input; `text` and `icon`, the name of a glyph, are shown where no screen is visible."""

    text: str
    weight: OverlayOpacity = OverlayOpacity.LIGHT
    icon: str = "cellphone"


def paint_message(painter: QPainter, area: QRectF, overlay: Overlay) -> None:
    theme = Theme.current()
    font = QFont(painter.font())
    font.setPointSizeF(font.pointSizeF() * 1.15)
    painter.setFont(font)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    width = min(area.width() - 32, 420.0)
    column = QRectF(area.center().x() - width / 2, area.top(), width, area.height())
    text = painter.boundingRect(column, int(flags), overlay.text)
    top = area.center().y() - (_ICON_PX + _GAP_PX + text.height()) / 2
    below = QRectF(column.left(), top + _ICON_PX + _GAP_PX, width, text.height() + 4)
    painter.setPen(theme.text)
    painter.drawText(below, int(flags), overlay.text)
    painter.setFont(glyph_font(_ICON_PX))
    painter.setPen(theme.muted)
    painter.drawText(QRectF(column.left(), top, width, _ICON_PX), Qt.AlignmentFlag.AlignCenter, glyph(overlay.icon))


_CORNER_PX = 6.0
_FINEST_SCALE = 4
"""Between whole numbers, scales are at finest multiples of 1/4."""


@dataclass(frozen=True, slots=True)
class VisiblePart:
    """A part of a frame in its pixels, and its place in screen pixels; both are whole."""

    source: QRect
    target: QRect


def visible_part(fit: FitScale, space: QRectF, device_pixel_ratio: float) -> VisiblePart:
    """The part of the image that is visible in `space`.

    It starts where an image pixel starts on a whole screen pixel, so drawn alone it lands exactly where the whole image
    would have it.
    """
    scale = fit.area.width() * device_pixel_ratio / fit.frame_size.width
    down = fit.area.height() * device_pixel_ratio / fit.frame_size.height  # not quite the same: both extents are whole
    period = Fraction(scale).limit_denominator(_FINEST_SCALE).denominator
    left, right = _visible_range(fit.area.left(), (space.left(), space.right()), device_pixel_ratio / scale, period)
    top, bottom = _visible_range(fit.area.top(), (space.top(), space.bottom()), device_pixel_ratio / down, period)
    source = QRect(left, top, right - left, bottom - top) & QRect(0, 0, fit.frame_size.width, fit.frame_size.height)
    return VisiblePart(
        source,
        QRect(
            round(fit.area.left() * device_pixel_ratio + source.left() * scale),
            round(fit.area.top() * device_pixel_ratio + source.top() * down),
            max(1, round(source.width() * scale)),
            max(1, round(source.height() * down)),
        ),
    )


def _visible_range(origin: float, space: tuple[float, float], pixels_per_unit: float, period: int) -> tuple[int, int]:
    first, end = ((edge - origin) * pixels_per_unit / period for edge in space)
    return floor(first) * period, ceil(end) * period


def frame_image(frame: Frame) -> QImage:
    """An image that shares the frame's pixels and must not outlive the frame."""
    size, depth = frame.size, frame.bytes_per_pixel
    pixel_format = QImage.Format.Format_RGBX8888 if depth == 4 else QImage.Format.Format_RGB888
    return QImage(frame.pixels, size.width, size.height, size.width * depth, pixel_format)


class FrameImage:
    """The visible part of a frame, scaled once per frame and place."""

    def __init__(self) -> None:
        self._pixels: bytes | bytearray | None = None
        self._visible_part: VisiblePart | None = None
        self._pixmap = QPixmap()

    def paint(self, painter: QPainter, frame: Frame, fit: FitScale, space: QRectF) -> None:
        """Draw `frame` with round corners, in widget coordinates."""
        ratio = painter.device().devicePixelRatioF()
        part = visible_part(fit, space, ratio)
        if frame.pixels is not self._pixels or part != self._visible_part or self._pixmap.devicePixelRatio() != ratio:
            self._pixels, self._visible_part = frame.pixels, part
            self._pixmap = QPixmap.fromImage(scaled_part(frame_image(frame), part))
            self._pixmap.setDevicePixelRatio(ratio)
        painter.save()
        painter.setClipPath(rounded(fit.area & space))
        painter.drawPixmap(QPointF(part.target.topLeft()) / ratio, self._pixmap)
        painter.restore()


def scaled_part(whole: QImage, part: VisiblePart) -> QImage:
    """The part in screen pixels, as RGB32; may run on any thread."""
    image = whole if part.source == whole.rect() else whole.copy(part.source)
    is_whole_scale = part.target.width() % part.source.width() == part.target.height() % part.source.height() == 0
    # Whole-number scales stay sharp. Qt scales its native pixel format in a third of the time, conversion included.
    return image.convertToFormat(QImage.Format.Format_RGB32).scaled(
        part.target.size(),
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.FastTransformation if is_whole_scale else Qt.TransformationMode.SmoothTransformation,
    )


class FittedWidget(QWidget):
    """Fits its image again when its size or the screen's pixel ratio changes."""

    def fit(self) -> object:
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self.fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()
        super().resizeEvent(event)


class ScaledImage:
    """A whole image, scaled once for each size at which it is drawn."""

    def __init__(self, image: QImage) -> None:
        self.image = image
        self._pixmap = QPixmap()

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Draw the image as large as `area`."""
        ratio = painter.device().devicePixelRatioF()
        pixels = (area.size() * ratio).toSize()
        if self._pixmap.size() != pixels:
            aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            self._pixmap = QPixmap.fromImage(self.image.scaled(pixels, aspect, smooth))
            self._pixmap.setDevicePixelRatio(ratio)
        painter.drawPixmap(area.topLeft(), self._pixmap)


def paint_gesture(
    painter: QPainter, action: Click | LongPress | Scroll, fit: FitScale, *, held_share: float, finger: QPointF | None
) -> None:
    match action:
        case Click(point) | LongPress(point):
            paint_holding(painter, point, fit.area, share=held_share)
        case Scroll():
            paint_action(painter, action, fit.area)
            if finger is not None:
                paint_finger(painter, finger, fit.area)


def paint_overlay(painter: QPainter, overlay: Overlay, area: QRectF, *, is_bare: bool) -> None:
    """Cover `area`, with text only if no frame shows, as it would hide buttons of the device.

    `is_bare`: there is no frame below.
    """
    cover = QColor(Theme.current().window)
    cover.setAlpha(overlay.weight.value)
    painter.fillPath(rounded(area), cover)
    if is_bare or overlay.weight is OverlayOpacity.HEAVY:
        paint_message(painter, area, overlay)


class Framing(Enum):
    """What the frame around the screen says, by its colour and by its line."""

    PLAIN = "plain"
    RECORDING = "recording"
    PAUSED = "paused"


def paint_framing(painter: QPainter, area: QRectF, framing: Framing) -> None:
    """Draw the frame outside `area`."""
    if framing is Framing.PLAIN:
        return
    is_recording, offset = framing is Framing.RECORDING, FRAME_PX / 2
    colour = RECORDING_RED if is_recording else Theme.current().warning
    line = Qt.PenStyle.SolidLine if is_recording else Qt.PenStyle.DashLine
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, FRAME_PX - 1, line, Qt.PenCapStyle.FlatCap))
    painter.drawRoundedRect(area.adjusted(-offset, -offset, offset, offset), _CORNER_PX + offset, _CORNER_PX + offset)


def paint_outline(painter: QPainter, area: QRectF, *, focused: bool) -> None:
    theme = Theme.current()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.accent, 2) if focused else QPen(theme.outline, 1))
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), _CORNER_PX, _CORNER_PX)


def rounded(area: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(area, _CORNER_PX, _CORNER_PX)
    return path
