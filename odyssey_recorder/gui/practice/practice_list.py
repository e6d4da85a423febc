"""The practice tasks in a list: what each teaches, what it asks, and how far the annotator is with it."""

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.icons import icon
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.practice.score import PASS_MARK
from odyssey_recorder.practice.service import Welcome
from odyssey_recorder.practice.tasks import PracticeTask

_Index = QModelIndex | QPersistentModelIndex

TASK_ROLE = Qt.ItemDataRole.UserRole
VALUE_ROLE = Qt.ItemDataRole.UserRole + 1
"""The task, and the best value that it was done with; None where it was not tried."""

_HEIGHT, _MARGIN, _SIGN = 52, 14, 20


class PracticeList(QAbstractListModel):
    """The tasks in the order in which they are practised."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[PracticeTask, int | None]] = []

    def show_welcome(self, welcome: Welcome) -> None:
        """Show the tasks, and what came of them until now."""
        rows = [(task, welcome.status.best.get(task.task_id)) for task in welcome.tasks]
        if [task for task, _ in rows] != [task for task, _ in self._rows]:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        elif rows != self._rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        task, value = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return f"{index.row() + 1}. {task.teaches}: {state_words(value)}"
            case Qt.ItemDataRole.ToolTipRole:
                return task.task.instruction
            case _ if role == TASK_ROLE:
                return task
            case _ if role == VALUE_ROLE:
                return value
            case _:
                return None


def state_words(value: int | None) -> str:
    """How far the annotator is with a task whose best value this is."""
    if value is None:
        return "to do"
    return f"passed, {value} %" if value >= PASS_MARK else f"not passed yet, {value} %"


def state_sign(value: int | None, theme: Theme) -> tuple[str, QColor]:
    """The icon that goes with it, and its colour."""
    if value is None:
        return "circle_outline", theme.muted
    return ("check_circle", theme.success) if value >= PASS_MARK else ("alert_circle", theme.warning)


class PracticeRow(QStyledItemDelegate):
    """Draws one task: its sign, what it teaches above what it asks, and its state at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(200, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, task, value = Theme.current(), index.data(TASK_ROLE), index.data(VALUE_ROLE)
        area = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_ground(painter, option, area.adjusted(2, 1, -2, -1), theme)
        name, colour = state_sign(value, theme)
        left = area.left() + _MARGIN
        sign = QRectF(left, area.center().y() - _SIGN / 2, _SIGN, _SIGN)
        icon(name, colour).paint(painter, sign.toRect())
        plain = QFont(option.font)
        bold = QFont(plain)
        bold.setWeight(QFont.Weight.DemiBold)
        words = state_words(value)
        width = QFontMetricsF(plain).horizontalAdvance(words)
        place = area.adjusted(_MARGIN, 0, -_MARGIN, 0)
        painter.setFont(plain)
        painter.setPen(theme.muted if value is None else colour)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        upper = QRectF(left + _SIGN + 12, area.top() + 6, place.right() - width - 16 - left - _SIGN - 12, 20)
        painter.setPen(theme.text)
        _write(painter, upper, f"{index.row() + 1}.  {task.teaches}", bold)
        painter.setPen(theme.muted)
        _write(painter, upper.translated(0, 21), task.task.instruction, plain)
        painter.restore()

    def _draw_ground(self, painter: QPainter, option: QStyleOptionViewItem, area: QRectF, theme: Theme) -> None:
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(theme.accent if state & QStyle.StateFlag.State_HasFocus else Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)


def _write(painter: QPainter, area: QRectF, words: str, font: QFont) -> None:
    painter.setFont(font)
    shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
