"""Coverage by category, device and class of apps, as numbers and bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QListView, QTableView

from odyssey_recorder.gui.parts import fix_width, named
from odyssey_recorder.gui.record.task_text import category_words, device_words
from odyssey_recorder.gui.row_delegate import Mark, RowDelegate, paint_bar, paint_figures, small_font
from odyssey_recorder.gui.table import Column, Index, TableModel, fill_list
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.task.generation.coverage import Cell, Coverage, Tally

_BAR_PX = 4
_SIDE_PX = 10
_BOARD_ROW_PX = 40
_LIST_ROW_PX = 36
_NAMES_PX = 172
_HALF = 0.5


class BoardModel(TableModel[str]):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), key=str, parent=parent)
        self._devices: Sequence[str] = ()

    def show_coverage(self, coverage: Coverage) -> None:
        self.beginResetModel()
        self._devices = coverage.devices
        self.columns = [_device_column(coverage, device) for device in coverage.devices]
        self.endResetModel()
        self.load(coverage.categories)

    def cell_index(self, category: str, device: str) -> QModelIndex:
        """Invalid if the cell is not on the board."""
        return self.index(self.place(category), self._devices.index(device) if device in self._devices else -1)

    def cell(self, index: Index) -> tuple[str, str]:
        """The category and device of a cell; empty for an invalid index."""
        category = self.at(index.row()) if index.isValid() else None
        return ("", "") if category is None else (category, self._devices[index.column()])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Vertical and role == Qt.ItemDataRole.DisplayRole:
            return category_words(self.rows[section])
        return super().headerData(section, orientation, role)


def _device_column(coverage: Coverage, device: str) -> Column[str]:
    tallies = {category: coverage.at(category, device) for category in coverage.categories}

    def sentence(category: str) -> str:
        return f"{category_words(category)} on {device_words(device)}: {tally_sentence(tallies[category])}"

    return Column(
        device_words(device),
        lambda category: tally_words(tallies[category]),
        spoken=sentence,
        tip=sentence,
        value=lambda category: tallies[category],
    )


def board_view(model: BoardModel) -> QTableView:
    view = named(QTableView(), "Coverage of categories and devices")
    view.setModel(model)
    view.setItemDelegate(RowDelegate(_paint_place, QSize(80, _BOARD_ROW_PX), view, Mark((2, 2), 6, is_framed=True)))
    view.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setCornerButtonEnabled(False)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    across, down = view.horizontalHeader(), view.verticalHeader()
    across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    down.setDefaultSectionSize(_BOARD_ROW_PX)
    fix_width(down, _NAMES_PX)
    for head in (across, down):
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return view


def board_height(view: QTableView, rows: int) -> int:
    """The height in pixels that shows all rows."""
    return view.horizontalHeader().sizeHint().height() + rows * _BOARD_ROW_PX + 8


@dataclass(frozen=True, slots=True)
class TallyRow:
    """A cell and its label in the list; a cell without a class of apps stands for all."""

    cell: Cell
    name: str
    tally: Tally


def _row_sentence(row: TallyRow) -> str:
    return f"{row.name}: {tally_sentence(row.tally)}"


class TallyList(QListView):
    cell_chosen = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        column = Column[TallyRow]("", lambda row: row.name, spoken=_row_sentence, tip=_row_sentence)
        self._rows = TableModel((column,), key=lambda row: row.cell, parent=self)
        fill_list(self, name, self._rows, RowDelegate(_paint_row, QSize(120, _LIST_ROW_PX), self, Mark(radius=6)))
        self._is_silent = False
        self.selectionModel().currentChanged.connect(self._tell)

    @property
    def cell(self) -> Cell | None:
        row = self._rows.at(self.currentIndex().row())
        return None if row is None else row.cell

    def show_rows(self, rows: Sequence[TallyRow]) -> None:
        self._rows.load(rows)

    def turn_to(self, cell: Cell | None) -> None:
        """Make a cell current without emitting `cell_chosen`; none if it is not in the list."""
        self._is_silent = True
        self.setCurrentIndex(self._rows.place_index(cell))
        if self.cell is not None:
            self.scrollTo(self.currentIndex())
        self._is_silent = False

    def _tell(self) -> None:
        if not self._is_silent and self.cell is not None:
            self.cell_chosen.emit(self.cell)


def tally_number(count: float) -> str:
    rounded = round(count, 1)
    return f"{rounded:,.0f}" if rounded >= 10 or rounded == int(rounded) else f"{rounded:.1f}"


def tally_words(tally: Tally) -> str:
    """Progress in short: "12 of 40"."""
    return f"{tally_number(tally.there)} of {tally_number(tally.wanted)}"


def tally_sentence(tally: Tally) -> str:
    return (
        f"{tally_words(tally)} available, {tally_number(tally.recorded)} of them recorded; "
        f"{tally_number(tally.lacking)} missing."
    )


def _colour(tally: Tally) -> QColor:
    """The warning colour if at least half a task is lacking."""
    return Theme.current().text if tally.lacking < _HALF else Theme.current().warning


def _paint_place(painter: QPainter, cell: QRectF, tally: Tally, font: QFont) -> None:
    place = cell.adjusted(2, 2, -2, -2)
    shown = small_font(font) if place.width() < 110 else font
    area = place.adjusted(_SIDE_PX, 4, -_SIDE_PX, -6 - _BAR_PX)
    words = QFontMetrics(shown).elidedText(tally_words(tally), Qt.TextElideMode.ElideRight, round(area.width()))
    painter.setFont(shown)
    painter.setPen(_colour(tally))
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
    _paint_share(painter, QRectF(area.left(), place.bottom() - 6 - _BAR_PX, area.width(), _BAR_PX), tally)


def _paint_row(painter: QPainter, cell: QRectF, row: TallyRow, _font: QFont) -> None:
    area = cell.adjusted(_SIDE_PX + 2, 4, -_SIDE_PX - 2, -6 - _BAR_PX)
    painter.setPen(_colour(row.tally))
    paint_figures(painter, area, row.name, tally_words(row.tally), 12)
    _paint_share(painter, QRectF(area.left(), cell.bottom() - 5 - _BAR_PX, area.width(), _BAR_PX), row.tally)


def _paint_share(painter: QPainter, track: QRectF, tally: Tally) -> None:
    """Recorded tasks in full colour and planned ones lighter, on a track that stands for the target."""
    whole = max(tally.wanted, tally.there) or 1.0
    accent = Theme.current().accent
    lighter = QColor(accent)
    lighter.setAlphaF(0.5)
    paint_bar(painter, track, (lighter, tally.there / whole), (accent, tally.recorded / whole))
