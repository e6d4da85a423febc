"""The mirror: shows the device's newest frame and turns the mouse on it into strokes in the frame's own pixels."""

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.action_painter import paint_action, paint_holding, paint_label
from odyssey_recorder.gui.finger import Finger, wheel_stroke
from odyssey_recorder.gui.fit import Fit
from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.model.action import Click, LongPress, Scroll, SystemKey, describe
from odyssey_recorder.model.geometry import Pixel

_WHEEL_PAUSE_MS = 160
"""Turns of the wheel that come closer together than this are one burst."""

_KEY_REASONS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
_REDRAW_MS = 30
_CORNER_PX = 6.0
_KEYS_OF_BUTTONS = {Qt.MouseButton.RightButton: SystemKey.BACK, Qt.MouseButton.MiddleButton: SystemKey.HOME}


class Weight(Enum):
    """How much of the picture a veil leaves to be seen: its opacity, 0 to 255."""

    CLEAR = 0
    LIGHT = 70
    HEAVY = 240


@dataclass(frozen=True, slots=True)
class Veil:
    """Why the mirror takes no input; `icon` is the name of a glyph, shown with a heavy veil."""

    words: str
    weight: Weight = Weight.LIGHT
    icon: str = "cellphone"


@dataclass(slots=True)
class _Wheel:
    """A burst of the wheel in the making."""

    pointer: Pixel
    right: int = 0
    down: int = 0


class MirrorView(QWidget):
    """The device's screen, fitted, with its aspect kept.

    Emits `touch_began` with the number of the frame that is shown and the pixel of the finger, or None for the wheel;
    `finger_moved` with each pixel that the finger comes to; then `stroke_made` with the whole stroke in that frame's
    pixels, or `touch_cancelled`. While a finger is down its frame stays, unless the device follows the finger; a veiled
    mirror emits nothing.
    """

    touch_began = Signal(int, object)
    finger_moved = Signal(object)
    stroke_made = Signal(object)
    touch_cancelled = Signal()
    key_asked = Signal(object)
    gesture_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rules = TouchRules.for_density(160)
        self._newest: Frame | None = None
        self._shown: Frame | None = None
        self._picture: QPixmap | None = None  # the shown frame at the size of the screen's pixels
        self._veil: Veil | None = Veil("No device", Weight.HEAVY)
        self._finger: Finger | None = None
        self._wheel: _Wheel | None = None
        self._is_followed = False
        self._words = ""
        self._focused_by_key = False
        self._tick = QTimer(self, interval=_REDRAW_MS)
        self._tick.timeout.connect(self._tell_gesture)
        self._wheel_rest = QTimer(self, interval=_WHEEL_PAUSE_MS, singleShot=True)
        self._wheel_rest.timeout.connect(self._end_wheel)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 240)
        self.setAccessibleName("Device screen")

    # What is shown.

    def set_rules(self, rules: TouchRules) -> None:
        """Take the device's own thresholds for long presses and drags."""
        self._rules = rules

    def show_frame(self, frame: Frame) -> None:
        """Show `frame`, or keep it until the finger lifts."""
        self._newest = frame
        if not self.is_touched or (self._is_followed and self._shown and self._shown.size == frame.size):
            self._show_newest()

    def let_follow(self) -> None:
        """The device follows the finger that is down: show what it does under the finger."""
        self._is_followed = self.is_touched

    def clear(self) -> None:
        """Show no device."""
        self._cancel()
        self._newest = self._shown = self._picture = None
        self.update()

    def set_veil(self, veil: Veil | None) -> None:
        """Cover the mirror and take no input, or None: uncover it. A finger that is down is taken away."""
        if veil == self._veil:
            return
        self._veil = veil
        if veil is not None:
            self._cancel()
        self.update()

    @property
    def takes_input(self) -> bool:
        """Whether a touch now would begin a gesture."""
        return self._veil is None and self._shown is not None

    @property
    def is_touched(self) -> bool:
        """Whether a finger is down or a burst of the wheel goes on."""
        return self._finger is not None or self._wheel is not None

    @property
    def gesture(self) -> str:
        """What would be recorded if the finger lifted now, in words; empty while no finger is down."""
        return self._words

    @property
    def frame_number(self) -> int | None:
        """The number of the frame that is shown; None before the first one."""
        return None if self._shown is None else self._shown.number

    def fit(self) -> Fit | None:
        """Where the shown frame lies in the widget; None while there is none."""
        if self._shown is None:
            return None
        return Fit.inside(self._shown.size, QRectF(self.rect()), device_pixel_ratio=self.devicePixelRatioF())

    def sizeHint(self) -> QSize:
        return QSize(480, 720)

    # The mouse and the keyboard.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._focused_by_key = False
        if not self.takes_input or self.is_touched:
            return
        key = _KEYS_OF_BUTTONS.get(event.button())
        if key is not None:
            self.key_asked.emit(key)
        elif event.button() is Qt.MouseButton.LeftButton:
            self._touch_down(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        fit = self.fit()
        if self._finger is not None and fit is not None:
            self._move(self._finger, fit.nearest_pixel(event.position()))
            self._tell_gesture()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        fit = self.fit()
        if self._finger is None or fit is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._move(self._finger, fit.nearest_pixel(event.position()))
        stroke = self._finger.stroke()
        self._let_go()
        self.stroke_made.emit(stroke)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        fit = self.fit()
        momentum = event.phase() is Qt.ScrollPhase.ScrollMomentum
        if not self.takes_input or fit is None or self._shown is None or self._finger is not None or momentum:
            return
        if self._wheel is None:
            pixel = fit.pixel_at(event.position())
            if pixel is None or event.angleDelta().isNull():
                return
            self._wheel = _Wheel(pixel)
            self.touch_began.emit(self._shown.number, None)
        self._wheel.right -= event.angleDelta().x()
        self._wheel.down -= event.angleDelta().y()
        self._wheel_rest.start()
        self._tell_gesture()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_touched:
            self._cancel()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._focused_by_key = event.reason() in _KEY_REASONS
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._focused_by_key = False
        if event.reason() is Qt.FocusReason.ActiveWindowFocusReason:
            self._cancel()
        super().focusOutEvent(event)

    def _touch_down(self, at: QPointF) -> None:
        fit = self.fit()
        pixel = None if fit is None else fit.pixel_at(at)
        if pixel is None or self._shown is None:
            return
        self._finger = Finger(pixel, self._shown.size, self._rules)
        self._tick.start()
        self.touch_began.emit(self._shown.number, pixel)
        self._tell_gesture()

    def _move(self, finger: Finger, to: Pixel) -> None:
        if finger.move(to):
            self.finger_moved.emit(to)

    def _end_wheel(self) -> None:
        stroke = self._wheel_stroke()
        self._let_go()
        if stroke is None:
            self.touch_cancelled.emit()
        else:
            self.stroke_made.emit(stroke)

    def _wheel_stroke(self) -> TouchStroke | None:
        """None where the wheel was turned back to where it began."""
        wheel, frame = self._wheel, self._shown
        if wheel is None or frame is None or wheel.right == wheel.down == 0:
            return None
        return wheel_stroke(wheel.pointer, frame.size, right=wheel.right, down=wheel.down)

    def _cancel(self) -> None:
        if self.is_touched:
            self._let_go()
            self.touch_cancelled.emit()

    def _let_go(self) -> None:
        self._finger = self._wheel = None
        self._is_followed = False
        self._tick.stop()
        self._wheel_rest.stop()
        self._tell_gesture()
        self._show_newest()

    def _tell_gesture(self) -> None:
        action = self._action()
        words = "" if action is None else describe(action)
        if words != self._words:
            self._words = words
            self.gesture_changed.emit(words)
        self.update()

    def _action(self) -> Click | LongPress | Scroll | None:
        if self._finger is not None:
            return self._finger.action()
        stroke = self._wheel_stroke()
        if stroke is None or self._shown is None:
            return None
        return recognize(stroke, self._rules, self._shown.size)

    # Painting.

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fit = self.fit()
        if fit is not None:
            self._paint_picture(painter, fit)
            self._paint_gesture(painter, fit.area)
        if self._veil is not None:
            self._paint_veil(painter, QRectF(self.rect()) if fit is None else fit.area, self._veil)
        if fit is not None:
            theme = Theme.current()
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.accent, 2) if self._focused_by_key else QPen(theme.outline, 1))
            painter.drawRoundedRect(fit.area.adjusted(0.5, 0.5, -0.5, -0.5), _CORNER_PX, _CORNER_PX)

    def _show_newest(self) -> None:
        if self._newest is not None and self._newest is not self._shown:
            if self._shown is None or self._newest.pixels is not self._shown.pixels:
                self._picture = None
            self._shown = self._newest
        self.update()

    def _paint_picture(self, painter: QPainter, fit: Fit) -> None:
        if self._picture is None and self._shown is not None:
            self._picture = _scaled(self._shown, fit, self.devicePixelRatioF())
        if self._picture is not None:
            painter.save()
            painter.setClipPath(_rounded(fit.area))
            painter.drawPixmap(fit.area.topLeft(), self._picture)
            painter.restore()

    def _paint_gesture(self, painter: QPainter, area: QRectF) -> None:
        action = self._action()
        match action:
            case None:
                return
            case Click(point) | LongPress(point):
                share = 1.0 if self._finger is None else self._finger.held_share()
                paint_holding(painter, point, area, share=share)
            case Scroll():
                paint_action(painter, action, area)
        paint_label(painter, describe(action), area)

    def _paint_veil(self, painter: QPainter, area: QRectF, veil: Veil) -> None:
        theme = Theme.current()
        cover = QColor(theme.window)
        cover.setAlpha(veil.weight.value)
        painter.fillPath(_rounded(area), cover)
        if self._shown is None or veil.weight is Weight.HEAVY:
            _paint_message(painter, area, veil, theme)
        else:
            paint_label(painter, veil.words, area)


def _scaled(frame: Frame, fit: Fit, ratio: float) -> QPixmap:
    size = frame.size
    depth = frame.bytes_per_pixel
    pixel_format = QImage.Format.Format_RGBX8888 if depth == 4 else QImage.Format.Format_RGB888
    image = QImage(frame.pixels, size.width, size.height, size.width * depth, pixel_format)
    # Qt scales its own format of pixels in a third of the time, the conversion included.
    scaled = image.convertToFormat(QImage.Format.Format_RGB32).scaled(
        round(fit.area.width() * ratio),
        round(fit.area.height() * ratio),
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
    pixmap = QPixmap.fromImage(scaled)
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def _rounded(area: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(area, _CORNER_PX, _CORNER_PX)
    return path


def _paint_message(painter: QPainter, area: QRectF, veil: Veil, theme: Theme) -> None:
    """An icon and the words below it, both in the middle of `area`."""
    icon_px = 40
    words_font = QFont(painter.font())
    words_font.setPointSizeF(words_font.pointSizeF() * 1.15)
    painter.setFont(words_font)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    width = min(area.width() - 32, 420.0)
    column = QRectF(area.center().x() - width / 2, area.top(), width, area.height())
    words = painter.boundingRect(column, int(flags), veil.words)
    top = area.center().y() - (icon_px + 12 + words.height()) / 2
    painter.setPen(theme.text)
    painter.drawText(QRectF(column.left(), top + icon_px + 12, width, words.height() + 4), int(flags), veil.words)
    painter.setFont(glyph_font(icon_px))
    painter.setPen(theme.muted)
    painter.drawText(QRectF(column.left(), top, width, icon_px), Qt.AlignmentFlag.AlignCenter, glyph(veil.icon))
