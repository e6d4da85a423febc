"""The checks' findings for an episode, the most severe first, and what could not be checked and why."""

from collections.abc import Iterable
from html import escape
from math import ceil

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QListView, QStyleOptionViewItem

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import Card, FoldButton, fill_column, row, text_label
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark, paint_sign
from odyssey_recorder.gui.kit.table import VALUE, Index, TableColumn, TableModel
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.screen.step_strip import SEVERITY_GLYPHS, severity_colour
from odyssey_recorder.model.finding import EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import counted, step_number, steps_text

_MARGIN, _MARK_PX = 5, 18
_INDENT = _MARGIN + _MARK_PX + 6
_VISIBLE = 5
"""Findings that are seen without scrolling."""
_FEW = 2


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
        self._unchecked.setText(f"{counted(passed, 'checks')} passed · {len(report.not_checked)} incomplete")
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
    """As high as its first findings, up to half of the window. The advice is shown with the chosen one, or with few."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Findings")
        self._findings = TableModel((_COLUMN,), parent=self)
        self.setModel(self._findings)
        self.setItemDelegate(_FindingDelegate(None, QSize(), self, RowMark((1, 1))))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.selectionModel().currentChanged.connect(self._arrange)

    def load(self, findings: Iterable[Finding]) -> None:
        self._findings.load(sorted(findings, key=lambda finding: finding.severity.rank))  # otherwise by step
        self._arrange()

    def text(self, row: int, *, with_advice: bool | None = None) -> QTextDocument:
        """A finding as it is painted at the present width, or with or without its advice."""
        finding, theme = self._findings.rows[row], Theme.current()
        if with_advice is None:
            with_advice = row == self.currentIndex().row() or len(self._findings.rows) <= _FEW
        document = QTextDocument()
        document.setDefaultFont(self.font())
        document.setDocumentMargin(0)
        document.setTextWidth(max(40, self.viewport().width() - _INDENT - _MARGIN))
        text = f"<b>{escape(_heading(finding))}</b>&ensp;{escape(finding.found)}"
        advice = f"<div style='color: {theme.muted.name()}'><small>{escape(finding.todo)}</small></div>"
        document.setHtml(f"<div style='color: {theme.text.name()}'>{text}</div>{advice if with_advice else ''}")
        return document

    def height_of(self, row: int, *, with_advice: bool | None = None) -> int:
        return ceil(self.text(row, with_advice=with_advice).size().height()) + 2 * _MARGIN

    def minimumSizeHint(self) -> QSize:
        """For whichever finding the advice is shown, so that nothing moves when the choice does."""
        rows = range(min(_VISIBLE, len(self._findings.rows)))
        plain = [self.height_of(row, with_advice=False) for row in rows]
        longest = max((self.height_of(row, with_advice=True) - plain[row] for row in rows), default=0)
        needed = sum(plain) + longest * (len(plain) if len(plain) <= _FEW else 1)
        return QSize(0, min(needed + 2 * self.frameWidth(), self.window().height() // 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        self.scheduleDelayedItemsLayout()
        self.setMinimumHeight(self.minimumSizeHint().height())


class _FindingDelegate(RowDelegate):
    @property
    def _list(self) -> _FindingList:
        view = self.parent()
        assert isinstance(view, _FindingList)
        return view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._list.viewport().width(), self._list.height_of(index.row()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        finding: Finding = index.data(VALUE)
        painter.save()
        painter.translate(option.rect.topLeft())
        mark = QRectF(_MARGIN, _MARGIN - 1, _MARK_PX, _MARK_PX)
        paint_sign(painter, mark, SEVERITY_GLYPHS[finding.severity], severity_colour(finding.severity))
        painter.translate(_INDENT, _MARGIN)
        self._list.text(index.row()).drawContents(painter)
        painter.restore()


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
