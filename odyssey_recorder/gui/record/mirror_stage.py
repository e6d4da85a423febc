"""The mirror with scroll bars and zoom commands, and beside it the screen to restore after an undo."""

from functools import partial
from math import isclose
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QScrollBar, QSizePolicy, QWidget

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import fill_column, fill_grid, named, row, text_label
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.screen.action_painter import paint_problem, prepare_other_threads
from odyssey_recorder.gui.screen.canvas import ScaledImage, paint_outline, rounded
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.gui.screen.viewport import ZOOMS, FitScale
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.state import Goal


class WantedScreen(QWidget):
    """Shows one screenshot, fitted; read in the background, takes no input."""

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._path: Path | None = None
        self._frame = ScaledImage(QImage())
        self._problem = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 120)
        self.setAccessibleName("Screen to restore")

    def show_screenshot(self, path: Path | None) -> None:
        if path == self._path:
            return
        self._path, self._frame, self._problem = path, ScaledImage(QImage()), ""
        self.update()
        if path is not None:
            prepare_other_threads()
            self._background.run(partial(_read, path), partial(self._show_image, path), partial(self._show_error, path))

    @property
    def is_shown(self) -> bool:
        return self.isVisible() and not self._frame.image.isNull()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._frame.image.isNull():
            paint_problem(QPainter(self), self._problem, QRectF(self.rect()))
            return
        size = Size(self._frame.image.width(), self._frame.image.height())
        area = FitScale.inside(size, QRectF(self.rect()), device_pixel_ratio=self.devicePixelRatioF()).area
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(rounded(area))
        self._frame.paint(painter, area)
        painter.setClipping(False)
        paint_outline(painter, area, focused=False)

    def _show_image(self, path: Path, image: QImage) -> None:
        if path == self._path:
            self._frame = ScaledImage(image)
            self.update()

    def _show_error(self, path: Path, error: Exception) -> None:
        if path == self._path:
            self._problem = str(error)
            self.setAccessibleDescription(self._problem)
            self.update()


def _read(path: Path) -> QImage:
    return read_image(path)[0].convertToFormat(QImage.Format.Format_RGB32)


class ViewStrip(QWidget):
    def __init__(self, mirror: MirrorView, commands: Commands) -> None:
        super().__init__()
        self._mirror = mirror
        self._commands = commands
        self._scale = named(text_label(kind="hint"), "Zoom")
        self._scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._scale.setToolTip("Zoom: screen pixels for each pixel of the device")
        buttons = partial(commands.buttons, kind="quiet", wordless=True)
        upper = buttons(RecordCommand.ZOOM_FIT, RecordCommand.ZOOM_PIXELS, RecordCommand.ZOOM_IN)
        lower = buttons(RecordCommand.ZOOM_OUT, RecordCommand.MAGNIFY)
        fill_column(self, *upper, self._scale, *lower, None, spacing=4)
        self.setFixedWidth(44)
        viewport = mirror.viewport
        calls = {
            RecordCommand.ZOOM_FIT: viewport.show_whole,
            RecordCommand.ZOOM_PIXELS: lambda: viewport.show_scale(1.0),
            RecordCommand.ZOOM_IN: lambda: viewport.step(larger=True),
            RecordCommand.ZOOM_OUT: lambda: viewport.step(larger=False),
        }
        commands.bind(self, calls)
        commands[RecordCommand.MAGNIFY].toggled.connect(mirror.set_magnifying)
        viewport.changed.connect(self._show_scale)
        self._show_scale()

    def _show_scale(self) -> None:
        scale = self._mirror.viewport.actual_scale
        self._scale.setText("" if scale is None else f"{scale * 100:.0f}%")
        enable = self._commands.enable
        enable(RecordCommand.ZOOM_FIT, on=scale is not None and self._mirror.viewport.scale is not None)
        enable(RecordCommand.ZOOM_PIXELS, on=scale is not None and self._mirror.viewport.scale != 1.0)
        enable(RecordCommand.ZOOM_IN, on=scale is not None and scale < ZOOMS[-1] and not isclose(scale, ZOOMS[-1]))
        enable(RecordCommand.ZOOM_OUT, on=scale is not None and scale > ZOOMS[0] and not isclose(scale, ZOOMS[0]))


_GAP = 12
_CAPTION_GAP = 4
_WANTED = "Restore this screen"
_BEFORE = "Before the last step"


class MirrorStage(QWidget):
    """Shows `mirror`, and the wanted screen beside or above it, whichever makes both larger."""

    def __init__(self, mirror: MirrorView, background: Background, commands: Commands) -> None:
        super().__init__()
        self._mirror = mirror
        self._wanted = WantedScreen(background)
        self._banner = Banner(commands.button(RecordCommand.ACCEPT_SCREEN))
        self._across = named(QScrollBar(Qt.Orientation.Horizontal), "Left and right")
        self._down = named(QScrollBar(Qt.Orientation.Vertical), "Up and down")
        self._current = _CaptionedScreen("The device now", self._scrolled())
        self._target = _CaptionedScreen(_WANTED, self._wanted)
        self._screens: QBoxLayout = row((self._target, 1), (self._current, 1), spacing=_GAP)
        self._kept_zoom = ""
        screens = row((self._screens, 1), ViewStrip(mirror, commands), spacing=4)
        fill_column(self, self._banner, (screens, 1), spacing=_GAP)
        self._set_restoring(False)
        commands.enable(RecordCommand.ACCEPT_SCREEN, on=False)
        self._commands = commands
        mirror.viewport.changed.connect(self._follow_viewport)
        self._across.valueChanged.connect(self._pan)
        self._down.valueChanged.connect(self._pan)
        self._follow_viewport()

    def show_wanted(self, frame: Path | None, goal: Goal = Goal.UNDONE, text: str = "") -> None:
        """Show the screenshot to restore and what to do; None hides it."""
        self._target.caption.setText(_WANTED if goal.has_screenshot else _BEFORE)
        if frame is not None:
            self._banner.show_message(Tone.WARNING, text)
        else:
            self._banner.hide()
        if self.is_restoring == (frame is not None):
            self._wanted.show_screenshot(frame)
            return
        viewport = self._mirror.viewport
        if frame is not None:
            self._kept_zoom = viewport.kept
            viewport.show_whole()
        else:
            viewport.recall(self._kept_zoom)
        self._wanted.show_screenshot(frame)
        self._set_restoring(frame is not None)
        self._commands.enable(RecordCommand.ACCEPT_SCREEN, on=frame is not None)

    @property
    def is_restoring(self) -> bool:
        return not self._target.isHidden()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._choose_direction()
        super().resizeEvent(event)

    def _set_restoring(self, restoring: bool) -> None:
        self._target.setVisible(restoring)
        self._current.caption.setVisible(restoring)
        self._choose_direction()

    def _choose_direction(self) -> None:
        fit = self._mirror.fit()
        if fit is None:
            return
        size, room = fit.frame_size, self.contentsRect()
        room.adjust(0, max(0, self._banner.heightForWidth(room.width())) + _GAP, 0, 0)
        caption = self._current.caption.sizeHint().height() + _CAPTION_GAP
        beside = min((room.width() - _GAP) / 2 / size.width, (room.height() - caption) / size.height)
        above = min(room.width() / size.width, ((room.height() - _GAP) / 2 - caption) / size.height)
        directions = QBoxLayout.Direction
        self._screens.setDirection(directions.LeftToRight if beside >= above else directions.TopToBottom)

    def _follow_viewport(self) -> None:
        viewport = self._mirror.viewport
        for bar in (self._across, self._down):
            bar.setVisible(viewport.scale is not None)
        fit = viewport.fit  # only now: showing or hiding a scroll bar resizes the mirror at once
        if fit is None:
            return
        room = self._mirror.room
        for bar, start, extent, seen in (
            (self._across, fit.area.left() - room.left(), fit.area.width(), round(room.width())),
            (self._down, fit.area.top() - room.top(), fit.area.height(), round(room.height())),
        ):
            with QSignalBlocker(bar):
                bar.setRange(0, max(0, round(extent - seen)))
                bar.setPageStep(seen)
                bar.setSingleStep(seen // 10)
                bar.setValue(round(-start))
        if self.is_restoring:
            self._choose_direction()

    def _pan(self) -> None:
        fit = self._mirror.viewport.fit
        if fit is None:
            return
        corner = self._mirror.room.topLeft() - fit.area.topLeft()
        across = corner.x() - self._across.value() if self._across.maximum() else 0.0
        down = corner.y() - self._down.value() if self._down.maximum() else 0.0
        self._mirror.viewport.pan(QPointF(across, down))

    def _scrolled(self) -> QWidget:
        scrolled = QWidget()
        grid = fill_grid(scrolled, across=2, down=2)
        grid.addWidget(self._mirror, 0, 0)
        grid.addWidget(self._down, 0, 1)
        grid.addWidget(self._across, 1, 0)
        return scrolled


class _CaptionedScreen(QWidget):
    def __init__(self, text: str, screen: QWidget) -> None:
        super().__init__()
        self.caption = text_label(text, "field")
        self.caption.setWordWrap(False)  # otherwise the layout asks for heights, and the shares are unequal
        self.caption.setAlignment(Qt.AlignmentFlag.AlignCenter)
        fill_column(self, self.caption, (screen, 1), spacing=_CAPTION_GAP)
        # Both screens get equal space, whatever their size hints.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
