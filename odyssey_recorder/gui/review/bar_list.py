"""Tables with bars: their rows are painted, read by screen readers and reached by the keyboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.agreement.sections import Bar, BarRow, Measured, Table
from odyssey_recorder.gui.kit.parts import breakable
from odyssey_recorder.gui.kit.table import Index, TableColumn, TableModel
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.model.plain_text import on_one_line

_GAP = 16
_SIDE = 8
_BAR_PX = 8
_WHISKER_PX = 3
_LOWEST_PX = 30
_NAME_SHARE = 0.32
_NARROWEST_BAR_PX = 48
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class BarList(QListView):
    """A table of figures, as high as its rows; emits the row that the keyboard reaches.

    Its columns align with those of the `beside` tables, which include itself.
    """

    row_reached = Signal(QRect)
    """The row's rectangle in this widget's coordinates."""

    def __init__(self, table: Table, beside: Sequence[Table] = ()) -> None:
        super().__init__()
        self.setAccessibleName(table.title)
        self._rows = _Rows(table, self)
        self.setModel(self._rows)
        fitted = [row for part in beside or (table,) for row in _with_head(part)]
        self._painter = _Painter(self._rows, fitted, self)
        self.setItemDelegate(self._painter)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(lambda _now, _before: self._update_description())

    def show_at_most(self, rows: int) -> None:
        """Show the first `rows` rows only."""
        self._rows.show_at_most(rows)
        if self.isVisible():
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._update_description()

    def _update_description(self) -> None:
        if self.currentIndex().isValid() and self.hasFocus():
            self.row_reached.emit(self.visualRect(self.currentIndex()))

    def _fit(self) -> None:
        """Row heights depend on how the names wrap at this width."""
        self.doItemsLayout()
        self.setFixedHeight(sum(map(self._painter.height, range(self._rows.rowCount()))))


class _Rows(TableModel[BarRow]):
    def __init__(self, table: Table, parent: QObject) -> None:
        super().__init__((TableColumn("", _name, spoken=partial(_spoken, table.heads)),), parent=parent)
        self._heads = table.heads
        self._with_head = _with_head(table)
        self.load(self._with_head)

    def show_at_most(self, rows: int) -> None:
        self.load(self._with_head[: rows + bool(self._heads)])

    def is_head(self, row: int) -> bool:
        return row == 0 and bool(self._heads)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.NoItemFlags if self.is_head(index.row()) else super().flags(index)


def _spoken(heads: Sequence[str], row: BarRow) -> str:
    text = [measured.text for measured in row.measures]
    if len(text) > 1:  # the columns explain the others
        text = [f"{head}: {value}" for head, value in zip(heads[2:], text, strict=True)]
        text.insert(0, f"{heads[1]}: {row.count}")
    elif row.count:
        text.insert(0, row.count)
    return ": ".join(filter(None, (on_one_line(row.name), ", ".join(text))))


def _name(row: BarRow) -> str:
    return breakable(on_one_line(row.name))


def _with_head(table: Table) -> Sequence[BarRow]:
    if not table.heads:
        return table.rows
    name, count, *measures = table.heads
    return BarRow(name, count, tuple(Measured(None, text) for text in measures)), *table.rows


@dataclass(frozen=True, slots=True)
class _Columns:
    """Horizontal layout of a row, in pixels from its left; `texts` are the widths of each bar's text."""

    name: int
    count: int
    bar: int
    texts: tuple[int, ...]


class _Painter(QStyledItemDelegate):
    def __init__(self, rows: _Rows, beside: Sequence[BarRow], view: QListView) -> None:
        super().__init__(view)
        self._rows = rows
        self._beside = beside
        self._view = view
        self._needed: tuple[str, int, tuple[int, ...]] = ("", 0, ())
        self._heights: dict[tuple[str, int, int], int] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(1, self.height(index.row()))

    def height(self, row: int) -> int:
        """The height in pixels at the list's current width."""
        font = self._view.font()
        name_px = self._columns(self._view.viewport().width()).name
        key = (font.key(), name_px, row)
        if key not in self._heights:
            room = QRect(0, 0, name_px, 10_000)
            lines = QFontMetrics(font).boundingRect(room, _WRAPPED, _name(self._rows.rows[row])).height()
            self._heights[key] = max(_LOWEST_PX, lines + 10)
        return self._heights[key]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = Theme.current()
        row, columns = self._rows.rows[index.row()], self._columns(option.rect.width())
        area = QRectF(option.rect).adjusted(_SIDE, 0, -_SIDE, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.accent, 1))
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 6, 6)
        painter.setPen(theme.muted if self._rows.is_head(index.row()) else theme.text)
        painter.drawText(_part(area, 0, columns.name), int(_WRAPPED), _name(row))
        at = columns.name + _GAP
        if columns.count:
            painter.setPen(theme.muted)
            painter.drawText(_part(area, at, columns.count), _RIGHT, row.count)
            at += columns.count + _GAP
        for measured, text in zip(row.measures, columns.texts, strict=True):
            if measured.bar is None:
                painter.setPen(theme.muted)
                painter.drawText(_part(area, at, columns.bar + _GAP + text), int(_WRAPPED), measured.text)
            else:
                _draw_bar(painter, _part(area, at, columns.bar), measured.bar)
                painter.setPen(theme.text)
                painter.drawText(_part(area, at + columns.bar + _GAP, text), _RIGHT, measured.text)
            at += columns.bar + text + 2 * _GAP
        painter.restore()

    def _columns(self, width: int) -> _Columns:
        """Texts are never cut: bars get the remaining width, and names wrap."""
        count, text = self._need()
        room = width - 2 * _SIDE
        if not text:
            return _Columns(room, 0, 0, ())
        taken = sum(text) + (count + _GAP if count else 0) + 2 * len(text) * _GAP
        name = min(round(room * _NAME_SHARE), room - taken - len(text) * _NARROWEST_BAR_PX)
        return _Columns(name, count, (room - taken - name) // len(text), text)

    def _need(self) -> tuple[int, tuple[int, ...]]:
        """The widths of the counts and of each bar's text, cached for a font."""
        font = self._view.font()
        if self._needed[0] != font.key():
            metrics = QFontMetrics(font)
            count = _widest(metrics, {row.count for row in self._beside})
            columns = zip(*(row.measures for row in self._beside), strict=True)
            text = ({cell.text for cell in column if cell.bar is not None} for column in columns)
            self._needed = (font.key(), count, tuple(_widest(metrics, column) for column in text))
        return self._needed[1:]


def _widest(metrics: QFontMetrics, text: set[str]) -> int:
    return max(map(metrics.horizontalAdvance, text), default=0)


def _part(area: QRectF, at: float, width: float) -> QRectF:
    return QRectF(area.left() + at, area.top(), width, area.height())


def _draw_bar(painter: QPainter, room: QRectF, bar: Bar) -> None:
    """Draw the bar on its track and the interval as a line over it, with a tick at both ends."""
    theme = Theme.current()
    middle = room.center().y()

    def x(hundredths: float) -> float:
        return room.left() + room.width() * hundredths / 100

    def draw_part(colour: QColor, left: float, right: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(x(left), middle - _BAR_PX / 2, x(right) - x(left), _BAR_PX), 2, 2)

    draw_part(theme.tint, 0.0, 100.0)
    painter.setPen(QPen(theme.outline, 1))
    for at in bar.grid:
        painter.drawLine(QPointF(x(at), middle - _BAR_PX / 2), QPointF(x(at), middle + _BAR_PX / 2))
    draw_part(theme.accent, bar.start, bar.start + bar.length)
    painter.setPen(QPen(theme.muted, 1))
    if bar.zero:
        painter.drawLine(QPointF(x(bar.zero), middle - _BAR_PX), QPointF(x(bar.zero), middle + _BAR_PX))
    if bar.low != bar.high:
        painter.setPen(QPen(theme.text, 1.5))
        painter.drawLine(QPointF(x(bar.low), middle), QPointF(x(bar.high), middle))
        for end in (bar.low, bar.high):
            painter.drawLine(QPointF(x(end), middle - _WHISKER_PX), QPointF(x(end), middle + _WHISKER_PX))
