"""Paints rows of tables and lists: a delegate that marks the chosen row, and parts of rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.table import VALUE, Index, TableModel, fill_list
from odyssey_recorder.gui.kit.theme import Theme, grown

_BADGE_PX = 16
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class RowMark:
    """The mark of the chosen row; `inset` is horizontal and vertical, in px.

    A framed mark has a frame even without the focus.
    """

    inset: tuple[float, float] = (2, 1)
    radius: int = 8
    is_framed: bool = False


class RowDelegate(QStyledItemDelegate):
    """Marks the chosen row and calls `paint` for each cell with its `VALUE`, area and font.

    A subclass overrides `paint_value` instead: passing a method of its own as `paint` would be a reference cycle.
    """

    def __init__(
        self,
        paint: Callable[[QPainter, QRectF, Any, QFont], None] | None,
        size: QSize,
        parent: QObject | None = None,
        mark: RowMark = RowMark(),
    ) -> None:
        super().__init__(parent)
        self._paint = paint
        self._size = size
        self._mark = mark

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._size.width(), grown(self._size.height()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            self._paint_mark(painter, QRectF(option.rect), bool(option.state & QStyle.StateFlag.State_HasFocus))
        painter.setFont(option.font)
        self.paint_value(painter, QRectF(option.rect), index.data(VALUE), option.font)
        painter.restore()

    def paint_value(self, painter: QPainter, cell: QRectF, value: Any, font: QFont) -> None:
        if self._paint is not None:
            self._paint(painter, cell, value, font)

    def _paint_mark(self, painter: QPainter, area: QRectF, has_focus: bool) -> None:
        theme, mark = Theme.current(), self._mark
        if mark.is_framed or has_focus:
            painter.setPen(QPen(theme.accent, 2 if mark.is_framed and has_focus else 1))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.tint)
        (x, y), radius = mark.inset, mark.radius
        painter.drawRoundedRect(area.adjusted(x, y, -x, -y), radius, radius)


class TickDelegate(QStyledItemDelegate):
    """Draws the ticks of checked rows, which a style sheet cannot."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) is Qt.CheckState.Checked:
            self.initStyleOption(option, index)
            style = option.widget.style()
            box = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, option.widget)
            painter.setFont(glyph_font(box.height() - 1))
            painter.setPen(Theme.current().on_accent)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, glyph("check_bold"))


@dataclass(frozen=True, slots=True)
class Badge:
    """A figure with an icon, at the right of a row."""

    sign: str
    figure: str
    colour: QColor


@dataclass(frozen=True, slots=True)
class TitledRow:
    """A row of two lines with a coloured icon and badges."""

    title: str
    subtitle: str
    colour: QColor
    badges: Sequence[Badge] = ()
    sign: str = ""


TITLED_PX = 54


def titled_delegate(titled: Callable[[Any], TitledRow], parent: QObject) -> RowDelegate:
    def paint(painter: QPainter, cell: QRectF, row: Any, font: QFont) -> None:
        _paint_titled(painter, cell, titled(row), font)

    return RowDelegate(paint, QSize(120, TITLED_PX), parent)


def titled_list(name: str, model: TableModel[Any], titled: Callable[[Any], TitledRow]) -> QListView:
    """A card with a list of titled rows."""
    view = QListView()
    view.setProperty("kind", "card")
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    return fill_list(view, name, model, titled_delegate(titled, view))


def _paint_titled(painter: QPainter, cell: QRectF, row: TitledRow, font: QFont) -> None:
    muted, small = Theme.current().muted, small_font(font)
    area = cell.adjusted(12, 7, -12, -7)
    badges_px = _paint_badges(painter, area, row.badges, small)
    paint_line(painter, area.adjusted(0, 0, -badges_px, 0), row.title, font, row.colour)
    below = QRectF(area.left(), area.center().y() + 2, area.width(), area.height() / 2)
    if row.sign:
        paint_sign(painter, QRectF(below.left(), below.top(), _BADGE_PX, _BADGE_PX), row.sign, muted)
        below.adjust(_BADGE_PX + 4, 0, 0, 0)
    paint_line(painter, below, row.subtitle, small, muted)


def _paint_badges(painter: QPainter, line: QRectF, badges: Sequence[Badge], font: QFont) -> float:
    """Paint badges at the right end of `line`; return the width used."""
    metrics = QFontMetrics(font)
    right = line.right()
    for badge in reversed(badges):
        width = metrics.horizontalAdvance(badge.figure)
        painter.setFont(font)
        painter.setPen(badge.colour)
        figure = QRectF(right - width, line.top(), width, _BADGE_PX)
        painter.drawText(figure, Qt.AlignmentFlag.AlignVCenter, badge.figure)
        left = figure.left() - _BADGE_PX - (4 if badge.figure else 0)
        paint_sign(painter, QRectF(left, line.top(), _BADGE_PX, _BADGE_PX), badge.sign, badge.colour)
        right = left - 8
    return line.right() - right


def paint_line(painter: QPainter, area: QRectF, text: str, font: QFont, colour: QColor) -> None:
    metrics = QFontMetrics(font)
    painter.setFont(font)
    painter.setPen(colour)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, round(area.width()))
    painter.drawText(QRectF(area.left(), area.top(), area.width(), metrics.height()), 0, shown)


def paint_sign(painter: QPainter, area: QRectF, sign: str, colour: QColor) -> None:
    painter.setFont(glyph_font(round(area.height())))
    painter.setPen(colour)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, glyph(sign))


def paint_figures(painter: QPainter, area: QRectF, name: str, figures: str, gap: int) -> None:
    metrics = QFontMetrics(painter.font())
    painter.drawText(area, _RIGHT, figures)
    available = round(area.width() - metrics.horizontalAdvance(figures) - gap)
    painter.setPen(Theme.current().text)
    painter.drawText(area, _LEFT, metrics.elidedText(name, Qt.TextElideMode.ElideRight, available))


def paint_bar(painter: QPainter, track: QRectF, *parts: tuple[QColor, float]) -> None:
    """Paint a bar: each part reaches from the left to its share (0..1), later parts over earlier ones."""
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, share in ((Theme.current().outline, 1.0), *parts):
        if share:
            painter.setBrush(colour)
            width, height = max(track.height(), track.width() * share), track.height()
            painter.drawRoundedRect(QRectF(track.left(), track.top(), width, height), height / 2, height / 2)


def small_font(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(small.pointSizeF() * 0.9)
    return small
