"""What mouse and keys do to the look of the mirror, of which the device sees nothing: moving, enlarging, magnifying."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.record.magnifier import Magnifier
from odyssey_recorder.gui.record.view_zoom import Viewport
from odyssey_recorder.model.geometry import Pixel

_WHEEL_NOTCH = 120
"""What Qt says of one notch of a wheel."""

_KEY_PAN = 48.0
_PANS = {
    Qt.Key.Key_Left: QPointF(_KEY_PAN, 0),
    Qt.Key.Key_Right: QPointF(-_KEY_PAN, 0),
    Qt.Key.Key_Up: QPointF(0, _KEY_PAN),
    Qt.Key.Key_Down: QPointF(0, -_KEY_PAN),
}
_NOTHING_HELD = Qt.KeyboardModifier.NoModifier


class ViewPanning:
    """Moves the viewport of one widget and shows its magnifier; each method says whether it took the event.

    Space or Alt and a drag move the picture, and so do the arrow keys; Control and the wheel zoom around the pointer;
    Shift shows the magnifier for as long as it is held.
    """

    def __init__(self, widget: QWidget, viewport: Viewport) -> None:
        self._widget = widget
        self._viewport = viewport
        self._magnifier = Magnifier(widget)
        self._frame: Frame | None = None
        self._is_magnifying = False
        self._grip: QPointF | None = None  # where the picture is held
        self._space_is_down = False
        self._turned = 0  # how far the wheel was turned towards the next zoom

    def press(self, event: QMouseEvent) -> bool:
        """Take hold of the picture, if that is what was asked for."""
        held = self._space_is_down or bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if held and self._viewport.can_pan and event.button() is Qt.MouseButton.LeftButton:
            self._grip = event.position()
        self._show_cursor()
        return self._grip is not None

    def move(self, event: QMouseEvent) -> bool:
        """Move the picture that is held; else let the magnifier follow the pointer."""
        if self._grip is None:
            self._magnify(event.position(), event.modifiers())
            return False
        self._viewport.pan(event.position() - self._grip)
        self._grip = event.position()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """Let go of the picture."""
        if self._grip is None or event.button() is not Qt.MouseButton.LeftButton:
            return False
        self._grip = None
        self._show_cursor()
        return True

    def turn(self, event: QWheelEvent, *, may_zoom: bool) -> bool:
        """Zoom around the pointer, if that is what was asked for."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if may_zoom:
            self._turned += event.angleDelta().y()
        while abs(self._turned) >= _WHEEL_NOTCH:
            larger = self._turned > 0
            self._turned -= _WHEEL_NOTCH if larger else -_WHEEL_NOTCH
            self._viewport.step(larger=larger, around=event.position())
        return True

    def key(self, event: QKeyEvent, *, down: bool) -> bool:
        """A key came down, or up."""
        match event.key():
            case Qt.Key.Key_Space if self._viewport.can_pan or self._space_is_down:
                self._space_is_down = down or event.isAutoRepeat()
                self._show_cursor()
                return True
            case Qt.Key.Key_Shift:
                self._magnify(self._pointer(), Qt.KeyboardModifier.ShiftModifier if down else _NOTHING_HELD)
            case Qt.Key.Key_Left | Qt.Key.Key_Right | Qt.Key.Key_Up | Qt.Key.Key_Down as arrow if down:
                self._viewport.pan(_PANS[Qt.Key(arrow)])
                return self._viewport.can_pan
        return False

    def leave(self) -> None:
        """The pointer is elsewhere, or the keyboard is."""
        self._magnifier.hide()
        self._space_is_down = False
        self._show_cursor()

    def show_frame(self, frame: Frame | None) -> None:
        """Magnify this frame from now on; None: nothing."""
        self._frame = frame
        if self._magnifier.isVisible():
            self._magnify(self._pointer(), Qt.KeyboardModifier.ShiftModifier)

    def set_magnifying(self, magnifying: bool) -> None:
        """Show the magnifier wherever the pointer is on the picture."""
        self._is_magnifying = magnifying
        self._magnify(self._pointer(), _NOTHING_HELD)

    @property
    def magnified(self) -> Pixel | None:
        """The pixel in the middle of the magnifier; None while it is not shown."""
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
