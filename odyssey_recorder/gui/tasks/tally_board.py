"""The board of categories and devices: in each place what there is and what is wanted, in figures and as a bar."""

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from odyssey_recorder.gui.dataset.filmstrip import small_font
from odyssey_recorder.gui.parts import named
from odyssey_recorder.gui.record.task_text import category_words, device_words
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.task.generation.coverage import Coverage, Tally

_Index = QModelIndex | QPersistentModelIndex

TALLY = Qt.ItemDataRole.UserRole
"""The role under which a place's own `Tally` is asked for."""

_ROW_PX = 40
_BAR_PX = 4
_SIDE_PX = 10
_NAMES_PX = 172
_HALF = 0.5
_LIGHTER = 0.5


class BoardModel(QAbstractTableModel):
    """A row for each category, a column for each device."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._coverage = Coverage({}, ())
        self._tallies: dict[tuple[int, int], Tally] = {}

    def show(self, coverage: Coverage) -> None:
        """Show what there is of everything."""
        self.beginResetModel()
        self._coverage = coverage
        self._tallies = {
            (row, column): coverage.at(category, device)
            for row, category in enumerate(coverage.categories)
            for column, device in enumerate(coverage.devices)
        }
        self.endResetModel()

    def place(self, category: str, device: str) -> QModelIndex:
        """Where a category on a device is; nowhere where it is not on the board."""
        rows, columns = self._coverage.categories, self._coverage.devices
        if category not in rows or device not in columns:
            return QModelIndex()
        return self.index(rows.index(category), columns.index(device))

    def cell(self, index: _Index) -> tuple[str, str]:
        """The category and the device of a place; empty for none."""
        if not index.isValid():
            return "", ""
        return self._coverage.categories[index.row()], self._coverage.devices[index.column()]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._coverage.categories)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._coverage.devices)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation is Qt.Orientation.Horizontal:
            return device_words(self._coverage.devices[section])
        return category_words(self._coverage.categories[section])

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        tally = self._tallies[index.row(), index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return tally_words(tally)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                category, device = self.cell(index)
                return f"{category_words(category)} on {device_words(device)}: {tally_sentence(tally)}"
            case _ if role == TALLY:
                return tally
            case _:
                return None


def board_view(model: BoardModel) -> QTableView:
    """The view of `model`: one place is the current one."""
    view = named(QTableView(), "Coverage of categories and devices")
    view.setModel(model)
    view.setItemDelegate(_PlaceDelegate(view))
    view.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setCornerButtonEnabled(False)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    across, down = view.horizontalHeader(), view.verticalHeader()
    across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    down.setDefaultSectionSize(_ROW_PX)
    down.setFixedWidth(_NAMES_PX)
    for head in (across, down):
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return view


def board_height(view: QTableView, rows: int) -> int:
    """How high the view is with all its rows in sight."""
    return view.horizontalHeader().sizeHint().height() + rows * _ROW_PX + 8


def figure(count: float) -> str:
    """A number of tasks, of which one may be a part."""
    rounded = round(count, 1)
    return f"{rounded:,.0f}" if rounded >= 10 or rounded == int(rounded) else f"{rounded:.1f}"


def tally_words(tally: Tally) -> str:
    """What there is of what is wanted: "12 of 40"."""
    return f"{figure(tally.there)} of {figure(tally.wanted)}"


def tally_sentence(tally: Tally) -> str:
    """What there is of what is wanted, as a sentence."""
    return (
        f"{figure(tally.there)} of {figure(tally.wanted)} that are wanted are there,"
        f" {figure(tally.recorded)} of them recorded; {figure(tally.lacking)} more are wanted."
    )


def draw_share(painter: QPainter, room: QRectF, tally: Tally) -> None:
    """A bar: what is recorded in full colour, what is to come in a lighter one, on a track that is what is wanted."""
    theme = Theme.current()
    whole = max(tally.wanted, tally.there) or 1.0
    painter.setPen(Qt.PenStyle.NoPen)
    lighter = QColor(theme.accent)
    lighter.setAlphaF(_LIGHTER)
    for colour, share in ((theme.outline, 1.0), (lighter, tally.there / whole), (theme.accent, tally.recorded / whole)):
        if share:
            painter.setBrush(colour)
            width = max(room.height(), room.width() * share)
            painter.drawRoundedRect(QRectF(room.left(), room.top(), width, room.height()), _BAR_PX / 2, _BAR_PX / 2)


def is_enough(tally: Tally) -> bool:
    """Whether no whole task is lacking."""
    return tally.lacking < _HALF


class _PlaceDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(80, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, tally = Theme.current(), index.data(TALLY)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = QRectF(option.rect).adjusted(2, 2, -2, -2)
        if option.state & QStyle.StateFlag.State_Selected:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.accent, 2 if focused else 1))
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(place, 6, 6)
        font = small_font(option.font) if place.width() < 110 else option.font
        painter.setFont(font)
        painter.setPen(theme.text if is_enough(tally) else theme.warning)
        area = place.adjusted(_SIDE_PX, 4, -_SIDE_PX, -6 - _BAR_PX)
        words = QFontMetrics(font).elidedText(tally_words(tally), Qt.TextElideMode.ElideRight, round(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        draw_share(painter, QRectF(area.left(), place.bottom() - 6 - _BAR_PX, area.width(), _BAR_PX), tally)
        painter.restore()
