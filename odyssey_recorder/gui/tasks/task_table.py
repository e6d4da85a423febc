"""The tasks of a queue as a table: what its columns say, which rows a filter leaves, and their order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.task.queue.board import FINISHED, OPEN, Board, Holder, QueuedTask, Status

_Index = QModelIndex | QPersistentModelIndex

_COLUMNS: tuple[tuple[str, Callable[[QueuedTask], str]], ...] = (
    ("Instruction", lambda task: task.listed.task.instruction),
    ("Category", lambda task: category_words(task.listed.task.category)),
    ("Apps", lambda task: ", ".join(task.listed.task.apps)),
    ("Status", lambda task: task.status.value),
)
INSTRUCTION, CATEGORY, APPS, STATUS = range(len(_COLUMNS))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which tasks are shown: of a category, standing so, with these words in them, that fit a device of this profile.

    What is empty admits all.
    """

    category: str = ""
    status: Status | None = None
    words: str = ""
    device: str | None = None


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task with what is searched of it."""

    task: QueuedTask
    searched: str


def task_rows(board: Board) -> Sequence[TaskRow]:
    """The rows of all tasks; takes too long for the GUI thread where there are thousands."""
    return [TaskRow(task, _searched(task)) for task in board.tasks]


class TaskTable(QAbstractTableModel):
    """The tasks that a filter leaves, sorted by a column; -1 is the order of the list."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[TaskRow] = ()
        self._rows: Sequence[TaskRow] = ()
        self._filter = Filter()
        self._holders: Mapping[str, Holder] = {}
        self._column = -1
        self._descending = False

    def show(self, rows: Sequence[TaskRow]) -> None:
        """Show these tasks, in their order where they are not sorted."""
        self._all = rows
        self._rearrange()

    def show_holders(self, holders: Mapping[str, Holder]) -> None:
        """Tell beside the status of a task who has it, by its id."""
        self._holders = holders
        if self._rows:
            self.dataChanged.emit(self.index(0, STATUS), self.index(len(self._rows) - 1, STATUS))

    def narrow(self, wanted: Filter) -> None:
        """Show only what `wanted` admits."""
        self._filter = wanted
        self._rearrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by `column`; equal rows stay in the order of the list."""
        self._column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._rearrange()

    def task(self, row: int) -> QueuedTask | None:
        """The task of a row; None for no row."""
        return self._rows[row].task if 0 <= row < len(self._rows) else None

    def row_of(self, task_id: str) -> int:
        """The row of a task, -1 where it is not shown."""
        return next((row for row, one in enumerate(self._rows) if one.task.task_id == task_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section][0]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        task = self.task(index.row()) if index.isValid() else None
        if task is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                words = _COLUMNS[index.column()][1](task)
                holder = self._holders.get(task.task_id) if index.column() == STATUS else None
                return words if holder is None else f"{words}\n{holder.annotator}, {holder.since.astimezone():%H:%M}"
            case Qt.ItemDataRole.ForegroundRole if index.column() == STATUS:
                return _colour(task.status)
            case _:
                return None

    def _rearrange(self) -> None:
        wanted, words = self._filter, self._filter.words.lower().split()
        self.beginResetModel()
        rows = [
            row
            for row in self._all
            if (not wanted.category or row.task.listed.task.category == wanted.category)
            and (wanted.status is None or row.task.status is wanted.status)
            and row.task.listed.fits(wanted.device)
            and all(word in row.searched for word in words)
        ]
        if self._column >= 0:
            cell = _COLUMNS[self._column][1]
            rows.sort(key=lambda row: cell(row.task).lower(), reverse=self._descending)
        self._rows = rows
        self.endResetModel()


def _searched(task: QueuedTask) -> str:
    told = task.listed.task
    return f"{task.task_id} {told.instruction} {told.category} {' '.join(told.apps)} {task.listed.notes}".lower()


def _colour(status: Status) -> object:
    theme = Theme.current()
    if status in FINISHED:
        return theme.success
    if status in (Status.SKIPPED, Status.SENT_BACK, Status.REJECTED):
        return theme.warning
    return theme.muted if status in OPEN | {Status.TO_APPROVE} else theme.text
