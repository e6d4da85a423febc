"""The figures of a dataset in the window: a mark that is chosen filters the list."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from html import escape

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QHeaderView, QTableView, QToolTip, QWidget

from odyssey_recorder.figures.drawing import Drawing, FilledRect, drawn
from odyssey_recorder.figures.figure import Bars, Cell, Figure, Panel, TextTable
from odyssey_recorder.figures.page import cell_text
from odyssey_recorder.gui.figures.painting import picture
from odyssey_recorder.gui.kit.layouts import scroll_area
from odyssey_recorder.gui.kit.parts import Card, FoldButton, fill_column, text_label
from odyssey_recorder.gui.kit.table import TableColumn, rows_table
from odyssey_recorder.gui.kit.theme import Theme, grown, text_scale

_WIDEST_PX = 900
_ROW_PX = 24
_ROWS = 12
_KEYS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}


class PanelView(QWidget):
    """One drawn panel. A click chooses a mark's filter; so do the arrow keys and Return."""

    chosen = Signal(str)

    def __init__(self, panel: Panel, name: str) -> None:
        super().__init__()
        self._panel = panel
        self._name = name
        self._drawing: Drawing | None = None
        self._picture: QSvgRenderer | None = None
        self._marks: list[FilledRect] = []
        self._at: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out(_WIDEST_PX)

    @property
    def is_drawn(self) -> bool:
        return self._drawing is not None

    @property
    def marked(self) -> FilledRect | None:
        return None if self._at is None else self._marks[self._at]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out(event.size().width())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._lay_out(self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._drawing is None:
            return
        theme, mark = Theme.current(), self.marked
        if self._picture is None:
            self._picture = picture(
                self._drawing, self.font(), fill=theme.accent.name(), published=theme.warning.name(),
                text=theme.text.name(), faint=theme.muted.name(), edge=theme.outline.name(), card=theme.card.name(),
            )  # fmt: skip
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(text_scale(), text_scale())
        self._picture.render(painter, QRectF(0, 0, self._drawing.width, self._drawing.height))
        if mark is not None and (self.hasFocus() or self.underMouse()):
            painter.setPen(QPen(theme.text, 1.5))
            painter.drawRect(QRectF(mark.x, mark.y, mark.width, mark.height))
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._mark_at(event.position())
        clickable = at is not None and self._marks[at].filter
        self.setCursor(Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor)
        self._mark(at)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mark(self._mark_at(event.position()))
        self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _KEYS.get(Qt.Key(event.key()))
        if step is not None and self._marks:
            self._mark(0 if self._at is None else min(max(self._at + step, 0), len(self._marks) - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            at = self._mark_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if at is None else _tip(self._marks[at]), self)
            return True
        return super().event(event)

    def _lay_out(self, width: int) -> None:
        """The drawing grows with the text, so that its labels can be read."""
        scale = text_scale()
        self.setMaximumWidth(grown(_WIDEST_PX))
        self._drawing, self._picture = drawn(self._panel, max(width / scale, 320)), None
        shapes = () if self._drawing is None else self._drawing.shapes
        self._marks = [rect for rect in shapes if isinstance(rect, FilledRect) and rect.tip]
        self._at = None if self._at is None or not self._marks else min(self._at, len(self._marks) - 1)
        self.setFixedHeight(round(0 if self._drawing is None else self._drawing.height * scale) + 4)
        self._describe()

    def _mark(self, at: int | None) -> None:
        if at != self._at:
            self._at = at
            self._describe()
            self.update()

    def _describe(self) -> None:
        self.setAccessibleName(self._name)
        about = f"{len(self._marks)} marks for the arrow keys. " if self._marks else ""
        self.setAccessibleDescription(self.marked.tip if self.marked is not None else f"{about}Its table follows.")

    def _mark_at(self, place: QPointF) -> int | None:
        """The mark under a point; a bar counts over its whole row, because small ones are hard to hit."""
        x, y, is_row = place.x() / text_scale(), place.y() / text_scale(), isinstance(self._panel, Bars)
        for number, mark in enumerate(self._marks):
            if mark.y - 2 <= y <= mark.y + mark.height + 2 and (is_row or mark.x <= x <= mark.x + max(mark.width, 6)):
                return number
        return None

    def _choose(self) -> None:
        if self.marked is not None and self.marked.filter:
            self.chosen.emit(self.marked.filter)


def _tip(mark: FilledRect) -> str:
    hint = "<br><i>Click to show them</i>" if mark.filter else ""
    return f"<p>{escape(mark.tip)}{hint}</p>"


class FiguresPane(QWidget):
    """All figures, one card each; `chosen` is the filter of a mark.

    New cards replace the old ones one by one, so that the window stays responsive.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[tuple[Figure, Card]] = []
        self._pending: deque[tuple[int, Figure]] = deque()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._show_next)
        sheet = QWidget()
        self._column = fill_column(sheet, None, margins=(0, 0, 6, 0), spacing=12)
        fill_column(self, (scroll_area(sheet, "Figures"), 1))

    @property
    def is_complete(self) -> bool:
        return not self._pending

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Always the same figures, of other episodes."""
        self._pending = deque(enumerate(figures))
        self._timer.start()

    def _show_next(self) -> None:
        if not self._pending:
            self._timer.stop()
            return
        place, figure = self._pending.popleft()
        before = self._shown[place : place + 1]
        if before and before[0][0] == figure:
            return
        card = figure_card(figure, self.chosen.emit)
        self._shown[place : place + 1] = [(figure, card)]
        if before:
            self._column.replaceWidget(before[0][1], card)
            before[0][1].deleteLater()
        else:
            self._column.insertWidget(place, card)


def figure_card(figure: Figure, choose: Callable[[str], object]) -> Card:
    """`choose` is called with the filter of a mark."""
    card = Card()
    layout = fill_column(card, text_label(figure.title, "title"), margins=(16, 14, 16, 12), spacing=6)
    if figure.note:
        layout.addWidget(text_label(figure.note, "hint"))
    if any(mark.published is not None for panel in figure.panels if isinstance(panel, Bars) for mark in panel.marks):
        layout.addWidget(text_label("The line across a row is the published share.", "hint"))
    for panel in figure.panels:
        name = f"{figure.title} {panel.title}".strip()
        view = None if isinstance(panel, TextTable) else PanelView(panel, name)
        if view is not None and not view.is_drawn:
            layout.addWidget(text_label("Nothing to count.", "hint"))
            continue
        if panel.title:
            layout.addWidget(text_label(panel.title))
        if view is None:
            layout.addWidget(_table(panel, name))
        else:
            view.chosen.connect(choose)
            layout.addWidget(view)
            _add_folded(layout.addWidget, panel, name)
    return card


def _add_folded(add: Callable[[QWidget], object], panel: Panel, name: str) -> None:
    """A button that shows the panel's table, made when it is first wanted."""
    fold = FoldButton("Table", f"Show the table: {name}")
    fold.setText("Table")
    shown: list[QTableView] = []
    place = QWidget()
    layout = fill_column(place)

    def show(on: bool) -> None:
        if on and not shown:
            shown.append(_table(panel, name))
            layout.addWidget(shown[0])
        place.setVisible(on)

    fold.toggled.connect(show)
    place.hide()
    add(fold)
    add(place)


def _table(panel: Panel, name: str) -> QTableView:
    head, rows = panel.table()
    columns = [
        TableColumn[Sequence[Cell]](title[:1].upper() + title[1:], partial(_cell, at), is_number=at > 0)
        for at, title in enumerate(head)
    ]
    table = rows_table(name, columns, rows, _ROW_PX, _ROWS)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    table.setMaximumWidth(grown(_WIDEST_PX))
    return table


def _cell(at: int, row: Sequence[Cell]) -> str:
    return cell_text(row[at])
