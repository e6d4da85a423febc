"""Tables and lists: immutable rows with stable keys, columns as data, one model for all."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView, QListView, QTableView

from odyssey_recorder.gui.kit.theme import grown

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")
L = TypeVar("L", bound=QListView)

VALUE = Qt.ItemDataRole.UserRole
"""The role of a cell's value for painting: its row, unless the column says otherwise."""

_HEAD_PX = 44
_MAX_RUNS = 40
"""A steady table that inserts or removes more runs of rows than this is reset: each run costs a layout."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class TableColumn(Generic[Row]):
    """A column; `spoken` is for screen readers, by default the text.

    `order` is the sort key, by default the text. `width` is in px; 0 takes the remaining width. `edited` is an editor's
    initial value; the model's `setData` takes its result.
    """

    title: str
    text: Callable[[Row], str]
    spoken: Callable[[Row], str] | None = None
    tip: Callable[[Row], str | None] | None = None
    colour: Callable[[Row], QColor | None] | None = None
    is_bold: Callable[[Row], bool] | None = None
    value: Callable[[Row], object] | None = None
    order: Callable[[Row], Any] | None = None
    edited: Callable[[Row], str] | None = None
    is_number: bool = False
    width: int = 0

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        return _RIGHT if self.is_number else _LEFT

    def data(self, row: Row, role: int) -> object:
        if role == VALUE:
            return self.value(row) if self.value is not None else row
        shown: Mapping[int, Callable[[Row], object] | None] = {
            Qt.ItemDataRole.DisplayRole: self.text,
            Qt.ItemDataRole.AccessibleTextRole: self.spoken or self.text,
            Qt.ItemDataRole.ToolTipRole: self.tip,
            Qt.ItemDataRole.EditRole: self.edited,
            Qt.ItemDataRole.ForegroundRole: self.colour,
        }
        if (value := shown.get(role)) is not None:
            return value(row)
        if role == Qt.ItemDataRole.FontRole and self.is_bold is not None and self.is_bold(row):
            font = QFont()
            font.setBold(True)
            return font
        return self.alignment if role == Qt.ItemDataRole.TextAlignmentRole else None


class TableModel(QAbstractTableModel, Generic[Row]):
    """The rows that pass the filter, in the order of a column or as given.

    Rows that only change stay in place. Inserting or removing rows resets the model, unless it is `steady`: then the
    others stay, with selection and open editors.
    """

    def __init__(
        self,
        columns: Sequence[TableColumn[Row]],
        key: Callable[[Row], Hashable] | None = None,
        criteria: Mapping[str, Callable[[Row, Any], bool]] | None = None,
        *,
        steady: bool = False,
        parent: QObject | None = None,
    ) -> None:
        """`key` identifies rows, by default their position. `criteria` are the filters of `narrow`."""
        super().__init__(parent)
        self.columns = columns
        self._key = key
        self._criteria = criteria or {}
        self._is_pinned: Callable[[Row], bool] | None = None
        self._steady = steady
        self.all: dict[Hashable, Row] = {}  # by key, shown or not
        self.rows: list[Row] = []
        self._places: dict[Hashable, int] = {}
        self.filter: dict[str, Any] = {}
        self._order: Callable[[Row], Any] | None = None
        self._descending = False

    def pin(self, is_pinned: Callable[[Row], bool]) -> None:
        """Show these rows always and first; they must be given before all others."""
        self._is_pinned = is_pinned

    def show(self, rows: Iterable[Row]) -> None:
        """Replace the rows; rows with the same key stay the same."""
        self.all = dict(enumerate(rows)) if self._key is None else {self._key(row): row for row in rows}
        self._arrange()

    def load(self, rows: Iterable[Row]) -> None:
        """Replace the rows by unrelated ones: nothing stays selected."""
        self.beginResetModel()
        self.all, self.rows, self._places = {}, [], {}
        self.endResetModel()
        self.show(rows)

    def change(self, rows: Iterable[Row], gone: Iterable[Hashable] = ()) -> None:
        assert self._key is not None
        for key in gone:
            self.all.pop(key, None)
        self.all.update((self._key(row), row) for row in rows)
        self._arrange()

    def narrow(self, **wanted: object) -> None:
        """Show only rows that meet all criteria; empty ones are ignored."""
        self.filter = {name: value for name, value in wanted.items() if value}
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort stably by `column`; -1 is the order in which rows were given."""
        chosen = self.columns[column] if column >= 0 else None
        self._order = None if chosen is None else chosen.order or (lambda row: chosen.text(row).casefold())
        self._descending = order is Qt.SortOrder.DescendingOrder
        self._arrange()

    def refresh(self) -> None:
        """Repaint all rows: what their columns look up has changed."""
        if self.rows:
            self._emit_changed(0, len(self.rows) - 1)

    def at(self, row: int) -> Row | None:
        return self.rows[row] if 0 <= row < len(self.rows) else None

    def place(self, key: Hashable) -> int:
        """The row of a key; -1 if it is not shown."""
        return self._places.get(key, -1)

    def place_index(self, key: Hashable) -> QModelIndex:
        """The first cell of a key's row; invalid if it is not shown."""
        return self.index(self.place(key), 0)

    def key_at(self, row: int) -> Hashable:
        """None if there is no such row."""
        shown = self.at(row)
        return None if shown is None else row if self._key is None else self._key(shown)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.columns[section].title
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.columns[section].alignment
            case _:
                return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.at(index.row()) if index.isValid() else None
        return None if row is None else self.columns[index.column()].data(row, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        editable = index.isValid() and self.columns[index.column()].edited is not None
        return super().flags(index) | (Qt.ItemFlag.ItemIsEditable if editable else Qt.ItemFlag.NoItemFlags)

    def _arrange(self) -> None:
        admitted = self._admitted()
        places = {key: place for place, (key, _) in enumerate(admitted)}
        rows = [row for _, row in admitted]
        if places == self._places:
            self._change_in_place(rows)
        elif not (self._steady and self._insert_and_remove(rows, places)):
            self.beginResetModel()
            self.rows, self._places = rows, places
            self.endResetModel()

    def _admitted(self) -> list[tuple[Hashable, Row]]:
        rows, order = list(self.all.items()), self._order
        pinned = [pair for pair in rows if self._is_pinned is not None and self._is_pinned(pair[1])]
        rows = rows[len(pinned) :]
        for name, value in self.filter.items():
            meets = self._criteria[name]
            rows = [pair for pair in rows if meets(pair[1], value)]
        if order is not None:
            rows.sort(key=lambda pair: order(pair[1]), reverse=self._descending)
        return pinned + rows

    def _change_in_place(self, rows: list[Row]) -> None:
        before, self.rows = self.rows, rows
        changed = [place for place, row in enumerate(rows) if row is not before[place] and row != before[place]]
        if changed:
            self._emit_changed(changed[0], changed[-1])

    def _insert_and_remove(self, rows: list[Row], places: dict[Hashable, int]) -> bool:
        """Remove and insert rows in place; False if the order changes or it would take too long."""
        before = self._places
        kept = [key for key in before if key in places]
        gone = list(_runs(place for key, place in before.items() if key not in places))
        new = list(_runs(place for key, place in places.items() if key not in before))
        if not kept or len(gone) + len(new) > _MAX_RUNS or kept != [key for key in places if key in before]:
            return False
        for first, last in reversed(gone):
            self.beginRemoveRows(QModelIndex(), first, last)
            del self.rows[first : last + 1]
            self.endRemoveRows()
        for first, last in new:
            self.beginInsertRows(QModelIndex(), first, last)
            self.rows[first:first] = rows[first : last + 1]
            self.endInsertRows()
        self._places = places
        self._change_in_place(rows)
        return True

    def _emit_changed(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The first and last of each run of consecutive places."""
    for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0]):
        consecutive = [place for _, place in run]
        yield consecutive[0], consecutive[-1]


def change_steadily(view: QAbstractItemView, model: TableModel[Any], row_px: int, change: Callable[[], object]) -> None:
    """Call `change`, which changes the rows of `model`, and keep the visible rows in place.

    At the very top, new rows push them down.
    """
    scroll = view.verticalScrollBar()
    before = scroll.value()
    row_px = grown(row_px)
    above, offset = divmod(before, row_px)
    top = model.key_at(above) if above else None
    change()
    view.doItemsLayout()  # otherwise the scroll bar keeps its old range
    place = model.place(top)
    scroll.setValue(before if place < 0 else place * row_px + offset)


def fill_list(view: L, name: str, model: TableModel[Any], delegate: QAbstractItemDelegate) -> L:
    """Set up a list of rows of one height."""
    view.setAccessibleName(name)
    view.setModel(model)
    view.setItemDelegate(delegate)
    view.setUniformItemSizes(True)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return view


def table_view(name: str, model: TableModel[Any], row_px: int, rows_shown: int | None = None) -> QTableView:
    """With `rows_shown` it is as high as so many rows."""
    view = _TableView(row_px, [column.width for column in model.columns], rows_shown)
    fill_table(view, name, model)
    for number, column in enumerate(model.columns):
        if not column.width:
            view.horizontalHeader().setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
    view.fit_text()
    return view


def rows_table(
    name: str, columns: Sequence[TableColumn[Row]], rows: Sequence[Row], row_px: int, at_most: int | None = None
) -> QTableView:
    """A table for a page that scrolls: as high as its rows, which stay, or as `at_most` of them."""
    model = TableModel(columns)
    model.show(rows)
    table = table_view(name, model, row_px, min(len(rows), at_most or len(rows)))
    if at_most is None:
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    model.setParent(table)
    return table


def fill_table(view: QTableView, name: str, model: TableModel[Any]) -> None:
    """Set up a table in which one whole row is selected."""
    view.setAccessibleName(name)
    view.setModel(model)
    view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    head = view.horizontalHeader()
    head.setHighlightSections(False)
    head.setDefaultAlignment(_LEFT)


class _TableView(QTableView):
    """Its rows and columns grow with the text."""

    def __init__(self, row_px: int, widths: Sequence[int], rows_shown: int | None) -> None:
        super().__init__()
        self._row_px = row_px
        self._widths = widths
        self._rows_shown = rows_shown

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self.verticalHeader().defaultSectionSize() != grown(
            self._row_px
        ):
            self.fit_text()

    def fit_text(self) -> None:
        self.verticalHeader().setDefaultSectionSize(grown(self._row_px))
        if self._rows_shown is not None:
            self.setFixedHeight(self._rows_shown * grown(self._row_px) + grown(_HEAD_PX))
        for number, width in enumerate(self._widths):
            if width:
                self.horizontalHeader().resizeSection(number, grown(width))


def allow_sorting(view: QTableView) -> None:
    """Sort by a click on a header; a third click restores the rows' own order."""
    view.setSortingEnabled(True)
    view.horizontalHeader().setSortIndicatorClearable(True)
    view.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
