"""The steps so far: each with its picture, the action drawn on it, its words, and what is odd about it."""

from collections.abc import Sequence
from functools import partial
from html import escape

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QImage, QImageReader, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.action_painter import paint_action, paint_box
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.model.action import Action, describe
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.recording.view import RecordedStep

_Index = QModelIndex | QPersistentModelIndex
_Drawn = tuple[int, Action, Box | None]
"""What a thumbnail depends on: the picture of a step never changes while the step is there."""

THUMBNAIL = QSize(84, 108)
_SHARPNESS = 2
_MARGIN = 10
_ROW_HEIGHT = THUMBNAIL.height() + 2 * _MARGIN


class StepList(QAbstractListModel):
    """The recorded steps as a model; pictures are read in the background and come in when they are ready."""

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._steps: tuple[RecordedStep, ...] = ()
        self._pictures: dict[_Drawn, QImage] = {}

    def show_steps(self, steps: Sequence[RecordedStep]) -> None:
        """Show `steps`; rows that stay the same stay untouched, and one that differs stays in its place."""
        before = self._steps
        common = min(len(before), len(steps))
        if common < len(before):
            self.beginRemoveRows(QModelIndex(), common, len(before) - 1)
            self._steps = before[:common]
            self._pictures = {drawn: picture for drawn, picture in self._pictures.items() if drawn[0] < common}
            self.endRemoveRows()
        if common < len(steps):
            self.beginInsertRows(QModelIndex(), common, len(steps) - 1)
            self._steps = (*before[:common], *steps[common:])
            self.endInsertRows()
        self._steps = tuple(steps)
        for row in range(common):
            if steps[row] != before[row]:
                self.dataChanged.emit(self.index(row), self.index(row))
        for step in self._steps:
            self._want_picture(step)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._steps)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._steps):
            return None
        step = self._steps[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return describe(step.action)
            case Qt.ItemDataRole.DecorationRole:
                return self._pictures.get(_drawn(step))
            case Qt.ItemDataRole.StatusTipRole:
                return step.flag
            case Qt.ItemDataRole.ToolTipRole:
                return _tooltip(step)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"Step {step.number}: {describe(step.action)} {step.flag}".rstrip()
            case _:
                return None

    def _want_picture(self, step: RecordedStep) -> None:
        if _drawn(step) not in self._pictures:
            self._pictures[_drawn(step)] = QImage()
            self._background.run(partial(draw_thumbnail, step), partial(self._take_picture, step), lambda _error: None)

    def _take_picture(self, step: RecordedStep, picture: QImage) -> None:
        self._pictures[_drawn(step)] = picture
        row = self.index(step.number)
        self.dataChanged.emit(row, row, [Qt.ItemDataRole.DecorationRole])


def _drawn(step: RecordedStep) -> _Drawn:
    return step.number, step.action, step.box


def _tooltip(step: RecordedStep) -> str:
    """All the words of a step, for where its row cuts them off; markup in a text is shown as text."""
    words = f"<p>{escape(describe(step.action))}</p>"
    return f"{words}<p>{escape(_sentence(step.flag))}</p>" if step.flag else words


def _sentence(flag: str) -> str:
    return flag[:1].upper() + flag[1:]


def draw_thumbnail(step: RecordedStep, room: QSize = THUMBNAIL) -> QImage:
    """The picture of `step` within `room`, with its action and the box of the touched element drawn on it.

    An empty image where there is no picture. Runs outside the GUI thread.
    """
    reader = QImageReader(str(step.picture))
    size = reader.size()
    if not size.isValid():
        return QImage()
    reader.setScaledSize(size.scaled(room * _SHARPNESS, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read().convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        return image
    image.setDevicePixelRatio(_SHARPNESS)
    area = QRectF(QPointF(0, 0), image.deviceIndependentSize())
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if step.box is not None:
        paint_box(painter, step.box, Size(size.width(), size.height()), area)
    paint_action(painter, step.action, area)
    painter.end()
    return image


class StepDelegate(QStyledItemDelegate):
    """Draws one step: thumbnail at the left, number, words and flag beside it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(200, _ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = Theme.current()
        row = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(row.adjusted(4, 2, -4, -2), 8, 8)
        box = QRectF(row.left() + _MARGIN, row.top() + _MARGIN, THUMBNAIL.width(), THUMBNAIL.height())
        _paint_thumbnail(painter, box, index.data(Qt.ItemDataRole.DecorationRole), theme)
        words = row.adjusted(THUMBNAIL.width() + 2 * _MARGIN + 2, _MARGIN + 2, -_MARGIN, -_MARGIN)
        self._paint_words(painter, words, index, theme)
        painter.restore()

    def _paint_words(self, painter: QPainter, area: QRectF, index: _Index, theme: Theme) -> None:
        small = QFont(painter.font())
        small.setPointSizeF(small.pointSizeF() * 0.9)
        strong = QFont(painter.font())
        strong.setWeight(QFont.Weight.DemiBold)
        name, _, rest = str(index.data(Qt.ItemDataRole.DisplayRole)).partition(" ")
        flag = str(index.data(Qt.ItemDataRole.StatusTipRole))
        top = area.top()
        parts = (
            (f"Step {index.row()}", small, theme.muted, 1),
            (name, strong, theme.text, 1),
            (rest, painter.font(), theme.text, 1 if flag else 3),
            (_sentence(flag), small, theme.warning, 3),
        )
        for words, font, colour, lines in parts:
            if not words:
                continue
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(colour)
            for line in wrapped(words, metrics, round(area.width()), lines):
                painter.drawText(QRectF(area.left(), top, area.width(), metrics.height()), 0, line)
                top += metrics.height() + 1
            top += 2


def wrapped(words: str, metrics: QFontMetrics, width: int, lines: int) -> list[str]:
    """`words` in at most `lines` lines of `width`, the last one cut with an ellipsis if need be."""
    done: list[str] = []
    line = ""
    pending = words.split()
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


def _paint_thumbnail(painter: QPainter, box: QRectF, picture: object, theme: Theme) -> None:
    if not isinstance(picture, QImage) or picture.isNull():
        painter.setPen(QPen(theme.outline, 1))
        painter.setBrush(theme.window)
        painter.drawRoundedRect(box, 6, 6)
        return
    size = picture.deviceIndependentSize()
    place = QRectF(box.left() + (box.width() - size.width()) / 2, box.top(), size.width(), size.height())
    shape = QPainterPath()
    shape.addRoundedRect(place, 6, 6)
    painter.save()
    painter.setClipPath(shape)
    painter.drawImage(place, picture)
    painter.restore()
    painter.setPen(QPen(theme.outline, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(shape)
