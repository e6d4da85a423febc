"""Counts of episodes by kind, as small bars; the chosen one filters the list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QListView, QSizePolicy

from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark, paint_bar, paint_figures
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, fill_list
from odyssey_recorder.gui.kit.theme import Theme, grown

_ROW_PX = 30
_BAR_PX = 3


@dataclass(frozen=True, slots=True)
class _Facet:
    """`share` is None in the row for all values."""

    value: str
    label: str
    count: int
    share: float | None = None


_COLUMN = TableColumn[_Facet](
    "", lambda facet: facet.label, tip=lambda facet: facet.label, spoken=lambda facet: f"{facet.label}: {facet.count}"
)


class FacetList(QListView):
    value_chosen = Signal()

    def __init__(self, name: str, label_of: Callable[[str], str] = str) -> None:
        super().__init__()
        self._label_of = label_of
        self._facets = TableModel((_COLUMN,), key=lambda facet: facet.value, steady=True, parent=self)
        self._facets.show([_Facet("", "All", 0)])
        fill_list(self, name, self._facets, RowDelegate(_paint, QSize(100, _ROW_PX), self, RowMark(radius=6)))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.choose("")
        self.selectionModel().currentChanged.connect(lambda _now, _before: self.value_chosen.emit())

    @property
    def value(self) -> str:
        chosen = self._facets.at(self.currentIndex().row())
        return "" if chosen is None else chosen.value

    def show_counts(self, counts: Sequence[tuple[str, int]], total: int) -> None:
        """Show the values with their counts; the chosen value stays if it is among them."""
        chosen = self.value
        parts = [_Facet(value, self._label_of(value), count, count / max(total, 1)) for value, count in counts]
        self._facets.show([_Facet("", "All", total), *parts])
        self.updateGeometry()
        if chosen != self.value or not self.currentIndex().isValid():
            self.choose(chosen)

    def choose(self, value: str) -> None:
        self.setCurrentIndex(self._facets.index(max(0, self._facets.place(value)), 0))

    def sizeHint(self) -> QSize:
        return QSize(180, grown(_ROW_PX) * self._facets.rowCount() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, grown(_ROW_PX) + 2)


def _paint(painter: QPainter, cell: QRectF, facet: _Facet, _font: QFont) -> None:
    theme = Theme.current()
    area = cell.adjusted(10, 4, -10, -9)
    painter.setPen(theme.muted)
    paint_figures(painter, area, facet.label, str(facet.count), 8)
    if facet.share is not None:
        track = QRectF(area.left(), cell.bottom() - 4 - _BAR_PX, area.width(), _BAR_PX)
        paint_bar(painter, track, (theme.accent, facet.share))
