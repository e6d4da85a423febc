"""The queue of tasks of a team, or of this computer, as one annotator at one computer has it."""

import time
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Row

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval
from odyssey_recorder.task.listing import ListedTask, parse_task_line
from odyssey_recorder.task.queue.board import (
    FINISHED,
    OPEN,
    RANKS,
    SENT_BACK_RANKS,
    Board,
    Holder,
    QueuedTask,
    Status,
    TaskEvent,
    checked_reason,
    judged,
    shown_status,
)
from odyssey_recorder.task.queue.client import QueueClient, computer
from odyssey_recorder.task.queue.database import QueueDatabase
from odyssey_recorder.task.queue.progress import take_over
from odyssey_recorder.task.queue.reconciler import EpisodeLookup, OutsideState, Reconciler, ReviewOutcomes
from odyssey_recorder.task.queue.snapshot import QueueSnapshot
from odyssey_recorder.task.queue.source_list import SourceList
from odyssey_recorder.task.queue.transaction import ClaimStatements, Leases, QueueTransaction

_PAUSES_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.0)
"""Between looks at open tasks that others are just changing; one that stays locked longer counts as none."""
_PREPARED = frozenset({Status.TO_APPROVE, Status.REJECTED})


@dataclass(frozen=True, slots=True)
class QueueEnvironment:
    """What a queue looks at beside its database: drafts and dataset, reviews, and, where it follows one, a list.

    `progress` gives the file in which an older program remembered what an annotator did, which is taken over.
    """

    episodes: EpisodeLookup
    reviews: ReviewOutcomes | None = None
    source: Path | None = None
    progress: Callable[[str], Path] | None = None


class TaskQueue:
    """Tasks to record, in a database that others may share. Thread-safe; every call may block and raise TaskError.

    `annotator` gives the name of the one who records now, and `drafts` is the folder of their unfinished recordings.
    When another name comes, what was held under the name before is given back.

    An annotator holds at most one task: claiming gives the one back that was held before. What is held, under way or
    recorded is offered to nobody. Claims are leases in the database: a claim ends with its process, or runs out; then
    the task waits again. A recording that was begun makes the claim unneeded: its task is under way until the episode
    is published or thrown away, and a queue finds that out by itself, also after a crash. Where nobody looks for days,
    the task waits again; an episode that comes of it all the same is noted beside the other one.
    """

    def __init__(
        self,
        database: QueueDatabase,
        annotator: Callable[[], str],
        drafts: Path,
        environment: QueueEnvironment,
        leases: Leases | None = None,
    ) -> None:
        self._database = database
        self._annotator = annotator
        self._drafts = drafts
        self._environment = environment
        self._leases = leases or Leases()
        self._snapshot = QueueSnapshot()
        self._statements = ClaimStatements(database)
        self._held = ""
        self._lock = Lock()
        self._use_name("")

    def close(self) -> None:
        """Give back what is held, and close the database; the next call opens it again."""
        with self._lock, suppress(TaskError):  # a claim that cannot be given back runs out by itself
            self._release()
        self._database.close()

    # For the one who records.

    def board(self) -> Board:
        """Every task and its status now, also what is to be approved or was rejected."""
        with self._locked():
            self._look()
            name = self._source.name if self._source is not None else self._database.name
            return Board(name, tuple(task.queued for task in self._snapshot if task.is_listed))

    def claim_next(self, *, after: str = "", device: str | None = None) -> QueuedTask | None:
        """Hold the first open task in the order of offering that fits the `device`: None where there is none.

        `device` is the profile as `ListedTask.fits` has it. With `after`, the first behind that task, and from the
        beginning again where none is. What was sent back comes first, also behind a task that is done. What was
        skipped comes last, in the order in which it was skipped.
        """
        with self._locked():
            self._look_if_changed()
            for pause_s in _PAUSES_S:
                with self._claiming() as transaction:
                    found = self._first(transaction, after, device)
                    taken = None if found is None else self._taken(transaction, found)
                    is_busy = found is None and transaction.is_any_open(device)
                if not is_busy:
                    break
                time.sleep(pause_s)
            self._held = "" if found is None else found.task_id
            return taken

    def claim(self, task_id: str) -> QueuedTask:
        """Hold this task in place of the one before. Raises TaskError where it is not open, and changes nothing."""
        with self._locked():
            self._look_if_changed()
            with self._claiming() as transaction:
                found = transaction.hold(task_id)
                if found is None:
                    raise self._refusal(transaction.task(task_id, to_change=False), task_id, "be claimed")
                taken = self._taken(transaction, found)
            self._held = task_id
            return taken

    def release(self) -> None:
        """Hold none any more; the task that was held waits as before."""
        with self._locked():
            self._release()

    def renew(self) -> bool:
        """Keep the task that is held from running out, every few minutes; False where none is held any more.

        Every other call renews it too.
        """
        with self._locked():
            return self._renew()

    def skip(self, task_id: str, reason: str) -> None:
        """Put a task at the end, with the reason.

        Raises TaskError where it is under way, recorded, or held by somebody else.
        """
        with self._locked():
            self._look_if_changed()
            reason = checked_reason(reason)
            with self._writing() as transaction:
                task = self._required(transaction.task(task_id), task_id, OPEN, "be skipped")
                transaction.note(task, TaskEvent.SKIPPED, reason=reason)
                transaction.release(task_id)
            self._forget(task_id)

    def send_back(self, task_id: str, reason: str) -> None:
        """Have a recorded task wait again, with the reason. Raises TaskError where it is not recorded."""
        with self._locked():
            self._look_if_changed()
            reason = checked_reason(reason)
            with self._writing() as transaction:
                task = self._required(transaction.task(task_id), task_id, FINISHED, "be sent back")
                transaction.note(task, TaskEvent.SENT_BACK, reason=reason)

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        """The task was recorded as this episode; nothing happens to one that is not in the list, or marked before."""
        with self._locked():
            self._look_if_changed()
            change = self._reconciler.recorded(task_id, episode_id)
            with self._writing() as transaction:
                self._reconciler.write(transaction, change)
                transaction.release(task_id)
            self._forget(task_id)

    # For the one who prepares tasks.

    def add(self, tasks: Iterable[ListedTask], *, to_approve: bool) -> int:
        """Put tasks behind those that are there, to wait or to be approved first; how many were new.

        Those with known faults are always to be approved first. A task whose id is there already is left out.
        """
        with self._locked():
            self._look_if_changed()
            with self._writing() as transaction:
                return transaction.add(tasks, to_approve=to_approve)

    def amend(
        self,
        tasks: Iterable[ListedTask],
        by: str,
        *,
        before: Iterable[ListedTask] = (),
        event: TaskEvent = TaskEvent.EDITED,
    ) -> None:
        """Put these in the place of the tasks of the same ids, with `event` in their histories; all or none.

        Raises TaskError where one was begun or recorded, or is not any more what it is in `before`.
        """
        changed, known = _by_id(tasks), _by_id(before)
        with self._locked():
            self._look_if_changed()
            with self._writing() as transaction:
                found = transaction.tasks(changed)
                for task_id in changed:
                    task = self._required(found.get(task_id), task_id, OPEN | _PREPARED, "be changed")
                    if known.get(task_id) not in (None, parse_task_line(task.line)):
                        raise _changed_meanwhile(task_id)
                transaction.put([(found[task_id], listed) for task_id, listed in changed.items()], event, by=by)

    def approve(self, tasks: Iterable[ListedTask], by: str) -> None:
        """Let tasks that were to be approved, or rejected, wait; all or none. What waits already stays as it is.

        The `tasks` are as `by` has seen them: raises TaskError where one is not so any more.
        """
        seen = _by_id(tasks)
        with self._locked():
            self._look_if_changed()
            with self._writing() as transaction:
                found = transaction.tasks(seen)
                for task_id in seen:
                    if (task := found.get(task_id)) is None or not task.is_listed:
                        raise self._refusal(task, task_id, "be approved")
                prepared = [task for task in found.values() if Status[task.status] in _PREPARED]
                judge = partial(judged, approval=Approval.APPROVED, by=by)
                approved = [(task, _judged_as_seen(task, seen[task.task_id], judge)) for task in prepared]
                transaction.put(approved, TaskEvent.APPROVED, by=by)

    def reject(self, tasks: Iterable[ListedTask], by: str, reason: str) -> None:
        """Leave tasks out that were to be approved or wait; all or none.

        Raises TaskError where one was begun or recorded, or is not any more as it was seen.
        """
        seen = _by_id(tasks)
        with self._locked():
            self._look_if_changed()
            reason = checked_reason(reason)
            with self._writing() as transaction:
                found = transaction.tasks(seen)
                open_tasks = [
                    (self._required(found.get(task_id), task_id, OPEN | _PREPARED, "be rejected"), listed)
                    for task_id, listed in seen.items()
                ]
                judge = partial(judged, approval=Approval.REJECTED, by=by, note=reason)
                rejected = [(task, _judged_as_seen(task, listed, judge)) for task, listed in open_tasks]
                transaction.put(rejected, TaskEvent.REJECTED, by=by, reason=reason)
                if self._held in seen:
                    transaction.release(self._held)

    def holders(self) -> tuple[Holder, ...]:
        """Who works on what now."""
        with self._locked():
            self._look()
            return tuple(task.holder for task in self._snapshot if task.holder is not None)

    # All below: with the lock held.

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock:
            name = self._annotator()
            if name != self._client.annotator:
                self._release()
                self._use_name(name)
            yield

    def _use_name(self, name: str) -> None:
        self._client = QueueClient.of(name, self._drafts)
        self._reconciler = Reconciler(
            self._client, self._environment.episodes, self._environment.reviews, self._leases.recording_s
        )
        self._source = SourceList(self._environment.source) if self._environment.source is not None else None
        self._outside: OutsideState | None = None

    def _look(self) -> None:
        self._follow_list()
        outside = self._reconciler.look()
        self._read()
        changes, gone = self._reconciler.changes(outside, self._snapshot), self._reconciler.gone(self._snapshot)
        if changes or gone:
            with self._writing() as transaction:
                transaction.release_all(gone)
                for change in changes:
                    self._reconciler.write(transaction, change)
            self._read()
        self._outside = outside
        held = self._snapshot.get(self._held)
        if held is not None and held.token == self._client.token and held.left_us < self._leases.claim_s * 0.8e6:
            self._renew()

    def _look_if_changed(self) -> None:
        self._follow_list()
        if self._outside is None or self._reconciler.look() != self._outside:
            self._look()

    def _read(self) -> None:
        with self._database.reading() as connection:
            self._snapshot.read(connection, self._database.moment())

    def _follow_list(self) -> None:
        if self._source is None or self._source.is_followed(stamp := self._source.stamp()):
            return
        with self._database.writing() as connection:
            if self._environment.progress is not None:
                take_over(connection, self._environment.progress(self._client.annotator), self._client.place)
            self._source.follow(connection, stamp)

    def _first(self, transaction: QueueTransaction, after: str, device: str | None) -> Row[Any] | None:
        """The first open task that fits, behind `after`, held now; where there is none, what was held is given back."""
        for low, high in self._rank_ranges(transaction, after):
            found = transaction.hold_first(low, high, device)
            if found is not None:
                return found
        transaction.release(self._held)
        return None

    def _rank_ranges(self, transaction: QueueTransaction, after: str) -> tuple[tuple[int, int], ...]:
        task = transaction.task(after, to_change=False) if after else None
        if task is None:
            return (RANKS,)
        lowest, highest = RANKS
        behind = (task.rank + 1, highest), (lowest, task.rank)
        is_done = not task.is_open or not _is_ours(task)
        return (SENT_BACK_RANKS, *behind) if is_done else behind

    def _taken(self, transaction: QueueTransaction, found: Row[Any]) -> QueuedTask:
        if self._held and found.task_id != self._held:
            transaction.release(self._held)
        past = self._snapshot.past(transaction.connection, found.task_id, found.version)
        return QueuedTask(past.listed, Status.CLAIMED, past.history)

    def _release(self) -> None:
        if self._held:
            with self._claiming() as transaction:
                transaction.release(self._held)
            self._held = ""

    def _renew(self) -> bool:
        if self._held:
            with self._claiming() as transaction:
                if not transaction.renew(self._held) and not self._is_recorded_here(transaction, self._held):
                    self._held = ""
        return bool(self._held)

    def _is_recorded_here(self, transaction: QueueTransaction, task_id: str) -> bool:
        task = transaction.task(task_id, to_change=False)
        return task is not None and task.is_held and task.is_recording and task.place == self._client.place

    def _forget(self, task_id: str) -> None:
        if self._held == task_id:
            self._held = ""

    def _required(self, task: Row[Any] | None, task_id: str, allowed: Set[Status], do: str) -> Row[Any]:
        """The row of a task. Raises TaskError where it is not `allowed` to `do` ("be skipped"), or held by others."""
        if task is None or not task.is_listed or Status[task.status] not in allowed or not _is_ours(task):
            raise self._refusal(task, task_id, do)
        return task

    def _refusal(self, task: Row[Any] | None, task_id: str, do: str) -> TaskError:
        if task is None or not task.is_listed:
            where = self._source.path if self._source is not None else f"the queue {self._database.name}"
            return TaskError(f"The task {task_id} is not in {where} any more: choose another one.")
        words = shown_status(Status[task.status], is_held=task.is_held, is_recording=task.is_recording).value.lower()
        if not _is_ours(task):
            words = f"{words}, by {task.annotator} on {computer(task.place)}"
        return TaskError(f"The task {task_id} cannot {do}: it is {words}.")

    @contextmanager
    def _writing(self) -> Iterator[QueueTransaction]:
        with self._database.writing() as connection:
            yield self._transaction(connection)

    @contextmanager
    def _claiming(self) -> Iterator[QueueTransaction]:
        """As `_writing`, for single statements, each of which a server keeps as soon as it is run."""
        with self._database.writing_at_once() as connection:
            yield self._transaction(connection)

    def _transaction(self, connection: Connection) -> QueueTransaction:
        return QueueTransaction(connection, self._database, self._statements, self._client, self._leases)


def _is_ours(task: Row[Any]) -> bool:
    return not task.is_held or task.is_mine


def _by_id(tasks: Iterable[ListedTask]) -> dict[str, ListedTask]:
    return {task.task_id: task for task in tasks}


def _judged_as_seen(task: Row[Any], seen: ListedTask, judge: Callable[[ListedTask], ListedTask]) -> ListedTask:
    """The judged task, whatever was decided on it before. Raises TaskError where it is not as it was seen."""
    decided = judge(seen)
    if judge(parse_task_line(task.line)) != decided:
        raise _changed_meanwhile(task.task_id)
    return decided


def _changed_meanwhile(task_id: str) -> TaskError:
    return TaskError(f"The task {task_id} was changed by somebody meanwhile: look at it again.")
