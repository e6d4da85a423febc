"""What whoever prepares tasks does with the queue."""

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.task.queue.queue import FINISHED, Deed, Status
from tests.task.houses import House
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, row


def test_what_is_to_be_approved_is_shown_and_not_offered_until_somebody_approves(house: House) -> None:
    stock = house.queue(annotator="Lea")
    assert stock.add(house.listed(row("a"), row("b")), to_approve=True) == 2
    assert stock.add(house.listed(row("b"), row("c")), to_approve=True) == 1
    assert stock.add((), to_approve=True) == 0
    ada = house.queue()
    assert ada.board().count(Status.TO_APPROVE) == 3
    assert ada.claim_next() is None
    with pytest.raises(TaskError, match="a cannot be claimed: it is to approve"):
        ada.claim("a")
    stock.approve(["b", "a"], "Lea")
    claimed = ada.claim_next()
    assert claimed is not None
    assert claimed.task_id == "a"
    assert [(one.deed, one.by) for one in claimed.history] == [(Deed.PREPARED, "Lea"), (Deed.APPROVED, "Lea")]


def test_what_is_rejected_is_left_out_with_the_reason_and_can_be_approved_after_all(house: House) -> None:
    stock = house.queue()
    stock.add(house.listed(row("a")), to_approve=True)
    house.fill(row("b"))
    stock.reject(["a", "b"], "Lea", "nobody says it so")
    board = stock.board()
    assert [task.status for task in board.tasks] == [Status.REJECTED, Status.REJECTED]
    assert [(one.deed, one.by, one.reason) for one in board.tasks[1].history] == [
        (Deed.REJECTED, "Lea", "nobody says it so")
    ]
    assert stock.claim_next() is None
    with pytest.raises(TaskError, match="Say why"):
        stock.reject(["b"], "Lea", "")
    stock.approve(["b"], "Lea")
    assert stock.board().count(Status.WAITING) == 1


def test_of_many_that_are_rejected_none_is_where_one_was_begun(house: House) -> None:
    house.fill(row("a"), row("b"))
    episodes = NotedEpisodes()
    episodes.drafts[EPISODE] = "b"
    stock = house.queue(episodes)
    with pytest.raises(TaskError, match="b cannot be rejected: it is under way, by Ada"):
        stock.reject(["a", "b"], "Lea", "not natural")
    assert stock.board().count(Status.WAITING) == 1


def test_what_somebody_changed_meanwhile_is_not_written_over(house: House) -> None:
    house.fill(row("a"), row("b"))
    stock, other = house.queue(), house.queue(annotator="Grace")
    before = [task.listed for task in stock.board().tasks]
    other.amend(house.listed(row("b", instruction="Wake me at six")), "Grace")
    with pytest.raises(TaskError, match="b was changed by somebody meanwhile"):
        stock.amend(house.listed(row("a", instruction="Do it"), row("b", instruction="Do it")), "Lea", before=before)
    a, b = stock.board().tasks
    assert (a.listed, b.listed.task.instruction) == (before[0], "Wake me at six")
    stock.amend(house.listed(row("a", instruction="Do it")), "Lea", before=before)
    assert stock.board().tasks[0].listed.task.instruction == "Do it"


def test_words_that_are_put_in_the_place_of_others_are_offered(house: House) -> None:
    house.fill(row("a"), row("b"))
    stock = house.queue()
    stock.board()
    stock.amend(house.listed(row("b", instruction="Wake me at seven", priority=9)), "Lea")
    claimed = stock.claim_next()
    assert claimed is not None
    assert claimed.listed.task.instruction == "Wake me at seven"
    assert [(one.deed, one.by) for one in claimed.history] == [(Deed.EDITED, "Lea")]
    stock.mark_recorded("b", EPISODE)
    with pytest.raises(TaskError, match="b cannot be changed: it is recorded"):
        stock.amend(house.listed(row("b")), "Lea")
    with pytest.raises(TaskError, match="c is not in the queue"):
        stock.amend(house.listed(row("c")), "Lea")
    with pytest.raises(TaskError, match="c is not in the queue"):
        stock.approve(["c"], "Lea")


def test_a_skipped_task_that_is_amended_stays_behind_the_others(house: House) -> None:
    house.fill(row("a"), row("b"), row("c"))
    queue = house.queue()
    queue.skip("a", "later")
    queue.skip("b", "later")
    queue.amend(house.listed(row("a", instruction="Do it")), "Lea")
    first, second = queue.claim_next(after="c"), queue.claim_next(after="a")
    assert first is not None
    assert second is not None
    assert (first.task_id, second.task_id) == ("a", "b")


def test_what_is_accepted_is_done_and_never_offered_again(house: House) -> None:
    house.fill(row("a"), row("b"), row("c"))
    episodes, returns = NotedEpisodes(), NotedReturns()
    episodes.impossible.add("0000000000000002")
    queue = house.queue(episodes, returns)
    for number, task_id in enumerate("abc", 1):
        queue.mark_recorded(task_id, f"{number:016}")
    queue.send_back("c", "wrong account")
    returns.taken = {f"{number:016}": "Bea" for number in (1, 2, 3)}
    board = queue.board()
    assert [task.status for task in board.tasks] == [Status.DONE, Status.IMPOSSIBLE, Status.SENT_BACK]
    assert board.count(*FINISHED) == 2
    assert [(one.deed, one.by) for one in board.tasks[0].history][-1] == (Deed.ACCEPTED, "Bea")
    assert [one.deed for one in queue.board().tasks[0].history] == [Deed.RECORDED, Deed.ACCEPTED]
    queue.mark_recorded("a", "0000000000000009")
    assert queue.board().tasks[0].status is Status.DONE


def test_what_was_accepted_first_may_still_be_sent_back(house: House) -> None:
    house.fill(row("a"))
    returns = NotedReturns()
    queue = house.queue(returns=returns)
    queue.mark_recorded("a", EPISODE)
    returns.taken[EPISODE] = "Bea"
    assert queue.board().count(Status.DONE) == 1
    returns.taken.clear()
    returns.send_back("a", EPISODE)
    assert queue.board().count(Status.SENT_BACK) == 1
