"""Preparing tasks: adding, editing, approving and rejecting."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import Engine, event

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval, TextOrigin
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import FINISHED, Status, TaskEvent
from tests.tasks.origins import BY_MODEL, FAULTY, PHRASED
from tests.tasks.queues import Queues, claimed_id, status
from tests.tasks.tasks import EPISODE, SECOND_EPISODE, FakeEpisodes, FakeReviews, row


def current(queue: TaskQueue, *task_ids: str) -> list[ListedTask]:
    """These tasks as currently read from the queue."""
    listed = {task.task_id: task.listed for task in queue.board().tasks}
    return [listed[one] for one in task_ids]


@contextmanager
def count_statements() -> Iterator[list[str]]:
    """The first word of each SQL statement run in the block; executemany counts once."""
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        statements.append(statement.split()[0])

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PHRASED, Status.WAITING),
        (BY_MODEL, Status.WAITING),
        (FAULTY, Status.TO_APPROVE),
        (replace(FAULTY, approval=Approval.APPROVED, approved_by="Lea"), Status.WAITING),
        (replace(BY_MODEL, approval=Approval.REJECTED), Status.TO_APPROVE),
    ],
)
def test_faulty_or_rejected_tasks_need_approval(queues: Queues, text: TextOrigin, expected: Status) -> None:
    queue = queues.queue(annotator="Lea")
    queue.add(with_origin(queues.listed(row("a")), text), to_approve=False)
    (task,) = queue.board().tasks
    assert task.status is expected
    assert [one.event for one in task.history] == ([TaskEvent.PREPARED] if expected is Status.TO_APPROVE else [])


def with_origin(listed: Iterable[ListedTask], text: TextOrigin = PHRASED) -> list[ListedTask]:
    return [replace(one, text=text) for one in listed]


def test_unapproved_tasks_are_listed_but_not_offered(queues: Queues) -> None:
    queue = queues.queue(annotator="Lea")
    assert queue.add(queues.listed(row("a"), row("b")), to_approve=True) == 2
    assert queue.add(queues.listed(row("b"), row("c")), to_approve=True) == 1
    assert queue.add((), to_approve=True) == 0
    ada = queues.queue()
    assert ada.board().count(Status.TO_APPROVE) == 3
    assert ada.claim_next() is None
    with pytest.raises(TaskError, match="a cannot be claimed: it is to approve"):
        ada.claim("a")
    queue.approve(current(queue, "b", "a"), "Lea")
    for _ in range(2):  # a waiting task is not approved twice
        claimed = ada.claim_next()
        assert claimed is not None
        assert claimed.task_id == "a"
        events = [(one.event, one.by) for one in claimed.history]
        assert events == [(TaskEvent.PREPARED, "Lea"), (TaskEvent.APPROVED, "Lea")]
        queue.approve(current(queue, "a"), "Lea")


def test_rejected_task_keeps_its_reason_and_can_still_be_approved(queues: Queues) -> None:
    queue = queues.queue()
    queue.add(with_origin(queues.listed(row("a"))), to_approve=True)
    queues.fill(row("b"))
    queue.claim("b")
    queue.reject(current(queue, "a", "b"), "Lea", "  nobody says\tit so ")
    a, b = queue.board().tasks
    assert (a.status, b.status) == (Status.REJECTED, Status.REJECTED)
    assert a.listed.text == replace(PHRASED, approval=Approval.REJECTED, approved_by="Lea", note="nobody says it so")
    assert [(one.event, one.by, one.reason) for one in b.history] == [(TaskEvent.REJECTED, "Lea", "nobody says it so")]
    assert (queue.claim_next(), queue.holders(), queue.renew()) == (None, (), False)
    with pytest.raises(TaskError, match="Enter a reason"):
        queue.reject(current(queue, "b"), "Lea", "")
    queue.approve(current(queue, "b"), "Lea")
    assert queue.board().count(Status.WAITING) == 1


def test_rejecting_several_tasks_is_all_or_nothing(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    episodes = FakeEpisodes()
    episodes.drafts[EPISODE] = "b"
    queue = queues.queue(episodes)
    with pytest.raises(TaskError, match="b cannot be rejected: it is in progress, by Ada"):
        queue.reject(current(queue, "a", "b"), "Lea", "not natural")
    assert queue.board().count(Status.WAITING) == 1


def test_decisions_on_an_outdated_text_are_refused(queues: Queues) -> None:
    queue, other = queues.queue(), queues.queue(annotator="Grace")
    queue.add(with_origin(queues.listed(row("a"), row("b"))), to_approve=True)
    before = current(queue, "a", "b")
    other.amend(with_origin(queues.listed(row("b", instruction="Wake me at six"))), "Grace")
    with pytest.raises(TaskError, match=r"b was changed by somebody else\. Read it again"):
        queue.approve(before, "Lea")
    with pytest.raises(TaskError, match="b was changed by somebody else"):
        queue.reject(before, "Lea", "not natural")
    mine = queues.listed(row("a", instruction="Do it"), row("b", instruction="Do it"))
    with pytest.raises(TaskError, match="b was changed by somebody else"):
        queue.amend(mine, "Lea", before=before)
    board = queue.board()
    assert board.count(Status.TO_APPROVE) == 2
    assert [task.listed for task in board.tasks] == [before[0], *current(other, "b")]
    queue.amend(mine[:1], "Lea", before=before)
    assert current(queue, "a") == [mine[0]]
    queue.approve(current(queue, "b"), "Lea")
    assert queue.board().count(Status.WAITING) == 1


def test_last_decision_on_the_same_text_counts(queues: Queues) -> None:
    queue, other = queues.queue(), queues.queue(annotator="Grace")
    queue.add(with_origin(queues.listed(row("a"))), to_approve=True)
    before = current(queue, "a")
    other.reject(before, "Grace", "makes no sense")
    queue.approve(before, "Lea")
    (task,) = other.board().tasks
    assert task.status is Status.WAITING
    assert task.listed.text == replace(PHRASED, approval=Approval.APPROVED, approved_by="Lea")


def test_bulk_decisions_need_no_more_statements_than_one(queues: Queues) -> None:
    queue = queues.queue()
    queue.add(with_origin(queues.listed(*(row(f"t-{number}") for number in range(301)))), to_approve=True)
    one, *many = [task.listed for task in queue.board().tasks]

    def judge(tasks: list[ListedTask]) -> None:
        queue.approve(tasks, "Lea")
        queue.amend(tasks, "Lea")
        queue.reject(tasks, "Lea", "not natural")

    with count_statements() as for_one:
        judge([one])
    with count_statements() as for_many:
        judge(many)
    assert for_many == for_one
    assert len(for_one) <= 12
    assert queue.board().count(Status.REJECTED) == 301


def test_concurrent_additions_add_each_task_once(queues: Queues) -> None:
    rows = queues.listed(*(row(f"t-{number}") for number in range(100)))
    leads = [queues.queue(annotator=name) for name in ("Lea", "Grace", "Ida", "Eve")]
    orders = [rows, rows[::-1], rows[50:] + rows[:50], rows[20:]]
    for lead in leads:
        lead.board()
    with ThreadPoolExecutor(len(leads)) as pool:
        counts = list(pool.map(lambda lead, order: lead.add(order, to_approve=True), leads, orders))
    board = leads[0].board()
    assert sum(counts) == len(board.tasks) == 100
    assert {tuple(one.event for one in task.history) for task in board.tasks} == {(TaskEvent.PREPARED,)}


def test_edited_text_is_offered_and_skipped_tasks_stay_last(queues: Queues) -> None:
    queues.fill(row("a"), row("b"), row("d"))
    queue = queues.queue()
    queue.skip("a", "later")
    queue.skip("d", "later")
    queue.amend(queues.listed(row("a", instruction="Do it")), "Lea")
    assert [claimed_id(queue.claim_next(after=one)) for one in "bad"] == ["a", "d", "b"]
    queue.amend(queues.listed(row("b", instruction="Wake me at seven", priority=9)), "Lea")
    claimed = queue.claim_next()
    assert claimed is not None
    assert claimed.listed.task.instruction == "Wake me at seven"
    assert [(one.event, one.by) for one in claimed.history] == [(TaskEvent.EDITED, "Lea")]
    queue.mark_recorded("b", EPISODE)
    with pytest.raises(TaskError, match="b cannot be changed: it is recorded"):
        queue.amend(queues.listed(row("b")), "Lea")
    with pytest.raises(TaskError, match="c is not in the queue"):
        queue.amend(queues.listed(row("c")), "Lea")
    with pytest.raises(TaskError, match="c is not in the queue"):
        queue.approve(queues.listed(row("c")), "Lea")


def test_accepted_task_is_done_until_sent_back(queues: Queues) -> None:
    queues.fill(row("a"), row("b"), row("c"))
    episodes, returns = FakeEpisodes(), FakeReviews()
    episodes.impossible.add(SECOND_EPISODE)
    queue = queues.queue(episodes, returns)
    for number, task_id in enumerate("abc", 1):
        queue.mark_recorded(task_id, f"{number:016}")
    queue.send_back("c", "wrong account")
    returns.accepted_by = {f"{number:016}": "Bea" for number in (1, 2, 3)}
    board = queue.board()
    assert [task.status for task in board.tasks] == [Status.DONE, Status.IMPOSSIBLE, Status.SENT_BACK]
    assert board.count(*FINISHED) == 2
    assert [(one.event, one.by) for one in board.tasks[0].history][-1] == (TaskEvent.ACCEPTED, "Bea")
    assert [one.event for one in queue.board().tasks[0].history] == [TaskEvent.RECORDED, TaskEvent.ACCEPTED]
    queue.mark_recorded("a", "0000000000000009")
    assert status(queue, "a") is Status.DONE
    returns.accepted_by.clear()
    returns.send_back("a", EPISODE)
    assert status(queue, "a") is Status.SENT_BACK, "after all"
