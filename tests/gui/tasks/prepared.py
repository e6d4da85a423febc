"""Prepared tasks for the tests of their texts."""

from collections.abc import Sequence

from odyssey_recorder.gui.tasks.prepared_table import PreparedRow, prepared_row
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.text_origin import TextOrigin
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.board import QueuedTask, Status
from tests.task.origins import PHRASED


def prepared(
    task_id: str, text: TextOrigin | None = PHRASED, status: Status = Status.TO_APPROVE, category: str = "Multi_Apps"
) -> QueuedTask:
    info = TaskInfo(category, ("Clock",), "Do {item}", f"Do {task_id}", f"Please do {task_id}.")
    return QueuedTask(ListedTask(task_id, info, template="do", text=text), status)


def rows_of(*tasks: QueuedTask) -> Sequence[PreparedRow]:
    return [prepared_row(task) for task in tasks]
