"""The tasks of a queue as a table: columns and filters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from odyssey_recorder.gui.kit.table import TableColumn, TableModel
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.tasks.queue.task_status import FINISHED, OPEN, Holder, QueueContents, QueuedTask, Status

INSTRUCTION, CATEGORY, APPS, STATUS = range(4)


@dataclass(frozen=True, slots=True)
class TaskRow:
    task: QueuedTask
    searched: str


def task_rows(board: QueueContents) -> Sequence[TaskRow]:
    """Too slow for the GUI thread with thousands of tasks."""
    return [TaskRow(task, _searched(task)) for task in board.tasks]


def task_table(holder: Callable[[str], Holder | None], parent: QObject | None = None) -> TableModel[TaskRow]:
    """The tasks in queue order unless sorted; `holder` maps a task id to who works on it."""

    def status(row: TaskRow) -> str:
        text, held = row.task.status.value, holder(row.task.task_id)
        if held is not None:
            return f"{text}\n{held.annotator}, {held.since.astimezone():%H:%M}"
        assignee = row.task.listed.assignee
        return f"{text}\nfor {assignee}" if assignee and row.task.status not in FINISHED else text

    columns = (
        TableColumn[TaskRow]("Instruction", lambda row: row.task.listed.task.instruction),
        TableColumn[TaskRow]("Category", lambda row: category_text(row.task.listed.task.category), width=118),
        TableColumn[TaskRow]("Apps", lambda row: ", ".join(row.task.listed.task.apps), width=112),
        TableColumn[TaskRow](
            "Status", status, colour=_colour, order=lambda row: row.task.status.value.lower(), width=96
        ),
    )
    return TableModel(
        columns,
        key=lambda row: row.task.task_id,
        criteria={
            "category": lambda row, wanted: row.task.listed.task.category == wanted,
            "status": lambda row, wanted: row.task.status is wanted,
            "device": lambda row, wanted: row.task.listed.fits(wanted),
            "words": lambda row, wanted: all(word in row.searched for word in wanted.lower().split()),
        },
        parent=parent,
    )


def _searched(task: QueuedTask) -> str:
    info = task.listed.task
    return f"{task.task_id} {info.instruction} {info.category} {' '.join(info.apps)} {task.listed.notes}".lower()


def _colour(row: TaskRow) -> QColor:
    theme, status = Theme.current(), row.task.status
    if status in FINISHED:
        return theme.success
    if status in (Status.SKIPPED, Status.SENT_BACK, Status.REJECTED):
        return theme.warning
    return theme.muted if status in OPEN | {Status.TO_APPROVE} else theme.text
