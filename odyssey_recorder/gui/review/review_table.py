"""The episodes under review as a list: which are shown, in which order, which is next, how many there are of what."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import chain

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from odyssey_recorder.gui.dataset.episode_table import spoken
from odyssey_recorder.quality.finding import Severity
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewStage
from odyssey_recorder.quality.reviewing.views import ReviewNews, ReviewRow

_Index = QModelIndex | QPersistentModelIndex
_Order = tuple[bool, float, str]

ROW = Qt.ItemDataRole.UserRole
"""The role under which a row's own `ReviewRow` is asked for."""

MINE = "Mine to do"
UNCHECKED = "not checked yet"
STAGES = (MINE, *(stage.value for stage in ReviewStage))
"""What the list can be narrowed to by how far the review is, in the order of the work."""


@dataclass(frozen=True, slots=True)
class ReviewFilter:
    """Which episodes are shown: those that are all of this; what is empty shuts none out.

    `stage` is one of `STAGES`, `check` the id of a check that found something worse than a note, or `UNCHECKED`.
    """

    stage: str = ""
    category: str = ""
    device: str = ""
    annotator: str = ""
    check: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many episodes there are of what."""

    stages: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    devices: Counter[str] = field(default_factory=Counter)
    annotators: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)

    @property
    def each(self) -> tuple[Counter[str], ...]:
        """The counters, in the order in which `_names` says what an episode counts as."""
        return self.stages, self.categories, self.devices, self.annotators, self.checks


@dataclass(frozen=True, slots=True)
class _Known:
    """A row with what would take long to find out anew for each search and each order."""

    row: ReviewRow
    words: str
    order: _Order
    stages: frozenset[str]
    checks: frozenset[str]


class ReviewTable(QAbstractListModel):
    """A row for each episode that the filter lets through, the one that waits longest above."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: dict[str, _Known] = {}
        self._rows: list[_Known] = []
        self._places: dict[str, int] = {}
        self._filter = ReviewFilter()
        self._counts = Counts()

    @property
    def total(self) -> int:
        """How many episodes there are, shown or not."""
        return len(self._all)

    @property
    def filter(self) -> ReviewFilter:
        """Which episodes are shown."""
        return self._filter

    @property
    def counts(self) -> Counts:
        """How many there are of what, whether they are shown or not."""
        return self._counts

    @property
    def narrowed_counts(self) -> Counts:
        """How many there would be of what if it were chosen: of those that all other filters let through.

        Under the empty name stand all of these.
        """
        counts = Counts()
        shown = [_names(one) for one in self._rows]
        for names, counter in zip(zip(*shown, strict=True), counts.each, strict=False):
            counter.update(chain.from_iterable(names))
            counter[""] = len(shown)
        for one, place in _shut_out_by_one(self._filter, self._all.values()):
            counter = counts.each[place]
            counter.update(_names(one)[place])
            counter[""] += 1
        return counts

    def take(self, news: ReviewNews) -> None:
        """Show what has become of the episodes."""
        for episode_id in news.gone:
            self._count(self._all.pop(episode_id, None), -1)
        for row in news.read:
            self._count(self._all.get(row.episode_id), -1)
            self._all[row.episode_id] = known = _known(row)
            self._count(known, 1)
        self._arrange()

    def show_only(self, chosen: ReviewFilter) -> None:
        """Show those episodes that `chosen` lets through."""
        self._filter = chosen
        self._arrange()

    def known(self, episode_id: str) -> ReviewRow | None:
        """How an episode stands, shown or not; None where there is no such."""
        found = self._all.get(episode_id)
        return None if found is None else found.row

    def episode_id(self, row: int) -> str:
        """The episode in a row."""
        return self._rows[row].row.episode_id

    def row(self, episode_id: str) -> int | None:
        """The row of an episode; None where it is not shown."""
        return self._places.get(episode_id)

    def next_to_do(self, after: str, but: str = "") -> str:
        """The first episode behind `after` that the reviewer may judge and that is shown, from the top again behind the
        last; empty where there is none but `after` and `but`."""
        start = bisect_right(self._rows, self._order(after), key=lambda one: one.order)
        turned = self._rows[start:] + self._rows[:start]
        waiting = (one.row.episode_id for one in turned if MINE in one.stages)
        return next((one for one in waiting if one not in (after, but)), "")

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()].row
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title(row)
            case Qt.ItemDataRole.ToolTipRole:
                return f"<p>{escape(title(row))}</p><p>{escape(checked(row))}</p>"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{title(row).rstrip('.')}. {about(row)}. {checked(row)}"
            case _ if role == ROW:
                return row
            case _:
                return None

    def _order(self, episode_id: str) -> _Order:
        known = self._all.get(episode_id)
        return (False, 0.0, "") if known is None else known.order

    def _count(self, known: _Known | None, by: int) -> None:
        if known is None:
            return
        for names, counter in zip(_names(known), self._counts.each, strict=True):
            for name in filter(None, names):
                counter[name] += by
                if not counter[name]:
                    del counter[name]

    def _arrange(self) -> None:
        """Where the same episodes stay in the same rows, the view keeps all it knows of them."""
        rows = sorted(_let_through(self._filter, self._all), key=lambda one: one.order)
        places = {one.row.episode_id: place for place, one in enumerate(rows)}
        if places == self._places:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows, self._places = rows, places
        self.endResetModel()


def title(row: ReviewRow) -> str:
    """What the episode is about, or why it cannot be read."""
    problem = row.summary.problem
    return f"Cannot be read: {problem}" if problem else " ".join(row.summary.instruction.split())


def about(row: ReviewRow) -> str:
    """How far its review is, and what and whose it is."""
    one = row.summary
    steps = "" if one.problem else "1 step" if one.steps == 1 else f"{one.steps} steps"
    return " · ".join(filter(None, (standing(row), spoken(one.category), one.device, one.annotator, steps)))


def standing(row: ReviewRow) -> str:
    """How far its review is, as it concerns the reviewer: a second one is told nothing of the first."""
    if row.problem:
        return "Its reviews cannot be read"
    roles = {ReviewerRole.SECOND: "Second review", ReviewerRole.THIRD: "Third review"}
    return roles.get(row.role or ReviewerRole.FIRST, row.stage.value)


def checked(row: ReviewRow) -> str:
    """What the checks say of it, in words."""
    if row.report is None:
        return UNCHECKED.capitalize()
    errors, warnings = (row.report.count(severity) for severity in (Severity.ERROR, Severity.WARNING))
    found = (_counted(errors, "error"), _counted(warnings, "warning"))
    return ", ".join(filter(None, found)) or "Nothing found"


def _counted(count: int, what: str) -> str:
    return "" if not count else f"1 {what}" if count == 1 else f"{count} {what}s"


def _known(row: ReviewRow) -> _Known:
    one = row.summary
    began = one.recorded_at.timestamp() if one.recorded_at is not None else 0.0
    broken = bool(one.problem or row.problem)
    mine = {MINE} if row.role is not None and not row.problem else set()
    return _Known(
        row,
        words="\n".join((one.instruction, one.template, one.episode_id)).casefold(),
        order=(not broken, began, one.episode_id),
        stages=frozenset({row.stage.value, *mine}),
        checks=row.report.failed if row.report is not None and row.is_settled else frozenset({UNCHECKED}),
    )


def _names(known: _Known) -> tuple[Iterable[str], ...]:
    """What an episode counts as: its stages, its category, its device, its annotator, and what the checks found."""
    summary = known.row.summary
    return known.stages, (summary.category,), (summary.device,), (summary.annotator,), known.checks


def _shut_out_by_one(wanted: ReviewFilter, known: Iterable[_Known]) -> Iterator[tuple[_Known, int]]:
    """The episodes that only one of the filters shuts out, and its place among the counters."""
    text = wanted.text.casefold()
    asked = (wanted.stage, wanted.category, wanted.device, wanted.annotator, wanted.check)
    filters = [(place, name) for place, name in enumerate(asked) if name]
    for one in known:
        names = _names(one)
        shut = [place for place, name in filters if name not in names[place]]
        if len(shut) == 1 and text in one.words:
            yield one, shut[0]


def _let_through(wanted: ReviewFilter, known: Mapping[str, _Known]) -> Iterator[_Known]:
    text = wanted.text.casefold()
    for one in known.values():
        summary = one.row.summary
        if (
            (not wanted.stage or wanted.stage in one.stages)
            and wanted.category in ("", summary.category)
            and wanted.device in ("", summary.device)
            and wanted.annotator in ("", summary.annotator)
            and (not wanted.check or wanted.check in one.checks)
            and text in one.words
        ):
            yield one
