"""Preparing tasks: adding, editing, approving and rejecting."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import Engine, event

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.text_origin import Approval, TextOrigin
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.board import FINISHED, Status, TaskEvent
from odyssey_recorder.task.queue.queue import TaskQueue
from tests.task.origins import BY_MODEL, FAULTY, PHRASED
from tests.task.queues import Queues, held, status
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, row


def seen(stock: TaskQueue, *task_ids: str) -> list[ListedTask]:
    """These tasks as currently read from the queue."""
    listed = {task.task_id: task.listed for task in stock.board().tasks}
    return [listed[one] for one in task_ids]


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """The first word of each SQL statement run in the block; executemany counts once."""
    told: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        told.append(statement.split()[0])

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield told
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        (PHRASED, Status.WAITING),
        (BY_MODEL, Status.WAITING),
        (FAULTY, Status.TO_APPROVE),
        (replace(FAULTY, approval=Approval.APPROVED, approved_by="Lea"), Status.WAITING),
        (replace(BY_MODEL, approval=Approval.REJECTED), Status.TO_APPROVE),
    ],
)
def test_what_has_known_faults_or_was_rejected_is_never_offered_before_somebody_approves(
    queues: Queues, text: TextOrigin, stands: Status
) -> None:
    stock = queues.queue(annotator="Lea")
    stock.add(with_origin(queues.listed(row("a")), text), to_approve=False)
    (task,) = stock.board().tasks
    assert task.status is stands
    assert [one.event for one in task.history] == ([TaskEvent.PREPARED] if stands is Status.TO_APPROVE else [])


def with_origin(listed: Iterable[ListedTask], text: TextOrigin = PHRASED) -> list[ListedTask]:
    return [replace(one, text=text) for one in listed]


def test_what_is_to_be_approved_is_shown_and_not_offered_until_somebody_approves(queues: Queues) -> None:
    stock = queues.queue(annotator="Lea")
    assert stock.add(queues.listed(row("a"), row("b")), to_approve=True) == 2
    assert stock.add(queues.listed(row("b"), row("c")), to_approve=True) == 1
    assert stock.add((), to_approve=True) == 0
    ada = queues.queue()
    assert ada.board().count(Status.TO_APPROVE) == 3
    assert ada.claim_next() is None
    with pytest.raises(TaskError, match="a cannot be claimed: it is to approve"):
        ada.claim("a")
    stock.approve(seen(stock, "b", "a"), "Lea")
    for _ in range(2):  # what waits already is approved no second time
        claimed = ada.claim_next()
        assert claimed is not None
        assert claimed.task_id == "a"
        events = [(one.event, one.by) for one in claimed.history]
        assert events == [(TaskEvent.PREPARED, "Lea"), (TaskEvent.APPROVED, "Lea")]
        stock.approve(seen(stock, "a"), "Lea")


def test_what_is_rejected_is_left_out_with_the_reason_and_can_be_approved_after_all(queues: Queues) -> None:
    stock = queues.queue()
    stock.add(with_origin(queues.listed(row("a"))), to_approve=True)
    queues.fill(row("b"))
    stock.claim("b")
    stock.reject(seen(stock, "a", "b"), "Lea", "  nobody says\tit so ")
    a, b = stock.board().tasks
    assert (a.status, b.status) == (Status.REJECTED, Status.REJECTED)
    assert a.listed.text == replace(PHRASED, approval=Approval.REJECTED, approved_by="Lea", note="nobody says it so")
    assert [(one.event, one.by, one.reason) for one in b.history] == [(TaskEvent.REJECTED, "Lea", "nobody says it so")]
    assert (stock.claim_next(), stock.holders(), stock.renew()) == (None, (), False)
    with pytest.raises(TaskError, match="Enter a reason"):
        stock.reject(seen(stock, "b"), "Lea", "")
    stock.approve(seen(stock, "b"), "Lea")
    assert stock.board().count(Status.WAITING) == 1


def test_of_many_that_are_rejected_none_is_where_one_was_begun(queues: Queues) -> None:
    queues.fill(row("a"), row("b"))
    episodes = NotedEpisodes()
    episodes.drafts[EPISODE] = "b"
    stock = queues.queue(episodes)
    with pytest.raises(TaskError, match="b cannot be rejected: it is in progress, by Ada"):
        stock.reject(seen(stock, "a", "b"), "Lea", "not natural")
    assert stock.board().count(Status.WAITING) == 1


def test_words_that_nobody_has_read_are_neither_approved_nor_rejected_nor_written_over(queues: Queues) -> None:
    stock, other = queues.queue(), queues.queue(annotator="Grace")
    stock.add(with_origin(queues.listed(row("a"), row("b"))), to_approve=True)
    before = seen(stock, "a", "b")
    other.amend(with_origin(queues.listed(row("b", instruction="Wake me at six"))), "Grace")
    with pytest.raises(TaskError, match=r"b was changed by somebody else\. Read it again"):
        stock.approve(before, "Lea")
    with pytest.raises(TaskError, match="b was changed by somebody else"):
        stock.reject(before, "Lea", "not natural")
    mine = queues.listed(row("a", instruction="Do it"), row("b", instruction="Do it"))
    with pytest.raises(TaskError, match="b was changed by somebody else"):
        stock.amend(mine, "Lea", before=before)
    board = stock.board()
    assert board.count(Status.TO_APPROVE) == 2
    assert [task.listed for task in board.tasks] == [before[0], *seen(other, "b")]
    stock.amend(mine[:1], "Lea", before=before)
    assert seen(stock, "a") == [mine[0]]
    stock.approve(seen(stock, "b"), "Lea")
    assert stock.board().count(Status.WAITING) == 1


def test_of_two_who_judge_the_same_words_the_last_counts(queues: Queues) -> None:
    stock, other = queues.queue(), queues.queue(annotator="Grace")
    stock.add(with_origin(queues.listed(row("a"))), to_approve=True)
    before = seen(stock, "a")
    other.reject(before, "Grace", "makes no sense")
    stock.approve(before, "Lea")
    (task,) = other.board().tasks
    assert task.status is Status.WAITING
    assert task.listed.text == replace(PHRASED, approval=Approval.APPROVED, approved_by="Lea")


def test_many_are_approved_changed_and_rejected_with_no_more_statements_than_one(queues: Queues) -> None:
    stock = queues.queue()
    stock.add(with_origin(queues.listed(*(row(f"t-{number}") for number in range(301)))), to_approve=True)
    one, *many = [task.listed for task in stock.board().tasks]

    def judge(tasks: list[ListedTask]) -> None:
        stock.approve(tasks, "Lea")
        stock.amend(tasks, "Lea")
        stock.reject(tasks, "Lea", "not natural")

    with counted_statements() as for_one:
        judge([one])
    with counted_statements() as for_many:
        judge(many)
    assert for_many == for_one
    assert len(for_one) <= 12
    assert stock.board().count(Status.REJECTED) == 301


def test_two_who_add_the_same_tasks_at_once_add_each_once(queues: Queues) -> None:
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


def test_words_that_are_put_in_the_place_of_others_are_offered_and_what_is_skipped_stays_behind(queues: Queues) -> None:
    queues.fill(row("a"), row("b"), row("d"))
    stock = queues.queue()
    stock.skip("a", "later")
    stock.skip("d", "later")
    stock.amend(queues.listed(row("a", instruction="Do it")), "Lea")
    assert [held(stock.claim_next(after=one)) for one in "bad"] == ["a", "d", "b"]
    stock.amend(queues.listed(row("b", instruction="Wake me at seven", priority=9)), "Lea")
    claimed = stock.claim_next()
    assert claimed is not None
    assert claimed.listed.task.instruction == "Wake me at seven"
    assert [(one.event, one.by) for one in claimed.history] == [(TaskEvent.EDITED, "Lea")]
    stock.mark_recorded("b", EPISODE)
    with pytest.raises(TaskError, match="b cannot be changed: it is recorded"):
        stock.amend(queues.listed(row("b")), "Lea")
    with pytest.raises(TaskError, match="c is not in the queue"):
        stock.amend(queues.listed(row("c")), "Lea")
    with pytest.raises(TaskError, match="c is not in the queue"):
        stock.approve(queues.listed(row("c")), "Lea")


def test_what_is_accepted_is_done_and_never_offered_again(queues: Queues) -> None:
    queues.fill(row("a"), row("b"), row("c"))
    episodes, returns = NotedEpisodes(), NotedReturns()
    episodes.impossible.add("0000000000000002")
    queue = queues.queue(episodes, returns)
    for number, task_id in enumerate("abc", 1):
        queue.mark_recorded(task_id, f"{number:016}")
    queue.send_back("c", "wrong account")
    returns.taken = {f"{number:016}": "Bea" for number in (1, 2, 3)}
    board = queue.board()
    assert [task.status for task in board.tasks] == [Status.DONE, Status.IMPOSSIBLE, Status.SENT_BACK]
    assert board.count(*FINISHED) == 2
    assert [(one.event, one.by) for one in board.tasks[0].history][-1] == (TaskEvent.ACCEPTED, "Bea")
    assert [one.event for one in queue.board().tasks[0].history] == [TaskEvent.RECORDED, TaskEvent.ACCEPTED]
    queue.mark_recorded("a", "0000000000000009")
    assert status(queue, "a") is Status.DONE
    returns.taken.clear()
    returns.send_back("a", EPISODE)
    assert status(queue, "a") is Status.SENT_BACK, "after all"
