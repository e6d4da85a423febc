"""Tasks taken from a person or assigned to one, and changes that others make."""

from collections.abc import Callable

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import Status, TaskEvent
from tests.tasks.queues import Queues, claimed_id, queued_task, status
from tests.tasks.tasks import EPISODE, FakeEpisodes, row

ROWS = (row("a"), row("b"), row("c"))


@pytest.fixture
def people(queues: Queues) -> tuple[TaskQueue, TaskQueue]:
    """Ada, who records, and Lea, who leads."""
    queues.fill(*ROWS)
    return queues.queue(), queues.queue(annotator="Lea", drafts="hers")


@pytest.mark.parametrize("query", [TaskQueue.renew, TaskQueue.holders])
def test_released_annotator_is_told_why_and_gets_another_task(
    people: tuple[TaskQueue, TaskQueue], query: Callable[[TaskQueue], object]
) -> None:
    ada, lea = people
    ada.claim("a")
    lea.free("a", "Bob knows this app")
    query(ada)
    assert ada.why_lost() == "Released by Lea: Bob knows this app"
    assert claimed_id(ada.claim_next()) == "b"
    released = queued_task(lea, "a")
    assert (released.status, released.history[-1].event, released.reason) == (Status.WAITING, TaskEvent.RELEASED, "")


def test_released_annotator_who_asks_for_the_next_task_is_told_why(people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    ada.claim("a")
    lea.free("a", "Bob knows this app")
    assert claimed_id(ada.claim_next()) == "b"
    assert ada.why_lost() == "Released by Lea: Bob knows this app"


def test_board_tells_why_a_claim_ended(people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    ada.claim("a")
    lea.free("a", "Bob knows this app")
    ada.board()
    assert [ada.why_lost(), ada.why_lost()] == ["Released by Lea: Bob knows this app", ""]
    assert claimed_id(ada.claim_next()) == "b"
    assert claimed_id(ada.claim_next()) == "a", "it is passed over only once"


def test_released_task_is_not_recorded_as_if_it_were_still_reserved(people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    ada.claim("a")
    lea.free("a", "Bob knows this app")
    with pytest.raises(TaskError, match="Released by Lea: Bob knows this app"):
        ada.claim("a")
    assert ada.claim("a").task_id == "a", "she was told, and wants it all the same"


def test_expired_claim_is_told(queues: Queues, people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    ada.claim("a")
    queues.clock.advance_s(700)
    lea.claim("a")
    assert not ada.renew()
    assert ada.why_lost().startswith("Your reservation expired")


def test_assigned_task_is_offered_to_that_person_only_and_first(people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    lea.assign(["c", "b"], " Ada ")
    assert [one.task_id for one in lea.board().open_for(None)] == ["a"]
    assert claimed_id(lea.claim_next()) == "a"
    assert claimed_id(lea.claim_next(after="a")) == "a"
    with pytest.raises(TaskError, match="b cannot be claimed: it is waiting, for Ada only"):
        lea.claim("b")
    assert [claimed_id(ada.claim_next()), claimed_id(ada.claim_next(after="b"))] == ["b", "c"]
    assert [(past.event, past.by, past.reason) for past in queued_task(ada, "b").history] == [
        (TaskEvent.ASSIGNED, "Lea", "to Ada")
    ]
    lea.assign(["b"], "")
    assert claimed_id(lea.claim_next(after="a")) == "b"


def test_person_whom_the_queue_knows_is_found_in_any_case_of_letters(people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    ada.skip("a", "later")
    lea.assign(["c"], "ADA")
    assert claimed_id(ada.claim_next()) == "c"


def test_assigning_takes_a_task_from_its_holder(people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    ada.claim("a")
    lea.assign(["a"], "Ada")
    assert ada.renew()
    lea.assign(["a", "b"], "Bob")
    ada.board()
    assert ada.why_lost() == "Assigned by Lea to Bob"
    assert claimed_id(ada.claim_next()) == "c"


def test_skipped_task_waits_again_when_it_is_assigned(people: tuple[TaskQueue, TaskQueue]) -> None:
    ada, lea = people
    ada.skip("a", "no such app")
    lea.assign(["a"], "Ada")
    assert (status(lea, "a"), claimed_id(ada.claim_next())) == (Status.WAITING, "a")


def test_task_that_was_begun_is_not_assigned(queues: Queues) -> None:
    queues.fill(*ROWS)
    episodes = FakeEpisodes()
    ada, lea = queues.queue(episodes), queues.queue(annotator="Lea", drafts="hers")
    ada.mark_recorded("b", EPISODE)
    ada.claim("a")
    episodes.drafts[EPISODE] = "a"
    ada.board()
    for task_id, words in (("a", "in progress, by Ada"), ("b", "recorded"), ("x", "not in the queue")):
        with pytest.raises(TaskError, match=words):
            lea.assign(["c", task_id], "Bob")
    assert queued_task(lea, "c").listed.assignee == ""


CHANGES: dict[str, Callable[[Queues, TaskQueue], object]] = {
    "claimed": lambda _queues, lea: lea.claim("b"),
    "skipped": lambda _queues, lea: lea.skip("b", "later"),
    "assigned": lambda _queues, lea: lea.assign(["b"], "Bob"),
    "added": lambda queues, lea: lea.add(queues.listed(row("d")), to_approve=True),
    "expired": lambda queues, _lea: queues.clock.advance_s(700),
    "recorded": lambda _queues, lea: lea.mark_recorded("b", EPISODE),
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_by_others_is_noticed(queues: Queues, people: tuple[TaskQueue, TaskQueue], change: str) -> None:
    ada, lea = people
    lea.claim("a")
    assert ada.is_changed(None)
    board = ada.board()
    assert not ada.is_changed(board)
    queues.clock.advance_s(60)
    lea.renew()
    assert not ada.is_changed(board), "a renewed lease is no news"
    CHANGES[change](queues, lea)
    ada.holders()
    assert ada.is_changed(board), "although another view has read it already"
    assert not ada.is_changed(ada.board())
