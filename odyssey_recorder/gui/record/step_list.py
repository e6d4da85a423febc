"""The steps so far: each with its picture, the action drawn on it, its words, and what is odd about it."""

from collections.abc import Sequence
from functools import partial
from html import escape

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QImage, QPainter

from odyssey_recorder.gui.action_painter import paint_action, paint_box, prepare_other_threads
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.image_reader import read_picture
from odyssey_recorder.model.action import Action, describe
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.recording.view import RecordedStep

_Index = QModelIndex | QPersistentModelIndex
_Drawn = tuple[int, Action, Box | None]
"""What a thumbnail depends on: the picture of a step never changes while the step is there."""

THUMBNAIL = QSize(84, 108)
NOTE_ROLE = Qt.ItemDataRole.UserRole
"""What the annotator wrote beside a step."""

_SHARPNESS = 2


class StepList(QAbstractListModel):
    """The recorded steps as a model; pictures are read in the background and come in when they are ready.

    A note that is edited is emitted, as the step's key and the words, and shown once the step comes back with it.
    """

    note_written = Signal(int, str)

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._steps: tuple[RecordedStep, ...] = ()
        self._pictures: dict[_Drawn, QImage | Exception] = {}

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
        picture = self._pictures.get(_drawn(step))
        said = "; ".join(filter(None, (step.flag, str(picture) if isinstance(picture, Exception) else "")))
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return describe(step.action)
            case Qt.ItemDataRole.DecorationRole:
                return picture
            case Qt.ItemDataRole.StatusTipRole:
                return said
            case _ if role in (NOTE_ROLE, Qt.ItemDataRole.EditRole):
                return step.note
            case Qt.ItemDataRole.ToolTipRole:
                return _tooltip(step, said)
            case Qt.ItemDataRole.AccessibleTextRole:
                return " ".join([f"Step {step.number}:", *filter(None, (describe(step.action), said, step.note))])
            case _:
                return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        return super().flags(index) | (Qt.ItemFlag.ItemIsEditable if index.isValid() else Qt.ItemFlag.NoItemFlags)

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        step = self._steps[index.row()]
        words = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or words == step.note:
            return False
        self.note_written.emit(step.key, words)
        return True

    def _want_picture(self, step: RecordedStep) -> None:
        if _drawn(step) not in self._pictures:
            prepare_other_threads()
            self._pictures[_drawn(step)] = QImage()
            self._background.run(
                partial(draw_thumbnail, step), partial(self._take_picture, step), partial(self._take_picture, step)
            )

    def _take_picture(self, step: RecordedStep, picture: QImage | Exception) -> None:
        """Show the picture of a step, or why there is none."""
        self._pictures[_drawn(step)] = picture
        row = self.index(step.number)
        self.dataChanged.emit(row, row, [Qt.ItemDataRole.DecorationRole])


def _drawn(step: RecordedStep) -> _Drawn:
    return step.number, step.action, step.box


def _tooltip(step: RecordedStep, said: str) -> str:
    """All the words of a step, for where its row cuts them off; markup in a text is shown as text."""
    words = f"<p>{escape(describe(step.action))}</p>"
    more = (sentence(said), step.note)
    return words + "".join(f"<p>{escape(part)}</p>" for part in more if part)


def sentence(flag: str) -> str:
    """A flag as it is shown: it begins with a capital."""
    return flag[:1].upper() + flag[1:]


def draw_thumbnail(step: RecordedStep, room: QSize = THUMBNAIL) -> QImage:
    """The picture of `step` within `room`, with its action and the box of the touched element drawn on it.

    Runs outside the GUI thread. Raises DatasetError, which says what is wrong with which picture.
    """
    picture, size = read_picture(step.picture, room * _SHARPNESS)
    image = picture.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_SHARPNESS)
    area = QRectF(QPointF(0, 0), image.deviceIndependentSize())
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if step.box is not None:
        paint_box(painter, step.box, Size(size.width(), size.height()), area)
    paint_action(painter, step.action, area)
    painter.end()
    return image
