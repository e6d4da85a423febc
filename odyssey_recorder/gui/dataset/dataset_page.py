"""The Dataset page: the episodes that a filter selects as a table or a gallery, and the selected one in full."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QHeaderView, QProgressBar, QStackedWidget, QTableView, QWidget

from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import OpenedEpisode, open_published
from odyssey_recorder.dataset.watch import FolderChanges
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.dataset_index.saved import SavedFilters
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.dataset.episode_card import OF_ONE, EpisodeCard
from odyssey_recorder.gui.dataset.episode_table import BESIDE_FACETS, RECORDED, EpisodeTable
from odyssey_recorder.gui.dataset.export_dialog import ExportChoice, ExportDialog, export
from odyssey_recorder.gui.dataset.facet_pane import FacetPane
from odyssey_recorder.gui.dataset.figures_view import FiguresView
from odyssey_recorder.gui.dataset.filmstrips import Filmstrips, Gallery
from odyssey_recorder.gui.dataset.filter_line import FilterLine
from odyssey_recorder.gui.dataset.listing import EpisodeListing, ListResult
from odyssey_recorder.gui.dataset.releases_view import ReleasesView
from odyssey_recorder.gui.dataset.retiring import DuplicatesDialog, Retiring
from odyssey_recorder.gui.dataset.same_task import SameTaskDialog
from odyssey_recorder.gui.dataset.saved_views import SavedViews
from odyssey_recorder.gui.dataset.splits_view import SplitsView
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import CHECKING, JobCard
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.frame.tabs import Tabs
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import Card, breakable, column, fill_column, named, push_button, row, text_label
from odyssey_recorder.gui.kit.table import change_steadily, table_view
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.review.status import ReviewStage
from odyssey_recorder.services.exports import Prepared
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset
from odyssey_recorder.settings import Role

_FACETS_PX = 216
_NARROW_PX = 1180
_ROW_PX = 32
_SPACE = 16
_NOTHING_YET = "No episodes yet."
_HOW_TO_BEGIN = "Published episodes of all annotators appear here."
_NO_MATCH = "No matching episodes."
_CURATING = (
    DatasetCommand.SHOW_DUPLICATES,
    DatasetCommand.RESTORE_EPISODES,
    DatasetCommand.RETIRE_EPISODES,
    DatasetCommand.REQUEST_REVIEW,
)
_IN_REVIEWS = DatasetCommand.SHOW_DUPLICATES, DatasetCommand.SHOW_TRASH, DatasetCommand.CONTROL_EPISODES


class DatasetPage(MainPage):
    """Follows the dataset from when it is first shown; the selection survives outside changes.

    `open_index` is called off the GUI thread; the page closes the index.
    """

    def __init__(
        self,
        open_index: Callable[[], EpisodeIndex],
        saved: SavedFilters | None,
        background: Background,
        commands: Commands,
        who: Callable[[], str],
    ) -> None:
        super().__init__()
        self._who = who
        self._review: Callable[[], ReviewedDataset] | None = None
        self._is_checked = False
        self._background = background
        self._commands = commands
        self._index: EpisodeIndex | None = None
        self._gallery: Gallery | None = None
        self._makers: dict[Command, Callable[[], QWidget]] = {}
        self._views: dict[Command, QWidget] = {}
        self._chosen = ""  # the id of the selected episode, even while it is not in the list
        self._selected: frozenset[str] = frozenset()
        self._total = 0
        self._broken = 0
        self._is_read = False
        self._listing = EpisodeListing(open_index, background)
        self._table = EpisodeTable(self)
        self._view = table_view("Episodes", self._table, _ROW_PX)
        self._home = self._view
        self._middle = QStackedWidget()
        self._card = EpisodeCard(background, commands, who)
        self._title = text_label(kind="title")
        self._bar = named(QProgressBar(), "Reading the episodes")
        self._line = FilterLine()
        self._saved = SavedViews(saved, background, commands)
        self._facets = FacetPane(commands)
        self._warning = Banner(commands.button(DatasetCommand.DISMISS_DATASET, kind="quiet", wordless=True))
        self._job = JobCard()
        self._checking = JobCard()
        self._messages = column(spacing=0)
        self._empty = _Emptiness(commands)
        self._stack = QStackedWidget()
        self._tabs = Tabs(commands)
        self._begun = False
        self._lay_out()
        self._connect()
        self._update_title()

    def show_for(self, role: Role) -> None:
        shown = [self._commands[command] for command in self._makers]
        if any(action.isChecked() and not action.isVisible() for action in shown):
            self._commands[DatasetCommand.SHOW_EPISODES].setChecked(True)

    def enter(self) -> None:
        if not self._begun:
            self._begun = True
            self._title.setText("Loading the dataset…")
            self._listing.begin()
            self._saved.read()

    def allow_review(self, review: Callable[[], ReviewedDataset]) -> None:
        """Check the episodes once a verdict depends on it, find duplicates, send episodes to review, and export."""
        self._review = review

    def close_down(self) -> None:
        self._listing.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where room is short, the instruction gets that of columns which the facets show too."""
        super().resizeEvent(event)
        for at in BESIDE_FACETS:
            self._view.setColumnHidden(at, self.width() < grown(_NARROW_PX))

    def show_filter(self, text: str) -> None:
        """Replace the filter and show the episodes."""
        self._line.write(text)
        self._commands[DatasetCommand.SHOW_EPISODES].setChecked(True)

    # What the index finds.

    def _take_index(self, index: EpisodeIndex) -> None:
        self._index = index
        gallery = Gallery(self._table, Filmstrips(index.root, self._background))
        gallery.setSelectionModel(self._view.selectionModel())
        self._table.modelReset.connect(self._mark_chosen)  # after both views have reset the selection
        self._gallery = gallery
        self._middle.addWidget(gallery)
        retiring = Retiring(index, self._who, self._background, self._job)
        retiring.decided.connect(lambda: self._background.run(index.refresh, self._listing.take_changes))
        self._messages.addWidget(retiring)
        self._commands.bind(self, self._calls_with(index, retiring))
        self._commands.enable(*_IN_REVIEWS, on=self._review is not None)
        self._add_view(DatasetCommand.SHOW_FIGURES, partial(self._figures, index))
        self._add_view(DatasetCommand.SHOW_SPLITS, partial(self._splits, index))
        if (review := self._review) is not None:
            make = lambda: ReleasesView(review(), index.root, self._background, self._commands)  # noqa: E731
            self._add_view(DatasetCommand.SHOW_RELEASES, make)
            self._commands.bind(self, self._calls_with_reviews(review, index, retiring))

    def _take(self, found: ListResult) -> None:
        self._total = found.total
        self._broken = sum(bool(episode.problem) for episode in found.rows)
        self._facets.show_counts(found)
        self._line.field.know(found.facets)
        change_steadily(self._view, self._table, _ROW_PX, lambda: self._table.show(found.rows))
        self._update_title()
        if self._is_read and any(row.verdict is ReviewStage.CHECKING for row in found.rows):
            self._check()

    def _check(self) -> None:
        """Once for all: what the checks cannot settle, or the person has cancelled, stays as it is."""
        if self._review is not None and not self._is_checked:
            self._is_checked = True
            job = self._background.start(CHECKING, self._review().check_all)
            job.ended.connect(lambda: self._listing.ask(self._listing.request))
            self._checking.follow(job)

    def _take_changes(self, changes: FolderChanges) -> None:
        self._is_read = True
        if self._chosen in changes.removed:
            self._choose("")
        elif self._chosen in changes.changed:
            self._choose(self._chosen)

    def _show_progress(self, done: int, count: int) -> None:
        self._bar.setRange(0, count)
        self._bar.setValue(done)
        self._bar.setVisible(done < count)
        if done:
            self._listing.ask(self._listing.request)

    def _update_title(self) -> None:
        shown, all_of_them = self._table.rowCount(), counted(self._total)
        count = all_of_them if shown == self._total else f"{shown:,} of {all_of_them}"
        broken = f"{self._broken:,} cannot be read" if self._broken else ""
        selected = f"{len(self._selected):,} selected" if len(self._selected) > 1 else ""
        if self._is_read or shown:
            self._title.setText(" · ".join(filter(None, (count, broken, selected))))
            self._empty.show_text(
                *(
                    (_NOTHING_YET, _HOW_TO_BEGIN)
                    if not self._total
                    else (_NO_MATCH, "Press “Show all” to clear the filter.")
                )
            )
        is_gallery = self._commands[DatasetCommand.SHOW_GALLERY].isChecked()
        listing = self._gallery if is_gallery and self._gallery is not None else self._view
        self._home = listing
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self._middle.isAncestorOf(focused)
        self._middle.setCurrentWidget(listing if shown or not self._is_read else self._empty)
        if had_focus and not (focused and focused.isVisible()):
            self.focus_home()
        self._commands.enable(DatasetCommand.CLEAR_FILTERS, on=bool(self._line.field.text()))
        is_any = bool(shown and self._selected)
        self._commands.enable(
            DatasetCommand.RETIRE_EPISODES, DatasetCommand.RESTORE_EPISODES, on=is_any, why="No episode is selected."
        )
        may_request = is_any and self._review is not None
        for_selected = DatasetCommand.REQUEST_REVIEW, DatasetCommand.WITHDRAW_EPISODES
        self._commands.enable(*for_selected, on=may_request, why="No episode is selected.")
        self._commands.enable(
            DatasetCommand.EXPORT_EPISODES, on=bool(shown) and self._review is not None, why="No episode is listed."
        )

    # The filter.

    def _filter(self) -> None:
        wanted = self._line.wanted
        self._saved.show_filter(wanted)
        self._ask(wanted=wanted)

    def _ask(self, **changes: Any) -> None:
        self._listing.ask(replace(self._listing.request, **changes))

    # The selection.

    def _mark_chosen(self) -> None:
        """After the rows were replaced."""
        selection = self._view.selectionModel()
        places = sorted(filter(lambda place: place >= 0, map(self._table.place, self._selected)))
        marked = QItemSelection()
        for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0]):
            together = [place for _, place in run]
            marked.select(self._table.index(together[0], 0), self._table.index(together[-1], 0))
        flags = QItemSelectionModel.SelectionFlag
        selection.setCurrentIndex(self._table.place_index(self._chosen), flags.NoUpdate)
        selection.select(marked, flags.ClearAndSelect | flags.Rows)
        self._select()  # what is not listed any more is not selected either

    def _select(self) -> None:
        rows = self._table.rows
        selection = self._view.selectionModel().selection()
        runs = [selection.at(place) for place in range(selection.size())]
        now = frozenset(episode.episode_id for run in runs for episode in rows[run.top() : run.bottom() + 1])
        if now != self._selected and self._table.rowCount():
            self._selected = now
            self._update_title()

    def _choose_row(self, now: QModelIndex) -> None:
        episode = self._table.at(now.row())
        if episode is not None and episode.episode_id != self._chosen:
            self._choose(episode.episode_id)

    def _choose(self, episode_id: str) -> None:
        self._chosen = episode_id
        self._commands.enable(*OF_ONE, on=bool(episode_id))
        if not episode_id or self._index is None:
            self._card.hide()
            return
        self._background.run(
            partial(open_published, self._index.root / annotation_path(episode_id)),
            partial(self._show_opened, episode_id),
            lambda error: self._show_problem(episode_id, error_text(error)),
        )

    def _show_opened(self, episode_id: str, opened: OpenedEpisode) -> None:
        if episode_id == self._chosen:
            self._card.show_episode(opened)
            self._card.show()

    def _show_problem(self, episode_id: str, problem: str) -> None:
        if episode_id == self._chosen:
            self._card.show_problem(episode_id, problem)
            self._card.show()

    # Commands.

    def _calls_with(self, index: EpisodeIndex, retiring: Retiring) -> dict[Command, Callable[[], object]]:
        copy = QGuiApplication.clipboard().setText

        def annotation() -> Path:
            return index.root / annotation_path(self._chosen)

        def open_folder() -> None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(annotation().parent)))

        return {
            DatasetCommand.SAME_TASK: lambda: SameTaskDialog(index, self._chosen, self._background, self).open(),
            DatasetCommand.EPISODE_FOLDER: open_folder,
            DatasetCommand.EPISODE_PATH: lambda: copy(str(annotation())),
            DatasetCommand.EPISODE_ID: lambda: copy(self._chosen),
            DatasetCommand.RETIRE_EPISODES: lambda: retiring.retire(self._selected),
            DatasetCommand.RESTORE_EPISODES: lambda: retiring.restore(self._selected),
        }

    def _calls_with_reviews(
        self, review: Callable[[], ReviewedDataset], index: EpisodeIndex, retiring: Retiring
    ) -> dict[Command, Callable[[], object]]:
        def show_duplicates() -> None:
            dialog = DuplicatesDialog(index, review().check_all, self._background, self)
            dialog.retire_requested.connect(retiring.supersede)
            dialog.open()

        return {
            DatasetCommand.REQUEST_REVIEW: lambda: retiring.request_review(review(), self._selected),
            DatasetCommand.CONTROL_EPISODES: lambda: retiring.show_controls(review(), self._selected),
            DatasetCommand.SHOW_DUPLICATES: show_duplicates,
            DatasetCommand.WITHDRAW_EPISODES: lambda: retiring.withdraw(review(), self._selected),
            DatasetCommand.SHOW_TRASH: lambda: retiring.show_trash(review()),
            DatasetCommand.EXPORT_EPISODES: lambda: self._ask_to_export(review(), index.root),
        }

    def _ask_to_export(self, reviews: ReviewedDataset, root: Path) -> None:
        listed = [episode.episode_id for episode in self._table.rows]
        selected = [episode_id for episode_id in listed if episode_id in self._selected]
        dialog = ExportDialog(selected, listed, root.with_name(f"{root.name}-export"), self)
        dialog.accepted.connect(lambda: self._export(reviews, root, dialog.choice))
        dialog.open()

    def _export(self, reviews: ReviewedDataset, root: Path, choice: ExportChoice) -> None:
        self._warning.hide()
        title = f"Exporting {counted(len(choice.ids))}"
        work = partial(export, reviews, root, choice)
        self._job.follow(self._background.start(title, work, self._show_exported))

    def _show_exported(self, done: Prepared) -> None:
        text = f"{counted(len(done.episodes))} exported to {done.request.out}."
        left_out = f"{counted(len(done.left_out))} left out: not accepted, or with errors." if done.left_out else ""
        tone = Tone.WARNING if done.left_out or done.limits else Tone.SUCCESS
        self._warning.show_message(tone, breakable(text), " ".join(filter(None, (left_out, *done.limits))))

    # Layout.

    def _show_view(self, command: Command) -> None:
        if command not in self._views:
            self._views[command] = self._makers[command]()
            self._stack.addWidget(self._views[command])
        self._stack.setCurrentWidget(self._views[command])

    def _add_view(self, command: Command, make: Callable[[], QWidget]) -> None:
        """A view is made when it is first shown."""
        self._makers[command] = make
        self._commands.belong_to(self, command)
        self._tabs.add(command, partial(self._show_view, command))

    def _connect(self) -> None:
        self._listing.opened.connect(self._take_index)
        self._listing.found.connect(self._take)
        self._listing.changed.connect(self._take_changes)
        self._listing.reading.connect(self._show_progress)
        for warned in (self._listing.warned, self._saved.failed):
            warned.connect(lambda text: self._warning.show_message(Tone.WARNING, breakable(text)))
        self._table.sort_requested.connect(lambda at, descending: self._ask(column=at, descending=descending))
        self._line.filter_changed.connect(self._filter)
        self._line.field.textChanged.connect(lambda _text: self._update_title())
        self._facets.filter_chosen.connect(lambda wanted: self._line.write(str(wanted)))
        self._saved.chosen.connect(self._line.write)
        self._view.selectionModel().currentRowChanged.connect(lambda now, _before: self._choose_row(now))
        self._view.selectionModel().selectionChanged.connect(lambda _now, _before: self._select())
        calls = {
            DatasetCommand.FIND_EPISODE: self._line.field.take_focus,
            DatasetCommand.CLEAR_FILTERS: lambda: self._line.write(""),
            DatasetCommand.SAVE_VIEW: self._saved.ask_to_save,
            DatasetCommand.DELETE_VIEW: self._saved.delete,
            DatasetCommand.SHOW_GALLERY: self._update_title,
            DatasetCommand.DISMISS_DATASET: self._warning.hide,
        }
        self._commands.bind(self, calls)
        self._commands.belong_to(self, *OF_ONE, *_CURATING, *_IN_REVIEWS, DatasetCommand.EXPORT_EPISODES)

    def _lay_out(self) -> None:
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(QSize(160, 6))
        self._bar.hide()
        self._card.hide()
        self._commands.enable(*OF_ONE, *_IN_REVIEWS, on=False)
        self._view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self._view.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self._view.setWordWrap(False)
        head = self._view.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSortIndicator(RECORDED, Qt.SortOrder.DescendingOrder)
        head.setSelectionModel(QItemSelectionModel(self._table, head))  # else it asks every row whether it is selected
        self._view.setSortingEnabled(True)
        self._middle.addWidget(self._view)
        self._middle.addWidget(self._empty)
        self._add_view(DatasetCommand.SHOW_EPISODES, self._episodes)
        self._commands[DatasetCommand.SHOW_EPISODES].setChecked(True)
        fill_column(self, self._tabs, (self._stack, 1), margins=_SPACE, spacing=10)

    def _splits(self, index: EpisodeIndex) -> QWidget:
        splits = SplitsView(index.root, self._background, self._commands)
        splits.splits_written.connect(lambda: self._background.run(index.refresh, self._listing.take_changes))
        return splits

    def _figures(self, index: EpisodeIndex) -> QWidget:
        figures = FiguresView(index, self._background, self._commands)
        figures.filter_chosen.connect(lambda text: self.show_filter(f"{self._line.wanted} {text}".strip()))
        figures.show_filter(self._line.wanted)
        self._line.filter_changed.connect(lambda: figures.show_filter(self._line.wanted))
        self._listing.changed.connect(lambda _changes: figures.refresh())
        return figures

    def _episodes(self) -> QWidget:
        buttons = self._commands.buttons(*_CURATING, kind="quiet")
        export = self._commands.button(DatasetCommand.EXPORT_EPISODES)
        head = row((self._title, 1), self._bar, *buttons, export, spacing=2)
        head.setContentsMargins(4, 0, 0, 0)
        beside = DatasetCommand.SHOW_GALLERY, DatasetCommand.CONTROL_EPISODES, DatasetCommand.SHOW_TRASH
        gallery, controls, trash = self._commands.buttons(*beside, kind="quiet", wordless=True)
        withdraw = self._commands.button(DatasetCommand.WITHDRAW_EPISODES, kind="quiet")
        filters = row((self._line, 1), self._saved, gallery, controls, withdraw, trash, spacing=4)
        for part in (self._saved, gallery, controls, withdraw, trash):
            filters.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        listing = column(filters, head, (self._middle, 1), spacing=10)
        middle = QWidget()
        messages = (self._messages, self._warning, self._checking, self._job)
        fill_column(middle, *messages, (listing, 3), (self._card, 1), spacing=_SPACE)
        return Panels("dataset", self._commands, middle, {"left": (self._facets, _FACETS_PX)})


class _Emptiness(Card):
    """Replaces an empty list and says what to do next."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._words = text_label(kind="title")
        self._hint = text_label(kind="hint")
        self._record = named(
            push_button(
                "Go to Record", "Record an episode", "primary", call=commands[CommonCommand.RECORD_PAGE].trigger
            ),
            "Go to Record",
        )
        for label in (self._words, self._hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        fill_column(self, None, self._words, self._hint, 8, row(None, self._record, None), None, margins=12)

    def show_text(self, text: str, hint: str) -> None:
        """With a `hint`, also offer to record."""
        self._words.setText(text)
        self._hint.setText(hint)
        self._record.setVisible(bool(hint))
