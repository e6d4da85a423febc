"""The mirror: shows the device's newest frame and turns mouse input on it into strokes in frame pixels."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.record.element_outline import ElementOutline
from odyssey_recorder.gui.record.mouse_contact import MouseContact, stamp_ms, wheel_stroke
from odyssey_recorder.gui.record.panning import ViewPanning
from odyssey_recorder.gui.screen.action_painter import paint_missed
from odyssey_recorder.gui.screen.canvas import (
    FRAME_PX,
    FittedWidget,
    FrameImage,
    Framing,
    Overlay,
    OverlayOpacity,
    paint_framing,
    paint_gesture,
    paint_outline,
    paint_overlay,
)
from odyssey_recorder.gui.screen.viewport import FitScale, Room, Viewport
from odyssey_recorder.model.action import Click, LongPress, Scroll, SystemKey, in_words
from odyssey_recorder.model.geometry import Pixel

_WHEEL_PAUSE_MS = 160
"""Turns of the wheel closer together than this are one burst."""
_SPIN_MS = 600
"""Turns in one direction closer together than this are one spin. Its first burst is the scroll, however slow it is."""

_KEY_REASONS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
_REDRAW_MS = 30
_MISSED_MS = 1500
_BUTTON_KEYS = {Qt.MouseButton.RightButton: SystemKey.BACK, Qt.MouseButton.MiddleButton: SystemKey.HOME}


@dataclass(slots=True)
class _Wheel:
    """The wheel's turns at `pointer` that have not become a scroll yet, in eighths of a degree."""

    pointer: Pixel
    right: int = 0
    down: int = 0


class MirrorView(FittedWidget):
    """The device's screen with its aspect ratio: fitted, or at the scale of its `viewport`.

    Emits `touch_began` with the number of the shown frame and the finger's pixel, or None for the wheel; `finger_moved`
    with each further pixel; then `stroke_made` with the whole stroke in that frame's pixels, or `touch_cancelled`.
    While a finger is down its frame stays, unless the device follows the finger. A covered mirror only emits `missed`.
    """

    touch_began = Signal(int, object)
    finger_moved = Signal(object)
    stroke_made = Signal(object)
    touch_cancelled = Signal()
    key_asked = Signal(object)
    gesture_changed = Signal(str)
    gesture_made = Signal(str)
    missed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rules = TouchRules.for_density(160)
        self.viewport = Viewport(self)
        self._newest: Frame | None = None
        self._shown: Frame | None = None
        self._image = FrameImage()
        self.viewport.changed.connect(self.update)
        self._panning = ViewPanning(self, self.viewport)
        self.outline = ElementOutline(self, self.fit)
        self._framing = Framing.PLAIN
        self._missed: QPointF | None = None
        self._overlay: Overlay | None = Overlay("No device", OverlayOpacity.HEAVY)
        self._finger: MouseContact | None = None
        self._wheel: _Wheel | None = None
        self._spin, self._turned_ms = (0, 0), 0  # the direction and time of the wheel's last turn
        self._is_followed = False
        self.gesture = ""  # what would be recorded if the finger lifted now
        self._focused_by_key = False
        self._tick = QTimer(self, interval=_REDRAW_MS)
        self._tick.timeout.connect(self._update_gesture)
        self._wheel_rest = QTimer(self, interval=_WHEEL_PAUSE_MS, singleShot=True)
        self._wheel_rest.timeout.connect(self._end_wheel)
        self._missed_rest = QTimer(self, interval=_MISSED_MS, singleShot=True)
        self._missed_rest.timeout.connect(lambda: self._mark_missed(None))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 120)
        self.setAccessibleName("Device screen")

    # Frames and overlays.

    def set_rules(self, rules: TouchRules) -> None:
        self._rules = rules

    def show_frame(self, frame: Frame) -> None:
        self._newest = frame
        if not self.is_touched or (self._is_followed and self._shown and self._shown.size == frame.size):
            self._show_newest()

    def let_follow(self) -> None:
        self._is_followed = self.is_touched

    def clear(self) -> None:
        self._cancel()
        self._newest = self._shown = None
        self._panning.show_frame(None)
        self.viewport.set_room(None)
        self.update()

    def set_overlay(self, overlay: Overlay | None) -> None:
        """Cover the mirror and block input; None uncovers it. A finger that is down is cancelled."""
        if overlay == self._overlay:
            return
        self._overlay = overlay
        if overlay is not None:
            self._cancel()
        else:
            self._mark_missed(None)
        self.update()

    def set_framing(self, framing: Framing) -> None:
        self._framing = framing
        self.update()

    def set_magnifying(self, magnifying: bool) -> None:
        self._panning.set_magnifying(magnifying)

    @property
    def magnified(self) -> Pixel | None:
        return self._panning.magnified

    @property
    def takes_input(self) -> bool:
        return self._overlay is None and self._shown is not None

    @property
    def is_touched(self) -> bool:
        return self._finger is not None or self._wheel is not None

    @property
    def frame_number(self) -> int | None:
        return None if self._shown is None else self._shown.number

    def fit(self) -> FitScale | None:
        if self._shown is not None:
            self.viewport.set_room(Room(self._shown.size, self.room, self.devicePixelRatioF()))
        return self.viewport.fit

    @property
    def room(self) -> QRectF:
        """The area for the screen, inside the frame around it."""
        return QRectF(self.rect()).adjusted(FRAME_PX, FRAME_PX, -FRAME_PX, -FRAME_PX)

    def sizeHint(self) -> QSize:
        return QSize(480, 720)

    # Mouse and keyboard.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.outline.follow(None)
        self._focused_by_key = False
        if self.is_touched or self._panning.press(event):
            return
        if not self.takes_input:
            self._report_missed(event.position())
            return
        key = _BUTTON_KEYS.get(event.button())
        if key is not None:
            self.key_asked.emit(key)
        elif event.button() is Qt.MouseButton.LeftButton:
            self._touch_down(event.position(), event.timestamp())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        fit = self.fit()
        if self._panning.move(event):
            return
        if self._finger is not None and fit is not None:
            self._move(self._finger, fit.nearest_pixel(event.position()), event.timestamp())
            self._update_gesture()
        elif self._finger is None:
            self.outline.follow(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._panning.release(event):
            return
        fit = self.fit()
        if self._finger is None or fit is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._move(self._finger, fit.nearest_pixel(event.position()), event.timestamp())
        stroke = self._finger.stroke(event.timestamp())
        self._end_touch()
        self.gesture_made.emit(in_words(recognize(stroke, self._rules, fit.frame_size)))
        self.stroke_made.emit(stroke)

    def leaveEvent(self, event: QEvent) -> None:
        self._panning.leave()
        self.outline.follow(None)
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        fit = self.fit()
        if self._panning.turn(event, may_zoom=not self.is_touched):
            return
        momentum = event.phase() is Qt.ScrollPhase.ScrollMomentum
        if fit is None or self._shown is None or self._finger is not None or momentum:
            return
        if self._continues_spin(event) and self._wheel is None:
            return  # its scroll is made, or refused
        if not self.takes_input:
            self._report_missed(event.position())
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
        self._update_gesture()

    def _continues_spin(self, event: QWheelEvent) -> bool:
        right, down = event.angleDelta().toTuple()
        spin = (right > 0) - (right < 0), (down > 0) - (down < 0)
        before, before_ms = self._spin, self._turned_ms
        self._spin, self._turned_ms = spin, stamp_ms(event)
        return spin == before and self._turned_ms - before_ms < _SPIN_MS

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_touched:
            self._cancel()
        elif not self._panning.key(event, down=True):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self._panning.key(event, down=False):
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._focused_by_key = event.reason() in _KEY_REASONS
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._focused_by_key = False
        self._panning.leave()
        if event.reason() is Qt.FocusReason.ActiveWindowFocusReason:
            self._cancel()
        super().focusOutEvent(event)

    def _touch_down(self, at: QPointF, stamp_ms: int) -> None:
        fit = self.fit()
        pixel = None if fit is None else fit.pixel_at(at)
        if pixel is None or self._shown is None:
            return
        self._finger = MouseContact(pixel, self._shown.size, self._rules, stamp_ms)
        self._tick.start()
        self.touch_began.emit(self._shown.number, pixel)
        self._update_gesture()

    def _move(self, finger: MouseContact, to: Pixel, stamp_ms: int) -> None:
        if finger.move(to, stamp_ms):
            self.finger_moved.emit(to)

    def _end_wheel(self) -> None:
        stroke, text = self._wheel_stroke(), self.gesture
        self._end_touch()
        if stroke is None:
            self.touch_cancelled.emit()
        else:
            self.gesture_made.emit(text)
            self.stroke_made.emit(stroke)

    def _wheel_stroke(self) -> TouchStroke | None:
        """None if the wheel turned back to its start."""
        wheel, frame = self._wheel, self._shown
        if wheel is None or frame is None or wheel.right == wheel.down == 0:
            return None
        return wheel_stroke(wheel.pointer, frame.size, right=wheel.right, down=wheel.down)

    def report_missed_key(self) -> None:
        self._mark_missed(self.mapFromGlobal(QPointF(self.cursor().pos())))
        self.missed.emit()

    def _report_missed(self, at: QPointF) -> None:
        """Show that an input on the covered screen is neither recorded nor sent."""
        fit = self.fit()
        if fit is not None and fit.pixel_at(at) is not None:
            self._mark_missed(at)
            self.missed.emit()

    def _mark_missed(self, at: QPointF | None) -> None:
        self._missed = at
        if at is not None:
            self._missed_rest.start()
        self.update()

    def _cancel(self) -> None:
        if self.is_touched:
            self._end_touch()
            self.touch_cancelled.emit()

    def _end_touch(self) -> None:
        self._finger = self._wheel = None
        self._is_followed = False
        self._tick.stop()
        self._wheel_rest.stop()
        self._update_gesture()
        self._show_newest()

    def _update_gesture(self) -> None:
        action = self._action()
        text = "" if action is None else in_words(action)
        if text != self.gesture:
            self.gesture = text
            self.gesture_changed.emit(text)
        self.update()

    def _action(self) -> Click | LongPress | Scroll | None:
        if self._finger is not None:
            return self._finger.action()
        stroke = self._wheel_stroke()
        if stroke is None or self._shown is None:
            return None
        return recognize(stroke, self._rules, self._shown.size)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        space, fit = self.room, self.fit()
        visible = space if fit is None else fit.area & space
        if fit is not None and self._shown is not None:
            self._image.paint(painter, self._shown, fit, space)
            self.outline.paint(painter)
            self._paint_gesture(painter, fit)
        if self._overlay is not None:
            paint_overlay(painter, self._overlay, visible, is_bare=self._shown is None)
        if self._missed is not None and visible.contains(self._missed):
            paint_missed(painter, self._missed)
        if fit is not None:
            paint_outline(painter, visible, focused=self._focused_by_key)
            paint_framing(painter, visible, self._framing)

    def _show_newest(self) -> None:
        if self._newest is not None and self._newest is not self._shown:
            self._shown = self._newest
            self.fit()
            self._panning.show_frame(self._shown)
        self.update()

    def _paint_gesture(self, painter: QPainter, fit: FitScale) -> None:
        action = self._action()
        if action is None:
            return
        finger = self._finger
        place = None if finger is None else fit.point_of(finger.at)
        paint_gesture(painter, action, fit, held_share=1.0 if finger is None else finger.held_share(), finger=place)
