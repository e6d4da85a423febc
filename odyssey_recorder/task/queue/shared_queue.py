"""The queue of a team, or of this computer, as one annotator at one place has it."""

import time
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Row

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval
from odyssey_recorder.task.listing import ListedTask, parse_task_line
from odyssey_recorder.task.queue.claims import Claims, ClaimStatements, Leases
from odyssey_recorder.task.queue.client import QueueClient, computer
from odyssey_recorder.task.queue.database import QueueDatabase
from odyssey_recorder.task.queue.progress import take_over
from odyssey_recorder.task.queue.queue import (
    FINISHED,
    OPEN,
    Board,
    EpisodeLookup,
    Holder,
    QueuedTask,
    Returns,
    Status,
    TaskEvent,
)
from odyssey_recorder.task.queue.reconciler import OutsideState, QueueChange, Reconciler, write
from odyssey_recorder.task.queue.rules import RANKS, SENT_BACK_RANKS, given, judged, shown_status
from odyssey_recorder.task.queue.snapshot import QueueSnapshot
from odyssey_recorder.task.queue.source_list import SourceList
from odyssey_recorder.task.queue.writer import QueueWriter

_PAUSES_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.0)
"""Between looks at open tasks that others are just changing; one that is not let be by then counts as none."""
_PREPARED = frozenset({Status.TO_APPROVE, Status.REJECTED})


@dataclass(frozen=True, slots=True)
class QueueEnvironment:
    """What a queue looks at beside its database: drafts and dataset, reviews, and, where it follows one, a list.

    `progress` is what an older program remembered of the annotator, which is taken over.
    """

    episodes: EpisodeLookup
    returns: Returns | None = None
    source: Path | None = None
    progress: Path | None = None


class SharedQueue:
    """A `TaskQueue` and `TaskStock` over a database, for one seat. Thread-safe.

    Claims are leases in the database, so that nobody else is offered a task that is held, and the task of a program
    that ended waits again.
    """

    def __init__(
        self, database: QueueDatabase, client: QueueClient, surroundings: QueueEnvironment, leases: Leases | None = None
    ) -> None:
        self._database = database
        self._client = client
        self._leases = leases or Leases()
        self._source = SourceList(surroundings.source) if surroundings.source is not None else None
        self._progress = surroundings.progress
        self._reconciler = Reconciler(client, surroundings.episodes, surroundings.returns, self._leases.recording_s)
        self._snapshot = QueueSnapshot()
        self._seen: OutsideState | None = None
        self._statements = ClaimStatements(database.now, database.dialect())
        self._held = ""
        self._lock = Lock()

    # TaskQueue.

    def board(self) -> Board:
        """Every task and how it stands now."""
        with self._lock:
            self._look()
            name = self._source.name if self._source is not None else self._database.name
            return Board(name, tuple(one.queued for one in self._snapshot if one.is_listed))

    def claim_next(self, *, after: str = "", device: str | None = None) -> QueuedTask | None:
        """Hold the next open task that fits."""
        with self._lock:
            self._glance()
            for pause_s in _PAUSES_S:
                with self._claiming() as (writer, claims):
                    found = self._first(writer, claims, after, device)
                    taken = None if found is None else self._taken(claims, found)
                    is_busy = found is None and claims.is_any_open(device)
                if not is_busy:
                    break
                time.sleep(pause_s)
            self._held = "" if found is None else found.task_id
            return taken

    def claim(self, task_id: str) -> QueuedTask:
        """Hold this task."""
        with self._lock:
            self._glance()
            with self._claiming() as (writer, claims):
                found = claims.hold(task_id)
                if found is None:
                    raise self._refusal(writer.task(task_id, to_change=False), task_id, "be claimed")
                taken = self._taken(claims, found)
            self._held = task_id
            return taken

    def release(self) -> None:
        """Hold none any more."""
        with self._lock:
            if self._held:
                with self._claiming() as (_writer, claims):
                    claims.let_go(self._held)
                self._held = ""

    def renew(self) -> bool:
        """Keep what is held from running out."""
        with self._lock:
            return self._renew()

    def skip(self, task_id: str, reason: str) -> None:
        """Put a task at the end."""
        with self._lock:
            self._glance()
            words = given(reason)
            with self._writing() as (writer, claims):
                task = self._standing(writer, task_id, OPEN, "be skipped")
                writer.note(task, TaskEvent.SKIPPED, reason=words)
                claims.let_go(task_id)
            self._forget(task_id)

    def send_back(self, task_id: str, reason: str) -> None:
        """Have a recorded task wait again."""
        with self._lock:
            self._glance()
            words = given(reason)
            with self._writing() as (writer, _claims):
                task = self._standing(writer, task_id, FINISHED, "be sent back")
                writer.note(task, TaskEvent.SENT_BACK, reason=words)

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        """The task was recorded as this episode."""
        with self._lock:
            self._glance()
            news = QueueChange(task_id, episode_id, self._reconciler.recorded(episode_id))
            with self._writing() as (writer, claims):
                write(writer, news, self._client)
                claims.let_go(task_id)
            self._forget(task_id)

    # TaskStock.

    def add(self, tasks: Iterable[ListedTask], *, to_approve: bool) -> int:
        """Put tasks behind those that are there."""
        with self._lock:
            self._glance()
            with self._writing() as (writer, _claims):
                return writer.add(tasks, to_approve=to_approve)

    def amend(
        self,
        tasks: Iterable[ListedTask],
        by: str,
        *,
        before: Iterable[ListedTask] = (),
        deed: TaskEvent = TaskEvent.EDITED,
    ) -> None:
        """Put these in the place of the tasks of the same ids."""
        wanted, known = _by_id(tasks), _by_id(before)
        with self._lock:
            self._glance()
            with self._writing() as (writer, _claims):
                found = writer.tasks(wanted)
                for task_id in wanted:
                    task = self._fit(found.get(task_id), task_id, OPEN | _PREPARED, "be changed")
                    if known.get(task_id) not in (None, parse_task_line(task.line)):
                        raise _changed(task_id)
                writer.put([(found[one], listed) for one, listed in wanted.items()], deed, by=by)

    def approve(self, tasks: Iterable[ListedTask], by: str) -> None:
        """Let tasks that were to be approved, or rejected, wait."""
        seen = _by_id(tasks)
        with self._lock:
            self._glance()
            with self._writing() as (writer, _claims):
                found = writer.tasks(seen)
                for task_id in seen:
                    if (task := found.get(task_id)) is None or not task.is_listed:
                        raise self._refusal(task, task_id, "be approved")
                prepared = [task for task in found.values() if Status[task.status] in _PREPARED]
                say = partial(judged, approval=Approval.APPROVED, by=by)
                writer.put(
                    [(task, _said(task, seen[task.task_id], say)) for task in prepared], TaskEvent.APPROVED, by=by
                )

    def reject(self, tasks: Iterable[ListedTask], by: str, reason: str) -> None:
        """Leave tasks out that were to be approved or wait."""
        seen = _by_id(tasks)
        with self._lock:
            self._glance()
            words = given(reason)
            with self._writing() as (writer, claims):
                found = writer.tasks(seen)
                say = partial(judged, approval=Approval.REJECTED, by=by, note=words)
                said = [
                    (self._fit(found.get(one), one, OPEN | _PREPARED, "be rejected"), listed)
                    for one, listed in seen.items()
                ]
                writer.put(
                    [(task, _said(task, one, say)) for task, one in said], TaskEvent.REJECTED, by=by, reason=words
                )
                if self._held in seen:
                    claims.let_go(self._held)

    def holders(self) -> tuple[Holder, ...]:
        """Who works on what now."""
        with self._lock:
            self._look()
            return tuple(one.holder for one in self._snapshot if one.holder is not None)

    # All below: with the lock held.

    def _look(self) -> None:
        """Learn what is new in the queue, and have it learn what is new here."""
        self._follow_list()
        sight = self._reconciler.look()
        self._read()
        news, gone = self._reconciler.news(sight, self._snapshot), self._reconciler.gone(self._snapshot)
        if news or gone:
            with self._writing() as (writer, _claims):
                writer.let_go_of(gone)
                for one in sorted(news, key=lambda one: one.task_id):  # all windows take them in one order
                    write(writer, one, self._client)
            self._read()
        self._seen = sight
        held = self._snapshot.get(self._held)
        if held is not None and held.token == self._client.token and held.left_us < self._leases.claim_s * 0.8e6:
            self._renew()

    def _glance(self) -> None:
        """Look, if there is anything new to see here."""
        self._follow_list()
        if self._seen is None or self._reconciler.look() != self._seen:
            self._look()

    def _read(self) -> None:
        with self._database.reading() as connection:
            self._snapshot.read(connection, self._database.moment())

    def _follow_list(self) -> None:
        if self._source is None or self._source.is_followed(stamp := self._source.stamp()):
            return
        with self._database.writing() as connection:
            if self._progress is not None:
                take_over(connection, self._progress, self._client.place)
            self._source.follow(connection, stamp)

    def _first(self, writer: QueueWriter, claims: Claims, after: str, device: str | None) -> Row[Any] | None:
        """The first open task that fits, behind `after`, held now; where there is none, what was held is given back."""
        for low, high in self._windows(writer, after):
            found = claims.hold_first(low, high, device)
            if found is not None:
                return found
        claims.let_go(self._held)
        return None

    def _windows(self, writer: QueueWriter, after: str) -> tuple[tuple[int, int], ...]:
        """The ranks to look through, one range after the other."""
        if not after:
            return (RANKS,)
        task = writer.task(after, to_change=False)
        if task is None:
            return (RANKS,)
        is_done = not task.is_open or not _is_ours(task)
        return (SENT_BACK_RANKS, *_behind(task.rank)) if is_done else _behind(task.rank)

    def _taken(self, claims: Claims, found: Row[Any]) -> QueuedTask:
        """The task that was claimed, in place of the one before."""
        if self._held and found.task_id != self._held:
            claims.let_go(self._held)
        past = self._snapshot.past(claims.connection, found.task_id, found.version)
        return QueuedTask(past.listed, Status.CLAIMED, past.history)

    def _renew(self) -> bool:
        if self._held:
            with self._claiming() as (writer, claims):
                if not claims.renew(self._held) and not self._is_recorded_here(writer, self._held):
                    self._held = ""
        return bool(self._held)

    def _is_recorded_here(self, writer: QueueWriter, task_id: str) -> bool:
        task = writer.task(task_id, to_change=False)
        return task is not None and task.is_held and task.is_recording and task.place == self._client.place

    def _forget(self, task_id: str) -> None:
        if self._held == task_id:
            self._held = ""

    def _standing(self, writer: QueueWriter, task_id: str, wanted: Set[Status], deed: str) -> Row[Any]:
        """The task of this id, which must stand as `wanted` to `deed` ("be skipped"), and not be held by others."""
        return self._fit(writer.task(task_id), task_id, wanted, deed)

    def _fit(self, task: Row[Any] | None, task_id: str, wanted: Set[Status], deed: str) -> Row[Any]:
        if task is None or not task.is_listed or Status[task.status] not in wanted or not _is_ours(task):
            raise self._refusal(task, task_id, deed)
        return task

    def _refusal(self, task: Row[Any] | None, task_id: str, deed: str) -> TaskError:
        if task is None or not task.is_listed:
            where = self._source.path if self._source is not None else f"the queue {self._database.name}"
            return TaskError(f"The task {task_id} is not in {where} any more: choose another one.")
        words = shown_status(Status[task.status], is_held=task.is_held, is_recording=task.is_recording).value.lower()
        if not _is_ours(task):
            words = f"{words}, by {task.annotator} on {computer(task.place)}"
        return TaskError(f"The task {task_id} cannot {deed}: it is {words}.")

    @contextmanager
    def _writing(self) -> Iterator[tuple[QueueWriter, Claims]]:
        with self._database.writing() as connection:
            yield self._tools(connection)

    @contextmanager
    def _claiming(self) -> Iterator[tuple[QueueWriter, Claims]]:
        """As `_writing`, for claims: each is whole by itself, and quick."""
        with self._database.writing_at_once() as connection:
            yield self._tools(connection)

    def _tools(self, connection: Connection) -> tuple[QueueWriter, Claims]:
        claims = Claims(connection, self._statements, self._client, self._leases.claim_s, self._database.clock())
        return QueueWriter(connection, self._database.moment(), self._client, self._leases), claims


def _is_ours(task: Row[Any]) -> bool:
    """Whether nobody else has the task, and nobody records it."""
    return not task.is_held or task.is_mine


def _by_id(tasks: Iterable[ListedTask]) -> dict[str, ListedTask]:
    return {one.task_id: one for one in tasks}


def _said(task: Row[Any], seen: ListedTask, say: Callable[[ListedTask], ListedTask]) -> ListedTask:
    """What is said of a task that still is as it was seen, whatever was said of it before. Raises TaskError."""
    told = say(seen)
    if say(parse_task_line(task.line)) != told:
        raise _changed(task.task_id)
    return told


def _changed(task_id: str) -> TaskError:
    return TaskError(f"The task {task_id} was changed by somebody meanwhile: look at it again.")


def _behind(rank: int) -> tuple[tuple[int, int], ...]:
    """What comes behind a rank, and then all that is before."""
    lowest, highest = RANKS
    return (rank + 1, highest), (lowest, rank)
