"""The list of episodes with the counts of their texts, those with contradicted ones first; figures below it."""

from collections.abc import Sequence
from functools import partial

import shiboken6
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.annotation.reviewing import CONTRADICTED, AnnotatedEpisode, TextReviewing
from odyssey_recorder.annotation.semantics import TextState
from odyssey_recorder.annotation.trust import TrustFigures
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.annotate.trust_card import TrustCard
from odyssey_recorder.gui.frame.background import Background, Job, error_text
from odyssey_recorder.gui.kit.parts import fill_column
from odyssey_recorder.gui.kit.row_delegate import TITLED_PX, Badge, TitledRow, titled_list
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, change_steadily
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress

_OPEN = (CONTRADICTED, TextState.SUGGESTED.value, TextState.STALE.value)
_WRITTEN = frozenset({*_OPEN, TextState.EDITED.value})


class AnnotatedPane(QWidget):
    chosen = Signal(str)
    changed = Signal()
    failed = Signal(str)

    def __init__(self, texts: TextReviewing, background: Background, in_order: Background) -> None:
        super().__init__()
        self._texts = texts
        self._background = background
        self._in_order = in_order
        self._is_reading = self._reads_again = False
        self._open = ""
        self._table = AnnotatedTable()
        self._trust = TrustCard()
        self.list = titled_list("Episodes with texts", self._table, _titled)
        self.list.clicked.connect(lambda _place: self.choose())
        fill_column(self, (self.list, 1), self._trust, spacing=10)

    @property
    def count(self) -> int:
        return len(self._table.rows)

    @property
    def next_open(self) -> str:
        """The next episode with open texts; empty without one."""
        return self._table.next_open(self._open)

    def summary(self) -> tuple[str, str]:
        """A title and a hint while no episode is open."""
        rows = self._table.rows
        if self._is_reading and not rows:
            return "Reading the episodes…", ""
        if not rows:
            return "No episodes yet.", "Published episodes appear here."
        if self._is_reading or any(row.problem or set(row.states or {}) & _WRITTEN for row in rows):
            return "Choose an episode.", "Episodes with contradicted texts come first. Press Enter to open one."
        return "No texts yet.", "Choose “Write texts…” to have a model write them, or open an episode and write (F2)."

    def read(self) -> None:
        """Read the episodes; if they are being read, do so once more afterwards, as some may have changed."""
        if self._is_reading:
            self._reads_again = True
        else:
            self._is_reading = True
            job = self._background.start("Reading the texts of steps", self._read_all)
            job.ended.connect(partial(self._end_reading, job))
            self.changed.emit()
            self.read_figures()

    def read_figures(self) -> None:
        self._in_order.run(
            self._texts.figures, self._show_figures, lambda error: self.failed.emit(error_text(error)), of=self
        )

    def add_rows(self, rows: Sequence[AnnotatedEpisode], *, replace: bool = False) -> None:
        """Add `rows` to the list; with `replace`, show only them."""
        if shiboken6.isValid(self):
            change_steadily(self.list, self._table, TITLED_PX, lambda: self._table.add_rows(rows, replace=replace))
            self.mark(self._open)
            self.changed.emit()

    def mark(self, episode_id: str) -> None:
        self._open = episode_id
        if episode_id:
            self.list.setCurrentIndex(self._table.place_index(episode_id))

    def choose(self) -> None:
        """Open the current episode."""
        if (key := self._table.key_at(self.list.currentIndex().row())) is not None:
            self.chosen.emit(str(key))

    def _read_all(self, progress: Progress, cancelled: Cancelled) -> None:
        count = 0
        for number, rows in enumerate(self._texts.rows()):
            progress(None, counted(count := count + len(rows)))
            if cancelled():
                raise DatasetError("Cancelled.")
            self._background.post(partial(self.add_rows, rows, replace=number == 0))

    def _end_reading(self, job: Job) -> None:
        self._is_reading = False
        if job.error:
            self.failed.emit(job.error)
        self.changed.emit()
        if self._reads_again:
            self._reads_again = False
            self.read()

    def _show_figures(self, figures: Sequence[TrustFigures]) -> None:
        self._trust.show_figures(figures, self._texts.who())


class AnnotatedTable(TableModel[AnnotatedEpisode]):
    def __init__(self) -> None:
        super().__init__((TableColumn("Episode", _spoken),), key=lambda row: row.episode_id)

    def add_rows(self, rows: Sequence[AnnotatedEpisode], *, replace: bool) -> None:
        known = {} if replace else dict(self.all)
        known |= {row.episode_id: row for row in rows}
        self.show(sorted(known.values(), key=_order))

    def next_open(self, after: str) -> str:
        """The next episode with open texts, wrapping around; empty without one."""
        at = self.place(after) + 1
        rows = [*self.rows[at:], *self.rows[:at]]
        return next((row.episode_id for row in rows if _waiting(row) and row.episode_id != after), "")


def _order(row: AnnotatedEpisode) -> tuple[int, bool, str]:
    states = row.states or {}
    return -states.get(CONTRADICTED, 0), not _waiting(row), row.episode_id


def _waiting(row: AnnotatedEpisode) -> bool:
    return any((row.states or {}).get(state) for state in _OPEN)


def counts_text(row: AnnotatedEpisode) -> str:
    if row.problem:
        return f"Cannot be read: {row.problem}"
    names = (CONTRADICTED, *(state.value for state in TextState))
    return ", ".join(f"{row.states[name]:,} {name}" for name in names if row.states and row.states.get(name))


def _spoken(row: AnnotatedEpisode) -> str:
    return f"{row.instruction or row.episode_id}. {counts_text(row)}"


def _titled(row: AnnotatedEpisode) -> TitledRow:
    theme = Theme.current()
    wrong = (row.states or {}).get(CONTRADICTED, 0)
    badges = (Badge("alert_circle", f"{wrong:,}", theme.danger),) if wrong else ()
    title = " ".join(row.instruction.split()) or row.episode_id
    return TitledRow(title, counts_text(row), theme.danger if row.problem else theme.text, badges)
