"""All tasks of a queue as seen by one reader; fetches and parses only what changed since the last read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, select

from odyssey_recorder.model.moment import LARGEST_WHOLE
from odyssey_recorder.tasks.listing import ListedTask, parse_task_line
from odyssey_recorder.tasks.queue import task_status
from odyssey_recorder.tasks.queue.client import computer
from odyssey_recorder.tasks.queue.tables import events, tasks

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FEW = 200
_COLUMNS = (
    tasks.c.task_id, tasks.c.version, tasks.c.status, tasks.c.is_listed, tasks.c.annotator, tasks.c.place,
    tasks.c.token, tasks.c.since_us, tasks.c.until_us, tasks.c.is_recording,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """A task and its events at a version of its row."""

    version: int
    listed: ListedTask
    history: tuple[task_status.HistoryEntry, ...]

    def last_recorded(self) -> str:
        return task_status.counted_episode((entry.event, entry.episode_id) for entry in self.history)

    def under_way(self, place: str) -> set[str]:
        begun: set[str] = set()
        for entry in self.history:
            if entry.event is task_status.TaskEvent.BEGUN and entry.place == place:
                begun.add(entry.episode_id)
            elif entry.event in {task_status.TaskEvent.DROPPED, *task_status.RECORDED}:
                begun.discard(entry.episode_id)
        return begun

    def ended(self) -> set[str]:
        return {entry.episode_id for entry in self.history if entry.event in task_status.RECORDED}

    def has(self, event: task_status.TaskEvent, episode_id: str) -> bool:
        """Since the episode last counted as recorded."""
        events = (entry.event for entry in self.history if entry.episode_id == episode_id)
        return event in task_status.since_recorded(events)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """`left_us` is the remaining time of the lease, 0 if there is none."""

    task_id: str
    status: task_status.Status
    queued: task_status.QueuedTask
    past: TaskHistory
    is_listed: bool
    place: str
    token: str
    left_us: int
    is_recording: bool
    holder: task_status.Holder | None


class QueueSnapshot:
    """The tasks in list order, including those no longer in the list. Not thread-safe."""

    def __init__(self) -> None:
        self._pasts: dict[str, TaskHistory] = {}
        self._states: dict[str, QueueRow] = {}

    def __iter__(self) -> Iterator[QueueRow]:
        return iter(self._states.values())

    def get(self, task_id: str) -> QueueRow | None:
        return self._states.get(task_id)

    def read(self, connection: Connection, now: ColumnElement[int]) -> None:
        query: Select[Any] = select(*_COLUMNS, now.label("now"))
        rows = connection.execute(query.order_by(tasks.c.position, tasks.c.task_id)).all()
        versions = {row.task_id: row.version for row in rows}
        self._fetch(
            connection, {task_id: version for task_id, version in versions.items() if not self._knows(task_id, version)}
        )
        self._states = {row.task_id: self._state(row) for row in rows}

    def past(self, connection: Connection, task_id: str, version: int) -> TaskHistory:
        if not self._knows(task_id, version):
            self._fetch(connection, {task_id: version})
        return self._pasts[task_id]

    def _state(self, row: Row[Any]) -> QueueRow:
        """Reuses the cached state: of ten thousand tasks, most do not change between reads."""
        known, past = self._states.get(row.task_id), self._pasts[row.task_id]
        is_known = known is not None and known.past is past and known.is_listed == row.is_listed
        if known is not None and is_known and not known.left_us and row.until_us == 0:
            return known
        return _state(row, past)

    def _knows(self, task_id: str, version: int) -> bool:
        known = self._pasts.get(task_id)
        return known is not None and known.version == version

    def _fetch(self, connection: Connection, versions: Mapping[str, int]) -> None:
        """Stored under the given versions even if newer: then the next read fetches them again."""
        if not versions:
            return
        lines = select(tasks.c.task_id, tasks.c.line)
        histories = _histories(connection, list(versions))
        for row in connection.execute(_narrowed(lines, tasks.c.task_id, list(versions))):
            if row.task_id in versions:
                history = tuple(map(_entry, histories.get(row.task_id, ())))
                self._pasts[row.task_id] = TaskHistory(versions[row.task_id], parse_task_line(row.line), history)


def changes(connection: Connection, now: ColumnElement[int]) -> Row[Any]:
    """Differs whenever a task, its history, or who has it has changed; renewing a lease changes nothing."""
    held = func.sum(case((tasks.c.until_us > now, 1), else_=0))
    listed = func.sum(case((tasks.c.is_listed, tasks.c.position + 1), else_=0))
    counted = select(func.count(), func.sum(tasks.c.version), func.max(tasks.c.since_us), held, listed)
    return connection.execute(counted.select_from(tasks)).one()


def at(time_us: int) -> datetime:
    """Microseconds since 1970 as a datetime, clamped to its range."""
    return _EPOCH + timedelta(microseconds=max(0, min(time_us, LARGEST_WHOLE)))


def _narrowed(query: Select[Any], key: ColumnElement[str], task_ids: list[str]) -> Select[Any]:
    """Unrestricted if the tasks are many, which is faster."""
    return query.where(key.in_(task_ids)) if len(task_ids) <= _FEW else query


def _histories(connection: Connection, task_ids: list[str]) -> Mapping[str, list[Row[Any]]]:
    found: dict[str, list[Row[Any]]] = {}
    query = _narrowed(select(events), events.c.task_id, task_ids).order_by(events.c.number)
    for row in connection.execute(query):
        found.setdefault(row.task_id, []).append(row)
    return found


def _entry(row: Row[Any]) -> task_status.HistoryEntry:
    event = task_status.TaskEvent[row.event]
    return task_status.HistoryEntry(event, row.by, at(row.at_us), row.reason, row.episode_id, row.place)


def _state(row: Row[Any], past: TaskHistory) -> QueueRow:
    left_us = max(0, row.until_us - row.now)
    status = task_status.Status[row.status]
    shown = task_status.shown_status(status, is_held=left_us > 0, is_recording=row.is_recording)
    holder = None
    if left_us:
        since, until = at(row.since_us), at(row.until_us)
        holder = task_status.Holder(row.task_id, row.annotator, computer(row.place), since, until, row.is_recording)
    queued = task_status.QueuedTask(past.listed, shown, past.history)
    return QueueRow(
        row.task_id, status, queued, past, row.is_listed, row.place, row.token, left_us, row.is_recording, holder
    )
