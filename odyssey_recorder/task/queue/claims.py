"""The statements of a claim: to hold a task, to keep it, to give it back.

Each is put into words once for the database that it is for: that takes as long as it takes the database to run it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ClauseElement,
    ColumnElement,
    Connection,
    CursorResult,
    Dialect,
    Row,
    Select,
    Text,
    Update,
    bindparam,
    literal,
    or_,
    select,
    update,
)

from odyssey_recorder.task.queue.client import QueueClient
from odyssey_recorder.task.queue.tables import tasks

FREE: Mapping[str, Any] = {
    "annotator": "", "place": "", "token": "", "since_us": 0, "until_us": 0, "is_recording": False,
}  # fmt: skip
"""What a row says of a task that nobody has."""
_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Leases:
    """For how many seconds a task is kept for whoever holds it, and for whoever began to record it."""

    claim_s: float = 600.0
    recording_s: float = 7 * 86_400.0


class _Words:
    """A statement in the words of a database, with the values that belong to it."""

    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self._text = str(compiled)
        self._values = compiled.params

    def run(self, connection: Connection, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Run it with these values too; some of them it may not need."""
        return connection.exec_driver_sql(self._text, {**self._values, **values})


class ClaimStatements:
    """The statements, in the words of `dialect`; `now` is the time in microseconds as a part of one."""

    def __init__(self, now: ColumnElement[int], dialect: Dialect) -> None:
        me = bindparam("me", type_=Text)
        mine = tasks.c.token == me
        free = or_(tasks.c.until_us <= now, mine)
        taken = {
            "annotator": bindparam("by", type_=Text),
            "place": bindparam("here", type_=Text),
            "token": me,
            "since_us": now,
            "until_us": now + bindparam("lease_us"),
            "is_recording": False,
        }
        this = tasks.c.task_id == bindparam("this", type_=Text)
        held = update(tasks).values(**taken).returning(tasks.c.task_id, tasks.c.version)

        def first(wanted: Select[tuple[str]]) -> Update:
            within = wanted.where(tasks.c.rank >= bindparam("low"), tasks.c.rank <= bindparam("high"))
            one = within.order_by(tasks.c.rank).limit(1).with_for_update(skip_locked=True)
            return held.where(tasks.c.task_id == one.scalar_subquery())

        wanted = select(tasks.c.task_id).where(tasks.c.is_open, free)
        named = literal(" ") + bindparam("device", type_=Text) + " "
        fitting = wanted.where(or_(tasks.c.devices == "", tasks.c.devices.contains(named)))
        self.hold_first = _Words(first(wanted), dialect)
        self.hold_first_fitting = _Words(first(fitting), dialect)
        self.open = _Words(wanted.limit(1), dialect)
        self.open_fitting = _Words(fitting.limit(1), dialect)
        self.hold = _Words(held.where(this, tasks.c.is_open, free), dialect)
        self.renew = _Words(update(tasks).where(this, mine).values(until_us=now + bindparam("lease_us")), dialect)
        self.let_go = _Words(update(tasks).where(this, mine).values(FREE), dialect)


class Claims:
    """The claims of one seat within a transaction; `clock` is what the statements want to know of the time."""

    def __init__(
        self,
        connection: Connection,
        statements: ClaimStatements,
        client: QueueClient,
        lease_s: float,
        clock: Mapping[str, int],
    ) -> None:
        self.connection = connection
        self._statements = statements
        self._me = {"me": client.token}
        self._free = {**self._me, **clock}
        self._lease = {**clock, "lease_us": int(lease_s * _US)}
        self._taken = {**self._free, **self._lease, "by": client.annotator, "here": client.place}

    def hold_first(self, low: int, high: int, device: str | None) -> Row[Any] | None:
        """Hold the first open task of a rank from `low` to `high` that fits the device; None where there is none.

        What another transaction is just changing is passed over.
        """
        ranks, made = {"low": low, "high": high}, self._statements
        if device is None:
            return made.hold_first.run(self.connection, {**self._taken, **ranks}).first()
        return made.hold_first_fitting.run(self.connection, {**self._taken, **ranks, "device": device}).first()

    def is_any_open(self, device: str | None) -> bool:
        """Whether there is an open task that fits, which somebody may just be changing."""
        made = self._statements
        if device is None:
            return made.open.run(self.connection, self._free).first() is not None
        return made.open_fitting.run(self.connection, {**self._free, "device": device}).first() is not None

    def hold(self, task_id: str) -> Row[Any] | None:
        """Hold this task; None where it is not open."""
        return self._statements.hold.run(self.connection, {**self._taken, "this": task_id}).first()

    def renew(self, task_id: str) -> bool:
        """Hold a task for longer; False where it is held no more."""
        values = {**self._me, **self._lease, "this": task_id}
        return bool(self._statements.renew.run(self.connection, values).rowcount)

    def let_go(self, task_id: str) -> None:
        """End the claim on a task, if there still is one."""
        self._statements.let_go.run(self.connection, {**self._me, "this": task_id})
