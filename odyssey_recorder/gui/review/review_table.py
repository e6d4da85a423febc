"""The list of episodes under review: its filters, its order, and how a row is painted."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import chain

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QListView

from odyssey_recorder.gui.kit.row_delegate import Badge, TitledRow, titled_delegate
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, fill_list
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.review.status import ReviewerRole, ReviewStage, SecondReviewReason
from odyssey_recorder.review.views import ReviewNews, ReviewRow

_Order = tuple[bool, float, str]

MINE = "To review"
UNCHECKED = "not checked yet"
REQUESTED = "Requested"
STAGES = (MINE, REQUESTED, *(stage.value for stage in ReviewStage))


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    stages: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    devices: Counter[str] = field(default_factory=Counter)
    annotators: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)

    @property
    def each(self) -> tuple[Counter[str], ...]:
        return self.stages, self.categories, self.devices, self.annotators, self.checks


@dataclass(frozen=True, slots=True)
class ReviewEntry:
    """An episode with the values it is searched, sorted and counted by, computed once for speed.

    `checks` are the ids of checks with findings above a note.
    """

    row: ReviewRow
    searched: str
    order: _Order
    stages: frozenset[str]
    checks: frozenset[str]

    @property
    def names(self) -> tuple[Collection[str], ...]:
        episode = self.row.episode
        return self.stages, (episode.category,), (episode.device,), (episode.annotator,), self.checks


_NAMES = ("stage", "category", "device", "annotator", "check")
"""The filters with counters."""

_COLUMN = TableColumn[ReviewEntry](
    "",
    lambda entry: title(entry.row),
    tip=lambda entry: f"<p>{escape(title(entry.row))}</p><p>{escape(checked(entry.row))}</p>",
    spoken=lambda entry: f"{title(entry.row).rstrip('.')}. {about(entry.row)}. {checked(entry.row)}",
    value=lambda entry: entry.row,
    order=lambda entry: entry.order,
)


class ReviewTable(TableModel[ReviewEntry]):
    """The filtered episodes, the one waiting longest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (_COLUMN,),
            key=lambda entry: entry.row.episode_id,
            criteria={
                "stage": lambda entry, wanted: wanted in entry.stages,
                "category": lambda entry, wanted: entry.row.episode.category == wanted,
                "device": lambda entry, wanted: entry.row.episode.device == wanted,
                "annotator": lambda entry, wanted: entry.row.episode.annotator == wanted,
                "check": lambda entry, wanted: wanted in entry.checks,
                "text": lambda entry, wanted: wanted.casefold() in entry.searched,
            },
            parent=parent,
        )
        self.counts = ReviewCounts()
        self.sort(0)

    @property
    def narrowed_counts(self) -> ReviewCounts:
        """For each filter value, the number of rows if it were chosen and the other filters kept.

        The empty name has the total.
        """
        counts = ReviewCounts()
        for names, counter in zip(zip(*(entry.names for entry in self.rows), strict=True), counts.each, strict=False):
            counter.update(chain.from_iterable(names))
            counter[""] = len(self.rows)
        for entry, place in self._excluded_by_one_filter():
            counter = counts.each[place]
            counter.update(entry.names[place])
            counter[""] += 1
        return counts

    def take(self, news: ReviewNews) -> None:
        entries = [_entry(row) for row in news.read]
        for episode_id in {*news.gone, *(row.episode_id for row in news.read)}:
            self._count(self.all.get(episode_id), -1)
        for entry in entries:
            self._count(entry, 1)
        self.change(entries, news.gone)

    def next_to_review(self, after: str) -> str:
        """The first other episode after `after` that the reviewer may judge, wrapping around; empty without one."""
        known, rows = self.all.get(after), list(self.rows)
        start = bisect_right(rows, (False, 0.0, "") if known is None else known.order, key=lambda entry: entry.order)
        waiting = (entry.row.episode_id for entry in rows[start:] + rows[:start] if MINE in entry.stages)
        return next((episode_id for episode_id in waiting if episode_id != after), "")

    def _excluded_by_one_filter(self) -> Iterator[tuple[ReviewEntry, int]]:
        """Episodes that exactly one filter excludes, with that filter's index."""
        text = str(self.filter.get("text", "")).casefold()
        filters = [(place, self.filter[name]) for place, name in enumerate(_NAMES) if name in self.filter]
        for entry in self.all.values():
            names = entry.names
            shut = [place for place, wanted in filters if wanted not in names[place]]
            if len(shut) == 1 and text in entry.searched:
                yield entry, shut[0]

    def _count(self, entry: ReviewEntry | None, by: int) -> None:
        if entry is None:
            return
        for names, counter in zip(entry.names, self.counts.each, strict=True):
            for name in filter(None, names):
                counter[name] += by
                if not counter[name]:
                    del counter[name]


def review_list(model: ReviewTable) -> QListView:
    """The view of `model`; its current row is the open episode."""
    view = QListView()
    view.setProperty("kind", "card")
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    return fill_list(view, "Episodes to review", model, titled_delegate(_titled, view))


def title(row: ReviewRow) -> str:
    problem = row.episode.problem
    return f"Cannot be read: {problem}" if problem else " ".join(row.episode.instruction.split())


def about(row: ReviewRow) -> str:
    episode = row.episode
    steps = "" if episode.problem else counted(episode.steps, "step")
    return " · ".join(
        filter(None, (standing(row), category_text(episode.category), episode.device, episode.annotator, steps))
    )


def standing(row: ReviewRow) -> str:
    """The review status; a second reviewer learns nothing about the first."""
    if row.problem:
        return "Reviews cannot be read"
    roles = {ReviewerRole.SECOND: "Second review", ReviewerRole.THIRD: "Third review"}
    requested = " (second review requested)" if row.stage is ReviewStage.UNREVIEWED else " (requested)"
    return roles.get(row.role or ReviewerRole.FIRST, row.stage.value) + (requested if is_requested(row) else "")


def is_requested(row: ReviewRow) -> bool:
    """Whether a requested second review is still to come."""
    return row.twice is SecondReviewReason.REQUEST and row.stage in (ReviewStage.UNREVIEWED, ReviewStage.SECOND)


def checked(row: ReviewRow) -> str:
    if row.report is None:
        return UNCHECKED.capitalize()
    counts = ((row.report.count(severity), severity.value) for severity in (Severity.ERROR, Severity.WARNING))
    return ", ".join(counted(count, name) for count, name in counts if count) or "No findings"


def _entry(row: ReviewRow) -> ReviewEntry:
    episode = row.episode
    began = episode.recorded_at.timestamp() if episode.recorded_at is not None else 0.0
    broken = bool(episode.problem or row.problem)
    mine = {MINE} if row.role is not None and not row.problem else set()
    requested = {REQUESTED} if is_requested(row) else set()
    return ReviewEntry(
        row,
        searched="\n".join((episode.instruction, episode.template, episode.episode_id)).casefold(),
        order=(not broken, began, episode.episode_id),
        stages=frozenset({row.stage.value, *mine, *requested}),
        checks=row.report.failed if row.report is not None and row.is_settled else frozenset({UNCHECKED}),
    )


def _titled(row: ReviewRow) -> TitledRow:
    theme = Theme.current()
    is_broken = bool(row.problem or row.episode.problem)
    return TitledRow(title(row), about(row), theme.danger if is_broken else theme.text, _badges(row, theme))


def _badges(row: ReviewRow, theme: Theme) -> list[Badge]:
    if row.report is None:
        return [Badge("progress_question", "", theme.off)]
    badges = (
        Badge("alert_circle", str(row.report.count(Severity.ERROR) or ""), theme.danger),
        Badge("alert", str(row.report.count(Severity.WARNING) or ""), theme.warning),
    )
    return [badge for badge in badges if badge.figure] or [Badge("check", "", theme.success)]
