"""The checks' findings for an episode in order, and what could not be checked and why."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QListView, QStyleOptionViewItem

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.parts import Card, FoldButton, fill_column, row, text_label
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark, small_font
from odyssey_recorder.gui.kit.table import VALUE, Index, TableColumn, TableModel
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.screen.step_strip import SEVERITY_GLYPHS, severity_colour
from odyssey_recorder.model.finding import EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import step_number, steps_text

_MARGIN, _MARK_PX = 8, 20
_INDENT = _MARGIN + _MARK_PX + 6
_LAYOUT = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class FindingsCard(Card):
    """Emits the step of the finding that is selected with the mouse or the keys."""

    step_requested = Signal(int)

    def __init__(self, commands: Commands, checks: Iterable[str]) -> None:
        """`checks` are the ids of all checks that run on an episode."""
        super().__init__()
        self._commands = commands
        self._checks = frozenset(checks)
        self._title = text_label(kind="title")
        self._list = _FindingList()
        self._unchecked = FoldButton("What was not checked", "Show which checks could not run, and why")
        self._why = text_label(kind="hint")
        self._list.selectionModel().currentChanged.connect(self._ask)
        self._list.clicked.connect(self._ask)
        self._unchecked.toggled.connect(self._fold)
        commands.bind(
            self,
            {ReviewCommand.NEXT_FINDING: lambda: self._go(1), ReviewCommand.PREVIOUS_FINDING: lambda: self._go(-1)},
        )
        self._lay_out()
        self.show_report(EpisodeReport(""))

    def show_report(self, report: EpisodeReport) -> None:
        self._list.load(report.findings)
        passed = (
            self._checks
            - {finding.check for finding in report.findings}
            - {unchecked.check for unchecked in report.not_checked}
        )
        self._title.setText(_title(report, len(passed)))
        self._list.setVisible(bool(report.findings))
        self._commands.enable(ReviewCommand.NEXT_FINDING, ReviewCommand.PREVIOUS_FINDING, on=bool(report.findings))
        self._unchecked.setVisible(bool(report.not_checked))
        self._unchecked.setText(f"{len(passed)} passed, {len(report.not_checked)} not or only partly checked")
        self._why.setText("\n".join(map(_why, report.not_checked)))
        self._fold(unfolded=self._unchecked.isChecked())

    def _go(self, by: int) -> None:
        """Select the next or previous finding; stops at both ends."""
        now, last = self._list.currentIndex().row(), self._list.model().rowCount() - 1
        wanted = min(max(now + by, 0), last) if now >= 0 or by > 0 else last
        if wanted == now:
            self._ask(self._list.currentIndex())
        self._list.setCurrentIndex(self._list.model().index(wanted, 0))

    def _ask(self, index: QModelIndex) -> None:
        finding = index.data(VALUE)
        if isinstance(finding, Finding) and finding.step is not None:
            self.step_requested.emit(finding.step)

    def _fold(self, unfolded: bool) -> None:
        self._why.setVisible(unfolded and bool(self._why.text()))

    def _lay_out(self) -> None:
        buttons = self._commands.buttons(
            ReviewCommand.PREVIOUS_FINDING, ReviewCommand.NEXT_FINDING, kind="quiet", wordless=True
        )
        head = row((self._title, 1), *buttons, spacing=2)
        fill_column(self, head, (self._list, 1), self._unchecked, self._why, None, margins=(14, 8, 8, 8), spacing=4)


class _FindingList(QListView):
    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Findings")
        self._findings = TableModel((_COLUMN,), parent=self)
        self.setModel(self._findings)
        self.setItemDelegate(_FindingDelegate(_paint, QSize(), self, RowMark((1, 1))))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)

    def load(self, findings: Sequence[Finding]) -> None:
        self._findings.load(findings)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class _FindingDelegate(RowDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        view = self.parent()
        width = view.viewport().width() if isinstance(view, QListView) else 240
        heights = (_height(text, font, width) for text, font in _lines(index.data(VALUE), option.font))
        return QSize(width, sum(heights) + 2 * _MARGIN)


def _paint(painter: QPainter, cell: QRectF, finding: Finding, font: QFont) -> None:
    theme = Theme.current()
    painter.setFont(glyph_font(_MARK_PX - 2))
    painter.setPen(severity_colour(finding.severity))
    mark = QRectF(cell.left() + _MARGIN, cell.top() + _MARGIN - 1, _MARK_PX, _MARK_PX)
    painter.drawText(mark, Qt.AlignmentFlag.AlignCenter, glyph(SEVERITY_GLYPHS[finding.severity]))
    top = cell.top() + _MARGIN
    colours = (theme.text, theme.text, theme.muted)
    for (text, face), colour in zip(_lines(finding, font), colours, strict=True):
        height = _height(text, face, round(cell.width()))
        painter.setFont(face)
        painter.setPen(colour)
        place = QRectF(cell.left() + _INDENT, top, cell.width() - _INDENT - _MARGIN, height)
        painter.drawText(place, int(_LAYOUT), text)
        top += height


def _lines(finding: Finding, font: QFont) -> Iterable[tuple[str, QFont]]:
    strong = QFont(font)
    strong.setWeight(QFont.Weight.DemiBold)
    return ((_heading(finding), strong), (finding.found, font), (finding.todo, small_font(font)))


def _height(text: str, font: QFont, width: int) -> int:
    room = max(40, width - _INDENT - _MARGIN)
    return QFontMetrics(font).boundingRect(0, 0, room, 10_000, int(_LAYOUT), text).height() + 1


def _heading(finding: Finding) -> str:
    return f"{finding.check} · {_place(finding)}"


def _spoken(finding: Finding) -> str:
    return f"{finding.severity.value} {finding.check}, {_place(finding)}: {finding.found} {finding.todo}"


def _place(finding: Finding) -> str:
    return "the whole episode" if finding.step is None else f"step {step_number(finding.step)}"


def _title(report: EpisodeReport, passed: int) -> str:
    counts = [(report.count(severity), severity.value) for severity in Severity]
    found = ", ".join(f"{count} {name}" + ("s" if count > 1 else "") for count, name in counts if count)
    missing = f", {len(report.not_checked)} not checked" if report.not_checked else ""
    return found or f"No findings: {passed} checks passed{missing}"


def _why(missing: NotChecked) -> str:
    steps = f" ({steps_text(missing.steps)})" if missing.steps else ""
    return f"{missing.check}{steps}: {missing.why}"


_COLUMN = TableColumn(title="", text=_heading, spoken=_spoken)
