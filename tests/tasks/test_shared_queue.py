"""Which tasks are offered, what is stored, and recovery after a crash."""

from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.tasks.queue.task_status import Status, TaskEvent
from tests.tasks.queues import Queues, claimed_id, queued_task, status
from tests.tasks.tasks import EPISODE, SECOND_EPISODE, FakeEpisodes, FakeReviews, queue_over, row, write_list

ROWS = (row("a"), row("b"), row("c"))


def test_tasks_are_offered_in_list_order(queues: Queues) -> None:
    queues.fill(*ROWS)
    queue = queues.queue()
    assert claimed_id(queue.claim_next()) == "a"
    assert claimed_id(queue.claim_next(after="a")) == "b"
    assert [task.status for task in queue.board().tasks] == [Status.WAITING, Status.CLAIMED, Status.WAITING]
    assert claimed_id(queue.claim_next(after="c")) == "a"
    queue.release()
    assert queue.board().count(Status.WAITING) == 3


def test_order_is_priority_then_due_date_then_list(queues: Queues) -> None:
    queues.fill(row("a"), row("b", due="2026-12-01"), row("c", due="2026-11-30"), row("d", priority=1))
    queue = queues.queue()
    order = [claimed_id(queue.claim_next())]
    for _ in range(3):
        order.append(claimed_id(queue.claim_next(after=order[-1])))
    assert order == ["d", "c", "b", "a"]


def test_skipped_task_comes_last_with_its_reason(queues: Queues) -> None:
    queues.fill(*ROWS)
    queue = queues.queue()
    queue.claim_next()
    queue.skip("a", " no such  app ")
    queue.skip("b", "later")
    with pytest.raises(TaskError, match="Enter a reason"):
        queue.skip("c", "  ")
    assert claimed_id(queue.claim_next()) == "c"
    assert claimed_id(queue.claim_next(after="c")) == "a"
    assert status(queue, "b") is Status.SKIPPED
    assert [(entry.event, entry.by, entry.reason) for entry in queued_task(queue, "a").history] == [
        (TaskEvent.SKIPPED, "Ada", "no such app")
    ]


def test_only_tasks_for_the_device_are_offered(queues: Queues) -> None:
    queues.fill(row("fold", devices=["pixel_fold"]), row("any"), row("both", devices=["pixel_fold"]))
    queue = queues.queue()
    assert claimed_id(queue.claim_next(device="small_phone")) == "any"
    assert claimed_id(queue.claim_next(device="small_phone", after="any")) == "any"
    assert claimed_id(queue.claim_next(device="pixel_fold", after="any")) == "both"
    assert claimed_id(queue.claim_next(device="")) == "any"
    assert claimed_id(queue.claim_next()) == "fold"
    queue.skip("any", "later")
    assert claimed_id(queue.claim_next(device="small_phone", after="fold")) == "any"
    queue.mark_recorded("any", EPISODE)
    assert queue.claim_next(device="small_phone") is None
    assert [task.task_id for task in queue.board().open_for("pixel_fold")] == ["fold", "both"]


def test_recorded_task_is_never_offered_again(queues: Queues) -> None:
    queues.fill(*ROWS)
    episodes = FakeEpisodes()
    for task_id in ("a", "a", "of another list"):
        queues.queue(episodes).mark_recorded(task_id, EPISODE)
    queue = queues.queue(episodes)
    assert len(queued_task(queue, "a").history) == queue.board().count(Status.RECORDED) == 1
    assert claimed_id(queue.claim_next()) == "b"
    assert claimed_id(queue.claim_next(after="c")) == "b"
    with pytest.raises(TaskError, match="a cannot be claimed: it is recorded"):
        queue.claim("a")
    assert status(queue, "b") is Status.CLAIMED


def test_task_with_a_draft_is_in_progress_and_not_offered(queues: Queues) -> None:
    queues.fill(*ROWS)
    episodes, returns = FakeEpisodes(), FakeReviews()
    queue = queues.queue(episodes, returns)
    queue.claim_next()
    episodes.drafts[SECOND_EPISODE] = "a"
    returns.send_back("a", EPISODE)
    assert status(queue, "a") is Status.UNDER_WAY
    assert claimed_id(queue.claim_next()) == "b"
    with pytest.raises(TaskError, match="in progress"):
        queue.skip("a", "later")


def test_sent_back_task_is_offered_again(queues: Queues) -> None:
    queues.fill(*ROWS)
    queue = queues.queue()
    queue.mark_recorded("a", EPISODE)
    queue.send_back("a", "wrong contact")
    assert status(queue, "a") is Status.SENT_BACK
    assert queued_task(queue, "a").reason == "wrong contact"
    assert claimed_id(queue.claim_next()) == "a"
    with pytest.raises(TaskError, match="b cannot be sent back: it is waiting"):
        queue.send_back("b", "why not")


def test_task_sent_back_by_a_review_comes_first_with_its_reason(queues: Queues) -> None:
    queues.fill(row("a", priority=9), *ROWS[1:])
    returns = FakeReviews()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("b", EPISODE)
    returns.send_back("b", EPISODE)
    back = queued_task(queue, "b")
    assert (back.status, back.reason) == (Status.SENT_BACK, "A step is missing, at step 3")
    last = back.history[-1]
    assert (last.event, last.by, last.episode_id) == (TaskEvent.SENT_BACK, "Bea", EPISODE)
    assert claimed_id(queue.claim_next()) == "b"
    assert queued_task(queue, "b").reason == "A step is missing, at step 3"


def test_sent_back_task_comes_next_and_can_be_passed_over(queues: Queues) -> None:
    queues.fill(*ROWS, row("d"))
    returns = FakeReviews()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("a", EPISODE)
    queue.mark_recorded("c", SECOND_EPISODE)
    returns.send_back("a", EPISODE)
    assert claimed_id(queue.claim_next(after="c")) == "a"  # c is done
    assert claimed_id(queue.claim_next(after="a")) == "b"
    assert claimed_id(queue.claim_next(after="b")) == "d"  # b is skipped
    assert claimed_id(queue.claim_next(after="d")) == "a"


def test_review_is_applied_once_across_windows_and_restarts(queues: Queues) -> None:
    queues.fill(*ROWS)
    returns = FakeReviews()
    windows = [queues.queue(returns=returns) for _ in range(2)]
    windows[0].mark_recorded("a", EPISODE)
    returns.send_back("a", EPISODE)
    returns.send_back("b", SECOND_EPISODE)  # recorded on another computer
    returns.send_back("of another list", SECOND_EPISODE.replace("2", "3"))
    for queue in (*windows, queues.queue(returns=returns)):
        assert status(queue, "a") is Status.SENT_BACK
        assert [entry.event for entry in queued_task(queue, "a").history] == [TaskEvent.RECORDED, TaskEvent.SENT_BACK]
        assert queue.board().count(Status.SENT_BACK) == 2


def test_late_review_of_an_earlier_episode_does_not_reopen_the_task(queues: Queues) -> None:
    queues.fill(*ROWS)
    returns = FakeReviews()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("a", EPISODE)
    queue.send_back("a", "wrong account")
    queue.mark_recorded("a", SECOND_EPISODE)
    returns.send_back("a", EPISODE)
    assert status(queue, "a") is Status.RECORDED
    returns.send_back("a", SECOND_EPISODE, "The text is wrong")
    assert (status(queue, "a"), queued_task(queue, "a").reason) == (Status.SENT_BACK, "The text is wrong")


def test_task_is_no_longer_done_once_the_reviewer_takes_the_acceptance_back(queues: Queues) -> None:
    queues.fill(*ROWS)
    returns = FakeReviews()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("a", EPISODE)
    for _ in range(2):
        returns.accepted_by[EPISODE] = "Bea"
        assert (status(queue, "a"), queue.board().count(Status.DONE)) == (Status.DONE, 1)
        del returns.accepted_by[EPISODE]
        returns.reopened_by[EPISODE] = "Bea"
        assert (status(queue, "a"), queue.board().count(Status.DONE)) == (Status.RECORDED, 0)
    assert [entry.event.value for entry in queued_task(queue, "a").history] == [
        "recorded",
        *("accepted", "reopened") * 2,
    ]


def test_task_is_no_longer_offered_once_the_reviewer_takes_the_verdict_back(queues: Queues) -> None:
    queues.fill(*ROWS)
    returns = FakeReviews()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("a", EPISODE)
    returns.send_back("a", EPISODE)
    assert status(queue, "a") is Status.SENT_BACK
    returns.take_back(EPISODE)
    assert status(queue, "a") is Status.RECORDED
    assert queued_task(queue, "a").history[-1].reason == "the verdict, or the withdrawal, was taken back"
    returns.send_back("a", EPISODE, "The text is wrong")
    assert (status(queue, "a"), queued_task(queue, "a").reason) == (Status.SENT_BACK, "The text is wrong")
    queue.mark_recorded("a", SECOND_EPISODE)
    returns.take_back(EPISODE)
    assert [entry.episode_id for entry in queued_task(queue, "a").history][-1] == SECOND_EPISODE, "recorded meanwhile"


def test_renaming_the_annotator_releases_earlier_claims(tmp_path: Path) -> None:
    name = "root"
    source = write_list(tmp_path / "list.jsonl", [row("a"), row("b")])
    queue = queue_over(source, tmp_path / "queue.sqlite", FakeEpisodes(), annotator=lambda: name)
    queue.claim("a")
    assert queue.renew()
    name = "Ada"
    assert not queue.renew()
    assert queue.board().count(Status.CLAIMED) == 0
    queue.claim("a")
    assert [holder.annotator for holder in queue.holders()] == ["Ada"]
    queue.mark_recorded("a", EPISODE)
    assert [entry.by for entry in queue.board().tasks[0].history] == ["Ada"]
    assert queue.holders() == ()
    queue.close()
