"""The order of offering, and the status that follows from events."""

from datetime import date
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.snapshot import at
from odyssey_recorder.tasks.queue.task_status import (
    FIRST_RANKS,
    RANKS,
    Status,
    TaskEvent,
    checked_reason,
    rank,
    skip_number,
    status_after,
)

Place: TypeAlias = tuple[Status, int, date | None, int, int]
"""Status, priority, due date, position and number of skips."""
PLACES = st.tuples(
    st.sampled_from([Status.SENT_BACK, Status.WAITING, Status.RECORDED, Status.SKIPPED]),
    st.integers(-9, 9),
    st.none() | st.dates(),
    st.integers(0, 2**32 - 1),
    st.integers(1, 2**59),
)


def _rank(place: Place) -> int:
    status, priority, due, position, skipped = place
    listed = ListedTask("a", TaskInfo("", (), "", "", ""), due=due, priority=priority)
    return rank(listed, position, status, skipped)


def _order(place: Place) -> tuple[int, int, date, int]:
    status, priority, due, position, skipped = place
    if status is Status.SKIPPED:
        return 2, skipped, date.max, 0
    return 0 if status is Status.SENT_BACK else 1, -priority, due or date.max, position


@given(PLACES, PLACES)
def test_rank_encodes_the_order(one: Place, other: Place) -> None:
    assert (_rank(one) < _rank(other)) == (_order(one) < _order(other))
    assert RANKS[0] <= _rank(one) <= RANKS[1]
    assert (_rank(one) <= FIRST_RANKS[1]) == (one[0] is Status.SENT_BACK)
    assert one[0] is not Status.SKIPPED or skip_number(_rank(one)) == one[4]


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([], Status.WAITING),
        ([TaskEvent.PREPARED], Status.TO_APPROVE),
        (
            [TaskEvent.PREPARED, TaskEvent.EDITED, TaskEvent.APPROVED, TaskEvent.BEGUN, TaskEvent.DROPPED],
            Status.WAITING,
        ),
        ([TaskEvent.SKIPPED, TaskEvent.BEGUN, TaskEvent.DROPPED], Status.SKIPPED),
        ([TaskEvent.RECORDED, TaskEvent.SENT_BACK], Status.SENT_BACK),
        ([TaskEvent.RECORDED, TaskEvent.ACCEPTED, TaskEvent.RECORDED], Status.DONE),
        ([TaskEvent.IMPOSSIBLE, TaskEvent.ACCEPTED], Status.IMPOSSIBLE),
        ([TaskEvent.IMPOSSIBLE, TaskEvent.RECORDED], Status.IMPOSSIBLE),
        ([TaskEvent.RECORDED, TaskEvent.IMPOSSIBLE], Status.RECORDED),
        ([TaskEvent.IMPOSSIBLE, TaskEvent.SENT_BACK, TaskEvent.RECORDED], Status.RECORDED),
    ],
)
def test_status_follows_from_the_events(events: list[TaskEvent], status: Status) -> None:
    assert status_after(events) is status


def test_reason_is_cleaned_and_validated() -> None:
    assert checked_reason(" no\0such \n app ") == "no such app"
    with pytest.raises(TaskError, match="contains an invalid character"):
        checked_reason("\ud83d")


@pytest.mark.parametrize(("time_us", "year"), [(-(2**63), 1970), (1_795_000_000_000_000, 2026), (2**63 - 1, 2255)])
def test_any_stored_time_can_be_shown(time_us: int, year: int) -> None:
    assert at(time_us).astimezone().year in (year - 1, year)
