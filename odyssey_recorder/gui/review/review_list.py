"""How an episode under review looks in the list: what was asked, how far it is, and what the checks found, as marks."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.dataset.filmstrip import small_font
from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.parts import named
from odyssey_recorder.gui.review.review_table import ROW, ReviewTable, about, title
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.quality.finding import Severity
from odyssey_recorder.quality.reviewing.views import ReviewRow

_Index = QModelIndex | QPersistentModelIndex

ROW_PX = 54
_MARK_PX = 16
_GAP = 4


@dataclass(frozen=True, slots=True)
class _Mark:
    sign: str
    figure: str
    colour: QColor


def review_list(table: ReviewTable) -> QListView:
    """The view of `table`; the one that is current is the one that is open."""
    view = named(QListView(), "Episodes to review")
    view.setProperty("kind", "card")
    view.setModel(table)
    view.setItemDelegate(_EpisodeDelegate(view))
    view.setUniformItemSizes(True)
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return view


class _EpisodeDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(120, ROW_PX)

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
        broken = bool(row.problem or row.summary.problem)
        small = small_font(option.font)
        taken = _paint_marks(painter, area, _marks(row, theme), small)
        _write(painter, area.adjusted(0, 0, -taken, 0), title(row), option.font, theme.danger if broken else theme.text)
        below = QRectF(area.left(), area.center().y() + 2, area.width(), area.height() / 2)
        _write(painter, below, about(row), small, theme.muted)
        painter.restore()


def _write(painter: QPainter, area: QRectF, words: str, font: QFont, colour: QColor) -> None:
    """One line at the top of `area`, cut to its width."""
    metrics = QFontMetrics(font)
    painter.setFont(font)
    painter.setPen(colour)
    shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, round(area.width()))
    painter.drawText(QRectF(area.left(), area.top(), area.width(), metrics.height()), 0, shown)


def _marks(row: ReviewRow, theme: Theme) -> list[_Mark]:
    """What the checks found, the gravest first."""
    if row.report is None:
        return [_Mark("progress_question", "", theme.off)]
    counted = (
        _Mark("alert_circle", str(row.report.count(Severity.ERROR) or ""), theme.danger),
        _Mark("alert", str(row.report.count(Severity.WARNING) or ""), theme.warning),
    )
    return [mark for mark in counted if mark.figure] or [_Mark("check", "", theme.success)]


def _paint_marks(painter: QPainter, line: QRectF, marks: list[_Mark], font: QFont) -> float:
    """Each a glyph and its figure, at the right end of `line`; how much of its width they take."""
    metrics = QFontMetrics(font)
    right = line.right()
    for mark in reversed(marks):
        painter.setPen(mark.colour)
        figure = QRectF(right, line.top(), metrics.horizontalAdvance(mark.figure), _MARK_PX)
        figure.moveRight(right)
        painter.setFont(font)
        painter.drawText(figure, Qt.AlignmentFlag.AlignVCenter, mark.figure)
        sign = QRectF(figure.left() - _MARK_PX - (_GAP if mark.figure else 0), line.top(), _MARK_PX, _MARK_PX)
        painter.setFont(glyph_font(_MARK_PX))
        painter.drawText(sign, Qt.AlignmentFlag.AlignCenter, glyph(mark.sign))
        right = sign.left() - 2 * _GAP
    return line.right() - right
