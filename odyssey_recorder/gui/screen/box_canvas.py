"""The canvas on which a person draws, moves and resizes a box with the mouse or the arrow keys."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from odyssey_recorder.gui.kit.theme import MARK, Theme
from odyssey_recorder.gui.screen.action_painter import box_place, paint_action
from odyssey_recorder.gui.screen.canvas import Overlay, ScaledImage, paint_message, paint_outline, rounded
from odyssey_recorder.gui.screen.viewport import FitScale
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.geometry import Box, Pixel, Size

_GRIP = 9.0
"""The mouse grabs an edge within this distance, in device-independent pixels."""
_HANDLE = 7.0
_READING = Overlay("Loading the screenshot…", icon="image_outline")
_TIP = (
    "Drag a rectangle around the element, or drag its edges or its middle. The arrow keys "
    "move it by 1 pixel (with Shift by 10); with Ctrl they move its right and bottom edges"
)
_Reshape = Callable[[Pixel], Box]
_STEPS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


class BoxCanvas(QWidget):
    drawn = Signal(object)

    def __init__(self, action: Click | LongPress | None) -> None:
        super().__init__()
        self._action = action
        self._screenshot = ScaledImage(QImage())
        self._veil = _READING
        self._box = Box(0, 0, 0, 0)
        self._reshape: _Reshape | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(220, 320)
        self.setMouseTracking(True)
        self.setAccessibleName("Screenshot with the box")
        self.setToolTip(_TIP)

    def show_screenshot(self, screenshot: QImage) -> None:
        self._screenshot = ScaledImage(screenshot)
        self.update()

    def show_problem(self, text: str) -> None:
        self._veil = Overlay(text, icon="image_broken_variant")
        self.setAccessibleDescription(text)
        self.update()

    def show_box(self, box: Box) -> None:
        self._box = box
        self.setAccessibleDescription(
            f"The box lies from {box.left}, {box.top} to {box.right}, {box.bottom} on a screenshot of {self._size}."
        )
        self.update()

    def place_of(self, pixel: Pixel) -> QPointF:
        return self._fit().point_of(pixel)

    def sizeHint(self) -> QSize:
        return QSize(400, 560)

    @property
    def _size(self) -> Size:
        return Size(max(1, self._screenshot.image.width()), max(1, self._screenshot.image.height()))

    def _fit(self) -> FitScale:
        space = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        return FitScale.inside(self._size, space, device_pixel_ratio=self.devicePixelRatioF())

    def _place(self) -> QRectF:
        return box_place(self._box, self._size, self._fit().area)

    # Mouse and keyboard.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and not self._screenshot.image.isNull():
            at = self._fit().nearest_pixel(event.position())
            edges = self._edges_at(event.position())
            if edges:
                self._reshape = partial(self._resized, self._box, edges)
            elif self._place().contains(event.position()):
                self._reshape = partial(self._moved, self._box, at)
            else:
                self._reshape = partial(_spanned, at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._reshape is not None:
            self._take(self._reshape(self._fit().nearest_pixel(event.position())))
        elif not self._screenshot.image.isNull():
            self.setCursor(_cursor(self._edges_at(event.position()), self._place().contains(event.position())))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._reshape = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self._screenshot.image.isNull():
            super().keyPressEvent(event)
            return
        far = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        across, down = step[0] * far, step[1] * far
        box = self._box
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            right = min(max(box.right + across, box.left + 1), self._size.width)
            bottom = min(max(box.bottom + down, box.top + 1), self._size.height)
            self._take(replace(box, right=right, bottom=bottom))
        else:
            self._take(self._moved(box, Pixel(0, 0), Pixel(across, down)))

    def _edges_at(self, point: QPointF) -> frozenset[str]:
        place = self._place()
        if not place.adjusted(-_GRIP, -_GRIP, _GRIP, _GRIP).contains(point):
            return frozenset()
        off = {
            "left": abs(point.x() - place.left()),
            "right": abs(point.x() - place.right()),
            "top": abs(point.y() - place.top()),
            "bottom": abs(point.y() - place.bottom()),
        }
        sides = (min(pair, key=off.__getitem__) for pair in (("left", "right"), ("top", "bottom")))
        return frozenset(side for side in sides if off[side] <= _GRIP)

    def _resized(self, box: Box, edges: frozenset[str], at: Pixel) -> Box:
        wanted = {"left": at.x, "right": at.x + 1, "top": at.y, "bottom": at.y + 1}
        moved = replace(box, **{edge: wanted[edge] for edge in edges})
        return Box(
            min(moved.left, moved.right - 1),
            min(moved.top, moved.bottom - 1),
            max(moved.right, moved.left + 1),
            max(moved.bottom, moved.top + 1),
        )

    def _moved(self, box: Box, grip: Pixel, at: Pixel) -> Box:
        """The box moved by the distance from `grip` to `at`, but kept within the screenshot."""
        across = min(max(at.x - grip.x, -box.left), self._size.width - box.right)
        down = min(max(at.y - grip.y, -box.top), self._size.height - box.bottom)
        return Box(box.left + across, box.top + down, box.right + across, box.bottom + down)

    def _take(self, box: Box) -> None:
        if box != self._box:
            self.show_box(box)
            self.drawn.emit(box)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._screenshot.image.isNull():
            paint_message(painter, QRectF(self.rect()), self._veil)
            return
        area = self._fit().area
        painter.save()
        painter.setClipPath(rounded(area))
        self._screenshot.paint(painter, area)
        if self._action is not None:
            paint_action(painter, self._action, area)
        _paint_box(painter, self._place(), area)
        painter.restore()
        paint_outline(painter, area, focused=self.hasFocus())


def _spanned(start: Pixel, at: Pixel) -> Box:
    return Box(min(start.x, at.x), min(start.y, at.y), max(start.x, at.x) + 1, max(start.y, at.y) + 1)


def _paint_box(painter: QPainter, place: QRectF, area: QRectF) -> None:
    veil = Theme.current().window
    veil.setAlpha(90)
    for outside in (
        QRectF(area.topLeft(), QPointF(area.right(), place.top())),
        QRectF(QPointF(area.left(), place.bottom()), area.bottomRight()),
        QRectF(QPointF(area.left(), place.top()), place.bottomLeft()),
        QRectF(place.topRight(), QPointF(area.right(), place.bottom())),
    ):
        painter.fillRect(outside, veil)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (QPen(Qt.GlobalColor.white, 3.5), QPen(MARK, 1.8)):
        painter.setPen(pen)
        painter.drawRect(place)
    painter.setBrush(Qt.GlobalColor.white)
    middle = place.center()
    for x in (place.left(), middle.x(), place.right()):
        for y in (place.top(), middle.y(), place.bottom()):
            if QPointF(x, y) != middle:
                painter.drawRect(QRectF(x - _HANDLE / 2, y - _HANDLE / 2, _HANDLE, _HANDLE))


def _cursor(edges: frozenset[str], inside: bool) -> Qt.CursorShape:
    match sorted(edges):
        case ["bottom", "right"] | ["left", "top"]:
            return Qt.CursorShape.SizeFDiagCursor
        case [_, _]:
            return Qt.CursorShape.SizeBDiagCursor
        case ["left" | "right"]:
            return Qt.CursorShape.SizeHorCursor
        case ["top" | "bottom"]:
            return Qt.CursorShape.SizeVerCursor
        case _:
            return Qt.CursorShape.SizeAllCursor if inside else Qt.CursorShape.CrossCursor
