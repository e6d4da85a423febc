"""What the list of episodes under review is narrowed to: all filters together, with how many there are of each."""

from collections import Counter

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.dataset.episode_table import spoken
from odyssey_recorder.gui.facet_list import FacetList
from odyssey_recorder.gui.parts import Choice, line_edit, scroll_area, text_label
from odyssey_recorder.gui.review.review_table import STAGES, Counts, ReviewFilter
from odyssey_recorder.quality.checks import CHECKS

_WIDTH_PX = 216
_TITLES_PX = 360
"""How wide the list of the checks is while it is open, with their titles."""


class ReviewFilters(QFrame):
    """The filters in a column; together they are one `ReviewFilter`."""

    changed = Signal()

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.setFixedWidth(_WIDTH_PX)
        self._search = line_edit("Search instruction, template or id", "Search all words")
        self._annotator = Choice("Annotator")
        self._check = Choice("Failed check")
        self._check.view().setMinimumWidth(_TITLES_PX)
        self._stages = FacetList("Stage")
        self._categories = FacetList("Category", spoken)
        self._devices = FacetList("Device")
        self.show_counts(Counts(), Counts())
        self._lay_out(commands)
        self._search.textChanged.connect(self.changed)
        for choice in (self._annotator, self._check):
            choice.currentIndexChanged.connect(self.changed)
        for facet in (self._stages, self._categories, self._devices):
            facet.value_chosen.connect(self.changed)

    @property
    def chosen(self) -> ReviewFilter:
        """What the list shall show."""
        return ReviewFilter(
            stage=self._stages.value,
            category=self._categories.value,
            device=self._devices.value,
            annotator=self._annotator.value,
            check=self._check.value,
            text=self._search.text().strip(),
        )

    def choose(self, wanted: ReviewFilter) -> None:
        """Set all filters."""
        self._search.setText(wanted.text)
        self._stages.choose(wanted.stage)
        self._categories.choose(wanted.category)
        self._devices.choose(wanted.device)
        self._annotator.choose(wanted.annotator)
        self._check.choose(wanted.check)

    def search(self) -> None:
        """Let the reviewer write what to search for."""
        self._search.setFocus()
        self._search.selectAll()

    def show_counts(self, every: Counts, now: Counts) -> None:
        """Offer what there is at all, in an order that stays, with how many of it there are `now`.

        What is chosen stays chosen.
        """
        self._stages.show_counts([(stage, now.stages[stage]) for stage in STAGES], now.stages[""])
        for facet, all_of_it, left in (
            (self._categories, every.categories, now.categories),
            (self._devices, every.devices, now.devices),
        ):
            most_first = sorted(all_of_it.items(), key=lambda pair: (-pair[1], pair[0].casefold()))
            facet.show_counts([(name, left[name]) for name, _ in most_first], left[""])
        annotators = [(name, f"{name} ({now.annotators[name]:,})") for name in _sorted(every.annotators)]
        checks = [(check, _check_words(check, now.checks[check])) for check in _sorted(every.checks)]
        self._annotator.offer([("", "Recorded by anybody"), *annotators])
        self._check.offer([("", "Whatever was found"), *checks])

    def _lay_out(self, commands: Commands) -> None:
        facets = QWidget()
        column = QVBoxLayout(facets)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for words, facet in (("Review", self._stages), ("Category", self._categories), ("Device", self._devices)):
            label = text_label(words, "field")
            label.setContentsMargins(8, 6, 0, 0)
            column.addWidget(label)
            column.addWidget(facet)
            facet.setMinimumHeight(facet.sizeHint().height())
        column.addStretch()
        area = scroll_area()
        area.setWidget(facets)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(10, 12, 10, 10)
        whole.setSpacing(6)
        for field in (self._search, self._annotator, self._check):
            whole.addWidget(field)
        whole.addWidget(area, 1)
        whole.addWidget(commands.button(Command.CLEAR_REVIEW, kind="quiet"))


def _sorted(counter: Counter[str]) -> list[str]:
    return sorted(counter, key=str.casefold)


def _check_words(check: str, count: int) -> str:
    title = next((one.title for one in CHECKS if one.id == check), "")
    return f"{check} ({count:,})  {title}".strip()
