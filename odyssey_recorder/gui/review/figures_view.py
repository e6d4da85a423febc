"""The figures view: reads the figures again each time it is opened, and saves them as a page."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from odyssey_recorder.agreement.page import write_quality_page
from odyssey_recorder.agreement.quality_report import QualityReport
from odyssey_recorder.agreement.sections import ROWS_AT_FIRST, Section, Table, progress, sections, summary
from odyssey_recorder.gui.frame.background import Background, Job, JobState, error_text
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import ReadingLine
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import ask_where_to_save
from odyssey_recorder.gui.kit.layouts import notice, scroll_area
from odyssey_recorder.gui.kit.parts import Card, FoldButton, breakable, column, fill_column, fill_row, row, text_label
from odyssey_recorder.gui.review.bar_list import BarList
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset

_WIDEST_PX = 1480
_WAITING = "Reading the reviews…"
_WAITING_HINT = "Odyssey Recorder calculates them from the reviews of all episodes."
_PAGE = "quality-report.html"


class QualityView(QWidget):
    """Keeps the last figures on screen during a refresh; reads off the GUI thread."""

    def __init__(self, reviewing: ReviewedDataset, background: Background, commands: Commands) -> None:
        super().__init__()
        self._reviewing = reviewing
        self._background = background
        self._commands = commands
        self._job: Job | None = None
        self._report: QualityReport | None = None
        self._made_at = datetime.now().astimezone()
        self._whole_tables: set[str] = set()  # titles of the tables that show all their rows
        self._status = ReadingLine("Reading the reviews")
        self._message = Banner(commands.button(ReviewCommand.DISMISS_REVIEW, kind="quiet", wordless=True))
        self._area = scroll_area()
        self._lay_out()
        save = partial(ask_where_to_save, self, "Save as page", _PAGE, self._save_to)
        commands.bind(self, {ReviewCommand.REFRESH_FIGURES: self.refresh, ReviewCommand.SAVE_FIGURES: save})
        commands[ReviewCommand.DISMISS_REVIEW].triggered.connect(self._message.hide)
        commands.enable(ReviewCommand.SAVE_FIGURES, on=False)
        self._area.setWidget(_sheet(notice(_WAITING, _WAITING_HINT)))

    def refresh(self) -> None:
        if self._job is not None:
            return
        self._message.hide()
        work = partial(_read, self._reviewing)
        self._job = self._background.start("Reading the reviews", work, self._take, can_cancel=False)
        self._job.ended.connect(self._end)
        self._update_status()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.refresh()

    # Reading.

    def _take(self, read: tuple[QualityReport, Sequence[Section]]) -> None:
        self._made_at = datetime.now().astimezone()
        if read[0] != self._report:
            self._report = read[0]
            self._show(*read)
        self._update_status()

    def _end(self) -> None:
        job, self._job = self._job, None
        if job is not None and job.state is JobState.FAILED:
            self._message.show_message(Tone.DANGER, "Couldn't calculate the figures.", breakable(job.error))
            if self._report is None:
                self._area.setWidget(_sheet(notice("No figures.", "Press “Refresh” to read the reviews again.")))
        self._update_status()

    def _update_status(self) -> None:
        reading = self._job is not None
        as_of = f"As of {self._made_at:%H:%M:%S}" if self._report is not None else ""
        self._status.show_text(_WAITING if reading else as_of, is_reading=reading)
        self._commands.enable(ReviewCommand.REFRESH_FIGURES, on=not reading)
        self._commands.enable(ReviewCommand.SAVE_FIGURES, on=self._report is not None)

    # Display.

    def _show(self, report: QualityReport, parts: Sequence[Section]) -> None:
        before = self._area.verticalScrollBar().value()
        head = (_summary(report),) if report.verdicts else ()
        self._area.setWidget(_sheet(*head, *map(self._section, parts)))
        self._area.verticalScrollBar().setValue(before)

    def _section(self, section: Section) -> QFrame:
        card = Card()
        column = fill_column(card, _inset(text_label(section.title, "title")), margins=(8, 14, 8, 10), spacing=6)
        if section.doubt:
            column.addWidget(_inset(text_label(section.doubt, "warning")))
        for note in section.notes:
            column.addWidget(_inset(text_label(note)))
        for number, table in enumerate(section.tables):
            column.addSpacing(6 if number else 0)
            self._add_table(column, table, section.tables)
        return card

    def _add_table(self, column: QVBoxLayout, table: Table, beside: Sequence[Table]) -> None:
        bars = BarList(table, beside)
        bars.row_reached.connect(partial(self._reveal, bars))
        column.addWidget(bars)
        if len(table.rows) <= ROWS_AT_FIRST:
            return
        fold = FoldButton(table.title, f"Show all rows, or the first {ROWS_AT_FIRST}: {table.title}")

        def show_all(on: bool) -> None:
            (self._whole_tables.add if on else self._whole_tables.discard)(table.title)
            bars.show_at_most(len(table.rows) if on else ROWS_AT_FIRST)
            fold.setText(f"Show the first {ROWS_AT_FIRST}" if on else f"Show all {len(table.rows):,}")
            fold.setAccessibleName(f"{fold.text()}: {table.title}")

        fold.toggled.connect(show_all)
        fold.setChecked(table.title in self._whole_tables)
        show_all(fold.isChecked())
        column.addWidget(fold, 0, Qt.AlignmentFlag.AlignLeft)

    def _reveal(self, bars: BarList, place: QRect) -> None:
        top = bars.mapTo(self._area.widget() or self, place.topLeft()).y()
        self._area.ensureVisible(0, top + place.height() // 2, 0, place.height())

    # Saving.

    def _save_to(self, file: Path) -> None:
        if self._report is not None:
            write = partial(
                write_quality_page, file, self._report, dataset=str(self._reviewing.root), made_at=self._made_at
            )
            show = self._message.show_message
            self._background.run(
                write,
                lambda _: show(Tone.SUCCESS, "The page is saved.", breakable(str(file))),
                lambda error: show(Tone.DANGER, "Couldn't save the page.", breakable(error_text(error))),
            )

    def _lay_out(self) -> None:
        buttons = self._commands.buttons(ReviewCommand.REFRESH_FIGURES, ReviewCommand.SAVE_FIGURES)
        head = row(text_label("Figures", "title"), self._status, None, *buttons)
        fill_column(self, head, self._message, (self._area, 1), spacing=10)


def _read(reviewing: ReviewedDataset, tell: Progress, cancelled: Cancelled) -> tuple[QualityReport, Sequence[Section]]:
    """Also computes the sections here, because intervals of many rows take time."""
    report = reviewing.figures(tell, cancelled)
    first = (progress(report),) if report.episodes else ()
    return report, (*first, *sections(report))


def _inset(label: QLabel) -> QLabel:
    label.setContentsMargins(8, 0, 8, 0)
    return label


def _sheet(*parts: QWidget) -> QWidget:
    inner = QWidget()
    inner.setMaximumWidth(_WIDEST_PX)
    fill_column(inner, *parts, (None, 1), spacing=12)
    whole = QWidget()
    fill_row(whole, None, (inner, 1_000), None, margins=(0, 0, 6, 0), spacing=-1)
    return whole


def _summary(report: QualityReport) -> QWidget:
    card = Card()
    text = (
        column(text_label(figure, "instruction"), text_label(of, "hint"), spacing=2) for figure, of in summary(report)
    )
    fill_row(card, *((part, 1) for part in text), margins=(16, 14, 16, 14), spacing=-1)
    return card
