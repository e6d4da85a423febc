"""The steps of an episode side by side, each picture with its action drawn on it and its words below."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.action_painter import paint_problem, prepare_other_threads
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.record.step_list import draw_thumbnail
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.model.action import describe
from odyssey_recorder.recording.view import RecordedStep

_Index = QModelIndex | QPersistentModelIndex

_PICTURE = QSize(96, 124)
_MARGIN = 8
_FLAG = Qt.ItemDataRole.StatusTipRole


class Filmstrip(QListView):
    """One row of steps, to be looked through from left to right."""

    def __init__(self, background: Background) -> None:
        super().__init__()
        self.setAccessibleName("Steps of the episode")
        self._film = _Film(background, self)
        self.setModel(self._film)
        self.setItemDelegate(_FrameDelegate(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_steps(self, steps: Sequence[RecordedStep]) -> None:
        """Show the steps of another episode."""
        self._film.show_steps(steps)
        self.scrollToTop()


class _Film(QAbstractListModel):
    """Pictures are read in the background; those of an episode that is no longer shown are left alone."""

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._steps: tuple[RecordedStep, ...] = ()
        self._pictures: dict[int, QImage | Exception] = {}

    def show_steps(self, steps: Sequence[RecordedStep]) -> None:
        if tuple(steps) == self._steps:
            return
        self.beginResetModel()
        self._steps = tuple(steps)
        self._pictures = {}
        self.endResetModel()
        prepare_other_threads()
        for step in self._steps:
            self._background.run(
                partial(draw_thumbnail, step, _PICTURE),
                partial(self._take_picture, self._steps, step.number),
                partial(self._take_picture, self._steps, step.number),
            )

    def _take_picture(self, steps: tuple[RecordedStep, ...], number: int, picture: QImage | Exception) -> None:
        """Show a picture, or why there is none."""
        if steps is self._steps:
            self._pictures[number] = picture
            self.dataChanged.emit(self.index(number), self.index(number), [Qt.ItemDataRole.DecorationRole])

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._steps)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._steps):
            return None
        step = self._steps[index.row()]
        picture = self._pictures.get(step.number)
        problem = str(picture) if isinstance(picture, Exception) else ""
        more = "".join(f"\n{words}" for words in (step.flag, step.note, problem) if words)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return describe(step.action)
            case Qt.ItemDataRole.DecorationRole:
                return picture
            case Qt.ItemDataRole.ToolTipRole:
                return problem
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                return f"Step {step.number}: {describe(step.action)}{more}"
            case _ if role == _FLAG:
                return step.flag
            case _:
                return None


class _FrameDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        lines = 2 * QFontMetrics(small_font(option.font)).height() + 4
        return QSize(_PICTURE.width() + 2 * _MARGIN, _PICTURE.height() + lines + 2 * _MARGIN)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = Theme.current()
        cell = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.accent, 1) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(cell.adjusted(1, 1, -1, -1), 8, 8)
        room = QRectF(cell.left() + _MARGIN, cell.top() + _MARGIN, _PICTURE.width(), _PICTURE.height())
        picture = index.data(Qt.ItemDataRole.DecorationRole)
        paint_thumbnail(painter, room, picture, theme)
        if isinstance(picture, Exception):
            painter.setFont(small_font(option.font))
            paint_problem(painter, str(picture), room)
        painter.setFont(small_font(option.font))
        metrics = QFontMetrics(painter.font())
        name, _, rest = str(index.data()).partition(" ")
        top = room.bottom() + 4
        for words, colour in (
            (f"{index.row()}  {name}", theme.warning if index.data(_FLAG) else theme.text),
            (rest, theme.muted),
        ):
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, _PICTURE.width())
            painter.setPen(colour)
            painter.drawText(QRectF(room.left(), top, room.width(), metrics.height()), 0, shown)
            top += metrics.height()
        painter.restore()


def small_font(font: QFont) -> QFont:
    """The font of the words below a picture."""
    small = QFont(font)
    small.setPointSizeF(small.pointSizeF() * 0.9)
    return small


def paint_thumbnail(painter: QPainter, room: QRectF, picture: object, theme: Theme) -> None:
    """Draw a step's picture at the foot of `room`; an empty place where it is no image."""
    place = QRectF(room)
    shape = QPainterPath()
    if isinstance(picture, QImage) and not picture.isNull():
        size = picture.deviceIndependentSize()
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(room.center())
        place.moveBottom(room.bottom())
        shape.addRoundedRect(place, 6, 6)
        painter.save()
        painter.setClipPath(shape)
        painter.drawImage(place, picture)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
    else:
        shape.addRoundedRect(place, 6, 6)
        painter.setBrush(theme.window)
    painter.setPen(QPen(theme.outline, 1))
    painter.drawPath(shape)
