"""How many episodes there are of each kind, as small bars; the one that is chosen filters the list."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex

_COUNT, _SHARE, _VALUE = (Qt.ItemDataRole.UserRole + number for number in range(3))
_ROW_HEIGHT = 30
_BAR_HEIGHT = 3


class FacetList(QListView):
    """A row for each value with its count, under one for all of them."""

    value_chosen = Signal()
    """Another row was chosen."""

    def __init__(self, name: str, spelled: Callable[[str], str] = str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._values = _FacetModel(spelled, self)
        self.setModel(self._values)
        self.setItemDelegate(_FacetDelegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(_ROW_HEIGHT + 2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setCurrentIndex(self._values.index(0))
        self.selectionModel().currentChanged.connect(lambda _now, _before: self.value_chosen.emit())

    @property
    def value(self) -> str:
        return str(self.currentIndex().data(_VALUE) or "")

    def show_counts(self, counts: Sequence[tuple[str, int]], total: int) -> None:
        """Show the values with their counts; the chosen one stays chosen as long as it is there."""
        chosen = self.value
        self._values.show_counts(counts, total)
        self.updateGeometry()
        if chosen != self.value:
            self.choose(chosen)

    def choose(self, value: str) -> None:
        """Choose the row of `value`, that of all where it is not there."""
        self.setCurrentIndex(self._values.index(self._values.row(value)))

    def sizeHint(self) -> QSize:
        return QSize(180, _ROW_HEIGHT * self._values.rowCount() + 2)


class _FacetModel(QAbstractListModel):
    def __init__(self, spelled: Callable[[str], str], parent: QObject) -> None:
        super().__init__(parent)
        self._spelled = spelled
        self._rows: list[tuple[str, int]] = [("", 0)]

    def show_counts(self, counts: Sequence[tuple[str, int]], total: int) -> None:
        rows = [("", total), *counts]
        before = len(self._rows)
        if len(rows) > before:
            self.beginInsertRows(QModelIndex(), before, len(rows) - 1)
        elif len(rows) < before:
            self.beginRemoveRows(QModelIndex(), len(rows), before - 1)
        self._rows = rows
        if len(rows) > before:
            self.endInsertRows()
        elif len(rows) < before:
            self.endRemoveRows()
        self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def row(self, value: str) -> int:
        return next((row for row, (known, _) in enumerate(self._rows) if known == value), 0)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        value, count = self._rows[index.row()]
        words = self._spelled(value) or "All"
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return words
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{words}: {count}"
            case _ if role == _COUNT:
                return count
            case _ if role == _SHARE:
                return count / max(self._rows[0][1], 1)
            case _ if role == _VALUE:
                return value
            case _:
                return None


class _FacetDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(100, _ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = Theme.current()
        row = QRectF(option.rect).adjusted(2, 1, -2, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.accent, 1) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(row, 6, 6)
        area = row.adjusted(8, 3, -8, -8)
        count = str(index.data(_COUNT))
        metrics = QFontMetrics(painter.font())
        room = area.width() - metrics.horizontalAdvance(count) - 8
        name = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, round(room))
        painter.setPen(theme.text)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.setPen(theme.muted)
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        if index.row() > 0:
            bar = QRectF(area.left(), row.bottom() - 3 - _BAR_HEIGHT, area.width(), _BAR_HEIGHT)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.outline)
            painter.drawRoundedRect(bar, _BAR_HEIGHT / 2, _BAR_HEIGHT / 2)
            bar.setWidth(max(_BAR_HEIGHT if index.data(_COUNT) else 0, bar.width() * float(index.data(_SHARE))))
            painter.setBrush(theme.accent)
            painter.drawRoundedRect(bar, _BAR_HEIGHT / 2, _BAR_HEIGHT / 2)
        painter.restore()
