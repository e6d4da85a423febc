"""The task queue of a team or of one computer, as one annotator uses it."""

import time
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Row

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval
from odyssey_recorder.tasks.listing import ListedTask, parse_task_line
from odyssey_recorder.tasks.queue import task_status
from odyssey_recorder.tasks.queue.client import QueueClient, computer
from odyssey_recorder.tasks.queue.database import QueueDatabase
from odyssey_recorder.tasks.queue.reconciler import EpisodeLookup, OutsideState, Reconciler, ReviewOutcomes
from odyssey_recorder.tasks.queue.snapshot import QueueSnapshot, changes
from odyssey_recorder.tasks.queue.source_list import SourceList
from odyssey_recorder.tasks.queue.transaction import ClaimStatements, Leases, QueueTransaction

_PAUSES_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.0)
"""Waits between attempts at tasks that others have locked; one that stays locked longer is treated as taken."""
_RAN_OUT = "Your reservation expired, for example while the computer slept. Somebody else may have taken the task."
_DONE = frozenset(status.name for status in task_status.FINISHED)
_PREPARED = frozenset({task_status.Status.TO_APPROVE, task_status.Status.REJECTED})


@dataclass(frozen=True, slots=True)
class QueueEnvironment:
    episodes: EpisodeLookup
    reviews: ReviewOutcomes | None = None
    source: Path | None = None


class TaskQueue:
    """Tasks to record, in a database that may be shared. Thread-safe; every call may block and raise TaskError.

    `annotator` returns the name of the current annotator, `drafts` is the folder of their drafts. When the name
    changes, the claim under the former name is released.

    An annotator holds at most one task: a new claim releases the previous one. Tasks that are claimed, under way or
    recorded are not offered. Claims are leases in the database: a claim ends with its process or when it expires, and
    the task is open again. Once a recording begins, the task is under way until the episode is published or discarded;
    the queue finds that out itself, also after a crash. If nothing is heard of a recording for days the task is open
    again; an episode that is published later is noted in addition to any other.
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
        self._known_events = 0  # of the claimed task when it was claimed
        self._passed = ""  # a task that was released from here: offered to others first
        self._lost = ""
        self._version: Row[Any] | None = None
        self._lock = Lock()
        self._use_name("")

    def close(self) -> None:
        """Release the claim and close the database; the next call reopens it."""
        with self._lock, suppress(TaskError):  # an unreleased claim expires by itself
            self._release()
        self._database.close()

    # For annotators.

    def board(self) -> task_status.QueueContents:
        with self._locked():
            self._look()
            name = self._source.name if self._source is not None else self._database.name
            tasks = tuple(self._with_thread(task.queued) for task in self._snapshot if task.is_listed)
            return task_status.QueueContents(name, tasks, self._client.annotator, self._version)

    def is_changed(self, known: task_status.QueueContents | None) -> bool:
        """Whether `board` would differ from the `known` one. Quick, for asking every few seconds."""
        with self._locked():
            if self._source is not None and not self._source.is_followed(self._source.stamp()):
                return True
            if self._outside is None or self._reconciler.look() != self._outside:
                return True
            with self._database.reading() as connection:
                return known is None or changes(connection, self._database.moment()) != known.version

    def why_lost(self) -> str:
        """Why the claim ended, if it has ended without this annotator; told once, empty otherwise."""
        with self._locked():
            return self._told_loss()

    def claim_next(self, *, after: str = "", device: str | None = None) -> task_status.QueuedTask | None:
        """Claim the first open task that fits the `device` profile (see `ListedTask.fits`); None if there is none.

        With `after`, the first one behind that task, wrapping around at the end. Tasks sent back always come first,
        skipped tasks last in the order in which they were skipped.
        """
        with self._locked():
            self._look_if_changed()
            for pause_s in _PAUSES_S:
                with self._claiming() as transaction:
                    if self._held:
                        self._is_taken(transaction)
                    after = after or self._passed
                    found = self._first(transaction, after, device)
                    claimed = None if found is None else self._claimed(transaction, found)
                    is_busy = found is None and transaction.is_any_open(device)
                if not is_busy:
                    break
                time.sleep(pause_s)
            self._held, self._passed = "" if found is None else found.task_id, ""
            return claimed

    def claim(self, task_id: str) -> task_status.QueuedTask:
        """Instead of the current one. Raises TaskError, and keeps the claim, if the task is not open."""
        with self._locked():
            self._look_if_changed()
            with self._claiming() as transaction:
                if self._held == task_id and self._is_taken(transaction):
                    raise TaskError(self._told_loss())
                found = transaction.hold(task_id)
                if found is None:
                    raise self._refusal(transaction.task(task_id, to_change=False), task_id, "be claimed")
                claimed = self._claimed(transaction, found)
            self._held = task_id
            return claimed

    def release(self) -> None:
        with self._locked():
            self._release()

    def renew(self) -> bool:
        """To be called every few minutes; every other call renews too. False if there is no claim any more."""
        with self._locked():
            return self._renew()

    def skip(self, task_id: str, reason: str) -> None:
        """Move a task to the end. Raises TaskError if it is under way, recorded, or held by somebody else."""
        with self._locked():
            self._look_if_changed()
            reason = task_status.checked_reason(reason)
            with self._writing() as transaction:
                task = self._required(transaction.task(task_id), task_id, task_status.OPEN, "be skipped")
                transaction.note(task, task_status.TaskEvent.SKIPPED, reason=reason)
                transaction.release(task_id)
            self._forget(task_id)

    def send_back(self, task_id: str, reason: str) -> None:
        """Have a task recorded again. Raises TaskError if it is not recorded."""
        reason = task_status.checked_reason(reason)
        with self._changing() as transaction:
            task = self._required(transaction.task(task_id), task_id, task_status.FINISHED, "be sent back")
            transaction.note(task, task_status.TaskEvent.SENT_BACK, reason=reason)

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        """Does nothing if the task is unknown or already marked."""
        with self._locked():
            self._look_if_changed()
            change = self._reconciler.recorded(task_id, episode_id)
            with self._writing() as transaction:
                self._reconciler.write(transaction, change)
                transaction.release(task_id)
            self._forget(task_id)

    # For those who prepare tasks.

    def add(self, tasks: Iterable[ListedTask], *, to_approve: bool | None) -> int:
        """Append tasks whose id is new; returns how many. `to_approve` as in `task_status.first_status`."""
        with self._changing() as transaction:
            return transaction.add(tasks, to_approve=to_approve)

    def amend(
        self,
        tasks: Iterable[ListedTask],
        by: str,
        *,
        before: Iterable[ListedTask] = (),
        event: task_status.TaskEvent = task_status.TaskEvent.EDITED,
        reason: str = "",
    ) -> None:
        """Replace tasks by id; all or none. Raises TaskError if one was begun, recorded, or differs from `before`."""
        changed, known = _by_id(tasks), _by_id(before)
        with self._changing() as transaction:
            found = transaction.tasks(changed)
            for task_id in changed:
                task = self._required(found.get(task_id), task_id, task_status.OPEN | _PREPARED, "be changed")
                if known.get(task_id) not in (None, parse_task_line(task.line)):
                    raise _changed_meanwhile(task_id)
            transaction.put(
                [(found[task_id], listed) for task_id, listed in changed.items()], event, by=by, reason=reason
            )

    def approve(self, tasks: Iterable[ListedTask], by: str) -> None:
        """All or none; waiting tasks stay as they are. Raises TaskError if one has changed since `by` saw it."""
        seen = _by_id(tasks)
        with self._changing() as transaction:
            found = transaction.tasks(seen)
            for task_id in seen:
                if (task := found.get(task_id)) is None or not task.is_listed:
                    raise self._refusal(task, task_id, "be approved")
            prepared = [task for task in found.values() if task_status.Status[task.status] in _PREPARED]
            judge = partial(task_status.judged, approval=Approval.APPROVED, by=by)
            approved = [(task, _judged_as_seen(task, seen[task.task_id], judge)) for task in prepared]
            transaction.put(approved, task_status.TaskEvent.APPROVED, by=by)

    def reject(self, tasks: Iterable[ListedTask], by: str, reason: str) -> None:
        """All or none. Raises TaskError if one was begun or recorded, or has changed since `by` saw it."""
        seen = _by_id(tasks)
        reason = task_status.checked_reason(reason)
        with self._changing() as transaction:
            found = transaction.tasks(seen)
            open_tasks = [
                (self._required(found.get(task_id), task_id, task_status.OPEN | _PREPARED, "be rejected"), listed)
                for task_id, listed in seen.items()
            ]
            judge = partial(task_status.judged, approval=Approval.REJECTED, by=by, note=reason)
            rejected = [(task, _judged_as_seen(task, listed, judge)) for task, listed in open_tasks]
            transaction.put(rejected, task_status.TaskEvent.REJECTED, by=by, reason=reason)
            if self._held in seen:
                transaction.release(self._held)

    def free(self, task_id: str, reason: str) -> None:
        """End a claim by any holder, who is told the reason. Raises TaskError if there is none, or a recording."""
        reason = task_status.checked_reason(reason)
        with self._changing() as transaction:
            task = transaction.task(task_id)
            if task is None or not task.is_held or task.is_recording:
                raise self._refusal(task, task_id, "be released")
            transaction.note(task, task_status.TaskEvent.RELEASED, reason=reason)
            transaction.free(task_id)

    def assign(self, task_ids: Iterable[str], to: str) -> None:
        """Offer tasks to one person only, before others; to everybody again if `to` is empty. All or none.

        People whom the queue knows are found in any case of letters. Ends claims of others, who are told. Raises
        TaskError if a task is being recorded, or recorded.
        """
        person, ids = " ".join(to.split()), list(task_ids)
        with self._changing() as transaction:
            found = transaction.tasks(ids)
            for task_id in ids:
                task = found.get(task_id)
                is_begun = task is not None and (task.status in _DONE or (task.is_held and task.is_recording))
                if task is None or not task.is_listed or is_begun:
                    raise self._refusal(task, task_id, "be assigned")
            spelled = {past.by.casefold(): past.by for known in self._snapshot for past in known.past.history}
            person = spelled.get(person.casefold(), person)
            rows = [(task, replace(parse_task_line(task.line), assignee=person)) for task in found.values()]
            transaction.put(rows, task_status.TaskEvent.ASSIGNED, reason=f"to {person or 'everybody'}")
            for task in found.values():
                if task.is_held and person not in ("", task.annotator):
                    transaction.free(task.task_id)

    def holders(self) -> tuple[task_status.Holder, ...]:
        with self._locked():
            self._look()
            return tuple(task.holder for task in self._snapshot if task.holder is not None)

    # All below run with the lock held.

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock:
            name = self._annotator()
            if name != self._client.annotator:
                self._release()
                self._use_name(name)
            yield

    @contextmanager
    def _changing(self) -> Iterator[QueueTransaction]:
        """A transaction on the queue as it is now."""
        with self._locked():
            self._look_if_changed()
            with self._writing() as transaction:
                yield transaction

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
        if held is not None and held.token != self._client.token and not held.is_recording:
            with self._claiming() as transaction:
                self._is_taken(transaction)
        elif held is not None and held.token == self._client.token and held.left_us < self._leases.claim_s * 0.8e6:
            self._renew()

    def _look_if_changed(self) -> None:
        self._follow_list()
        if self._outside is None or self._reconciler.look() != self._outside:
            self._look()

    def _read(self) -> None:
        with self._database.reading() as connection:
            self._version = changes(connection, self._database.moment())
            self._snapshot.read(connection, self._database.moment())

    def _follow_list(self) -> None:
        if self._source is None or self._source.is_followed(stamp := self._source.stamp()):
            return
        with self._database.writing() as connection:
            self._source.follow(connection, stamp)

    def _first(self, transaction: QueueTransaction, after: str, device: str | None) -> Row[Any] | None:
        for low, high in self._rank_ranges(transaction, after):
            found = transaction.hold_first(low, high, device)
            if found is not None:
                return found
        transaction.release(self._held)
        return None

    def _rank_ranges(self, transaction: QueueTransaction, after: str) -> tuple[tuple[int, int], ...]:
        task = transaction.task(after, to_change=False) if after else None
        if task is None:
            return (task_status.RANKS,)
        lowest, highest = task_status.RANKS
        behind = (task.rank + 1, highest), (lowest, task.rank)
        is_done = not task.is_open or not _is_ours(task)
        return (task_status.FIRST_RANKS, *behind) if is_done else behind

    def _claimed(self, transaction: QueueTransaction, found: Row[Any]) -> task_status.QueuedTask:
        if self._held and found.task_id != self._held:
            transaction.release(self._held)
        past = self._snapshot.past(transaction.connection, found.task_id, found.version)
        self._known_events = len(past.history)
        return self._with_thread(task_status.QueuedTask(past.listed, task_status.Status.CLAIMED, past.history))

    def _with_thread(self, task: task_status.QueuedTask) -> task_status.QueuedTask:
        sent_back = {} if self._outside is None else self._outside.sent_back
        if not any(back.task_id == task.task_id for back in sent_back.values()):
            return task
        back = sent_back.get(task_status.sent_back_episode(task.history))
        return task if back is None else replace(task, thread=back.thread)

    def _release(self) -> None:
        if self._held:
            with self._claiming() as transaction:
                transaction.release(self._held)
            self._held = ""

    def _renew(self) -> bool:
        if self._held:
            with self._claiming() as transaction:
                is_kept = transaction.renew(self._held) or self._is_recorded_here(transaction, self._held)
                if not is_kept and not self._is_taken(transaction):
                    self._held, self._lost = "", _RAN_OUT
        return bool(self._held)

    def _is_taken(self, transaction: QueueTransaction) -> bool:
        """Whether somebody else has ended the claim; then it is forgotten, and the reason kept to be told."""
        task = transaction.task(self._held, to_change=False)
        if task is None or task.is_mine:
            return False
        past = self._snapshot.past(transaction.connection, task.task_id, task.version)
        new = [entry for entry in past.history[self._known_events :] if entry.event in task_status.TAKEN]
        if new:
            self._lost = new[-1].words
            self._held, self._passed = "", task.task_id
        return bool(new)

    def _told_loss(self) -> str:
        lost, self._lost = self._lost, ""
        return lost

    def _is_recorded_here(self, transaction: QueueTransaction, task_id: str) -> bool:
        task = transaction.task(task_id, to_change=False)
        return task is not None and task.is_held and task.is_recording and task.place == self._client.place

    def _forget(self, task_id: str) -> None:
        if self._held == task_id:
            self._held = ""

    def _required(self, task: Row[Any] | None, task_id: str, allowed: Set[task_status.Status], do: str) -> Row[Any]:
        """Raises TaskError if it is held by others or not `allowed` to `do` ("be skipped")."""
        if task is None or not task.is_listed or task_status.Status[task.status] not in allowed or not _is_ours(task):
            raise self._refusal(task, task_id, do)
        return task

    def _refusal(self, task: Row[Any] | None, task_id: str, do: str) -> TaskError:
        if task is None or not task.is_listed:
            where = self._source.path if self._source is not None else f"the queue {self._database.name}"
            return TaskError(f"The task {task_id} is not in {where} any more. Choose another one.")
        words = task_status.shown_status(
            task_status.Status[task.status], is_held=task.is_held, is_recording=task.is_recording
        ).value.lower()
        if not _is_ours(task):
            words = f"{words}, by {task.annotator} on {computer(task.place)}"
        elif task.assignee not in ("", self._client.annotator):
            words = f"{words}, for {task.assignee} only"
        return TaskError(f"The task {task_id} cannot {do}: it is {words}.")

    @contextmanager
    def _writing(self) -> Iterator[QueueTransaction]:
        with self._database.writing() as connection:
            yield self._transaction(connection)

    @contextmanager
    def _claiming(self) -> Iterator[QueueTransaction]:
        with self._database.writing_at_once() as connection:
            yield self._transaction(connection)

    def _transaction(self, connection: Connection) -> QueueTransaction:
        return QueueTransaction(connection, self._database, self._statements, self._client, self._leases)


def _is_ours(task: Row[Any]) -> bool:
    return not task.is_held or task.is_mine


def _by_id(tasks: Iterable[ListedTask]) -> dict[str, ListedTask]:
    return {task.task_id: task for task in tasks}


def _judged_as_seen(task: Row[Any], seen: ListedTask, judge: Callable[[ListedTask], ListedTask]) -> ListedTask:
    """Ignores earlier decisions. Raises TaskError if the task changed since it was seen."""
    decided = judge(seen)
    if judge(parse_task_line(task.line)) != decided:
        raise _changed_meanwhile(task.task_id)
    return decided


def _changed_meanwhile(task_id: str) -> TaskError:
    return TaskError(f"The task {task_id} was changed by somebody else. Read it again.")
