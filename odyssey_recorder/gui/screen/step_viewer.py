"""One step as large as its dialog, with keys to go to the others."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import shiboken6
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QSizePolicy, QWidget

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.parts import breakable, named, push_button, row, selectable, text_label
from odyssey_recorder.gui.screen.action_painter import (
    paint_action,
    paint_box,
    paint_cover,
    paint_problem,
    prepare_other_threads,
)
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.gui.screen.step_strip import MarkedScreenshot, StepModel
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.model.plain_text import step_number

_SHARE = 0.92
"""Of the window, both ways."""


_Read = tuple[QImage, QSize] | Exception
_Key = tuple[int, int, int, float]
"""A step, and the width, height and pixel ratio for which its screenshot was read."""


def enlarge(
    background: Background, model: StepModel, screenshots: Sequence[MarkedScreenshot], at: int, view: QAbstractItemView
) -> None:
    """Show the step `at` of the list `view` large; the list follows."""
    viewer = StepViewer(background, model, screenshots, at, view)
    viewer.turned.connect(lambda number: view.setCurrentIndex(model.place_index(number)))
    viewer.open()


class StepViewer(Dialog):
    """The texts follow `model`; `turned` carries the number of the shown step."""

    turned = Signal(int)

    def __init__(
        self,
        background: Background,
        model: StepModel,
        screenshots: Sequence[MarkedScreenshot],
        at: int,
        parent: QWidget,
        *tools: QWidget,
    ) -> None:
        super().__init__("", parent)
        prepare_other_threads()
        self._model = model
        self._screenshots = screenshots
        self.count = len(screenshots)
        self.present = at  # the shown step, from 0
        self._canvas = StepCanvas(background, screenshots)
        self._position = text_label(kind="hint")
        self._text = selectable("instruction")
        self._previous = push_button("Previous", "Show the previous step (Left)", call=lambda: self._go(-1))
        self._next = push_button("Next", "Show the next step (Right)", call=lambda: self._go(1))
        close = push_button("Close", "Close (Esc)", call=self.reject)
        foot = row((self._position, 1), *tools, self._previous, self._next, close)
        self.fill(self._canvas, self._text, foot, stretch=self._canvas)
        for key, by in (("Left", -1), ("Right", 1), ("Home", -self.count), ("End", self.count)):
            QShortcut(QKeySequence(key), self).activated.connect(partial(self._go, by))
        model.dataChanged.connect(self._show_text)
        self.resize(parent.window().size() * _SHARE)
        self._canvas.setFocus()
        self._go(0)

    @property
    def path(self) -> Path:
        """The screenshot of the shown step."""
        return self._screenshots[self.present].path

    def cover(self, boxes: Mapping[int, Sequence[Box]]) -> None:
        """Paint boxes of screenshots black, by step."""
        self._canvas.covers = boxes
        self._canvas.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self.accept()
        else:
            super().keyPressEvent(event)

    def _go(self, by: int) -> None:
        self.present = max(0, min(self.present + by, self.count - 1))
        self._previous.setEnabled(self.present > 0)
        self._next.setEnabled(self.present < self.count - 1)
        self._show_text()
        self._canvas.turn_to(self.present)
        self.turned.emit(self.present)

    def _show_text(self) -> None:
        step = self._model.all.get(self.present)
        position = f"Step {step_number(self.present)} of {self.count}"
        self.setWindowTitle(position)
        if step is not None:  # undone meanwhile
            self._text.setText(breakable(step.text))
            self._canvas.setAccessibleDescription(f"{position}: {step.text}")
            position = " · ".join(filter(None, (position, step.place, step.flag, step.note)))
        self._position.setText(breakable(position))


class StepCanvas(QWidget):
    """Reads the current screenshot and its neighbours at the size in which they are shown."""

    def __init__(self, background: Background, screenshots: Sequence[MarkedScreenshot]) -> None:
        super().__init__()
        named(self, "Screenshot of the step")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 160)
        self._background = background
        self._screenshots = screenshots
        self.present = 0
        self._read: dict[_Key, _Read | None] = {}
        self.covers: Mapping[int, Sequence[Box]] = {}
        self.is_marked = True

    def show_steps(self, screenshots: Sequence[MarkedScreenshot], at: int) -> None:
        self._screenshots, self._read = screenshots, {}
        self.turn_to(at)

    def turn_to(self, number: int) -> None:
        self.present = number
        self._load()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._load()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._screenshots:
            return
        painter, step = QPainter(self), self._screenshots[self.present]
        match self._read.get(self._key(self.present)):
            case (image, size):
                area = QRectF(QPointF(0, 0), image.deviceIndependentSize())
                area.moveCenter(QRectF(self.rect()).center())
                painter.drawImage(area, image)
                if step.box is not None and self.is_marked:
                    paint_box(painter, step.box, step.size or Size(size.width(), size.height()), area)
                for box in self.covers.get(self.present, ()):
                    paint_cover(painter, box, Size(size.width(), size.height()), area)
                if self.is_marked:
                    paint_action(painter, step.action, area)
                    if step.predicted is not None:
                        paint_action(painter, step.predicted, area, is_predicted=True)
            case Exception() as error:
                paint_problem(painter, str(error), QRectF(self.rect()))
            case None:
                pass
        painter.end()

    def _load(self) -> None:
        numbers = (self.present, self.present + 1, self.present - 1)
        wanted = [self._key(number) for number in numbers if 0 <= number < len(self._screenshots)]
        fresh = [key for key in wanted if key not in self._read]
        self._read = {key: self._read.get(key) for key in wanted}
        for key in fresh:
            take = partial(self._take, key)
            self._background.run(partial(_read, self._screenshots[key[0]].path, *key[1:]), take, take)

    def _key(self, number: int) -> _Key:
        return number, self.width(), self.height(), self.devicePixelRatioF()

    def _take(self, key: _Key, read: _Read) -> None:
        if shiboken6.isValid(self) and key in self._read:
            self._read[key] = read
            self.update()


def _read(path: Path, width: int, height: int, ratio: float) -> tuple[QImage, QSize]:
    image, size = read_image(path, QSize(width, height) * ratio)
    image.setDevicePixelRatio(ratio)
    return image, size
