"""One transaction of the queue: claims, releases, and events with the resulting status."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from odyssey_recorder.tasks.listing import ListedTask, parse_task_line, task_line
from odyssey_recorder.tasks.queue.client import QueueClient
from odyssey_recorder.tasks.queue.database import QueueDatabase, insert_new
from odyssey_recorder.tasks.queue.tables import events, tasks
from odyssey_recorder.tasks.queue.task_status import (
    FINISHED,
    OPEN,
    Status,
    TaskEvent,
    counted_episode,
    first_status,
    next_status,
    rank,
    skip_number,
)

_US = 1_000_000
_FREE: Mapping[str, Any] = {
    "annotator": "", "place": "", "token": "", "since_us": 0, "until_us": 0, "is_recording": False,
}  # fmt: skip
_BEHIND_LISTS = 1 << 31
_BATCH = 5_000
"""A database accepts at most 32,766 parameters in one statement."""


@dataclass(frozen=True, slots=True)
class Leases:
    """In seconds."""

    claim_s: float = 600.0
    recording_s: float = 7 * 86_400.0


class ClaimStatements:
    """The statements for claims, compiled once: compiling takes as long as running."""

    def __init__(self, database: QueueDatabase) -> None:
        now, self._dialect = database.now, database.dialect()
        me = sa.bindparam("me", type_=sa.Text)
        mine = tasks.c.token == me
        by = sa.bindparam("by", type_=sa.Text)
        free = sa.and_(sa.or_(tasks.c.until_us <= now, mine), tasks.c.assignee.in_(["", by]))
        lease = {
            "annotator": by,
            "place": sa.bindparam("here", type_=sa.Text),
            "token": me,
            "since_us": now,
            "until_us": now + sa.bindparam("lease_us"),
            "is_recording": False,
        }
        this = tasks.c.task_id == sa.bindparam("this", type_=sa.Text)
        held = sa.update(tasks).values(**lease).returning(tasks.c.task_id, tasks.c.version)

        def first(candidates: sa.Select[tuple[str]]) -> sa.Update:
            within = candidates.where(tasks.c.rank >= sa.bindparam("low"), tasks.c.rank <= sa.bindparam("high"))
            first_id = within.order_by(tasks.c.rank).limit(1).with_for_update(skip_locked=True)
            return held.where(tasks.c.task_id == first_id.scalar_subquery())

        available = sa.select(tasks.c.task_id).where(tasks.c.is_open, free)
        named = sa.literal(" ") + sa.bindparam("device", type_=sa.Text) + " "
        fitting = available.where(sa.or_(tasks.c.devices == "", tasks.c.devices.contains(named)))
        self.hold_first = self._compiled(first(available))
        self.hold_first_fitting = self._compiled(first(fitting))
        self.open = self._compiled(available.limit(1))
        self.open_fitting = self._compiled(fitting.limit(1))
        self.hold = self._compiled(held.where(this, tasks.c.is_open, free))
        self.renew = self._compiled(sa.update(tasks).where(this, mine).values(until_us=now + sa.bindparam("lease_us")))
        self.release = self._compiled(sa.update(tasks).where(this, mine).values(_FREE))

    def _compiled(self, statement: sa.ClauseElement) -> tuple[str, Mapping[str, Any]]:
        compiled = statement.compile(dialect=self._dialect)
        return str(compiled), compiled.params


class QueueTransaction:
    def __init__(
        self,
        connection: sa.Connection,
        database: QueueDatabase,
        statements: ClaimStatements,
        client: QueueClient,
        leases: Leases,
    ) -> None:
        self.connection = connection
        self._now = database.moment()
        self._statements = statements
        self._client = client
        self._leases = leases
        self._values = {
            **database.clock(),
            "me": client.token,
            "by": client.annotator,
            "here": client.place,
            "lease_us": int(leases.claim_s * _US),
        }

    # Claims.

    def hold_first(self, low: int, high: int, device: str | None) -> sa.Row[Any] | None:
        """None if no open task fits. Rows locked by other transactions are skipped."""
        statements = self._statements
        statement = statements.hold_first if device is None else statements.hold_first_fitting
        return self._run(statement, low=low, high=high, device=device).first()

    def is_any_open(self, device: str | None) -> bool:
        statement = self._statements.open if device is None else self._statements.open_fitting
        return self._run(statement, device=device).first() is not None

    def hold(self, task_id: str) -> sa.Row[Any] | None:
        return self._run(self._statements.hold, this=task_id).first()

    def renew(self, task_id: str) -> bool:
        """False if the claim is lost."""
        return bool(self._run(self._statements.renew, this=task_id).rowcount)

    def release(self, task_id: str) -> None:
        self._run(self._statements.release, this=task_id)

    def release_all(self, tokens: Iterable[str]) -> None:
        self.connection.execute(sa.update(tasks).where(tasks.c.token.in_(list(tokens))).values(**_FREE))

    def _run(self, statement: tuple[str, Mapping[str, Any]], **values: object) -> sa.CursorResult[Any]:
        text, own = statement
        return self.connection.exec_driver_sql(text, {**own, **self._values, **values})

    # Leases of recordings.

    def begin(self, task: sa.Row[Any]) -> None:
        """Lease a task for days, unless it is recorded or held elsewhere."""
        if Status[task.status] in FINISHED or (task.is_held and task.place != self._client.place):
            return
        lease = {
            "annotator": task.annotator if task.is_held else self._client.annotator,
            "place": self._client.place,
            "token": "",
            "since_us": task.since_us if task.is_held and task.is_recording else self._now,
            "until_us": self._now + int(self._leases.recording_s * _US),
            "is_recording": True,
        }
        self._change(task.task_id, lease)

    def end(self, task_id: str) -> None:
        recorded_here = sa.and_(tasks.c.place == self._client.place, tasks.c.is_recording)
        mine = sa.or_(tasks.c.token == self._client.token, recorded_here)
        self.connection.execute(sa.update(tasks).where(tasks.c.task_id == task_id, mine).values(**_FREE))

    def free(self, task_id: str) -> None:
        """Release a claim by any holder."""
        self._change(task_id, _FREE)

    # Tasks and their events.

    def task(self, task_id: str, *, to_change: bool = True) -> sa.Row[Any] | None:
        """The row with `is_held` and `is_mine`; `to_change` locks it until the transaction ends."""
        query = self._rows().where(tasks.c.task_id == task_id)
        return self.connection.execute(query.with_for_update() if to_change else query).first()

    def tasks(self, task_ids: Iterable[str]) -> Mapping[str, sa.Row[Any]]:
        """The locked rows of the existing tasks, by id."""
        ordered = sorted(task_ids)  # a fixed locking order prevents deadlocks
        found: dict[str, sa.Row[Any]] = {}
        for first in range(0, len(ordered), _BATCH):
            query = self._rows().where(tasks.c.task_id.in_(ordered[first : first + _BATCH]))
            for row in self.connection.execute(query.order_by(tasks.c.task_id).with_for_update()):
                found[row.task_id] = row
        return found

    def of_episode(self, task_id: str, episode_id: str) -> list[tuple[TaskEvent, str]]:
        query = sa.select(events.c.event, events.c.place).where(
            events.c.task_id == task_id, events.c.episode_id == episode_id
        )
        return [(TaskEvent[name], place) for name, place in self.connection.execute(query.order_by(events.c.number))]

    def last_recorded(self, task_id: str) -> str:
        query = (
            sa.select(events.c.event, events.c.episode_id).where(events.c.task_id == task_id).order_by(events.c.number)
        )
        return counted_episode((TaskEvent[name], episode_id) for name, episode_id in self.connection.execute(query))

    def note(
        self, task: sa.Row[Any], event: TaskEvent, *, by: str = "", reason: str = "", episode_id: str = ""
    ) -> None:
        """By the client unless `by` is given. Recording releases the claim."""
        entry = self._entry(event, by=by, reason=reason, episode_id=episode_id)
        written = sa.insert(events).values(task_id=task.task_id, **entry)
        number = self.connection.execute(written.returning(events.c.number)).scalar_one()
        status = next_status(Status[task.status], event)
        values: dict[str, Any] = {"version": tasks.c.version + 1}
        if status is not Status[task.status] or event is TaskEvent.SKIPPED:
            listed = parse_task_line(task.line)
            values |= {
                "status": status.name,
                "is_open": status in OPEN and task.is_listed,
                "rank": rank(listed, task.position, status, number),
            }
            if status in FINISHED:
                values |= _FREE
        self._change(task.task_id, values)

    def put(
        self, changed: Sequence[tuple[sa.Row[Any], ListedTask]], event: TaskEvent, *, by: str = "", reason: str = ""
    ) -> None:
        rows: list[dict[str, Any]] = []
        for task, listed in changed:
            status, skipped = next_status(Status[task.status], event), skip_number(task.rank)
            values = columns(listed, task.position, status, is_listed=task.is_listed, skipped=skipped)
            rows.append({"_id": task.task_id, "version": task.version + 1, **values})
        self._note_all([task.task_id for task, _listed in changed], self._entry(event, by=by, reason=reason))
        change(self.connection, rows)

    def add(self, listed: Iterable[ListedTask], *, to_approve: bool | None) -> int:
        """Returns how many were new, even if another program adds the same."""
        have = set(self.connection.execute(sa.select(tasks.c.task_id)).scalars())
        new = {task.task_id: task for task in listed if task.task_id not in have}
        if not new:
            return 0
        last = self.connection.execute(sa.select(sa.func.max(tasks.c.position))).scalar()
        first = max(_BEHIND_LISTS, 0 if last is None else last + 1)
        statuses = {task.task_id: first_status(task, to_approve=to_approve) for task in new.values()}
        rows = [
            {"task_id": task.task_id, **columns(task, first + number, statuses[task.task_id], is_listed=True)}
            for number, task in enumerate(new.values())
        ]
        rows.sort(key=itemgetter("task_id"))  # a fixed order prevents deadlocks of programs that add the same
        inserted = insert_new(self.connection, tasks).returning(tasks.c.task_id)
        added = self.connection.execute(inserted, rows).scalars().all()
        prepared = [task_id for task_id in added if statuses[task_id] is Status.TO_APPROVE]
        self._note_all(prepared, self._entry(TaskEvent.PREPARED))
        return len(added)

    def _rows(self) -> sa.Select[Any]:
        return sa.select(
            tasks,
            (tasks.c.until_us > self._now).label("is_held"),
            (tasks.c.token == self._client.token).label("is_mine"),
        )

    def _note_all(self, task_ids: Sequence[str], entry: Mapping[str, Any]) -> None:
        if task_ids:
            written = sa.insert(events).values(**entry, task_id=sa.bindparam("_id"))
            self.connection.execute(written, [{"_id": task_id} for task_id in task_ids])

    def _entry(self, event: TaskEvent, *, by: str = "", reason: str = "", episode_id: str = "") -> dict[str, Any]:
        return {
            "event": event.name,
            "by": by or self._client.annotator,
            "at_us": self._now,
            "reason": reason,
            "episode_id": episode_id,
            "place": self._client.place,
        }

    def _change(self, task_id: str, values: Mapping[str, Any]) -> None:
        self.connection.execute(sa.update(tasks).where(tasks.c.task_id == task_id).values(**values))


def change(connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows have their task ids in `_id`, and all have the same columns."""
    if rows:
        values: dict[str, Any] = {name: sa.bindparam(name) for name in rows[0] if name != "_id"}
        connection.execute(sa.update(tasks).where(tasks.c.task_id == sa.bindparam("_id")).values(values), rows)


def columns(listed: ListedTask, position: int, status: Status, *, is_listed: bool, skipped: int = 0) -> dict[str, Any]:
    return {
        "position": position,
        "rank": rank(listed, position, status, skipped),
        "line": task_line(listed),
        "is_listed": is_listed,
        "status": status.name,
        "is_open": is_listed and status in OPEN,
        "devices": f" {' '.join(listed.devices)} " if listed.devices else "",
        "assignee": listed.assignee,
    }
