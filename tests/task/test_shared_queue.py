"""What an annotator is offered, what is remembered, and what is found out after a crash."""

from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.task.queue.board import Status, TaskEvent
from tests.task.queues import Queues, held, standing, status
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, queue_over, row, write_list

ROWS = (row("a"), row("b"), row("c"))
AGAIN = "0000000000000002"


def test_tasks_are_offered_in_the_order_of_the_list(queues: Queues) -> None:
    queues.fill(*ROWS)
    queue = queues.queue()
    assert held(queue.claim_next()) == "a"
    assert held(queue.claim_next(after="a")) == "b"
    assert [task.status for task in queue.board().tasks] == [Status.WAITING, Status.CLAIMED, Status.WAITING]
    assert held(queue.claim_next(after="c")) == "a"
    queue.release()
    assert queue.board().count(Status.WAITING) == 3


def test_priority_comes_before_the_day_it_is_due_and_that_before_the_list(queues: Queues) -> None:
    queues.fill(row("a"), row("b", due="2026-12-01"), row("c", due="2026-11-30"), row("d", priority=1))
    queue = queues.queue()
    order = [held(queue.claim_next())]
    for _ in range(3):
        order.append(held(queue.claim_next(after=order[-1])))
    assert order == ["d", "c", "b", "a"]


def test_a_skipped_task_comes_last_with_its_reason(queues: Queues) -> None:
    queues.fill(*ROWS)
    queue = queues.queue()
    queue.claim_next()
    queue.skip("a", " no such  app ")
    queue.skip("b", "later")
    with pytest.raises(TaskError, match="Enter a reason"):
        queue.skip("c", "  ")
    assert held(queue.claim_next()) == "c"
    assert held(queue.claim_next(after="c")) == "a"
    assert status(queue, "b") is Status.SKIPPED
    assert [(entry.event, entry.by, entry.reason) for entry in standing(queue, "a").history] == [
        (TaskEvent.SKIPPED, "Ada", "no such app")
    ]


def test_only_what_fits_the_device_is_offered(queues: Queues) -> None:
    queues.fill(row("fold", devices=["pixel_fold"]), row("any"), row("both", devices=["pixel_fold"]))
    queue = queues.queue()
    assert held(queue.claim_next(device="small_phone")) == "any"
    assert held(queue.claim_next(device="small_phone", after="any")) == "any"
    assert held(queue.claim_next(device="pixel_fold", after="any")) == "both"
    assert held(queue.claim_next(device="")) == "any"
    assert held(queue.claim_next()) == "fold"
    queue.skip("any", "later")
    assert held(queue.claim_next(device="small_phone", after="fold")) == "any"
    queue.mark_recorded("any", EPISODE)
    assert queue.claim_next(device="small_phone") is None
    assert [task.task_id for task in queue.board().open_for("pixel_fold")] == ["fold", "both"]


def test_what_is_recorded_is_never_offered_again_also_by_another_window(queues: Queues) -> None:
    queues.fill(*ROWS)
    episodes = NotedEpisodes()
    for task_id in ("a", "a", "of another list"):
        queues.queue(episodes).mark_recorded(task_id, EPISODE)
    queue = queues.queue(episodes)
    assert len(standing(queue, "a").history) == queue.board().count(Status.RECORDED) == 1
    assert held(queue.claim_next()) == "b"
    assert held(queue.claim_next(after="c")) == "b"
    with pytest.raises(TaskError, match="a cannot be claimed: it is recorded"):
        queue.claim("a")
    assert status(queue, "b") is Status.CLAIMED


def test_a_task_with_a_draft_is_under_way_and_not_offered(queues: Queues) -> None:
    queues.fill(*ROWS)
    episodes, returns = NotedEpisodes(), NotedReturns()
    queue = queues.queue(episodes, returns)
    queue.claim_next()
    episodes.drafts[AGAIN] = "a"
    returns.send_back("a", EPISODE)
    assert status(queue, "a") is Status.UNDER_WAY
    assert held(queue.claim_next()) == "b"
    with pytest.raises(TaskError, match="in progress"):
        queue.skip("a", "later")


def test_an_episode_that_was_published_while_nobody_looked_is_found(queues: Queues) -> None:
    queues.fill(*ROWS)
    episodes = NotedEpisodes()
    episodes.drafts[EPISODE] = "a"
    queues.queue(episodes).board()
    episodes.publish(EPISODE)
    task = standing(queues.queue(episodes), "a")
    assert task.status is Status.RECORDED
    assert task.history[-1].episode_id == EPISODE


def test_a_recorded_task_that_is_sent_back_waits_again(queues: Queues) -> None:
    queues.fill(*ROWS)
    queue = queues.queue()
    queue.mark_recorded("a", EPISODE)
    queue.send_back("a", "wrong contact")
    assert status(queue, "a") is Status.SENT_BACK
    assert standing(queue, "a").reason == "wrong contact"
    assert held(queue.claim_next()) == "a"
    with pytest.raises(TaskError, match="b cannot be sent back: it is waiting"):
        queue.send_back("b", "why not")


# Sent back by a review.


def test_what_a_review_sends_back_waits_again_at_the_top_with_who_and_why(queues: Queues) -> None:
    queues.fill(row("a", priority=9), *ROWS[1:])
    returns = NotedReturns()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("b", EPISODE)
    returns.send_back("b", EPISODE)
    back = standing(queue, "b")
    assert (back.status, back.reason) == (Status.SENT_BACK, "A step is missing, at step 3")
    last = back.history[-1]
    assert (last.event, last.by, last.episode_id) == (TaskEvent.SENT_BACK, "Bea", EPISODE)
    assert held(queue.claim_next()) == "b"
    assert standing(queue, "b").reason == "A step is missing, at step 3"


def test_what_was_sent_back_comes_next_once_a_task_is_done_and_can_be_passed_over(queues: Queues) -> None:
    queues.fill(*ROWS, row("d"))
    returns = NotedReturns()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("a", EPISODE)
    queue.mark_recorded("c", AGAIN)
    returns.send_back("a", EPISODE)
    assert held(queue.claim_next(after="c")) == "a"  # c is done
    assert held(queue.claim_next(after="a")) == "b"
    assert held(queue.claim_next(after="b")) == "d"  # b is skipped
    assert held(queue.claim_next(after="d")) == "a"


def test_it_is_sent_back_once_in_all_windows_and_after_a_restart(queues: Queues) -> None:
    queues.fill(*ROWS)
    returns = NotedReturns()
    windows = [queues.queue(returns=returns) for _ in range(2)]
    windows[0].mark_recorded("a", EPISODE)
    returns.send_back("a", EPISODE)
    returns.send_back("b", AGAIN)  # recorded on another computer
    returns.send_back("of another list", AGAIN.replace("2", "3"))
    for queue in (*windows, queues.queue(returns=returns)):
        assert status(queue, "a") is Status.SENT_BACK
        assert [entry.event for entry in standing(queue, "a").history] == [TaskEvent.RECORDED, TaskEvent.SENT_BACK]
        assert queue.board().count(Status.SENT_BACK) == 2


def test_what_is_recorded_anew_is_done_although_a_review_sends_the_earlier_episode_back(queues: Queues) -> None:
    queues.fill(*ROWS)
    returns = NotedReturns()
    queue = queues.queue(returns=returns)
    queue.mark_recorded("a", EPISODE)
    queue.send_back("a", "wrong account")
    queue.mark_recorded("a", AGAIN)
    returns.send_back("a", EPISODE)
    assert status(queue, "a") is Status.RECORDED
    returns.send_back("a", AGAIN, "The text is wrong")
    assert (status(queue, "a"), standing(queue, "a").reason) == (Status.SENT_BACK, "The text is wrong")


def test_another_name_gives_back_what_was_held_under_the_first(tmp_path: Path) -> None:
    name = "root"
    source = write_list(tmp_path / "list.jsonl", [row("a"), row("b")])
    queue = queue_over(source, tmp_path / "queue.sqlite", NotedEpisodes(), annotator=lambda: name)
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
