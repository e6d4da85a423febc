"""Compares the queue with drafts, dataset and reviews, and writes the missing events."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sqlalchemy import Row

from odyssey_recorder.tasks.queue.client import QueueClient, is_gone
from odyssey_recorder.tasks.queue.snapshot import QueueRow, QueueSnapshot
from odyssey_recorder.tasks.queue.task_status import (
    FINISHED,
    RECORDED,
    SentBack,
    Status,
    TaskEvent,
    sent_back_episode,
    since_recorded,
)
from odyssey_recorder.tasks.queue.transaction import QueueTransaction

_TAKEN_BACK = "the verdict, or the withdrawal, was taken back"


class EpisodeLookup(Protocol):
    """`dataset.store` implements it."""

    def drafts_of_tasks(self) -> Mapping[str, str]:
        """The task id of each draft that has one, by episode id. Raises DatasetError."""

    def is_published(self, episode_id: str) -> bool:
        """Whether the episode is in the dataset."""

    def is_impossible(self, episode_id: str) -> bool:
        """Whether the episode is in the dataset and ends with IMPOSSIBLE; False if it is unreadable."""


class ReviewOutcomes(Protocol):
    """`quality.reviewing.review_store` implements it."""

    def sent_back(self, annotator: str) -> Mapping[str, SentBack]:
        """The annotator's episodes that were sent back, by episode id. Raises DatasetError."""

    def accepted(self, episode_ids: Collection[str]) -> Mapping[str, str]:
        """The accepted ones of these episodes, with the last reviewer who accepted. Raises DatasetError."""

    def reopened(self, episode_ids: Collection[str]) -> Mapping[str, str]:
        """Those of these episodes whose verdict was taken back, with who did that. Raises DatasetError."""


@dataclass(frozen=True, slots=True)
class QueueChange:
    task_id: str
    episode_id: str
    event: TaskEvent | None
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OutsideState:
    drafts: Mapping[str, str] = field(default_factory=dict)
    sent_back: Mapping[str, SentBack] = field(default_factory=dict)


class Reconciler:
    def __init__(
        self, client: QueueClient, episodes: EpisodeLookup, reviews: ReviewOutcomes | None, recording_s: float
    ) -> None:
        self._client = client
        self._episodes = episodes
        self._reviews = reviews
        self._renew_below_us = int(recording_s * 0.9e6)

    def look(self) -> OutsideState:
        """Raises DatasetError."""
        sent_back = self._reviews.sent_back(self._client.annotator) if self._reviews is not None else {}
        return OutsideState(dict(self._episodes.drafts_of_tasks()), dict(sent_back))

    def changes(self, outside: OutsideState, snapshot: QueueSnapshot) -> list[QueueChange]:
        """Sorted by task id, so that all windows write in the same order. Raises DatasetError."""
        found = [*self._begun(outside, snapshot), *self._ended(outside, snapshot), *self._reviewed(outside, snapshot)]
        return sorted(found, key=lambda change: change.task_id)

    def gone(self, snapshot: QueueSnapshot) -> set[str]:
        tokens = {task.token for task in snapshot if task.left_us and task.token and task.place == self._client.place}
        return {token for token in tokens if is_gone(token)}

    def recorded(self, task_id: str, episode_id: str) -> QueueChange:
        event = TaskEvent.IMPOSSIBLE if self._episodes.is_impossible(episode_id) else TaskEvent.RECORDED
        return QueueChange(task_id, episode_id, event)

    def _begun(self, outside: OutsideState, snapshot: QueueSnapshot) -> Iterator[QueueChange]:
        for episode_id, task_id in outside.drafts.items():
            task = snapshot.get(task_id)
            if task is None or episode_id in task.past.ended():
                continue
            if episode_id not in task.past.under_way(self._client.place):
                yield QueueChange(task_id, episode_id, TaskEvent.BEGUN)
            elif task.status not in FINISHED and (not task.left_us or self._needs_renewal(task)):
                yield QueueChange(task_id, episode_id, None)

    def _needs_renewal(self, task: QueueRow) -> bool:
        is_kept = task.is_recording and task.left_us > self._renew_below_us
        return task.place == self._client.place and not is_kept

    def _ended(self, outside: OutsideState, snapshot: QueueSnapshot) -> Iterator[QueueChange]:
        for task in snapshot:
            for episode_id in sorted(task.past.under_way(self._client.place)):
                if self._episodes.is_published(episode_id):
                    yield self.recorded(task.task_id, episode_id)
                elif episode_id not in outside.drafts:
                    yield QueueChange(task.task_id, episode_id, TaskEvent.DROPPED)

    def _reviewed(self, outside: OutsideState, snapshot: QueueSnapshot) -> Iterator[QueueChange]:
        for episode_id, back in outside.sent_back.items():
            task = snapshot.get(back.task_id)
            if task is not None and not task.past.has(TaskEvent.SENT_BACK, episode_id):
                yield QueueChange(back.task_id, episode_id, TaskEvent.SENT_BACK, back.by, back.why)
        if self._reviews is None:
            return
        waiting = {
            task.past.last_recorded(): task.task_id
            for task in snapshot
            if task.status in FINISHED and not task.past.has(TaskEvent.ACCEPTED, task.past.last_recorded())
        }
        done = {task.past.last_recorded(): task.task_id for task in snapshot if task.status is Status.DONE}
        accepted = self._reviews.accepted({*waiting, *done})
        for episode_id in waiting.keys() & accepted.keys():
            yield QueueChange(waiting[episode_id], episode_id, TaskEvent.ACCEPTED, accepted[episode_id])
        returned = {sent_back_episode(task.past.history): task.task_id for task in snapshot}
        for episode_id, by in self._reviews.reopened({*returned, *done}.difference(accepted)).items():
            if episode_id in returned:
                yield replace(self.recorded(returned[episode_id], episode_id), by=by, reason=_TAKEN_BACK)
            else:
                yield QueueChange(done[episode_id], episode_id, TaskEvent.REOPENED, by)

    def write(self, transaction: QueueTransaction, change: QueueChange) -> None:
        task = transaction.task(change.task_id)
        if task is None:
            return
        past = transaction.of_episode(change.task_id, change.episode_id)
        known = {event for event, _place in past}
        since = set(since_recorded(event for event, _place in past))
        place = self._client.place
        match change.event:
            case None:
                transaction.begin(task)
            case TaskEvent.BEGUN if not known & RECORDED and not _is_under_way(past, place):
                by = task.annotator if task.is_held and task.place == place else ""
                transaction.note(task, TaskEvent.BEGUN, by=by, episode_id=change.episode_id)
                transaction.begin(task)
            case TaskEvent.DROPPED if _is_under_way(past, place):
                transaction.note(task, TaskEvent.DROPPED, episode_id=change.episode_id)
                transaction.end(change.task_id)
            case TaskEvent.RECORDED | TaskEvent.IMPOSSIBLE if not known & RECORDED or (
                change.reason and TaskEvent.SENT_BACK in since and _may_review(transaction, task, change)
            ):
                _note(transaction, task, change)
            case TaskEvent.SENT_BACK if TaskEvent.SENT_BACK not in since and _may_review(transaction, task, change):
                _note(transaction, task, change)
            case TaskEvent.ACCEPTED if not since & {TaskEvent.ACCEPTED, TaskEvent.SENT_BACK}:
                is_last = transaction.last_recorded(change.task_id) == change.episode_id
                if Status[task.status] in FINISHED and is_last:
                    _note(transaction, task, change)
            case TaskEvent.REOPENED if TaskEvent.ACCEPTED in since:
                _note(transaction, task, change)
            case _:
                pass


def _note(transaction: QueueTransaction, task: Row[Any], change: QueueChange) -> None:
    assert change.event is not None
    transaction.note(task, change.event, by=change.by, reason=change.reason, episode_id=change.episode_id)


def _may_review(transaction: QueueTransaction, task: Row[Any], change: QueueChange) -> bool:
    """Whether a review of the episode may change the task: it is not being recorded, nor recorded again."""
    is_recording = task.is_held and task.is_recording
    return not is_recording and transaction.last_recorded(change.task_id) in ("", change.episode_id)


def _is_under_way(past: list[tuple[TaskEvent, str]], place: str) -> bool:
    is_begun = False
    for event, at_place in past:
        if event is TaskEvent.BEGUN:
            is_begun = is_begun or at_place == place
        elif event is TaskEvent.DROPPED:
            is_begun = False
    return is_begun
