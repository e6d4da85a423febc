"""The tasks that are prepared as a list: which are shown, and what of it changes while a person works in it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.gui.tasks.prepared_rows import PreparedCounts, PreparedFilter, PreparedRow, counted

_Index = QModelIndex | QPersistentModelIndex

ROW = Qt.ItemDataRole.UserRole
"""The role under which a row's own `PreparedRow` is asked for."""

_MOST_GAPS = 40
"""More rows than this, apart from each other, do not leave one by one."""


class PreparedTable(QAbstractListModel):
    """A row for each task that the filter lets through, in the order of the queue."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: dict[str, PreparedRow] = {}
        self._rows: list[PreparedRow] = []
        self._places: dict[str, int] = {}
        self._counts = PreparedCounts()
        self._filter = PreparedFilter()

    @property
    def total(self) -> int:
        """How many tasks there are, shown or not."""
        return len(self._all)

    @property
    def counts(self) -> PreparedCounts:
        """How many tasks there are of what, shown or not."""
        return self._counts

    def show(self, rows: Sequence[PreparedRow]) -> None:
        """Take these in the place of all that were there."""
        self._all = {row.task_id: row for row in rows}
        self._counts = counted(self._all.values())
        self._arrange()

    def change(self, rows: Iterable[PreparedRow]) -> None:
        """Take these in the place of the rows of the same tasks; what the filter shuts out now is gone."""
        self._all.update((row.task_id, row) for row in rows if row.task_id in self._all)
        self._counts = counted(self._all.values())
        self._arrange()

    def narrow(self, wanted: PreparedFilter) -> None:
        """Show only what `wanted` lets through."""
        self._filter = wanted
        self._arrange()

    def known(self, task_id: str) -> PreparedRow | None:
        """The row of a task, shown or not; None where there is none."""
        return self._all.get(task_id)

    def at(self, place: int) -> PreparedRow | None:
        """The row at a place; None where there is none."""
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def place(self, task_id: str) -> int:
        """Where a task is shown, -1 where it is not."""
        return self._places.get(task_id, -1)

    def shown(self, first: int, last: int) -> Sequence[PreparedRow]:
        """The rows from one place to another, both in."""
        return self._rows[first : last + 1]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.at(index.row()) if index.isValid() else None
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{title(row).rstrip('.?!')}. {about(row)}. {found(row)}"
            case _ if role == ROW:
                return row
            case _:
                return None

    def _arrange(self) -> None:
        """Where rows only change or leave, the view keeps its place and what is chosen in it."""
        rows = self._filter.let_through(self._all.values())
        places = {row.task_id: place for place, row in enumerate(rows)}
        gone = [place for place, row in enumerate(self._rows) if row.task_id not in places]
        stays = [row.task_id for row in self._rows if row.task_id in places] == list(places)
        gaps = list(_runs(gone)) if stays and rows else []
        if not stays or not rows or len(gaps) > _MOST_GAPS:
            self.beginResetModel()
            self._rows, self._places = rows, places
            self.endResetModel()
            return
        for first, last in reversed(gaps):
            self.beginRemoveRows(QModelIndex(), first, last)
            del self._rows[first : last + 1]
            self.endRemoveRows()
        self._rows, self._places = rows, places
        self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of all places that follow each other."""
    for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0]):
        together = [place for _, place in run]
        yield together[0], together[-1]


def title(row: PreparedRow) -> str:
    """What is asked for, in one line."""
    return " ".join(row.task.listed.task.instruction.split())


def about(row: PreparedRow) -> str:
    """Whose words they are, of what category, and how the task stands."""
    return " · ".join((row.writer, category_words(row.category), row.task.status.value))


def found(row: PreparedRow) -> str:
    """What was found against the words, in words."""
    origin = row.task.listed.text
    if origin is None or origin.equivalence is None:
        return "Not checked"
    if row.faults:
        return "1 fault" if row.faults == 1 else f"{row.faults} faults"
    return "No fault found, by rules and judge" if origin.equivalence.is_judged else "No fault found by the rules"
