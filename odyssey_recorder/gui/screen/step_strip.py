"""An episode's steps side by side: screenshots with the actions drawn on them, texts, and badges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Literal

import shiboken6
from PySide6.QtCore import QModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QKeyEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QListView, QStyleOptionViewItem

from odyssey_recorder.device.view_hierarchy import field_name, name_at
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.keyboard import is_text
from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark, small_font
from odyssey_recorder.gui.kit.table import Index, TableColumn, TableModel
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.action_painter import paint_action, paint_box, paint_problem, prepare_other_threads
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.model.action import Action, Click, LongPress, Type, in_words, place_text
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.geometry import Box, Size, to_pixel
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.recording.view import RecordedStep, stored_views

ReplayVerdict = Literal["match", "drift", "diverged"]

SEVERITY_GLYPHS = {Severity.ERROR: "alert_circle", Severity.WARNING: "alert", Severity.NOTE: "information_outline"}
VERDICT_GLYPHS: Mapping[str, str] = {
    "match": "check_circle",
    "drift": "approximately_equal",
    "diverged": "close_circle",
}

_ENLARGE = "Double-click or press Space to enlarge"
SHARPNESS = 2
"""Pixels of a thumbnail for each unit of the window."""
_MARGIN = 8
_BADGE_PX = 20
_BROKEN_PX = 28
_AT_END = Qt.TextElideMode.ElideRight


def severity_colour(severity: Severity) -> QColor:
    theme = Theme.current()
    return {Severity.ERROR: theme.danger, Severity.WARNING: theme.warning, Severity.NOTE: theme.muted}[severity]


def verdict_colour(verdict: str) -> QColor:
    theme = Theme.current()
    return {"match": theme.success, "drift": theme.warning}.get(verdict, theme.danger)


@dataclass(frozen=True, slots=True)
class StripStep:
    """A step as shown in a strip; `place` is where on the dataset's grid it acts.

    `image` is its thumbnail: None until loaded, a null image or an exception if there is none. `findings` are texts of
    the checks, `severity` is the worst of them.
    """

    number: int
    text: str
    flag: str = ""
    note: str = ""
    image: QImage | Exception | None = None
    key: int = 0
    findings: tuple[str, ...] = ()
    severity: Severity | None = None
    verdict: str = ""
    is_seen: bool = True
    place: str = ""
    by_agent: bool = False
    is_corrected: bool = False

    @property
    def title(self) -> str:
        maker = ", agent" if self.by_agent else ", corrected" if self.is_corrected else ""
        return f"Step {step_number(self.number)}{maker}"

    @property
    def problem(self) -> str:
        return str(self.image) if isinstance(self.image, Exception) else ""

    @property
    def odd(self) -> str:
        return "; ".join(filter(None, (self.flag, self.problem)))


def tooltip(step: StripStep) -> str:
    """All text of a step as HTML; its row may elide it."""
    parts = (f"{step.text} {step.place}".rstrip(), sentence(step.odd), step.note, _ENLARGE)
    return "".join(f"<p>{escape(part)}</p>" for part in parts if part)


def sentence(flag: str) -> str:
    return flag[:1].upper() + flag[1:]


class StepModel(TableModel[StripStep]):
    def __init__(self, column: TableColumn[StripStep]) -> None:
        super().__init__((column,), key=lambda step: step.number, steady=True)

    def change_step(self, number: int, **changes: Any) -> None:
        step = self.all.get(number)
        if step is not None:
            self.change([replace(step, **changes)])


_ThumbnailKey = tuple[int, Path, Action, Box | None, Path | None]
"""What a thumbnail and its text depend on; a step's screenshot never changes."""
_Thumbnail = tuple[QImage | Exception | None, str]
"""An image, and the step in words."""


class StepThumbnails:
    """Reads the thumbnails and elements of recorded steps in the background, each once, for a model."""

    def __init__(self, background: Background, model: StepModel, bounds: QSize) -> None:
        self._background = background
        self._model = model
        self._bounds = bounds
        self._shown: dict[_ThumbnailKey, _Thumbnail] = {}

    def show_steps(self, steps: Sequence[RecordedStep]) -> None:
        before = self._shown
        self._shown = {_key_of(step): before.get(_key_of(step), (None, in_words(step.action))) for step in steps}
        self._model.show(map(self._strip_step, steps))
        for step in steps:
            if _key_of(step) not in before:
                prepare_other_threads()
                take = partial(self._take, _key_of(step))
                self._background.run(partial(render_step, step, self._bounds), take, take)

    @property
    def screenshots(self) -> list["MarkedScreenshot"]:
        return [MarkedScreenshot(path, action, box) for _, path, action, box, _ in self._shown]

    def _strip_step(self, step: RecordedStep) -> StripStep:
        image, words = self._shown[_key_of(step)]
        place = place_text(step.action)
        shown = StripStep(step.number, words, step.flag, step.note, image, step.key, place=place)
        return replace(shown, by_agent=step.agent is not None, is_corrected=step.is_corrected)

    def _take(self, key: _ThumbnailKey, read: _Thumbnail | Exception) -> None:
        if key in self._shown and shiboken6.isValid(self._model):  # a dialog may be closed meanwhile
            image, words = read if isinstance(read, tuple) else (read, in_words(key[2]))
            self._shown[key] = image, words
            self._model.change_step(key[0], image=image, text=words)


def _key_of(step: RecordedStep) -> _ThumbnailKey:
    return step.number, step.screenshot, step.action, step.box, step.tree


def element_of(action: Action, tree: Path | None, size: Size) -> str:
    """The name of the element that `action` touches or types into, from a stored view hierarchy; empty if unknown.

    `size` is that of the screenshot.
    """
    if not isinstance(action, Click | LongPress | Type):
        return ""
    nodes = stored_views(tree)
    return field_name(nodes) if isinstance(action, Type) else name_at(nodes, to_pixel(action.point, size), size)


def render_step(step: RecordedStep, bounds: QSize) -> tuple[QImage, str]:
    """The screenshot within `bounds`, with the action and the touched element drawn on it, and the step in words.

    Runs off the GUI thread. Raises DatasetError.
    """
    image, read = read_image(step.screenshot, bounds * SHARPNESS)
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    size = Size(read.width(), read.height())
    draw_step(image, step.action, step.box, size)
    return image, in_words(step.action, element_of(step.action, step.tree, size))


def draw_step(image: QImage, action: Action, box: Box | None, size: Size) -> None:
    """Draw an action on a thumbnail, and the touched element's box on a screen of `size`."""
    image.setDevicePixelRatio(SHARPNESS)
    area = QRectF(QPointF(0, 0), image.deviceIndependentSize())
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if box is not None:
        paint_box(painter, box, size, area)
    paint_action(painter, action, area)
    painter.end()


@dataclass(frozen=True, slots=True)
class MarkedScreenshot:
    """What is drawn of a step. `box` is in pixels of a screenshot of `size`, or if that is None of this one."""

    path: Path
    action: Action
    box: Box | None = None
    size: Size | None = None
    predicted: Action | None = None


@dataclass(frozen=True, slots=True)
class StripStyle:
    """Thumbnail size and cell layout: text at the left, or centred with space beside it."""

    thumbnail: QSize
    is_centred: bool = False

    @property
    def side_px(self) -> int:
        return _MARGIN + 4 * self.is_centred


class StepView(QListView):
    """Emits which step to enlarge: by a double-click, or by Space unless it follows a letter."""

    step_opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._has_letters = False
        self.doubleClicked.connect(lambda index: self.step_opened.emit(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Space:
            self._has_letters = is_text(event)
            super().keyPressEvent(event)
        elif self.currentIndex().isValid() and not self._has_letters and not event.isAutoRepeat():
            self.step_opened.emit(self.currentIndex().row())


class StepStrip(StepView):
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
        self.selectionModel().currentChanged.connect(self._emit_chosen)

    def fit_height(self) -> None:
        height = self._delegate.height(self.font())
        self.setFixedHeight(height + self.horizontalScrollBar().sizeHint().height() + 2)

    def turn_to(self, number: int) -> None:
        self.setCurrentIndex(self._steps.place_index(number))

    def _emit_chosen(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.step_chosen.emit(now.row())


class _StripDelegate(RowDelegate):
    def __init__(self, style: StripStyle, parent: StepStrip) -> None:
        super().__init__(None, QSize(), parent, RowMark((1, 1), is_framed=style.is_centred))
        self._style = style

    def height(self, font: QFont) -> int:
        return self._style.thumbnail.height() + 2 * QFontMetrics(small_font(font)).height() + 4 + 2 * _MARGIN

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._style.thumbnail.width() + 2 * self._style.side_px, self.height(option.font))

    def paint_value(self, painter: QPainter, cell: QRectF, step: StripStep, font: QFont) -> None:
        size = self._style.thumbnail
        area = QRectF(cell.left() + self._style.side_px, cell.top() + _MARGIN, size.width(), size.height())
        paint_thumbnail(painter, area, step.image)
        self._paint_text(painter, cell, area, step)
        if step.severity is not None:
            place = QRectF(cell.left() + 4, cell.top() + 4, _BADGE_PX, _BADGE_PX)
            _paint_badge(painter, place, SEVERITY_GLYPHS[step.severity], severity_colour(step.severity))
        if step.verdict:
            place = QRectF(cell.right() - 4 - _BADGE_PX, cell.top() + 4, _BADGE_PX, _BADGE_PX)
            _paint_badge(painter, place, VERDICT_GLYPHS[step.verdict], verdict_colour(step.verdict))

    def _paint_text(self, painter: QPainter, cell: QRectF, image_area: QRectF, step: StripStep) -> None:
        theme, font = Theme.current(), small_font(painter.font())
        strong = QFont(font)
        strong.setWeight(QFont.Weight.Normal if step.is_seen else QFont.Weight.Bold)
        metrics = QFontMetrics(strong)
        is_flagged = bool(step.flag) and not self._style.is_centred
        if self._style.is_centred:
            side, align = _MARGIN / 2, Qt.AlignmentFlag.AlignHCenter
        else:
            side, align = _MARGIN, Qt.AlignmentFlag.AlignLeft
        area = QRectF(cell.left() + side, image_area.bottom() + 4, cell.width() - 2 * side, metrics.height())
        lines = wrapped(f"{step_number(step.number)}. {step.text}", metrics, round(area.width()), 2)
        painter.setFont(strong)
        painter.setPen(theme.warning if is_flagged else theme.text)
        for line in lines:
            painter.drawText(area, align, line)
            area.translate(0, metrics.height())
        if len(lines) == 1:
            painter.setFont(font)
            painter.setPen(theme.muted)
            painter.drawText(area, align, metrics.elidedText(step.place, _AT_END, round(area.width())))


def wrapped(text: str, metrics: QFontMetrics, width: int, lines: int) -> list[str]:
    """`text` in at most `lines` lines of `width` px, the last one elided if needed."""
    done: list[str] = []
    line = ""
    pending = text.split()
    while pending and len(done) < lines - 1:
        longer = f"{line} {pending[0]}".lstrip()
        if line and metrics.horizontalAdvance(longer) >= width:
            done.append(line)
            line = ""
        else:
            line = longer
            pending.pop(0)
    last = " ".join([line, *pending]).strip()
    return [metrics.elidedText(part, Qt.TextElideMode.ElideRight, width) for part in (*done, last) if part]


def paint_thumbnail(painter: QPainter, area: QRectF, image: QImage | Exception | None, *, at_top: bool = False) -> None:
    """Draw a thumbnail at the bottom of `area`, or at its top; without one an empty frame with the reason."""
    theme, place, shape = Theme.current(), QRectF(area), QPainterPath()
    if isinstance(image, QImage) and not image.isNull():
        size = image.deviceIndependentSize()
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(area.center())
        place.moveTop(area.top()) if at_top else place.moveBottom(area.bottom())
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
        paint_problem(painter, str(image), area)
    elif image is not None and image.isNull():
        painter.setFont(glyph_font(_BROKEN_PX))
        painter.setPen(theme.muted)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, glyph("image_broken_variant"))
    painter.restore()


def _paint_badge(painter: QPainter, place: QRectF, name: str, colour: QColor) -> None:
    """A glyph on a disc of the card's colour, legible on any screenshot."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Theme.current().card)
    painter.drawEllipse(place)
    painter.setFont(glyph_font(_BADGE_PX - 3))
    painter.setPen(colour)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, glyph(name))
