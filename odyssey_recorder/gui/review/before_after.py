"""The large view: the screenshot of a step with its action drawn on it, and the next step's screenshot beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from odyssey_recorder.gui.kit.theme import MARK, Theme
from odyssey_recorder.gui.review.screenshot_loader import ScreenshotLoader, ScreenshotZoom, StepScreenshot, same_cut
from odyssey_recorder.gui.review.shown_step import ShownStep
from odyssey_recorder.gui.screen.action_painter import box_place, paint_action, paint_box, paint_label
from odyssey_recorder.gui.screen.canvas import (
    FittedWidget,
    Overlay,
    VisiblePart,
    paint_message,
    paint_outline,
    rounded,
    scaled_part,
)
from odyssey_recorder.gui.screen.viewport import PANS, FitScale, Room, Viewport
from odyssey_recorder.model.action import Click, LongPress, Scroll, in_words
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.replay.compare import changed_places

_NEAR = 50
"""Differences closer than 1/50 of the longer side are merged."""


def changes(before: QImage, after: QImage) -> tuple[Box, ...]:
    """Boxes around the differences, in pixels; none contains another. Both images are RGB32 and of equal size."""
    near_px = max(before.width(), before.height()) // _NEAR
    places = changed_places(_screenshot(before), _screenshot(after), near_px=near_px)
    boxes = [Box(place.left, place.top, place.right, place.bottom) for place in places]
    return tuple(box for box in boxes if not any(_holds(other, box) for other in boxes if other is not box))


def _holds(outer: Box, inner: Box) -> bool:
    return (
        outer.left <= inner.left
        and outer.top <= inner.top
        and outer.right >= inner.right
        and outer.bottom >= inner.bottom
    )


def _screenshot(image: QImage) -> Image.Image:
    size = image.width(), image.height()
    pixels = image.constBits()
    return Image.frombuffer("RGB", size, pixels, "raw", "BGRX", image.bytesPerLine(), 1)  # type: ignore[arg-type]


_GAP = 12
_CAPTION_PX = 22
_READING = Overlay("Loading the screenshot…", icon="image_outline")
_NO_AFTER = Overlay("This is the last step.", icon="flag_checkered")


@dataclass(frozen=True, slots=True)
class _Half:
    space: QRectF
    caption: str
    step: int
    has_action: bool


class BeforeAfterView(FittedWidget):
    """Both screenshots show the same part; Control and wheel zooms, dragging pans.

    `painted` carries the step once its screenshots, or the reasons for missing ones, are on screen.
    """

    painted = Signal(int)

    def __init__(self, loader: ScreenshotLoader) -> None:
        super().__init__()
        self.viewport = Viewport(self)
        self._loader = loader
        self._steps: tuple[ShownStep, ...] = ()
        self._current = 0
        self._is_double = True
        self._changes: tuple[Box, ...] | None = None
        self._cuts: dict[int, tuple[VisiblePart, QImage]] = {}
        self._grip: QPointF | None = None
        self._reported: tuple[int, int] | None = None  # the episode's counter and the step last reported as painted
        self._opened = 0
        self.viewport.changed.connect(self._follow_zoom)
        loader.screenshot_loaded.connect(self._take_screenshot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 160)
        self.setAccessibleName("Screenshot of the step")

    # Content.

    def load(self, steps: Sequence[ShownStep]) -> None:
        self._steps = tuple(steps)
        self._opened += 1
        self.turn_to(0)

    def turn_to(self, number: int) -> None:
        self._current = number
        self._changes = None
        self._cuts = {}
        self.fit()
        self._describe()
        self.update()

    def set_double(self, double: bool) -> None:
        """Show two screenshots, or only the first and larger."""
        self._is_double = double
        self.fit()
        self._describe()
        self._follow_zoom()

    def show_changes(self, changes: Sequence[Box] | None) -> None:
        """Outline the differences on both screenshots, in their pixels; None removes the outlines."""
        self._changes = None if changes is None else tuple(changes)
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(640, 520)

    def _describe(self) -> None:
        text = []
        for half in self._halves():
            is_there = half.step < len(self._steps)
            description = _screenshot_state(self._loader.screenshot(half.step)) if is_there else "this is the last step"
            text.append(f"{half.caption}: {description}")
        if self._changes is not None:
            text.append(f"{len(self._changes)} differences")
        self.setAccessibleDescription(". ".join(text))

    def _take_screenshot(self, number: int) -> None:
        if any(half.step == number for half in self._halves()):
            self.fit()
            self._describe()
            self.update()

    # Geometry.

    def _halves(self) -> list[_Half]:
        if not self._steps:
            return []
        below = QRectF(self.rect()).adjusted(0, _CAPTION_PX, 0, 0)
        if not self._is_double:
            return [_Half(below, f"Step {step_number(self._current)}", self._current, has_action=True)]
        width = (self.width() - _GAP) // 2
        places = (QRectF(left, below.top(), width, below.height()) for left in (0, self.width() - width))
        before, after = places
        return [
            _Half(before, f"Before step {step_number(self._current)}", self._current, has_action=True),
            _Half(after, f"After step {step_number(self._current)}", self._current + 1, has_action=False),
        ]

    def _zoom_for(self, half: _Half) -> ScreenshotZoom:
        return ScreenshotZoom(self.viewport.zoom, half.space, self.devicePixelRatioF())

    def fit(self) -> None:
        """Pass the screenshot's size to the viewport, and the zoom to the loader."""
        halves = self._halves()
        if not halves or halves[0].space.isEmpty():
            return
        known = (self._loader.screenshot(half.step) for half in halves)
        size = next(
            (screenshot.size for screenshot in known if screenshot is not None and not screenshot.problem), None
        )
        if size is not None:
            self.viewport.set_room(Room(size, halves[0].space, self.devicePixelRatioF()))
        self._loader.look(self._zoom_for(halves[0]))

    def _follow_zoom(self) -> None:
        halves = self._halves()
        if halves:
            self._loader.look(self._zoom_for(halves[0]))
        self.update()

    # Mouse and keyboard.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.viewport.can_pan:
            self._grip = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self.viewport.pan(event.position() - self._grip)
            self._grip = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None
        self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.viewport.scale is None:
            self.viewport.show_scale(1.0, self._in_first(event.position()))
        else:
            self.viewport.show_whole()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.viewport.turn(event.angleDelta().y(), self._in_first(event.position()))
        else:
            self.viewport.pan(QPointF(event.angleDelta()) / 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pan = PANS.get(Qt.Key(event.key()))
        if pan is not None and self.viewport.can_pan:
            self.viewport.pan(pan)
        else:
            super().keyPressEvent(event)

    def _in_first(self, point: QPointF) -> QPointF:
        """The point of the first half that shows the same part of the screen."""
        halves = self._halves()
        half = next((candidate for candidate in halves if candidate.space.contains(point)), halves[0])
        return point - half.space.topLeft() + halves[0].space.topLeft()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        halves = self._halves()
        for half in halves:
            _paint_caption(painter, half)
            self._paint_half(painter, half)
        if halves and self._reported != (self._opened, self._current) and all(map(self._is_loaded, halves)):
            self._reported = (self._opened, self._current)
            self.painted.emit(self._current)

    def _is_loaded(self, half: _Half) -> bool:
        return half.step >= len(self._steps) or self._loader.screenshot(half.step) is not None

    def _paint_half(self, painter: QPainter, half: _Half) -> None:
        screenshot = self._loader.screenshot(half.step)
        if half.step >= len(self._steps):
            _paint_veil(painter, half.space, _NO_AFTER)
        elif screenshot is None:
            _paint_veil(painter, half.space, _READING)
        elif screenshot.problem:
            _paint_veil(painter, half.space, Overlay(screenshot.problem, icon="image_broken_variant"))
        else:
            self._paint_screenshot(painter, half, screenshot)

    def _paint_screenshot(self, painter: QPainter, half: _Half, screenshot: StepScreenshot) -> None:
        look = self._zoom_for(half)
        fit, part = look.fit(screenshot.size), look.part(screenshot.size)
        in_sight = fit.area & half.space
        image = self._cut(half.step, screenshot, part, look)
        painter.save()
        painter.setClipPath(rounded(in_sight))
        painter.drawImage(QPointF(part.target.topLeft()) / look.ratio, image)
        for box in self._changes or ():
            _paint_change(painter, box, fit, screenshot.size)
        if half.has_action:
            _paint_step(painter, self._steps[half.step], fit, in_sight)
        painter.restore()
        paint_outline(painter, in_sight, focused=self.hasFocus() and half.has_action)

    def _cut(self, number: int, screenshot: StepScreenshot, part: VisiblePart, look: ScreenshotZoom) -> QImage:
        """The visible part, cached until the step or the part changes."""
        cut = screenshot.cut(part, look)
        if cut is None:
            kept = self._cuts.get(number)
            if kept is not None and same_cut(kept[0], part):
                return kept[1]
            cut = scaled_part(screenshot.image, part)
            cut.setDevicePixelRatio(look.ratio)
            self._cuts[number] = part, cut
        return cut


def _screenshot_state(screenshot: StepScreenshot | None) -> str:
    if screenshot is None:
        return "no screenshot"
    return screenshot.problem or f"a screenshot of {screenshot.size}"


def _paint_caption(painter: QPainter, half: _Half) -> None:
    font = QFont(painter.font())
    font.setPointSizeF(font.pointSizeF() * 0.9)
    painter.save()
    painter.setFont(font)
    painter.setPen(Theme.current().muted)
    place = QRectF(half.space.left(), 0, half.space.width(), _CAPTION_PX - 2)
    text = QFontMetricsF(font).elidedText(half.caption, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


def _paint_veil(painter: QPainter, space: QRectF, veil: Overlay) -> None:
    theme = Theme.current()
    painter.save()
    painter.setPen(QPen(theme.outline, 1, Qt.PenStyle.DashLine))
    painter.setBrush(theme.window)
    painter.drawPath(rounded(space.adjusted(0.5, 0.5, -0.5, -0.5)))
    paint_message(painter, space, veil)
    painter.restore()


def _paint_step(painter: QPainter, step: ShownStep, fit: FitScale, in_sight: QRectF) -> None:
    if step.element is not None:
        paint_box(painter, step.element.box, step.element.size, fit.area)
    match step.action:
        case Click() | LongPress() | Scroll():
            paint_action(painter, step.action, fit.area)
        case _:
            paint_label(painter, in_words(step.action), in_sight)


def _paint_change(painter: QPainter, box: Box, fit: FitScale, size: Size) -> None:
    place = box_place(box, size, fit.area).adjusted(-2, -2, 2, 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (QPen(Qt.GlobalColor.white, 4), QPen(MARK, 2, Qt.PenStyle.DashLine)):
        painter.setPen(pen)
        painter.drawRoundedRect(place, 4, 4)
