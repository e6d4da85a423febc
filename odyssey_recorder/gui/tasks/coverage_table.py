"""Coverage by category, device and class of apps, as numbers, colours and bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from PySide6.QtCore import QModelIndex, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QListView, QTableView, QWidget

from odyssey_recorder.gui.kit.parts import fix_width, named
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark, paint_bar, paint_figures, paint_sign, small_font
from odyssey_recorder.gui.kit.table import Index, TableColumn, TableModel, fill_list
from odyssey_recorder.gui.kit.task_text import category_text, device_text
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.tasks.generation.coverage import Cell, Coverage, Tally

_BAR_PX = 4
_SIDE_PX = 10
_BOARD_ROW_PX = 40
_LIST_ROW_PX = 36
_NAMES_PX = 172
_SIGN_PX = 16
_SWATCH_PX = 14
ENOUGH, SOME_MISSING, MOST_MISSING, NOTHING = "Enough", "Half or more", "Less than half", "Nothing yet"
_FILLS = {NOTHING: 1.0, MOST_MISSING: 0.42, SOME_MISSING: 0.16, ENOUGH: 0.0}
"""How much of the warning colour fills a cell: the darker, also in greyscale, the more is missing."""


class CoverageModel(TableModel[str]):
    """The categories with most missing first; the last column is for all devices together."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), key=str, parent=parent)
        self._devices: Sequence[str] = ()

    def show_coverage(self, coverage: Coverage) -> None:
        self.beginResetModel()
        self._devices = (*coverage.devices, "")
        self.columns = [_device_column(coverage, device) for device in self._devices]
        self.endResetModel()
        self.load(sorted(coverage.categories, key=lambda category: -coverage.at(category).lacking))

    def cell_index(self, category: str, device: str) -> QModelIndex:
        """Invalid if the cell is not on the board."""
        return self.index(self.place(category), self._devices.index(device) if device in self._devices else -1)

    def cell(self, index: Index) -> tuple[str, str]:
        """The category and device of a cell, without a device for all; both empty for an invalid index."""
        category = self.at(index.row()) if index.isValid() else None
        return ("", "") if category is None else (category, self._devices[index.column()])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Vertical and role == Qt.ItemDataRole.DisplayRole:
            return category_text(self.rows[section])
        return super().headerData(section, orientation, role)


def _device_column(coverage: Coverage, device: str) -> TableColumn[str]:
    tallies = {category: coverage.at(category, device) for category in coverage.categories}

    def sentence(category: str) -> str:
        return f"{category_text(category)} on {place_text(device)}: {tally_description(tallies[category])}"

    def button(category: str) -> str:
        missing = tallies[category].missing
        return "" if device else f"Generate {missing:,}…" if missing else "Generate…"

    return TableColumn(
        device_text(device) if device else "All devices",
        lambda category: button(category) or tally_text(tallies[category]),
        spoken=sentence,
        tip=lambda category: f"{sentence(category)} Click or press Enter to generate tasks for it.",
        value=lambda category: button(category) or tallies[category],
    )


def place_text(device: str) -> str:
    return device_text(device) if device else "all devices"


def board_view(model: CoverageModel) -> QTableView:
    view = named(QTableView(), "Coverage of categories and devices")
    view.setModel(model)
    view.setItemDelegate(RowDelegate(_paint_place, QSize(80, _BOARD_ROW_PX), view, RowMark((2, 2), 6, is_framed=True)))
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
        head.setTextElideMode(Qt.TextElideMode.ElideRight)
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


def _row_description(row: TallyRow) -> str:
    return f"{row.name}: {tally_description(row.tally)}"


class CoverageList(QListView):
    cell_chosen = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.setMinimumHeight(2 * _LIST_ROW_PX)
        column = TableColumn[TallyRow]("", lambda row: row.name, spoken=_row_description, tip=_row_description)
        self._rows = TableModel((column,), key=lambda row: row.cell, parent=self)
        fill_list(self, name, self._rows, RowDelegate(_paint_row, QSize(120, _LIST_ROW_PX), self, RowMark(radius=6)))
        self._is_silent = False
        self.selectionModel().currentChanged.connect(self._update_description)

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

    def _update_description(self) -> None:
        if not self._is_silent and self.cell is not None:
            self.cell_chosen.emit(self.cell)


class Legend(QWidget):
    """The colours of the cells, in one line."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(f"{NOTHING}, {MOST_MISSING.lower()}, {SOME_MISSING.lower()}, {ENOUGH.lower()}. {_BAR}")
        self.setFixedHeight(_SIGN_PX + 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = 0.0
        for text in (*_FILLS, _BAR):
            if text in _FILLS:
                swatch = QRectF(left + 1, (self.height() - _SWATCH_PX) / 2, _SWATCH_PX, _SWATCH_PX)
                _paint_fill(painter, swatch, text, swatch)
                left = swatch.right() + 6
            painter.setFont(small_font(self.font()))
            painter.setPen(Theme.current().muted)
            area = QRectF(left, 0, self.width() - left, self.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)
            left += painter.fontMetrics().horizontalAdvance(text) + 18


_BAR = "Bar: strong colour for recorded tasks"


def tally_text(tally: Tally) -> str:
    """Progress in short, in whole tasks: "12 of 40"."""
    there, wanted = tally.whole
    return f"{there:,} of {wanted:,}"


def tally_description(tally: Tally) -> str:
    return f"{tally_text(tally)} available, {round(tally.recorded):,} of them recorded; {tally.missing:,} missing."


def tally_level(tally: Tally) -> str:
    there, wanted = tally.whole
    if there >= wanted:
        return ENOUGH
    return NOTHING if not there else MOST_MISSING if 2 * there < wanted else SOME_MISSING


def _paint_fill(painter: QPainter, place: QRectF, level: str, sign: QRectF) -> None:
    """`sign` is the area of the tick for enough."""
    fill = QColor(Theme.current().warning)
    fill.setAlphaF(_FILLS[level])
    painter.setPen(Theme.current().outline)
    painter.setBrush(fill)
    painter.drawRoundedRect(place, place.height() / 6, place.height() / 6)
    if level is ENOUGH:
        paint_sign(painter, sign, "check", Theme.current().success)


def _paint_place(painter: QPainter, cell: QRectF, shown: Tally | str, font: QFont) -> None:
    theme, place = Theme.current(), cell.adjusted(3, 3, -3, -3)
    font = small_font(font) if place.width() < 110 else font
    if isinstance(shown, str):
        painter.setPen(theme.accent)
        painter.setBrush(theme.card)
        painter.drawRoundedRect(place.adjusted(2, 2, -2, -2), 6, 6)
        painter.setPen(theme.text)
        painter.setFont(font)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)
        return
    level = tally_level(shown)
    _paint_fill(painter, place, level, QRectF(place.right() - _SIDE_PX - _SIGN_PX, place.top() + 4, _SIGN_PX, _SIGN_PX))
    area = place.adjusted(_SIDE_PX, 3, -_SIDE_PX, -5 - _BAR_PX if shown.there else -3)
    text = QFontMetrics(font).elidedText(tally_text(shown), Qt.TextElideMode.ElideRight, round(area.width()))
    painter.setFont(font)
    painter.setPen(theme.card if level is NOTHING else theme.text)
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    if shown.there:
        _paint_share(painter, QRectF(area.left(), place.bottom() - 5 - _BAR_PX, area.width(), _BAR_PX), shown)


def _paint_row(painter: QPainter, cell: QRectF, row: TallyRow, _font: QFont) -> None:
    area = cell.adjusted(_SIDE_PX + 2, 4, -_SIDE_PX - 2, -6 - _BAR_PX)
    painter.setPen(Theme.current().warning if row.tally.missing else Theme.current().text)
    paint_figures(painter, area, row.name, tally_text(row.tally), 12)
    _paint_share(painter, QRectF(area.left(), cell.bottom() - 5 - _BAR_PX, area.width(), _BAR_PX), row.tally)


def _paint_share(painter: QPainter, track: QRectF, tally: Tally) -> None:
    """Recorded tasks in full colour and planned ones lighter, on a track that stands for the target.

    Empty where both are less than half a task.
    """
    whole = max(tally.wanted, tally.there) if any(tally.whole) else inf
    accent = Theme.current().accent
    lighter = QColor(accent)
    lighter.setAlphaF(0.5)
    paint_bar(painter, track, (lighter, tally.there / whole), (accent, tally.recorded / whole))
