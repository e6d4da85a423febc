"""What a queue of tasks is: what becomes of each task, who did it and why, and what may be asked of any queue."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Protocol

from odyssey_recorder.task.listing import ListedTask


class Status(Enum):
    """How a task stands.

    What is to be approved, or was rejected, is never offered. A task that was recorded is done when its episode was
    accepted, and impossible where the episode ends so.
    """

    TO_APPROVE = "To approve"
    REJECTED = "Rejected"
    WAITING = "Waiting"
    CLAIMED = "Claimed"
    UNDER_WAY = "Under way"
    SENT_BACK = "Sent back"
    SKIPPED = "Skipped"
    RECORDED = "Recorded"
    IMPOSSIBLE = "Impossible"
    DONE = "Done"


OPEN = frozenset({Status.WAITING, Status.SENT_BACK, Status.SKIPPED})
"""How a task stands that may be claimed."""

FINISHED = frozenset({Status.RECORDED, Status.IMPOSSIBLE, Status.DONE})
"""How a task stands that has an episode in the dataset."""


class TaskEvent(Enum):
    """What was done with a task."""

    PREPARED = "prepared"
    APPROVED = "approved"
    REJECTED = "rejected"
    EDITED = "edited"
    REWRITTEN = "rewritten by a model"
    BEGUN = "begun"
    DROPPED = "dropped"
    RECORDED = "recorded"
    IMPOSSIBLE = "recorded as impossible"
    SKIPPED = "skipped"
    SENT_BACK = "sent back"
    ACCEPTED = "accepted"


RECORDED = frozenset({TaskEvent.RECORDED, TaskEvent.IMPOSSIBLE})
"""What gives a task an episode."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that was done with a task: by whom, when (UTC), for which reason, or as which episode."""

    deed: TaskEvent
    by: str
    at: datetime
    reason: str = ""
    episode_id: str = ""


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task, how it stands, and what was done with it so far, the oldest first."""

    listed: ListedTask
    status: Status
    history: tuple[HistoryEntry, ...] = ()

    @property
    def task_id(self) -> str:
        """How the task is known."""
        return self.listed.task_id

    @property
    def reason(self) -> str:
        """Why it was skipped or sent back the last time; empty where it is neither."""
        if self.status not in (Status.SKIPPED, Status.SENT_BACK, Status.CLAIMED):
            return ""
        return next((entry.reason for entry in reversed(self.history) if entry.reason), "")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a task: the annotator, the computer they sit at, since when and until when at the latest (UTC)."""

    task_id: str
    annotator: str
    place: str
    since: datetime
    until: datetime
    is_recording: bool
    """Whether a recording was begun; otherwise it is only on their Record page."""


@dataclass(frozen=True, slots=True)
class Board:
    """All tasks of a queue, as the list has them, and what the list is called."""

    name: str
    tasks: tuple[QueuedTask, ...]

    def count(self, *statuses: Status) -> int:
        """How many tasks stand like one of these."""
        return sum(task.status in statuses for task in self.tasks)

    def task(self, task_id: str) -> QueuedTask | None:
        """The task of this id; None for one that is not in the list, or no longer."""
        return next((task for task in self.tasks if task.task_id == task_id), None)

    def open_for(self, device: str | None) -> tuple[QueuedTask, ...]:
        """The tasks that may be claimed and fit a device of this profile, as `ListedTask.fits` says."""
        return tuple(task for task in self.tasks if task.status in OPEN and task.listed.fits(device))


class EpisodeLookup(Protocol):
    """What a queue asks of the place where episodes are kept, to learn what became of those that were begun."""

    def drafts_of_tasks(self) -> Mapping[str, str]:
        """The task id of every unfinished recording that has one, by its episode id. Raises DatasetError."""

    def is_published(self, episode_id: str) -> bool:
        """Whether the episode is in the dataset."""

    def is_impossible(self, episode_id: str) -> bool:
        """Whether the episode is in the dataset and ends by IMPOSSIBLE; not where it cannot be read."""


@dataclass(frozen=True, slots=True)
class SentBack:
    """What a review made of a recorded task: it waits again, because of what `by` says in `why`."""

    task_id: str
    by: str
    why: str


class Returns(Protocol):
    """What a queue asks of the place where episodes are reviewed, wherever the reviewers sit."""

    def sent_back(self, annotator: str) -> Mapping[str, SentBack]:
        """The episodes of an annotator that were sent back, by episode id. Raises DatasetError."""

    def accepted(self, episode_ids: Collection[str]) -> Mapping[str, str]:
        """Those of the episodes that were accepted, with who said so last. Raises DatasetError."""


class TaskQueue(Protocol):
    """Where one annotator's tasks come from. Every call may block, comes from any thread, and may raise TaskError.

    An annotator holds at most one task: claiming gives the one back that was held before. What is held, under way or
    recorded is offered to nobody. A claim ends with its process, or runs out; then the task waits again. A recording
    that was begun makes the claim unneeded: its task is under way until the episode is published or thrown away, and
    a queue finds that out by itself, also after a crash. Where nobody looks for days, the task waits again; an episode
    that comes of it all the same is noted beside the other one.
    """

    def board(self) -> Board:
        """Every task and how it stands now."""

    def claim_next(self, *, after: str = "", device: str | None = None) -> QueuedTask | None:
        """Hold the first open task in the order of offering that fits the `device`: None where there is none.

        `device` is the profile as `ListedTask.fits` has it. With `after`, the first behind that task, and from the
        beginning again where none is. What was sent back comes first, also behind a task that is done. What was
        skipped comes last, in the order in which it was skipped.
        """

    def claim(self, task_id: str) -> QueuedTask:
        """Hold this task in place of the one before. Raises TaskError where it is not open, and changes nothing."""

    def release(self) -> None:
        """Hold none any more; the task that was held waits as before."""

    def renew(self) -> bool:
        """Keep the task that is held from running out, every few minutes; False where none is held any more.

        Whatever else is asked renews it too.
        """

    def skip(self, task_id: str, reason: str) -> None:
        """Put a task at the end, with the reason.

        Raises TaskError where it is under way, recorded, or held by somebody else.
        """

    def send_back(self, task_id: str, reason: str) -> None:
        """Have a recorded task wait again, with the reason. Raises TaskError where it is not recorded."""

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        """The task was recorded as this episode; a task that is not in the list, or marked before, is let be."""


class TaskStock(Protocol):
    """All tasks of a queue, as whoever prepares them has them. Every call may block and may raise TaskError."""

    def board(self) -> Board:
        """Every task and how it stands now, also what is to be approved or was rejected."""

    def add(self, tasks: Iterable[ListedTask], *, to_approve: bool) -> int:
        """Put tasks behind those that are there, to wait or to be approved first; how many were new.

        Those with known faults are always to be approved first. A task whose id is there already is left out.
        """

    def amend(
        self,
        tasks: Iterable[ListedTask],
        by: str,
        *,
        before: Iterable[ListedTask] = (),
        deed: TaskEvent = TaskEvent.EDITED,
    ) -> None:
        """Put these in the place of the tasks of the same ids, as `deed` has it in their histories; all or none.

        Raises TaskError where one was begun or recorded, or is not any more what it is in `before`.
        """

    def approve(self, tasks: Iterable[ListedTask], by: str) -> None:
        """Let tasks that were to be approved, or rejected, wait; all or none. What waits already is let be.

        The `tasks` are as whoever approves has seen them: raises TaskError where one is not so any more.
        """

    def reject(self, tasks: Iterable[ListedTask], by: str, reason: str) -> None:
        """Leave tasks out that were to be approved or wait; all or none.

        Raises TaskError where one was begun or recorded, or is not any more as it was seen.
        """

    def holders(self) -> tuple[Holder, ...]:
        """Who works on what now."""


class WholeQueue(TaskQueue, TaskStock, Protocol):
    """A queue for whoever records and for whoever prepares."""
