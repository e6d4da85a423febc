"""What a queue of tasks holds, what can happen to a task, and which status and place in the order follow. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import Enum

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval
from odyssey_recorder.task.listing import ListedTask


class Status(Enum):
    """How far a task is.

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
"""A task that may be claimed."""

FINISHED = frozenset({Status.RECORDED, Status.IMPOSSIBLE, Status.DONE})
"""A task that has an episode in the dataset."""


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
    """One event of a task: by whom, when (UTC), for which reason, or as which episode."""

    event: TaskEvent
    by: str
    at: datetime
    reason: str = ""
    episode_id: str = ""


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task, its status, and its history, the oldest entry first."""

    listed: ListedTask
    status: Status
    history: tuple[HistoryEntry, ...] = ()

    @property
    def task_id(self) -> str:
        return self.listed.task_id

    @property
    def reason(self) -> str:
        """Why it was skipped or sent back the last time; empty where it is neither."""
        if self.status not in (Status.SKIPPED, Status.SENT_BACK, Status.CLAIMED):
            return ""
        return next((entry.reason for entry in reversed(self.history) if entry.reason), "")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a task: the annotator, the name of their computer, since when and until when at the latest (UTC)."""

    task_id: str
    annotator: str
    place: str
    since: datetime
    until: datetime
    is_recording: bool
    """Whether a recording was begun; otherwise it is only on their Record page."""


@dataclass(frozen=True, slots=True)
class SentBack:
    """What a review made of a recorded task: it waits again, because of what `by` says in `why`."""

    task_id: str
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Board:
    """All tasks of a queue in the order of its list, and the name of the list."""

    name: str
    tasks: tuple[QueuedTask, ...]

    def count(self, *statuses: Status) -> int:
        return sum(task.status in statuses for task in self.tasks)

    def task(self, task_id: str) -> QueuedTask | None:
        return next((task for task in self.tasks if task.task_id == task_id), None)

    def open_for(self, device: str | None) -> tuple[QueuedTask, ...]:
        """The tasks that may be claimed and fit a device of this profile, as `ListedTask.fits` says."""
        return tuple(task for task in self.tasks if task.status in OPEN and task.listed.fits(device))


# The status that follows from events.

_STATUSES = {
    TaskEvent.PREPARED: Status.TO_APPROVE,
    TaskEvent.APPROVED: Status.WAITING,
    TaskEvent.REJECTED: Status.REJECTED,
    TaskEvent.RECORDED: Status.RECORDED,
    TaskEvent.IMPOSSIBLE: Status.IMPOSSIBLE,
    TaskEvent.SKIPPED: Status.SKIPPED,
    TaskEvent.SENT_BACK: Status.SENT_BACK,
    TaskEvent.ACCEPTED: Status.DONE,
}


def first_status(listed: ListedTask, *, to_approve: bool = False) -> Status:
    """The status of a new task: to be approved where its words were rejected or have faults that nobody approved."""
    text = listed.text
    if text is None or text.approval is Approval.APPROVED:
        is_sound = True
    else:
        is_sound = text.approval is Approval.OPEN and (text.equivalence is None or text.equivalence.holds)
    return Status.WAITING if is_sound and not to_approve else Status.TO_APPROVE


def next_status(status: Status, event: TaskEvent) -> Status:
    """The status after an event, claims and recordings left aside.

    What ended as impossible stays so when that is accepted, and what has an episode stays as it is when it is recorded
    once more.
    """
    if status is Status.IMPOSSIBLE and event is TaskEvent.ACCEPTED:
        return status
    if status in FINISHED and event in RECORDED:
        return status
    return _STATUSES.get(event, status)


def status_after(events: Iterable[TaskEvent]) -> Status:
    """The status after all events of a task, the oldest first."""
    status = Status.WAITING
    for event in events:
        status = next_status(status, event)
    return status


def shown_status(status: Status, *, is_held: bool, is_recording: bool) -> Status:
    """The status with a claim or a recording that has not run out."""
    if not is_held or status in FINISHED:
        return status
    if is_recording:
        return Status.UNDER_WAY
    return Status.CLAIMED if status in OPEN else status


def counted_episode(events: Iterable[tuple[TaskEvent, str]]) -> str:
    """The episode that a task was last recorded as, from its events with their episodes, the oldest first.

    Empty for none. What came while the task had an episode already does not count.
    """
    counted, is_recorded = "", False
    for event, episode_id in events:
        if event in RECORDED and not is_recorded:
            counted, is_recorded = episode_id, True
        elif event is TaskEvent.SENT_BACK:
            is_recorded = False
    return counted


# The order of offering.

_POSITION_BITS, _DUE_BITS, _URGENCY_BITS = 32, 22, 6
_TURN_BITS = _POSITION_BITS + _DUE_BITS + _URGENCY_BITS
_MOST_URGENT = 9

RANKS = (0, (1 << 63) - 1)
"""All ranks; ranges of ranks include both ends."""

SENT_BACK_RANKS = (0, (1 << _TURN_BITS) - 1)
"""The ranks of what was sent back."""


def rank(listed: ListedTask, position: int, status: Status, skip_number: int) -> int:
    """Where a task is in the order of offering: the lower, the earlier; of 63 bits.

    What was sent back comes first, then all else, each by priority, then by what is due first, then by its `position`;
    what was skipped comes last, in the order of the events that skipped it.
    """
    if status is Status.SKIPPED:
        return 2 << _TURN_BITS | skip_number
    turn = 0 if status is Status.SENT_BACK else 1
    urgency = turn << _URGENCY_BITS | _MOST_URGENT - listed.priority
    return (urgency << _DUE_BITS | (listed.due or date.max).toordinal()) << _POSITION_BITS | position


def skip_number(rank: int) -> int:
    """The number of the event in the rank of a skipped task."""
    return rank & SENT_BACK_RANKS[1]


# What people decide.


def judged(listed: ListedTask, approval: Approval, by: str, note: str = "") -> ListedTask:
    """The task with a person's decision on its words; one without an origin of its words stays as it is."""
    if listed.text is None:
        return listed
    return replace(listed, text=replace(listed.text, approval=approval, approved_by=by, note=note))


def checked_reason(reason: str) -> str:
    """A reason in one line. Raises TaskError where there is none, or it holds what no text can hold."""
    words = " ".join(reason.replace("\0", " ").split())
    if not words:
        raise TaskError("Say why: the reason is shown with the task.")
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise TaskError(f"The reason holds half a character: write it anew ({error.reason}).") from error
    return words
