"""The list of episodes with its filters and checks; narrow beside an open episode."""

from collections import Counter

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from odyssey_recorder.checking.one_episode import CHECKS
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.kit.facet_list import FacetList
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import (
    Card,
    Choice,
    SearchField,
    column,
    fill_column,
    fill_row,
    fix_width,
    text_label,
)
from odyssey_recorder.gui.kit.row_delegate import TITLED_PX, titled_list
from odyssey_recorder.gui.kit.table import change_steadily
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.review_table import MINE, REPLIED, STAGES, ReviewCounts, ReviewTable, no_counts, titled
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.review.views import ReviewNews

_WIDTH_PX = 216
_TITLES_PX = 360


class ReviewFilters(Card):
    changed = Signal()

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        fix_width(self, _WIDTH_PX)
        self.search = SearchField("Search episodes", "Words of the instruction, a template or an id")
        self._annotator, self._check = Choice("Annotator"), Choice("Failed check")
        self._check.view().setMinimumWidth(_TITLES_PX)
        self._facets = {
            "stage": FacetList("Stage"),
            "category": FacetList("Category", category_text),
            "device": FacetList("Device"),
        }
        self._choices: dict[str, FacetList | Choice] = {
            **self._facets,
            "annotator": self._annotator,
            "check": self._check,
        }
        self.show_counts(no_counts(), no_counts())
        self._lay_out(commands)
        self.search.textChanged.connect(self.changed)
        for choice in (self._annotator, self._check):
            choice.currentIndexChanged.connect(self.changed)
        for facet in self._facets.values():
            facet.value_chosen.connect(self.changed)

    @property
    def chosen(self) -> dict[str, str]:
        chosen = {name: choice.value for name, choice in self._choices.items()}
        return {**chosen, "text": self.search.text().strip()}

    def choose(self, **wanted: str) -> None:
        """Set all filters; those not given are set to all."""
        self.search.setText(wanted.get("text", ""))
        for name, choice in self._choices.items():
            choice.choose(wanted.get(name, ""))

    def show_counts(self, every: ReviewCounts, now: ReviewCounts) -> None:
        """List every value in a fixed order, with its number among the episodes shown `now`; the choice is kept."""
        for name, facet in self._facets.items():
            values = STAGES if name == "stage" else _most_first(every[name])
            facet.show_counts([(value, now[name][value]) for value in values], now[name][""])
        annotators = [(name, f"{name} ({now['annotator'][name]:,})") for name in _sorted(every["annotator"])]
        checks = [(check, _check_text(check, now["check"][check])) for check in _sorted(every["check"])]
        self._annotator.offer([("", "All annotators"), *annotators])
        self._check.offer([("", "All findings"), *checks])

    def _lay_out(self, commands: Commands) -> None:
        facets: list[QWidget] = []
        for text, facet in zip(("Review", "Category", "Device"), self._facets.values(), strict=True):
            label = text_label(text, "field")
            label.setContentsMargins(8, 6, 0, 0)
            facets += [label, facet]
            facet.setMinimumHeight(facet.sizeHint().height())
        area = scroll_area(pile(*facets, spacing=4))
        clear = commands.button(ReviewCommand.CLEAR_REVIEW, kind="quiet")
        parts = (self.search, self._annotator, self._check, (area, 1), clear)
        fill_column(self, *parts, margins=(10, 12, 10, 10), spacing=6)


def _most_first(counter: Counter[str]) -> list[str]:
    return sorted(counter, key=lambda value: (-counter[value], value.casefold()))


def _sorted(counter: Counter[str]) -> list[str]:
    return sorted(counter, key=str.casefold)


def _check_text(check: str, count: int) -> str:
    title = next((known.title for known in CHECKS if known.id == check), "")
    return f"{check} ({count:,})  {title}".strip()


_AT_FIRST = {"stage": MINE}


class EpisodesPane(QWidget):
    """Initially shows what the reviewer may judge; the row of the open episode stays selected."""

    open_requested = Signal(str)
    counted = Signal()
    """The number of episodes, or of those shown, has changed."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._open_id = ""
        self.table = ReviewTable(self)
        self._view = titled_list("Episodes to review", self.table, titled)
        self.home = self._view
        self._filters = ReviewFilters(commands)
        self.job_card = JobCard()
        self._nothing = text_label(kind="title")
        self._hint = text_label(kind="hint")
        self._middle = QStackedWidget()
        self._lay_out()
        self._filters.choose(**_AT_FIRST)
        self._filter()
        self._filters.changed.connect(self._filter)
        self.table.modelReset.connect(self._mark)
        self._view.clicked.connect(self._ask_to_open)
        self._view.activated.connect(self._ask_to_open)
        commands[ReviewCommand.FIND_REVIEW].triggered.connect(self._filters.search.take_focus)
        commands[ReviewCommand.CLEAR_REVIEW].triggered.connect(lambda _checked: self._filters.choose())

    @property
    def summary(self) -> str:
        total, shown, mine = len(self.table.all), self.table.rowCount(), self.table.counts["stage"][MINE]
        every, replies = counted(total), self.table.counts["stage"][REPLIED]
        replied = f" · {counted(replies, 'reply', 'replies')}" if replies else ""
        return f"{mine:,} for you{replied} · {every if shown == total else f'{shown:,} of {every}'}"

    def take(self, news: ReviewNews) -> None:
        change_steadily(self._view, self.table, TITLED_PX, lambda: self.table.take(news))
        self._filters.show_counts(self.table.counts, self.table.narrowed_counts)
        self._update_counts()

    def mark(self, episode_id: str) -> None:
        self._open_id = episode_id
        self._mark()
        if episode_id:
            self._view.scrollTo(self._view.currentIndex())

    def show_narrow(self, narrow: bool) -> None:
        self._filters.setVisible(not narrow)

    def _filter(self) -> None:
        before = self.table.filter
        self.table.narrow(**self._filters.chosen)
        if self.table.filter != before:
            self._filters.show_counts(self.table.counts, self.table.narrowed_counts)
        self._update_counts()

    def _mark(self) -> None:
        place = self.table.place_index(self._open_id)
        self._view.selectionModel().setCurrentIndex(place, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _ask_to_open(self, place: QModelIndex) -> None:
        self.open_requested.emit(str(self.table.key_at(place.row())))

    def _update_counts(self) -> None:
        shown, total, wanted = self.table.rowCount(), len(self.table.all), self.table.filter
        if not total:
            text, hint = "No episodes to review yet.", "Episodes appear here as soon as they are published."
        elif wanted == _AT_FIRST:
            text, hint = (
                "Nothing to review for you.",
                "Press “Show all” to see the episodes of other reviewers and finished ones.",
            )
        else:
            text, hint = "No matching episodes.", "Press “Show all” to clear the filters."
        self._nothing.setText(text)
        self._hint.setText(hint)
        self._middle.setCurrentIndex(0 if shown else 1)
        self._commands.enable(ReviewCommand.CLEAR_REVIEW, on=bool(wanted))
        self.counted.emit()

    def _lay_out(self) -> None:
        empty = Card()
        fill_column(empty, None, self._nothing, self._hint, None, margins=20, spacing=-1)
        self._middle.addWidget(self._view)
        self._middle.addWidget(empty)
        # The job is below the list, so that the rows do not move when it appears.
        fill_row(self, self._filters, (column((self._middle, 1), self.job_card, spacing=10), 1), spacing=16)
