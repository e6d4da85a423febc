"""What is offered to an annotator, what is remembered, and what is found out after a crash."""

from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.task.annotator_queue import AnnotatorQueue
from odyssey_recorder.task.progress import ProgressFile
from odyssey_recorder.task.queue import Deed, QueuedTask, Status
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, queue_of, row

ROWS = (row("a"), row("b"), row("c"))


def held(task: QueuedTask | None) -> str:
    return "" if task is None else task.task_id


def standing(queue: AnnotatorQueue, task_id: str) -> QueuedTask:
    task = queue.board().task(task_id)
    assert task is not None
    return task


def test_tasks_are_offered_in_the_order_of_the_list(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    assert held(queue.claim_next()) == "a"
    assert held(queue.claim_next(after="a")) == "b"
    assert [task.status for task in queue.board().tasks] == [Status.WAITING, Status.CLAIMED, Status.WAITING]


def test_behind_the_last_task_the_first_comes_again(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    assert held(queue.claim_next(after="c")) == "a"


def test_priority_comes_before_the_day_it_is_due_and_that_before_the_list(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, row("a"), row("b", due="2026-12-01"), row("c", due="2026-11-30"), row("d", priority=1))
    order = [held(queue.claim_next())]
    for _ in range(3):
        order.append(held(queue.claim_next(after=order[-1])))
    assert order == ["d", "c", "b", "a"]


def test_a_skipped_task_comes_last_with_its_reason(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    queue.claim_next()
    queue.skip("a", " no such  app ")
    queue.skip("b", "later")
    assert held(queue.claim_next()) == "c"
    assert held(queue.claim_next(after="c")) == "a"
    assert standing(queue, "b").status is Status.SKIPPED
    assert [(entry.deed, entry.by, entry.reason) for entry in standing(queue, "a").history] == [
        (Deed.SKIPPED, "Ada", "no such app")
    ]


def test_only_what_fits_the_device_is_offered(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, row("fold", devices=["pixel_fold"]), row("any"), row("both", devices=["pixel_fold"]))
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


def test_a_reason_must_be_given(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    with pytest.raises(TaskError, match="Say why"):
        queue.skip("a", "  ")
    assert standing(queue, "a").status is Status.WAITING


def test_what_is_recorded_is_never_offered_again_also_by_another_window(tmp_path: Path) -> None:
    episodes = NotedEpisodes()
    queue_of(tmp_path, *ROWS, episodes=episodes).mark_recorded("a", EPISODE)
    queue = queue_of(tmp_path, *ROWS, episodes=episodes)
    assert held(queue.claim_next()) == "b"
    assert held(queue.claim_next(after="c")) == "b"
    with pytest.raises(TaskError, match="a cannot be claimed: it is recorded"):
        queue.claim("a")
    assert standing(queue, "b").status is Status.CLAIMED


def test_when_all_is_done_nothing_is_offered(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, row("a"))
    queue.mark_recorded("a", EPISODE)
    assert queue.claim_next() is None


def test_a_task_is_recorded_once_for_an_episode(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    queue.mark_recorded("a", EPISODE)
    queue.mark_recorded("a", EPISODE)
    queue.mark_recorded("of another list", EPISODE)
    assert len(standing(queue, "a").history) == 1
    assert queue.board().count(Status.RECORDED) == 1


def test_a_task_with_a_draft_is_under_way_and_not_offered(tmp_path: Path) -> None:
    episodes = NotedEpisodes()
    queue = queue_of(tmp_path, *ROWS, episodes=episodes)
    queue.claim_next()
    episodes.drafts[EPISODE] = "a"
    assert standing(queue, "a").status is Status.UNDER_WAY
    assert held(queue.claim_next()) == "b"
    with pytest.raises(TaskError, match="under way"):
        queue.skip("a", "later")


def test_an_episode_that_was_published_while_nobody_looked_is_found(tmp_path: Path) -> None:
    episodes = NotedEpisodes()
    episodes.drafts[EPISODE] = "a"
    queue_of(tmp_path, *ROWS, episodes=episodes).board()
    episodes.publish(EPISODE)
    task = standing(queue_of(tmp_path, *ROWS, episodes=episodes), "a")
    assert task.status is Status.RECORDED
    assert task.history[-1].episode_id == EPISODE


def test_a_task_whose_draft_was_thrown_away_waits_as_before(tmp_path: Path) -> None:
    episodes = NotedEpisodes()
    queue = queue_of(tmp_path, *ROWS, episodes=episodes)
    queue.skip("a", "later")
    episodes.drafts[EPISODE] = "a"
    queue.board()
    episodes.drafts.clear()
    assert standing(queue, "a").status is Status.SKIPPED
    assert standing(queue, "a").reason == "later"


def test_a_recorded_task_that_is_sent_back_waits_again(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    queue.mark_recorded("a", EPISODE)
    queue.send_back("a", "wrong contact")
    assert standing(queue, "a").status is Status.SENT_BACK
    assert standing(queue, "a").reason == "wrong contact"
    assert held(queue.claim_next()) == "a"
    with pytest.raises(TaskError, match="b cannot be sent back: it is waiting"):
        queue.send_back("b", "why not")


def test_a_released_task_waits_again(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    queue.claim("b")
    queue.release()
    assert standing(queue, "b").status is Status.WAITING


def test_a_list_that_changes_is_read_anew(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    queue.board()
    queue_of(tmp_path, row("a"), row("the new one"))
    with pytest.raises(TaskError, match="2: task_id"):
        queue.board()
    queue_of(tmp_path, row("a"), row("new"))
    assert [task.task_id for task in queue.board().tasks] == ["a", "new"]
    with pytest.raises(TaskError, match=r"c is not in .*my_tasks\.jsonl any more"):
        queue.claim("c")


def test_a_torn_last_line_is_none(tmp_path: Path) -> None:
    queue_of(tmp_path, *ROWS).skip("a", "later")
    progress = tmp_path / "progress" / "ada.jsonl"
    progress.write_bytes(progress.read_bytes() + b'{"deed": "recor')
    queue = queue_of(tmp_path, *ROWS)
    assert standing(queue, "a").status is Status.SKIPPED
    queue.mark_recorded("b", EPISODE)
    again = queue_of(tmp_path, *ROWS)
    assert (standing(again, "a").status, standing(again, "b").status) == (Status.SKIPPED, Status.RECORDED)


def test_what_another_window_did_is_seen(tmp_path: Path) -> None:
    one, other = queue_of(tmp_path, *ROWS), queue_of(tmp_path, *ROWS)
    one.skip("a", "later")
    other.skip("b", "later")
    one.mark_recorded("a", EPISODE)
    assert [task.status for task in other.board().tasks] == [Status.RECORDED, Status.SKIPPED, Status.WAITING]


def test_a_line_that_is_no_deed_is_told(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    (tmp_path / "progress").mkdir()
    (tmp_path / "progress" / "ada.jsonl").write_text('{"deed": "eaten"}\n')
    with pytest.raises(TaskError, match="is no deed"):
        queue.board()


def test_progress_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    (tmp_path / "progress").write_text("a file where a folder must be")
    with pytest.raises(TaskError, match=r"ada\.jsonl, which remembers your tasks, cannot be read"):
        queue.skip("a", "later")


# What a review sends back.

AGAIN = "0000000000000002"


def test_what_a_review_sends_back_waits_again_at_the_top_with_who_and_why(tmp_path: Path) -> None:
    returns = NotedReturns()
    queue = queue_of(tmp_path, row("a", priority=9), *ROWS[1:], returns=returns)
    queue.mark_recorded("b", EPISODE)
    returns.send_back("b", EPISODE)
    back = standing(queue, "b")
    assert (back.status, back.reason) == (Status.SENT_BACK, "A step is missing, at step 3")
    assert (back.history[-1].deed, back.history[-1].by, back.history[-1].episode_id) == (Deed.SENT_BACK, "Bea", EPISODE)
    assert held(queue.claim_next()) == "b"
    assert standing(queue, "b").reason == "A step is missing, at step 3"


def test_what_was_sent_back_comes_next_once_a_task_is_done_and_can_be_passed_over(tmp_path: Path) -> None:
    returns = NotedReturns()
    queue = queue_of(tmp_path, *ROWS, row("d"), returns=returns)
    queue.mark_recorded("a", EPISODE)
    queue.mark_recorded("c", AGAIN)
    returns.send_back("a", EPISODE)
    assert held(queue.claim_next(after="c")) == "a"  # c is done
    assert held(queue.claim_next(after="a")) == "b"
    assert held(queue.claim_next(after="b")) == "d"  # b is passed over
    assert held(queue.claim_next(after="d")) == "a"


def test_it_is_sent_back_once_in_all_windows_and_after_a_restart(tmp_path: Path) -> None:
    returns = NotedReturns()
    windows = [queue_of(tmp_path, *ROWS, returns=returns) for _ in range(2)]
    windows[0].mark_recorded("a", EPISODE)
    returns.send_back("a", EPISODE)
    for queue in (*windows, queue_of(tmp_path, *ROWS, returns=returns)):
        assert standing(queue, "a").status is Status.SENT_BACK
        assert [entry.deed for entry in standing(queue, "a").history] == [Deed.RECORDED, Deed.SENT_BACK]
    assert len((tmp_path / "progress" / "ada.jsonl").read_text().splitlines()) == 2


def test_two_windows_that_note_it_in_the_same_moment_have_noted_it_once(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    progress = ProgressFile(tmp_path / "progress" / "ada.jsonl", "Ada")
    for _ in range(2):
        progress.append(Deed.SENT_BACK, "a", by="Bea", reason="so", episode_id=EPISODE)
    assert len(standing(queue, "a").history) == 1


def test_what_is_recorded_anew_is_done_although_the_earlier_episode_was_sent_back(tmp_path: Path) -> None:
    returns = NotedReturns()
    queue = queue_of(tmp_path, *ROWS, returns=returns)
    queue.mark_recorded("a", EPISODE)
    returns.send_back("a", EPISODE)
    queue.board()
    queue.mark_recorded("a", AGAIN)
    assert standing(queue, "a").status is Status.RECORDED
    returns.send_back("a", AGAIN, "The text is not right")
    assert (standing(queue, "a").status, standing(queue, "a").reason) == (Status.SENT_BACK, "The text is not right")


def test_an_episode_that_was_replaced_before_its_review_sends_nothing_back(tmp_path: Path) -> None:
    returns = NotedReturns()
    queue = queue_of(tmp_path, *ROWS, returns=returns)
    queue.mark_recorded("a", EPISODE)
    queue.send_back("a", "wrong account")
    queue.mark_recorded("a", AGAIN)
    returns.send_back("a", EPISODE)
    assert standing(queue, "a").status is Status.RECORDED


def test_a_task_that_is_under_way_again_is_let_be(tmp_path: Path) -> None:
    episodes, returns = NotedEpisodes(), NotedReturns()
    queue = queue_of(tmp_path, *ROWS, episodes=episodes, returns=returns)
    episodes.drafts[AGAIN] = "a"
    returns.send_back("a", EPISODE)
    assert standing(queue, "a").status is Status.UNDER_WAY


def test_what_was_recorded_on_another_computer_comes_back_here_too(tmp_path: Path) -> None:
    returns = NotedReturns()
    queue = queue_of(tmp_path, *ROWS, returns=returns)
    returns.send_back("b", EPISODE)
    returns.send_back("of another list", AGAIN)
    assert standing(queue, "b").status is Status.SENT_BACK
    assert queue.board().count(Status.SENT_BACK) == 1
