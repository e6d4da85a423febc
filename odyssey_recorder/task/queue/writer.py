"""What is written to the queue's tables: deeds with the status that follows from them, and leases."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, func, insert, or_, select, update

from odyssey_recorder.task.listing import ListedTask, parse_task_line, task_line
from odyssey_recorder.task.queue.claims import FREE, Leases
from odyssey_recorder.task.queue.client import QueueClient
from odyssey_recorder.task.queue.database import insert_new
from odyssey_recorder.task.queue.queue import FINISHED, OPEN, Status, TaskEvent
from odyssey_recorder.task.queue.rules import counted_episode, first_status, next_status, rank, skip_number
from odyssey_recorder.task.queue.tables import deeds, tasks

_US = 1_000_000
_BEHIND_LISTS = 1 << 31
"""The position of the first task that comes from no list."""
_AT_ONCE = 5_000
"""So many tasks are asked for in one statement: a database takes no more than 32,766 values."""


class QueueWriter:
    """The queue's tables within one transaction; `now` is the time in microseconds, as a part of a statement."""

    def __init__(self, connection: Connection, now: ColumnElement[int], client: QueueClient, leases: Leases) -> None:
        self._connection = connection
        self._now = now
        self._client = client
        self._leases = leases

    def task(self, task_id: str, *, to_change: bool = True) -> Row[Any] | None:
        """The task's row, with `is_held` and `is_mine`; `to_change`, nobody else does until the transaction ends."""
        query = self._rows().where(tasks.c.task_id == task_id)
        return self._connection.execute(query.with_for_update() if to_change else query).first()

    def tasks(self, task_ids: Iterable[str]) -> Mapping[str, Row[Any]]:
        """The rows of those of the tasks that are there, as `task` has them, by id; nobody else changes them."""
        wanted = sorted(task_ids)  # all programs take them in one order
        found: dict[str, Row[Any]] = {}
        for first in range(0, len(wanted), _AT_ONCE):
            query = self._rows().where(tasks.c.task_id.in_(wanted[first : first + _AT_ONCE]))
            for row in self._connection.execute(query.order_by(tasks.c.task_id).with_for_update()):
                found[row.task_id] = row
        return found

    def _rows(self) -> Select[Any]:
        return select(
            tasks,
            (tasks.c.until_us > self._now).label("is_held"),
            (tasks.c.token == self._client.token).label("is_mine"),
        )

    def of_episode(self, task_id: str, episode_id: str) -> list[tuple[TaskEvent, str]]:
        """What was done with the task as this episode, and at which place, the oldest first."""
        query = select(deeds.c.deed, deeds.c.place).where(deeds.c.task_id == task_id, deeds.c.episode_id == episode_id)
        return [(TaskEvent[deed], place) for deed, place in self._connection.execute(query.order_by(deeds.c.number))]

    def last_recorded(self, task_id: str) -> str:
        """The episode that the task was last recorded as, as `rules.counted_episode` has it."""
        query = select(deeds.c.deed, deeds.c.episode_id).where(deeds.c.task_id == task_id).order_by(deeds.c.number)
        return counted_episode((TaskEvent[deed], episode_id) for deed, episode_id in self._connection.execute(query))

    # What was done.

    def note(self, task: Row[Any], deed: TaskEvent, *, by: str = "", reason: str = "", episode_id: str = "") -> None:
        """Write that the annotator, or `by`, did this at this place now, and how the task stands then.

        Nobody has a task any more that was recorded.
        """
        done = self._deed(deed, by=by, reason=reason, episode_id=episode_id)
        written = insert(deeds).values(task_id=task.task_id, **done)
        number = self._connection.execute(written.returning(deeds.c.number)).scalar_one()
        status = next_status(Status[task.status], deed)
        values: dict[str, Any] = {"version": tasks.c.version + 1}
        if status is not Status[task.status] or deed is TaskEvent.SKIPPED:
            listed = parse_task_line(task.line)
            values |= {
                "status": status.name,
                "is_open": status in OPEN and task.is_listed,
                "rank": rank(listed, task.position, status, number),
            }
            if status in FINISHED:
                values |= FREE
        self._change(task.task_id, values)

    def put(
        self, changed: Sequence[tuple[Row[Any], ListedTask]], deed: TaskEvent, *, by: str = "", reason: str = ""
    ) -> None:
        """Put these in the place of what tasks were, as `tasks` gave them, and note the same deed for all of them."""
        rows: list[dict[str, Any]] = []
        for task, listed in changed:
            status, skipped = next_status(Status[task.status], deed), skip_number(task.rank)
            told = columns(listed, task.position, status, is_listed=task.is_listed, skipped=skipped)
            rows.append({"_id": task.task_id, "version": task.version + 1, **told})
        self._note_all([task.task_id for task, _listed in changed], self._deed(deed, by=by, reason=reason))
        change(self._connection, rows)

    def _note_all(self, task_ids: Sequence[str], done: Mapping[str, Any]) -> None:
        if task_ids:
            written = insert(deeds).values(**done, task_id=bindparam("_id"))
            self._connection.execute(written, [{"_id": one} for one in task_ids])

    def _deed(self, deed: TaskEvent, *, by: str = "", reason: str = "", episode_id: str = "") -> dict[str, Any]:
        return {
            "deed": deed.name,
            "by": by or self._client.annotator,
            "at_us": self._now,
            "reason": reason,
            "episode_id": episode_id,
            "place": self._client.place,
        }

    # Tasks.

    def add(self, listed: Iterable[ListedTask], *, to_approve: bool) -> int:
        """Put new tasks behind those that are there; how many were new, also where another program adds the same."""
        have = set(self._connection.execute(select(tasks.c.task_id)).scalars())
        new = {one.task_id: one for one in listed if one.task_id not in have}
        if not new:
            return 0
        last = self._connection.execute(select(func.max(tasks.c.position))).scalar()
        first = max(_BEHIND_LISTS, 0 if last is None else last + 1)
        stand = {one.task_id: first_status(one, to_approve=to_approve) for one in new.values()}
        rows = [
            {"task_id": one.task_id, **columns(one, first + number, stand[one.task_id], is_listed=True)}
            for number, one in enumerate(new.values())
        ]
        rows.sort(key=itemgetter("task_id"))  # two that add the same wait for each other in one order
        inserted = insert_new(self._connection, tasks).returning(tasks.c.task_id)
        added = self._connection.execute(inserted, rows).scalars().all()
        prepared = [one for one in added if stand[one] is Status.TO_APPROVE]
        self._note_all(prepared, self._deed(TaskEvent.PREPARED))
        return len(added)

    # Leases of recordings, and of windows that are no more.

    def let_go_of(self, tokens: Iterable[str]) -> None:
        """End the claims of other windows, which are no more."""
        self._connection.execute(update(tasks).where(tasks.c.token.in_(list(tokens))).values(**FREE))

    def begin(self, task: Row[Any]) -> None:
        """Keep a task for days for the recording that is under way here, unless it is recorded, or held elsewhere."""
        if Status[task.status] in FINISHED or (task.is_held and task.place != self._client.place):
            return
        taken = {
            "annotator": task.annotator if task.is_held else self._client.annotator,
            "place": self._client.place,
            "token": "",
            "since_us": task.since_us if task.is_held and task.is_recording else self._now,
            "until_us": self._now + int(self._leases.recording_s * _US),
            "is_recording": True,
        }
        self._change(task.task_id, taken)

    def end(self, task_id: str) -> None:
        """End the lease of a recording that was under way here, and the claim of this window."""
        recorded_here = and_(tasks.c.place == self._client.place, tasks.c.is_recording)
        mine = or_(tasks.c.token == self._client.token, recorded_here)
        self._connection.execute(update(tasks).where(tasks.c.task_id == task_id, mine).values(**FREE))

    def _change(self, task_id: str, values: Mapping[str, Any]) -> None:
        self._connection.execute(update(tasks).where(tasks.c.task_id == task_id).values(**values))


def change(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Change the tasks of the ids `_id` in these rows, all in the same columns."""
    if rows:
        values: dict[str, Any] = {name: bindparam(name) for name in rows[0] if name != "_id"}
        connection.execute(update(tasks).where(tasks.c.task_id == bindparam("_id")).values(values), rows)


def columns(listed: ListedTask, position: int, status: Status, *, is_listed: bool, skipped: int = 0) -> dict[str, Any]:
    """What a row says of a task that stands so; `skipped` is the number of the deed, where it was skipped."""
    return {
        "position": position,
        "rank": rank(listed, position, status, skipped),
        "line": task_line(listed),
        "is_listed": is_listed,
        "status": status.name,
        "is_open": is_listed and status in OPEN,
        "devices": f" {' '.join(listed.devices)} " if listed.devices else "",
    }
