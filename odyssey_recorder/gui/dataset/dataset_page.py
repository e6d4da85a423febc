"""The Dataset page: totals, the list of published episodes, and the selected one in full."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHeaderView, QProgressBar, QStackedWidget, QTableView, QWidget

from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.dataset.published import DatasetChange, Following, PublishedEpisodes
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.banner import Banner, Tone
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.dataset.episode_card import EpisodeCard
from odyssey_recorder.gui.dataset.episode_table import RECORDED, counted, episode_table
from odyssey_recorder.gui.facet_list import FacetList
from odyssey_recorder.gui.page import Page
from odyssey_recorder.gui.panels import Panels
from odyssey_recorder.gui.parts import (
    Card,
    Choice,
    breakable,
    column,
    fill_column,
    fill_row,
    line_edit,
    named,
    push_button,
    row,
    text_label,
)
from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.gui.table import change_steadily, table_view

_FACETS_PX = 208
_ROW_PX = 32
_SPACE = 16
_EVERYONE = "Everyone"
_NOTHING_YET = "No episodes yet."
_HOW_TO_BEGIN = "Published episodes of all annotators appear here."
_NO_MATCH = "No matching episodes."


class DatasetPage(Page):
    """Follows the dataset from when it is first shown; the selection survives outside changes."""

    _news_came = Signal(object)
    _warning_came = Signal(str)

    def __init__(self, dataset: PublishedEpisodes, background: Background, commands: Commands) -> None:
        super().__init__()
        self._dataset = dataset
        self._background = background
        self._commands = commands
        self._following: Following | None = None
        self._chosen = ""  # the id of the selected episode, even while it is not in the list
        self._to_read = 0
        self._table = episode_table(self)
        self._view = table_view("Episodes", self._table, _ROW_PX)
        self._home = self._view
        self._card = EpisodeCard(background, commands)
        self._said = text_label(kind="title")
        self._bar = named(QProgressBar(), "Reading the episodes")
        self._search = line_edit("Search instruction or id", "Search instruction or id")
        self._annotator = Choice("Annotator")
        self._categories = FacetList("Category", category_words)
        self._devices = FacetList("Device")
        self._warning = Banner(commands.button(Command.DISMISS_DATASET, kind="quiet", wordless=True))
        self._empty = _Emptiness(commands)
        self._middle = QStackedWidget()
        self._lay_out()
        self._connect()
        self._tell()

    def enter(self) -> None:
        if self._following is None:
            self._following = self._dataset.follow(self._news_came.emit, self._warning_came.emit)
            self._said.setText("Loading the dataset…")

    def close_down(self) -> None:
        if self._following is not None:
            self._following.close()

    def _take(self, news: DatasetChange) -> None:
        self._to_read = max(self._to_read, news.unread) if news.unread else 0
        self._bar.setRange(0, self._to_read)
        self._bar.setValue(self._to_read - news.unread)
        self._bar.setVisible(bool(news.unread))
        if news.read or news.gone:
            change_steadily(self._view, self._table, _ROW_PX, lambda: self._table.change(news.read, news.gone))
            self._show_counts()
        if self._chosen in news.gone:
            self._choose("")
        elif any(one.episode_id == self._chosen for one in news.read):
            self._choose(self._chosen)
        self._tell()

    def _mark_chosen(self) -> None:
        place = self._table.place_index(self._chosen)
        if place.isValid():
            flags = QItemSelectionModel.SelectionFlag
            self._view.selectionModel().setCurrentIndex(place, flags.ClearAndSelect | flags.Rows)

    def _show_counts(self) -> None:
        episodes = [one for one in self._table.all.values() if not one.problem]
        total = len(self._table.all)
        self._categories.show_counts(counted(one.category for one in episodes), total)
        self._devices.show_counts(counted(one.device for one in episodes), total)
        names = sorted({one.annotator for one in episodes if one.annotator}, key=str.casefold)
        self._annotator.offer([("", _EVERYONE), *((name, name) for name in names)])

    def _tell(self) -> None:
        total, shown = len(self._table.all), self._table.rowCount()
        all_of_them = "1 episode" if total == 1 else f"{total:,} episodes"
        broken = sum(bool(one.problem) for one in self._table.all.values())
        told = all_of_them if shown == total else f"{shown:,} of {all_of_them}"
        self._said.setText(f"{told} · {broken:,} cannot be read" if broken else told)
        self._empty.tell(*((_NOTHING_YET, _HOW_TO_BEGIN) if not total else (_NO_MATCH, "")))
        self._middle.setCurrentWidget(self._view if shown else self._empty)
        self._commands.enable(Command.CLEAR_FILTERS, on=bool(self._table.filter))

    def _filter(self) -> None:
        self._table.narrow(
            category=self._categories.value,
            device=self._devices.value,
            annotator=self._annotator.value,
            text=self._search.text().strip(),
        )
        self._tell()

    def _clear_filters(self) -> None:
        self._search.clear()
        self._annotator.choose("")
        self._categories.choose("")
        self._devices.choose("")

    def _choose_row(self, now: QModelIndex) -> None:
        episode = self._table.at(now.row())
        if episode is not None and episode.episode_id != self._chosen:
            self._choose(episode.episode_id)

    def _choose(self, episode_id: str) -> None:
        self._chosen = episode_id
        self._commands.enable(Command.EPISODE_FOLDER, Command.EPISODE_PATH, Command.EPISODE_ID, on=bool(episode_id))
        if not episode_id:
            self._card.hide()
            return
        summary = self._table.all[episode_id]
        if summary.problem:
            self._show_problem(episode_id, summary.problem)
            return
        self._background.run(
            partial(self._dataset.open, episode_id),
            partial(self._show_opened, episode_id),
            lambda error: self._show_problem(episode_id, str(error)),
        )

    def _show_opened(self, episode_id: str, opened: OpenedEpisode) -> None:
        if episode_id == self._chosen:
            self._card.show_episode(opened)
            self._card.show()

    def _show_problem(self, episode_id: str, problem: str) -> None:
        if episode_id == self._chosen:
            self._card.show_problem(episode_id, problem)
            self._card.show()

    def _annotation(self) -> Path:
        return self._dataset.root / annotation_path(self._chosen)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._annotation().parent)))

    def _connect(self) -> None:
        self._news_came.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._warning_came.connect(
            lambda words: self._warning.show_message(Tone.WARNING, breakable(words)), Qt.ConnectionType.QueuedConnection
        )
        self._table.modelReset.connect(self._mark_chosen)
        self._search.textChanged.connect(self._filter)
        self._annotator.currentIndexChanged.connect(self._filter)
        for facet in (self._categories, self._devices):
            facet.value_chosen.connect(self._filter)
        self._view.selectionModel().currentRowChanged.connect(lambda now, _before: self._choose_row(now))
        copy = QGuiApplication.clipboard().setText
        calls = {
            Command.FIND_EPISODE: self._search.setFocus,
            Command.CLEAR_FILTERS: self._clear_filters,
            Command.EPISODE_FOLDER: self._open_folder,
            Command.EPISODE_PATH: lambda: copy(str(self._annotation())),
            Command.EPISODE_ID: lambda: copy(self._chosen),
            Command.DISMISS_DATASET: self._warning.hide,
        }
        self._commands.bind(self, calls)

    def _lay_out(self) -> None:
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(QSize(160, 6))
        self._bar.hide()
        self._card.hide()
        self._commands.enable(Command.EPISODE_FOLDER, Command.EPISODE_PATH, Command.EPISODE_ID, on=False)
        self._annotator.offer([("", _EVERYONE)])
        self._view.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self._view.setWordWrap(False)
        self._view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._view.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._view.horizontalHeader().setSortIndicator(RECORDED, Qt.SortOrder.DescendingOrder)
        self._view.setSortingEnabled(True)
        self._middle.addWidget(self._view)
        self._middle.addWidget(self._empty)
        head = row((self._said, 1), self._bar)
        head.setContentsMargins(4, 0, 4, 0)
        listing = column(head, (self._middle, 1), spacing=10)
        right = column(self._warning, (listing, 3), (self._card, 1), spacing=_SPACE)
        middle = QWidget()
        middle.setLayout(right)
        panels = Panels("dataset", self._commands, middle, {"left": (self._facets(), _FACETS_PX)})
        fill_row(self, panels, margins=_SPACE)

    def _facets(self) -> QWidget:
        card = Card()
        facets: list[QWidget] = []
        for words, facet in (("Category", self._categories), ("Device", self._devices)):
            label = text_label(words, "field")
            label.setContentsMargins(8, 0, 0, 0)
            facets += [label, facet]
        clear = self._commands.button(Command.CLEAR_FILTERS, kind="quiet")
        parts = (self._search, self._annotator, 6, *facets, None, clear)
        fill_column(card, *parts, margins=(10, 12, 10, 10), spacing=6)
        return card


class _Emptiness(Card):
    """Replaces an empty list and says what to do next."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._words = text_label(kind="title")
        self._hint = text_label(kind="hint")
        self._record = named(
            push_button("Go to Record", "Record an episode", "primary", call=commands[Command.RECORD_PAGE].trigger),
            "Go to Record",
        )
        for label in (self._words, self._hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        fill_column(self, None, self._words, self._hint, 8, row(None, self._record, None), None, margins=12)

    def tell(self, words: str, hint: str) -> None:
        """With a `hint`, also offer to record."""
        self._words.setText(words)
        self._hint.setText(hint)
        self._record.setVisible(bool(hint))
