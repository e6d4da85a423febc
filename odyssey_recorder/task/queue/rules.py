"""The rules of a queue: how a task stands after what was done with it, and its place in the order of offering. Pure."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.queue import FINISHED, OPEN, RECORDED, Status, TaskEvent

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
_POSITION_BITS, _DUE_BITS, _URGENCY_BITS = 32, 22, 6
_TURN_BITS = _POSITION_BITS + _DUE_BITS + _URGENCY_BITS
_MOST_URGENT = 9

RANKS = (0, (1 << 63) - 1)
"""All ranks, both ends included, as all ranges of them."""

SENT_BACK_RANKS = (0, (1 << _TURN_BITS) - 1)
"""The ranks of what was sent back."""


def first_status(listed: ListedTask, *, to_approve: bool = False) -> Status:
    """How a task stands that comes into the queue: nothing is offered whose words somebody rejected, or whose known
    faults nobody approved."""
    text = listed.text
    if text is None or text.approval is Approval.APPROVED:
        is_sound = True
    else:
        is_sound = text.approval is Approval.OPEN and (text.equivalence is None or text.equivalence.holds)
    return Status.WAITING if is_sound and not to_approve else Status.TO_APPROVE


def next_status(status: Status, deed: TaskEvent) -> Status:
    """How a task stands that stood so, with nobody's claims and recordings counted.

    What ended as impossible stays so when that is accepted, and what has an episode stays as it is when it is recorded
    once more.
    """
    if status is Status.IMPOSSIBLE and deed is TaskEvent.ACCEPTED:
        return status
    if status in FINISHED and deed in RECORDED:
        return status
    return _STATUSES.get(deed, status)


def status_after(deeds: Iterable[TaskEvent]) -> Status:
    """How a task stands after all that was done with it, the oldest first; one that nothing was done with waits."""
    status = Status.WAITING
    for deed in deeds:
        status = next_status(status, deed)
    return status


def counted_episode(done: Iterable[tuple[TaskEvent, str]]) -> str:
    """The episode that a task was last recorded as, of its deeds with their episodes, the oldest first; empty for none.

    What came while the task had an episode already does not count.
    """
    counted, is_recorded = "", False
    for deed, episode_id in done:
        if deed in RECORDED and not is_recorded:
            counted, is_recorded = episode_id, True
        elif deed is TaskEvent.SENT_BACK:
            is_recorded = False
    return counted


def shown_status(status: Status, *, is_held: bool, is_recording: bool) -> Status:
    """How a task stands, with a claim or a recording that has not run out."""
    if not is_held or status in FINISHED:
        return status
    if is_recording:
        return Status.UNDER_WAY
    return Status.CLAIMED if status in OPEN else status


def rank(listed: ListedTask, position: int, status: Status, skipped: int) -> int:
    """Where a task is in the order of offering: the lower, the earlier; of 63 bits.

    What was sent back comes first, then all else, each by priority, then by what is due first, then by its `position`;
    what was skipped comes last, in the order of the numbers `skipped` that the deeds have.
    """
    if status is Status.SKIPPED:
        return 2 << _TURN_BITS | skipped
    turn = 0 if status is Status.SENT_BACK else 1
    urgency = turn << _URGENCY_BITS | _MOST_URGENT - listed.priority
    return (urgency << _DUE_BITS | (listed.due or date.max).toordinal()) << _POSITION_BITS | position


def judged(listed: ListedTask, approval: Approval, by: str, note: str = "") -> ListedTask:
    """The task with what a person says of its words; one that does not tell where they come from stays as it is."""
    if listed.text is None:
        return listed
    return replace(listed, text=replace(listed.text, approval=approval, approved_by=by, note=note))


def skip_number(rank: int) -> int:
    """The number of the deed that is in the rank of a skipped task."""
    return rank & SENT_BACK_RANKS[1]


def given(reason: str) -> str:
    """A reason in one line. Raises TaskError where there is none, or it holds what no text can hold."""
    words = " ".join(reason.replace("\0", " ").split())
    if not words:
        raise TaskError("Say why: the reason is shown with the task.")
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise TaskError(f"The reason holds half a character: write it anew ({error.reason}).") from error
    return words
