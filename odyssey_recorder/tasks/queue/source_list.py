"""How a queue in a file follows a task list that may change while the program runs."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from odyssey_recorder import __version__
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.tasks.listing import ListedTask, parse_task_line, read_tasks, shipped_tasks, task_line
from odyssey_recorder.tasks.queue.tables import events, notes, tasks
from odyssey_recorder.tasks.queue.task_status import Status, TaskEvent, first_status, skip_number, status_after
from odyssey_recorder.tasks.queue.transaction import change, columns

_SIMULATED = "Tasks for the simulated emulator"
_NOTE = "list"
_Stamp = tuple[int, int] | None


class SourceList:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._followed: _Stamp = None

    @property
    def name(self) -> str:
        return _SIMULATED if self.path == shipped_tasks() else self.path.stem.replace("_", " ")

    def stamp(self) -> _Stamp:
        """Identifies the current contents; None if the file is inaccessible."""
        try:
            stat = self.path.stat()
        except OSError:
            return None  # reading the file reports it
        return stat.st_mtime_ns, stat.st_size

    def is_followed(self, stamp: _Stamp) -> bool:
        return stamp is not None and stamp == self._followed

    def follow(self, connection: Connection, stamp: _Stamp) -> None:
        present = _digest_of_file(self.path)
        known = connection.execute(select(notes.c.words).where(notes.c.key == _NOTE)).scalar()
        if known != present:
            bring_in_line(connection, read_tasks(self.path))
            connection.execute(delete(notes).where(notes.c.key == _NOTE))
            connection.execute(insert(notes).values(key=_NOTE, words=present))
        self._followed = stamp


def bring_in_line(connection: Connection, listed: Sequence[ListedTask]) -> None:
    """Make the queue hold the tasks of a list, in its order.

    A line that did not change in the list leaves edits of its task in the queue alone. Tasks no longer in the list are
    hidden; tasks that came from no list stay.
    """
    have = {row.task_id: row for row in connection.execute(select(tasks))}
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    for position, task in enumerate(listed):
        line = sha256(task_line(task).encode()).hexdigest()[:32]
        row = have.pop(task.task_id, None)
        if row is None:
            values = columns(task, position, first_status(task), is_listed=True)
            new.append({"task_id": task.task_id, "listed_as": line, "version": 0, **values})
        elif (row.listed_as, row.position, row.is_listed) != (line, position, True):
            kept, status = parse_task_line(row.line), Status[row.status]
            if row.listed_as != line:
                kept, status = task, first_status(task) if status is Status.WAITING else status
            values = columns(kept, position, status, is_listed=True, skipped=skip_number(row.rank))
            changed.append({"_id": row.task_id, "listed_as": line, "version": row.version + 1, **values})
    gone = [row for row in have.values() if row.listed_as and row.is_listed]
    if new:
        connection.execute(insert(tasks), new)
        restate(connection, [row["task_id"] for row in new])
    change(connection, changed)
    change(connection, [{"_id": row.task_id, "is_listed": False, "is_open": False} for row in gone])


def restate(connection: Connection, task_ids: Iterable[str]) -> None:
    wanted = set(task_ids)
    history: dict[str, list[Any]] = {}
    for row in connection.execute(select(events).order_by(events.c.number)):
        if row.task_id in wanted:
            history.setdefault(row.task_id, []).append(row)
    if not history:
        return
    changed: list[dict[str, Any]] = []
    for row in connection.execute(select(tasks)):
        if row.task_id in history:
            past = history[row.task_id]
            skipped = max((entry.number for entry in past if entry.event == TaskEvent.SKIPPED.name), default=0)
            status = status_after(TaskEvent[entry.event] for entry in past)
            state = columns(parse_task_line(row.line), row.position, status, is_listed=row.is_listed, skipped=skipped)
            changed.append({"_id": row.task_id, "version": row.version + 1, **state})
    change(connection, changed)


def _digest_of_file(path: Path) -> str:
    """Includes the program version, which may parse the file differently."""
    try:
        return sha256(__version__.encode() + read_file(path, Largest.TASKS)).hexdigest()
    except OSError:
        return ""  # reading the tasks reports it
