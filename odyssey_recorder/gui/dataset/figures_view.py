"""The figures of the filtered dataset beside the published ones; a chosen mark narrows the filter."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from odyssey_recorder.dataset_index.filter import ALL, Filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.figures.page import write_figures_page
from odyssey_recorder.figures.published import PUBLISHED
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.figures.figures_pane import FiguresPane
from odyssey_recorder.gui.figures.painting import write_images
from odyssey_recorder.gui.frame.background import Background, Job, JobState, error_text
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import ReadingLine
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import ask_where_to_save
from odyssey_recorder.gui.kit.layouts import notice, pile
from odyssey_recorder.gui.kit.parts import Choice, breakable, fill_column, fix_width, row, text_label
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.services.figures import CountedFigures, count_figures

_SAVES = (DatasetCommand.SAVE_DATASET_FIGURES, DatasetCommand.SAVE_FIGURE_IMAGES)


class FiguresView(QWidget):
    """Counts off the GUI thread, from the index; keeps the last figures on screen meanwhile."""

    filter_chosen = Signal(str)
    """The terms that select the episodes of a mark, to be added to the shown filter."""

    def __init__(self, index: EpisodeIndex, background: Background, commands: Commands) -> None:
        super().__init__()
        self._index = index
        self._background = background
        self._commands = commands
        self._filter = ALL
        self._job: Job | None = None
        self._is_stale = True
        self._shown: CountedFigures | None = None
        self._pane = FiguresPane()
        self._empty = QStackedWidget()
        self._against = Choice("Compare with")
        self._status = ReadingLine("Counting the episodes")
        self._message = Banner(can_dismiss=True)
        self._lay_out()
        self._pane.chosen.connect(self.filter_chosen)
        self._against.currentIndexChanged.connect(self.refresh)
        commands.bind(self, {
            DatasetCommand.SAVE_DATASET_FIGURES: lambda: ask_where_to_save(
                self, "Save as page", "figures.html", partial(self._save, self._write_page)
            ),
            DatasetCommand.SAVE_FIGURE_IMAGES: lambda: ask_where_to_save(
                self, "Save images in", "", partial(self._save, self._write_images)
            ),
        })  # fmt: skip
        self._update_status()

    def show_filter(self, wanted: Filter) -> None:
        if wanted != self._filter:
            self._filter = wanted
            self.refresh()

    def refresh(self) -> None:
        """Count again, once the view is shown: the filter or an episode has changed."""
        self._is_stale = True
        if self._job is not None or not self.isVisible():
            return
        self._is_stale = False
        self._message.end("counting")
        count = partial(count_figures, self._index, self._filter, PUBLISHED[self._against.value])
        self._job = self._background.start(
            "Counting the episodes", lambda progress, _: count(progress=progress), self._take, can_cancel=False
        )
        self._job.changed.connect(self._update_status)
        self._job.ended.connect(self._end)
        self._update_status()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def _take(self, shown: CountedFigures) -> None:
        self._shown = shown
        self._pane.show_figures(shown.figures)
        self._empty.setCurrentIndex(0 if shown.source.episodes else 2 if shown.source.selection else 1)
        if shown.source.unread:
            text = f"{counted(shown.source.unread, 'unreadable episode')} left out."
            self._message.show_message(Tone.WARNING, text, breakable(shown.source.unread[0]), cause="counting")
        self._update_status()

    def _end(self) -> None:
        job, self._job = self._job, None
        if job is not None and job.state is JobState.FAILED:
            self._message.show_message(
                Tone.DANGER, "Couldn't calculate the figures.", breakable(job.error), cause="counting"
            )
        self._update_status()
        if self._is_stale:
            self.refresh()

    def _update_status(self) -> None:
        shown, job = self._shown, self._job
        text = "" if shown is None else counted(shown.source.episodes)
        self._status.show_text(text if job is None else job.text or "Counting…", is_reading=job is not None)
        is_there = shown is not None and bool(shown.source.episodes)
        self._commands.enable(*_SAVES, on=is_there, why="There are no figures yet.")

    # Saving.

    def _save(self, write: Callable[[Path, CountedFigures], str], place: Path) -> None:
        if self._shown is not None:
            show = self._message.show_message
            self._background.run(
                partial(write, place, self._shown),
                lambda text: show(Tone.SUCCESS, text, breakable(str(place))),
                lambda error: show(Tone.DANGER, "Couldn't save the figures.", breakable(error_text(error))),
            )

    @staticmethod
    def _write_page(file: Path, shown: CountedFigures) -> str:
        write_figures_page(file, shown.figures, shown.source)
        return "The page is saved."

    @staticmethod
    def _write_images(folder: Path, shown: CountedFigures) -> str:
        return f"{len(write_images(folder, shown.figures))} images are saved."

    def _lay_out(self) -> None:
        self._against.offer([(name, name) for name in PUBLISHED])
        self._against.setToolTip("Choose the published figures to compare with")
        fix_width(self._against, 84)
        nothing = notice("No figures yet.", "Figures appear with the first published episode.")
        no_match = notice("No matching episodes.", "Change the filter, or press “Show all”.")
        for view in (self._pane, pile(nothing), pile(no_match)):
            self._empty.addWidget(view)
        beside = text_label("Compare with", "hint")
        beside.setWordWrap(False)
        buttons = self._commands.buttons(*_SAVES)
        head = row(text_label("Figures", "title"), self._status, None, beside, self._against, *buttons)
        fill_column(self, head, self._message, (self._empty, 1), spacing=10)
