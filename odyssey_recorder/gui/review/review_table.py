"""The list of episodes under review: its filters, its order, and how a row is painted."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import chain
from typing import TypeAlias

from PySide6.QtCore import QObject

from odyssey_recorder.gui.kit.row_delegate import Badge, TitledRow
from odyssey_recorder.gui.kit.table import TableColumn, TableModel
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
REPLIED = "Replied"
STAGES = (MINE, REQUESTED, REPLIED, *(stage.value for stage in ReviewStage))


_FILTERS = ("stage", "category", "device", "annotator", "check")

ReviewCounts: TypeAlias = Mapping[str, Counter[str]]
"""How many episodes have each value, for each of these filters."""


def no_counts() -> ReviewCounts:
    return {name: Counter() for name in _FILTERS}


@dataclass(frozen=True, slots=True)
class ReviewEntry:
    """An episode with what it is searched, sorted and counted by, computed once for speed.

    `values` are those of each filter; of a check its id, if it has findings above a note.
    """

    row: ReviewRow
    searched: str
    order: _Order
    values: Mapping[str, Collection[str]]


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
                **{name: partial(_has_value, name) for name in _FILTERS},
                "text": lambda entry, wanted: wanted.casefold() in entry.searched,
            },
            parent=parent,
        )
        self.counts = no_counts()
        self.sort(0)

    @property
    def narrowed_counts(self) -> ReviewCounts:
        """For each filter value, the number of rows if it were chosen and the other filters kept.

        The empty name has the total.
        """
        counts = no_counts()
        for name, counter in counts.items():
            counter.update(chain.from_iterable(entry.values[name] for entry in self.rows))
            counter[""] = len(self.rows)
        for entry, name in self._excluded_by_one_filter():
            counts[name].update(entry.values[name])
            counts[name][""] += 1
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
        waiting = (entry.row.episode_id for entry in rows[start:] + rows[:start] if MINE in entry.values["stage"])
        return next((episode_id for episode_id in waiting if episode_id != after), "")

    def _excluded_by_one_filter(self) -> Iterator[tuple[ReviewEntry, str]]:
        """Episodes that exactly one filter excludes, with that filter."""
        text = str(self.filter.get("text", "")).casefold()
        filters = [(name, self.filter[name]) for name in _FILTERS if name in self.filter]
        for entry in self.all.values():
            shut = [name for name, wanted in filters if wanted not in entry.values[name]]
            if len(shut) == 1 and text in entry.searched:
                yield entry, shut[0]

    def _count(self, entry: ReviewEntry | None, by: int) -> None:
        if entry is None:
            return
        for name, counter in self.counts.items():
            for value in filter(None, entry.values[name]):
                counter[value] += by
                if not counter[value]:
                    del counter[value]


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
    replied = f" ({row.episode.annotator} replied)" if row.is_replied else ""
    stage = roles.get(row.role or ReviewerRole.FIRST, row.stage.value)
    return f"{stage}{requested if is_requested(row) else ''}{replied}"


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
        values={
            "stage": {row.stage.value, *mine, *requested, *({REPLIED} if row.is_replied else ())},
            "category": (episode.category,),
            "device": (episode.device,),
            "annotator": (episode.annotator,),
            "check": row.report.failed if row.report is not None and row.is_settled else (UNCHECKED,),
        },
    )


def _has_value(name: str, entry: ReviewEntry, wanted: str) -> bool:
    return wanted in entry.values[name]


def titled(row: ReviewRow) -> TitledRow:
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
