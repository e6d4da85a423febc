"""How a prepared task looks in the list: its words, whose they are, and a mark for what was found against them."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from odyssey_recorder.gui.dataset.filmstrip import small_font
from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.parts import named
from odyssey_recorder.gui.tasks.prepared_rows import BY_MODEL, BY_PERSON, BY_PHRASING, PreparedRow
from odyssey_recorder.gui.tasks.prepared_table import ROW, PreparedTable, about, title
from odyssey_recorder.gui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex

_ROW_PX = 54
_SIGN_PX = 16
_SIGNS = {BY_PHRASING: "text_box_outline", BY_MODEL: "auto_fix", BY_PERSON: "account_edit_outline"}


def prepared_list(table: PreparedTable) -> QTableView:
    """The view of `table`, in which many can be chosen at once.

    It is a table of one column, as that measures what is chosen by its ends, and a list row by row.
    """
    view = named(QTableView(), "Tasks to prepare")
    view.setModel(table)
    view.setItemDelegate(_TaskDelegate(view))
    view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
    view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.horizontalHeader().hide()
    view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(_ROW_PX)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return view


class _TaskDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(120, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW)
        theme = Theme.current()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cell = QRectF(option.rect).adjusted(2, 1, -2, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.accent, 1) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(cell, 8, 8)
        area = cell.adjusted(10, 6, -10, -6)
        small = small_font(option.font)
        taken = _paint_mark(painter, area, row, small)
        _write(painter, area.adjusted(0, 0, -taken, 0), title(row), option.font, theme.text)
        below = QRectF(area.left(), area.center().y() + 2, area.width(), area.height() / 2)
        _paint_sign(painter, below, _SIGNS.get(row.writer, "text_box_outline"), theme.muted)
        _write(painter, below.adjusted(_SIGN_PX + 4, 0, 0, 0), about(row), small, theme.muted)
        painter.restore()


def _write(painter: QPainter, area: QRectF, words: str, font: QFont, colour: QColor) -> None:
    """One line at the top of `area`, cut to its width."""
    metrics = QFontMetrics(font)
    painter.setFont(font)
    painter.setPen(colour)
    shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, round(area.width()))
    painter.drawText(QRectF(area.left(), area.top(), area.width(), metrics.height()), 0, shown)


def _paint_sign(painter: QPainter, line: QRectF, sign: str, colour: QColor) -> None:
    painter.setFont(glyph_font(_SIGN_PX))
    painter.setPen(colour)
    painter.drawText(QRectF(line.left(), line.top(), _SIGN_PX, _SIGN_PX), Qt.AlignmentFlag.AlignCenter, glyph(sign))


def _paint_mark(painter: QPainter, line: QRectF, row: PreparedRow, font: QFont) -> float:
    """What was found, at the right end of `line`; how much of its width that takes."""
    theme = Theme.current()
    origin = row.task.listed.text
    is_judged = origin is not None and origin.equivalence is not None and origin.equivalence.is_judged
    sign, colour = ("alert", theme.warning) if row.faults else ("check", theme.success)
    figure = str(row.faults or "")
    if not row.faults and not is_judged:
        return 0.0  # that the rules found nothing proves little
    metrics = QFontMetrics(font)
    width = metrics.horizontalAdvance(figure)
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(QRectF(line.right() - width, line.top(), width, _SIGN_PX), Qt.AlignmentFlag.AlignVCenter, figure)
    at = line.right() - width - _SIGN_PX - (4 if figure else 0)
    _paint_sign(painter, QRectF(at, line.top(), _SIGN_PX, _SIGN_PX), sign, colour)
    return line.right() - at + 8
