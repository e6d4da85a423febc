"""The steps of an episode side by side: each with its screenshot, the action drawn on it, its words, and badges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QKeyEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QListView, QStyleOptionViewItem

from odyssey_recorder.gui.action_painter import paint_action, paint_box, paint_problem, prepare_other_threads
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.image_reader import read_picture
from odyssey_recorder.gui.row_delegate import Mark, RowDelegate, small_font
from odyssey_recorder.gui.table import Column, Index, TableModel
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.model.action import Action, describe
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.quality.finding import Severity
from odyssey_recorder.recording.view import RecordedStep

ReplayVerdict = Literal["match", "drift", "diverged"]

SEVERITY_GLYPHS = {Severity.ERROR: "alert_circle", Severity.WARNING: "alert", Severity.NOTE: "information_outline"}
VERDICT_GLYPHS: Mapping[str, str] = {
    "match": "check_circle",
    "drift": "approximately_equal",
    "diverged": "close_circle",
}

SHARPNESS = 2
"""How many pixels a thumbnail has for each of the window."""
_MARGIN = 8
_BADGE_PX = 20
_BROKEN_PX = 28


def severity_colour(severity: Severity) -> QColor:
    """The colour of a finding's mark."""
    theme = Theme.current()
    return {Severity.ERROR: theme.danger, Severity.WARNING: theme.warning, Severity.NOTE: theme.muted}[severity]


def verdict_colour(verdict: str) -> QColor:
    """The colour of a replay's badge."""
    theme = Theme.current()
    return {"match": theme.success, "drift": theme.warning}.get(verdict, theme.danger)


@dataclass(frozen=True, slots=True)
class StripStep:
    """A step as it is shown among others.

    `image` is its thumbnail, None until that is there; a null image or an exception where there is none. `findings`
    are what the checks found, in words, and `severity` is the gravest of them.
    """

    number: int
    words: str
    flag: str = ""
    note: str = ""
    image: QImage | Exception | None = None
    key: int = 0
    findings: tuple[str, ...] = ()
    severity: Severity | None = None
    verdict: str = ""
    is_seen: bool = True

    @property
    def problem(self) -> str:
        """Why there is no thumbnail."""
        return str(self.image) if isinstance(self.image, Exception) else ""


class StepModel(TableModel[StripStep]):
    """The steps by their numbers; `column` says what each is in words."""

    def __init__(self, column: Column[StripStep]) -> None:
        super().__init__((column,), key=lambda step: step.number, steady=True)

    def change_step(self, number: int, **changes: Any) -> None:
        """Show something else of a step; nothing where there is no such step."""
        step = self.all.get(number)
        if step is not None:
            self.change([replace(step, **changes)])


_Drawn = tuple[int, Path, Action, Box | None]
"""What a thumbnail depends on: the screenshot of a step never changes while the step is there."""


class StepThumbnails:
    """Reads thumbnails of recorded steps in the background, each once, and puts them into a model of these steps."""

    def __init__(self, background: Background, model: StepModel, room: QSize) -> None:
        self._background = background
        self._model = model
        self._room = room
        self._images: dict[_Drawn, QImage | Exception | None] = {}

    def show_steps(self, steps: Sequence[RecordedStep]) -> None:
        """Show `steps`; those that are as they were stay untouched."""
        before, self._images = self._images, {drawn: self._images.get(drawn) for drawn in map(_drawn, steps)}
        self._model.show(
            StripStep(step.number, describe(step.action), step.flag, step.note, self._images[_drawn(step)], step.key)
            for step in steps
        )
        for step in steps:
            if _drawn(step) not in before:
                prepare_other_threads()
                take = partial(self._take, step.number, _drawn(step))
                self._background.run(partial(draw_thumbnail, step, self._room), take, take)

    def _take(self, number: int, drawn: _Drawn, image: QImage | Exception) -> None:
        if drawn in self._images:
            self._images[drawn] = image
            self._model.change_step(number, image=image)


def _drawn(step: RecordedStep) -> _Drawn:
    return step.number, step.picture, step.action, step.box


def draw_thumbnail(step: RecordedStep, room: QSize) -> QImage:
    """The screenshot of `step` within `room`, with its action and the box of the touched element drawn on it.

    Runs outside the GUI thread. Raises DatasetError, which says what is wrong with which screenshot.
    """
    image, size = read_picture(step.picture, room * SHARPNESS)
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    draw_step(image, step.action, step.box, Size(size.width(), size.height()))
    return image


def draw_step(image: QImage, action: Action, box: Box | None, size: Size) -> None:
    """Draw an action, and the box of the touched element on a screen of `size`, on a thumbnail."""
    image.setDevicePixelRatio(SHARPNESS)
    area = QRectF(QPointF(0, 0), image.deviceIndependentSize())
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if box is not None:
        paint_box(painter, box, size, area)
    paint_action(painter, action, area)
    painter.end()


@dataclass(frozen=True, slots=True)
class StripStyle:
    """How large thumbnails are, and how a cell is set around them: words at the left, or centred with room beside."""

    thumbnail: QSize
    is_centred: bool = False

    @property
    def side_px(self) -> int:
        return _MARGIN + 4 * self.is_centred


class StepStrip(QListView):
    """One row of steps, one of them chosen."""

    step_chosen = Signal(int)

    def __init__(self, name: str, model: StepModel, style: StripStyle) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._steps = model
        model.setParent(self)
        self.setModel(model)
        self._delegate = _StripDelegate(style, self)
        self.setItemDelegate(self._delegate)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._tell)

    def fit_height(self) -> None:
        """Be as high as a cell and the scroll bar."""
        height = self._delegate.height(self.font())
        self.setFixedHeight(height + self.horizontalScrollBar().sizeHint().height() + 2)

    def turn_to(self, number: int) -> None:
        """Choose a step."""
        self.setCurrentIndex(self._steps.place_index(number))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            event.ignore()  # it is the viewer's; a list would choose what is chosen already
        else:
            super().keyPressEvent(event)

    def _tell(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.step_chosen.emit(now.row())


class _StripDelegate(RowDelegate):
    def __init__(self, style: StripStyle, parent: StepStrip) -> None:
        super().__init__(None, QSize(), parent, Mark((1, 1), is_framed=style.is_centred))
        self._style = style

    def height(self, font: QFont) -> int:
        """How high a cell is."""
        return self._style.thumbnail.height() + 2 * QFontMetrics(small_font(font)).height() + 4 + 2 * _MARGIN

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._style.thumbnail.width() + 2 * self._style.side_px, self.height(option.font))

    def paint_value(self, painter: QPainter, cell: QRectF, step: StripStep, font: QFont) -> None:
        size = self._style.thumbnail
        room = QRectF(cell.left() + self._style.side_px, cell.top() + _MARGIN, size.width(), size.height())
        paint_thumbnail(painter, room, step.image)
        self._paint_words(painter, cell, room, step)
        if step.severity is not None:
            place = QRectF(cell.left() + 4, cell.top() + 4, _BADGE_PX, _BADGE_PX)
            _paint_badge(painter, place, SEVERITY_GLYPHS[step.severity], severity_colour(step.severity))
        if step.verdict:
            place = QRectF(cell.right() - 4 - _BADGE_PX, cell.top() + 4, _BADGE_PX, _BADGE_PX)
            _paint_badge(painter, place, VERDICT_GLYPHS[step.verdict], verdict_colour(step.verdict))

    def _paint_words(self, painter: QPainter, cell: QRectF, room: QRectF, step: StripStep) -> None:
        theme, font = Theme.current(), small_font(painter.font())
        name, _, rest = step.words.partition(" ")
        strong = QFont(font)
        strong.setWeight(QFont.Weight.Normal if step.is_seen else QFont.Weight.Bold)
        metrics = QFontMetrics(strong)
        is_flagged = bool(step.flag) and not self._style.is_centred
        if self._style.is_centred:
            side, align = _MARGIN / 2, Qt.AlignmentFlag.AlignHCenter
        else:
            side, align = _MARGIN, Qt.AlignmentFlag.AlignLeft
        area = QRectF(cell.left() + side, room.bottom() + 4, cell.width() - 2 * side, metrics.height())
        for words, face, colour in (
            (f"{step.number}  {name}", strong, theme.warning if is_flagged else theme.text),
            (rest, font, theme.muted),
        ):
            painter.setFont(face)
            painter.setPen(colour)
            painter.drawText(area, align, metrics.elidedText(words, Qt.TextElideMode.ElideRight, round(area.width())))
            area.translate(0, metrics.height())


def paint_thumbnail(painter: QPainter, room: QRectF, image: QImage | Exception | None, *, at_top: bool = False) -> None:
    """Draw a thumbnail at the foot of `room`, or at its top; an empty place, with the reason, where there is none."""
    theme, place, shape = Theme.current(), QRectF(room), QPainterPath()
    if isinstance(image, QImage) and not image.isNull():
        size = image.deviceIndependentSize()
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(room.center())
        place.moveTop(room.top()) if at_top else place.moveBottom(room.bottom())
        shape.addRoundedRect(place, 6, 6)
        painter.save()
        painter.setClipPath(shape)
        painter.drawImage(place, image)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
    else:
        shape.addRoundedRect(place, 6, 6)
        painter.setBrush(theme.window)
    painter.setPen(QPen(theme.outline, 1))
    painter.drawPath(shape)
    if at_top:
        return
    painter.save()
    if isinstance(image, Exception):
        painter.setFont(small_font(painter.font()))
        paint_problem(painter, str(image), room)
    elif image is not None and image.isNull():
        painter.setFont(glyph_font(_BROKEN_PX))
        painter.setPen(theme.muted)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, glyph("image_broken_variant"))
    painter.restore()


def _paint_badge(painter: QPainter, place: QRectF, name: str, colour: QColor) -> None:
    """A glyph on a disc of the card's colour, so that it is read on any screenshot."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Theme.current().card)
    painter.drawEllipse(place)
    painter.setFont(glyph_font(_BADGE_PX - 3))
    painter.setPen(colour)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, glyph(name))
