"""Tasks with their status, the events that change it, and the order of offering. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import Enum

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval, Writer
from odyssey_recorder.tasks.listing import ListedTask


class Status(Enum):
    """Only tasks in `OPEN` are offered. A recorded task is DONE once accepted, IMPOSSIBLE if its episode ends so."""

    TO_APPROVE = "To approve"
    REJECTED = "Rejected"
    WAITING = "Waiting"
    CLAIMED = "Reserved"
    UNDER_WAY = "In progress"
    SENT_BACK = "Sent back"
    SKIPPED = "Skipped"
    RECORDED = "Recorded"
    IMPOSSIBLE = "Impossible"
    DONE = "Done"


OPEN = frozenset({Status.WAITING, Status.SENT_BACK, Status.SKIPPED})

FINISHED = frozenset({Status.RECORDED, Status.IMPOSSIBLE, Status.DONE})


class TaskEvent(Enum):
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
    REOPENED = "reopened"
    RELEASED = "released"
    ASSIGNED = "assigned"
    NOT_REWRITTEN = "not rewritten"


RECORDED = frozenset({TaskEvent.RECORDED, TaskEvent.IMPOSSIBLE})

TAKEN = frozenset({TaskEvent.RELEASED, TaskEvent.ASSIGNED})
"""Events that end the claim of a person, by somebody else."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One event of a task; times are UTC, `episode_id` is that of a recording, `place` that of a QueueClient."""

    event: TaskEvent
    by: str
    at: datetime
    reason: str
    episode_id: str
    place: str

    @property
    def words(self) -> str:
        """What was done by whom and why, without the time."""
        more = self.reason or (f"episode {self.episode_id}" if self.episode_id else "")
        link = " " if self.event is TaskEvent.ASSIGNED else ": " if more else ""  # that reason is to whom
        return f"{self.event.value.capitalize()} by {self.by}{link}{more}"


def sent_back_episode(history: Sequence[HistoryEntry]) -> str:
    """The episode whose review sent the task back, if nothing was recorded since; empty for none."""
    wanted = {TaskEvent.SENT_BACK, *RECORDED}
    last = next((entry for entry in reversed(history) if entry.event in wanted), None)
    return last.episode_id if last is not None and last.event is TaskEvent.SENT_BACK else ""


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task, its status, and its history, oldest entry first.

    `thread` is why a reviewer sent the annotator's episode back, and what was said about it since, a line for each.
    """

    listed: ListedTask
    status: Status
    history: tuple[HistoryEntry, ...] = ()
    thread: tuple[str, ...] = ()

    @property
    def task_id(self) -> str:
        return self.listed.task_id

    @property
    def given_up(self) -> HistoryEntry | None:
        """When and why it was last skipped or sent back; None if its status is neither."""
        if self.status not in (Status.SKIPPED, Status.SENT_BACK, Status.CLAIMED):
            return None
        about_claims = TAKEN | {TaskEvent.NOT_REWRITTEN}
        return next((past for past in reversed(self.history) if past.reason and past.event not in about_claims), None)

    @property
    def reason(self) -> str:
        return "" if self.given_up is None else self.given_up.reason

    @property
    def not_rewritten(self) -> str:
        """Why no model has rewritten it since the last change of its instruction; empty if one has, or never tried."""
        last = self.history[-1] if self.history else None
        return last.reason if last is not None and last.event is TaskEvent.NOT_REWRITTEN else ""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a task; `since` and `until` are UTC."""

    task_id: str
    annotator: str
    place: str
    since: datetime
    until: datetime
    is_recording: bool
    """Otherwise the task is only shown on the annotator's Record page."""


@dataclass(frozen=True, slots=True)
class SentBack:
    """A task that a reviewer wants recorded again; `thread` as in QueuedTask."""

    task_id: str
    by: str
    why: str
    thread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueContents:
    """All tasks of a queue, as they were when the `annotator` read them."""

    name: str
    tasks: tuple[QueuedTask, ...]
    annotator: str = ""
    version: object = None
    """Differs after every change."""

    def count(self, *statuses: Status) -> int:
        return sum(task.status in statuses for task in self.tasks)

    def task(self, task_id: str) -> QueuedTask | None:
        return next((task for task in self.tasks if task.task_id == task_id), None)

    def open_for(self, device: str | None) -> tuple[QueuedTask, ...]:
        """The tasks that this annotator may record."""
        ours = ("", self.annotator)
        open_tasks = (task for task in self.tasks if task.status in OPEN and task.listed.assignee in ours)
        return tuple(task for task in open_tasks if task.listed.fits(device))


# Status.

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


def first_status(listed: ListedTask, *, to_approve: bool | None = None) -> Status:
    """With `to_approve` None, those that a model has rewritten wait for approval; always those with known faults."""
    text = listed.text
    is_sound = text is None or text.approval is Approval.APPROVED
    if text is not None and text.approval is Approval.OPEN:
        is_trusted = text.writer is not Writer.MODEL or to_approve is not None
        is_sound = is_trusted and (text.equivalence is None or text.equivalence.holds)
    return Status.WAITING if is_sound and not to_approve else Status.TO_APPROVE


def next_status(status: Status, event: TaskEvent) -> Status:
    """Accepting an impossible task leaves it impossible; recording a finished task again changes nothing.

    A skipped task that is assigned to somebody waits again.
    """
    if status is Status.IMPOSSIBLE and event is TaskEvent.ACCEPTED:
        return status
    if status in FINISHED and event in RECORDED:
        return status
    if status is Status.SKIPPED and event is TaskEvent.ASSIGNED:
        return Status.WAITING
    if status is Status.DONE and event is TaskEvent.REOPENED:
        return Status.RECORDED
    return _STATUSES.get(event, status)


def status_after(events: Iterable[TaskEvent]) -> Status:
    status = Status.WAITING
    for event in events:
        status = next_status(status, event)
    return status


def shown_status(status: Status, *, is_held: bool, is_recording: bool) -> Status:
    if not is_held or status in FINISHED:
        return status
    if is_recording:
        return Status.UNDER_WAY
    return Status.CLAIMED if status in OPEN else status


def counted_episode(events: Iterable[tuple[TaskEvent, str]]) -> str:
    """From events with their episodes, oldest first; empty for none. Recordings of a finished task do not count."""
    counted, is_recorded = "", False
    for event, episode_id in events:
        if event in RECORDED and not is_recorded:
            counted, is_recorded = episode_id, True
        elif event is TaskEvent.SENT_BACK:
            is_recorded = False
    return counted


def since_recorded(events: Iterable[TaskEvent]) -> list[TaskEvent]:
    """From events of one episode, oldest first: those after it last counted as recorded and not reviewed."""
    since: list[TaskEvent] = []
    for event in events:
        since = [] if event in RECORDED or event is TaskEvent.REOPENED else [*since, event]
    return since


# The order of offering.

_POSITION_BITS, _DUE_BITS, _URGENCY_BITS = 32, 22, 6
_TURN_BITS = _POSITION_BITS + _DUE_BITS + _URGENCY_BITS
_MOST_URGENT = 9

RANKS = (0, (1 << 63) - 1)
"""Ranges of ranks include both ends."""

FIRST_RANKS = (0, (1 << _TURN_BITS) - 1)


def rank(listed: ListedTask, position: int, status: Status, skip_number: int) -> int:
    """The 63-bit position in the order of offering, lowest first.

    Tasks sent back and those assigned to a person come first, then the others; each by priority, due date and
    `position`. Skipped tasks come last, in the order of the events that skipped them.
    """
    if status is Status.SKIPPED:
        return 2 << _TURN_BITS | skip_number
    turn = 0 if status is Status.SENT_BACK or listed.assignee else 1
    urgency = turn << _URGENCY_BITS | _MOST_URGENT - listed.priority
    return (urgency << _DUE_BITS | (listed.due or date.max).toordinal()) << _POSITION_BITS | position


def skip_number(rank: int) -> int:
    return rank & FIRST_RANKS[1]


# Decisions of people.


def judged(listed: ListedTask, approval: Approval, by: str, note: str = "") -> ListedTask:
    """Unchanged if the origin of the instruction is unknown."""
    if listed.text is None:
        return listed
    return replace(listed, text=replace(listed.text, approval=approval, approved_by=by, note=note))


def checked_reason(reason: str) -> str:
    """In one line. Raises TaskError if it is empty or has invalid characters."""
    words = " ".join(reason.replace("\0", " ").split())
    if not words:
        raise TaskError("Enter a reason. It is shown with the task.")
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise TaskError(f"The reason contains an invalid character. Enter it again ({error.reason}).") from error
    return words
