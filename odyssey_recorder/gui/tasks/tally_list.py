"""Places of the coverage board as a list: a name, how much there is of what is wanted, and a bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.tasks.tally_board import draw_share, is_enough, tally_sentence, tally_words
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.task.generation.coverage import Cell, Tally

_Index = QModelIndex | QPersistentModelIndex

_ENTRY = Qt.ItemDataRole.UserRole
_ROW_PX = 36
_BAR_PX = 4
_SIDE_PX = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """A place of the board under the name that it has in this list; of all classes of apps where it names none."""

    cell: Cell
    name: str
    tally: Tally


class TallyList(QListView):
    """The entries in their order; one is the current one."""

    cell_chosen = Signal(object)
    """The person turned to the place of another entry."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setProperty("kind", "card")
        self._entries = _Entries(self)
        self.setModel(self._entries)
        self.setItemDelegate(_EntryDelegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._is_told = False
        self.selectionModel().currentChanged.connect(self._tell)

    @property
    def cell(self) -> Cell | None:
        """The place of the current entry; None where there is none."""
        entry = self._entries.at(self.currentIndex().row())
        return None if entry is None else entry.cell

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show these; none is the current one."""
        self._is_told = True
        self._entries.show(entries)
        self._is_told = False

    def turn_to(self, cell: Cell | None) -> None:
        """Let the entry of a place be the current one, without `cell_chosen`; none where it is not there."""
        self._is_told = True
        place = -1 if cell is None else self._entries.place(cell)
        self.setCurrentIndex(self._entries.index(place) if place >= 0 else QModelIndex())
        if place >= 0:
            self.scrollTo(self.currentIndex())
        self._is_told = False

    def _tell(self) -> None:
        if not self._is_told and self.cell is not None:
            self.cell_chosen.emit(self.cell)


class _Entries(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._all: Sequence[Entry] = ()

    def show(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self._all = entries
        self.endResetModel()

    def at(self, row: int) -> Entry | None:
        return self._all[row] if 0 <= row < len(self._all) else None

    def place(self, cell: Cell) -> int:
        return next((row for row, entry in enumerate(self._all) if entry.cell == cell), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._all)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.at(index.row()) if index.isValid() else None
        if entry is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.name
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return f"{entry.name}: {tally_sentence(entry.tally)}"
            case _ if role == _ENTRY:
                return entry
            case _:
                return None


class _EntryDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(120, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, entry = Theme.current(), index.data(_ENTRY)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = QRectF(option.rect).adjusted(2, 1, -2, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.accent, 1) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(row, 6, 6)
        area = row.adjusted(_SIDE_PX, 3, -_SIDE_PX, -5 - _BAR_PX)
        metrics, words = QFontMetrics(option.font), tally_words(entry.tally)
        painter.setFont(option.font)
        painter.setPen(theme.text if is_enough(entry.tally) else theme.warning)
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        room = round(area.width()) - metrics.horizontalAdvance(words) - 12
        name = metrics.elidedText(entry.name, Qt.TextElideMode.ElideRight, room)
        painter.setPen(theme.text)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        draw_share(painter, QRectF(area.left(), row.bottom() - 4 - _BAR_PX, area.width(), _BAR_PX), entry.tally)
        painter.restore()
