"""The episodes to choose from: the filters, the list, and the checks at work on them; narrow beside an open episode."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from odyssey_recorder.gui.background import Job
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.job_card import JobCard
from odyssey_recorder.gui.parts import text_label
from odyssey_recorder.gui.review.review_filters import ReviewFilters
from odyssey_recorder.gui.review.review_list import ROW_PX, review_list
from odyssey_recorder.gui.review.review_table import MINE, ReviewFilter, ReviewTable
from odyssey_recorder.gui.steady_list import change_steadily
from odyssey_recorder.quality.reviewing.views import ReviewNews

_NARROW_PX = 300
_WIDEST_PX = 16_777_215
_AT_FIRST = ReviewFilter(stage=MINE)


class EpisodesPane(QWidget):
    """Shows at first what the reviewer may judge; the row of the episode that is open stays chosen."""

    open_asked = Signal(str)
    counted = Signal()
    """How many there are, or how many are shown, is different now."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._open_id = ""
        self.table = ReviewTable(self)
        self._view = review_list(self.table)
        self._filters = ReviewFilters(commands)
        self._job = JobCard()
        self._nothing = text_label(kind="title")
        self._hint = text_label(kind="hint")
        self._middle = QStackedWidget()
        self._lay_out()
        self._filters.choose(_AT_FIRST)
        self._filter()
        self._filters.changed.connect(self._filter)
        self.table.modelReset.connect(self._mark)
        self._view.clicked.connect(self._ask_to_open)
        self._view.activated.connect(self._ask_to_open)
        commands[Command.FIND_REVIEW].triggered.connect(lambda _checked: self._filters.search())
        commands[Command.CLEAR_REVIEW].triggered.connect(lambda _checked: self._filters.choose(ReviewFilter()))

    @property
    def home(self) -> QWidget:
        """What the keys go to while nothing is written: the list."""
        return self._view

    @property
    def words(self) -> str:
        """How many wait for the reviewer, and how many are shown of all."""
        total, shown, mine = self.table.total, self.table.rowCount(), self.table.counts.stages[MINE]
        every = "1 episode" if total == 1 else f"{total:,} episodes"
        return f"{mine:,} for you · {every if shown == total else f'{shown:,} of {every}'}"

    def take(self, news: ReviewNews) -> None:
        """Show what has become of the episodes."""
        change_steadily(self._view, self.table, ROW_PX, lambda: self.table.take(news))
        self._filters.show_counts(self.table.counts, self.table.narrowed_counts)
        self._tell()

    def mark(self, episode_id: str) -> None:
        """Choose the row of the episode that is open now, and bring it into sight."""
        self._open_id = episode_id
        self._mark()
        if episode_id:
            self._view.scrollTo(self._view.currentIndex())

    def show_job(self, job: Job) -> None:
        """Show how far the checks are."""
        self._job.follow(job)

    def show_narrow(self, narrow: bool) -> None:
        """Be a column beside an open episode, without the filters, or take all the room."""
        self._filters.setVisible(not narrow)
        self.setFixedWidth(_NARROW_PX) if narrow else self.setMaximumWidth(_WIDEST_PX)
        if not narrow:
            self.setMinimumWidth(0)

    def _filter(self) -> None:
        wanted = self._filters.chosen
        if wanted != self.table.filter:
            self.table.show_only(wanted)
            self._filters.show_counts(self.table.counts, self.table.narrowed_counts)
        self._tell()

    def _mark(self) -> None:
        row = self.table.row(self._open_id)
        flags = QItemSelectionModel.SelectionFlag
        place = QModelIndex() if row is None else self.table.index(row, 0)
        self._view.selectionModel().setCurrentIndex(place, flags.ClearAndSelect)

    def _ask_to_open(self, place: QModelIndex) -> None:
        self.open_asked.emit(self.table.episode_id(place.row()))

    def _tell(self) -> None:
        shown, total, wanted = self.table.rowCount(), self.table.total, self.table.filter
        if not total:
            words, hint = "There is nothing to review yet.", "What is recorded into this dataset appears here at once."
        elif wanted == _AT_FIRST:
            words, hint = "Nothing waits for you.", "“Show all” shows what others judge, and what is decided."
        else:
            words, hint = "No episode is like this.", "“Show all” takes the filters back."
        self._nothing.setText(words)
        self._hint.setText(hint)
        self._middle.setCurrentIndex(0 if shown else 1)
        self._commands.enable(Command.CLEAR_REVIEW, on=wanted != ReviewFilter())
        self.counted.emit()

    def _lay_out(self) -> None:
        empty = QFrame()
        empty.setProperty("kind", "card")
        words = QVBoxLayout(empty)
        words.setContentsMargins(20, 20, 20, 20)
        words.addStretch()
        words.addWidget(self._nothing)
        words.addWidget(self._hint)
        words.addStretch()
        self._middle.addWidget(self._view)
        self._middle.addWidget(empty)
        column = QVBoxLayout()
        column.setSpacing(10)
        column.addWidget(self._middle, 1)
        column.addWidget(self._job)  # below: rows must not move from under the mouse as it comes and goes
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(16)
        whole.addWidget(self._filters)
        whole.addLayout(column, 1)
