"""Progress files from before there was a database are imported once."""

from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.task.queue.board import QueuedTask, Status, TaskEvent
from odyssey_recorder.task.queue.queue import TaskQueue
from tests.task.tasks import EPISODE, NotedEpisodes, queue_of, row

ROWS = (row("a"), row("b"), row("c"))
AGAIN = "0000000000000002"


@pytest.fixture
def progress(tmp_path: Path) -> Path:
    """The file of the older program."""
    (tmp_path / "progress").mkdir()
    return tmp_path / "progress" / "ada.jsonl"


def deed(name: str, task_id: str, *, by: str = "Ada", minute: int = 0, **more: str) -> str:
    told = {"deed": name, "task_id": task_id, "by": by, "at": f"2026-11-20T10:{minute:02}:00Z", **more}
    return "{" + ", ".join(f'"{key}": "{value}"' for key, value in told.items()) + "}\n"


def task(queue: TaskQueue, task_id: str) -> QueuedTask:
    found = queue.board().task(task_id)
    assert found is not None
    return found


def test_all_that_was_done_is_there_again_with_who_when_and_why(progress: Path, tmp_path: Path) -> None:
    progress.write_text(
        deed("recorded", "a", episode_id=EPISODE)
        + deed("skipped", "b", minute=1, reason="no such app")
        + deed("sent back", "a", by="Bea", minute=2, reason="A step is missing", episode_id=EPISODE)
        + deed("recorded", "of another list", episode_id=AGAIN)
    )
    queue = queue_of(tmp_path, *ROWS)
    assert [one.status for one in queue.board().tasks] == [Status.SENT_BACK, Status.SKIPPED, Status.WAITING]
    back = task(queue, "a").history[-1]
    assert (back.event, back.by, back.reason, back.episode_id) == (
        TaskEvent.SENT_BACK, "Bea", "A step is missing", EPISODE,
    )  # fmt: skip
    assert back.at.isoformat() == "2026-11-20T10:02:00+00:00"
    offered = [queue.claim_next(), queue.claim_next(after="a"), queue.claim_next(after="c")]
    assert [one.task_id for one in offered if one is not None] == ["a", "c", "b"]


def test_it_is_taken_over_once_and_the_file_is_left_alone(progress: Path, tmp_path: Path) -> None:
    progress.write_text(deed("skipped", "a", reason="later"))
    queue_of(tmp_path, *ROWS).board()
    assert len(task(queue_of(tmp_path, *ROWS), "a").history) == 1
    assert progress.exists()


def test_what_comes_into_the_list_later_has_its_history(progress: Path, tmp_path: Path) -> None:
    progress.write_text(deed("recorded", "later", episode_id=EPISODE))
    queue_of(tmp_path, *ROWS).board()
    assert task(queue_of(tmp_path, *ROWS, row("later")), "later").status is Status.RECORDED


def test_what_was_begun_is_found_out(progress: Path, tmp_path: Path) -> None:
    progress.write_text(deed("begun", "a", episode_id=EPISODE) + deed("begun", "b", episode_id=AGAIN))
    episodes = NotedEpisodes()
    episodes.published.add(EPISODE)
    episodes.drafts[AGAIN] = "b"
    queue = queue_of(tmp_path, *ROWS, episodes=episodes)
    assert [one.status for one in queue.board().tasks] == [Status.RECORDED, Status.UNDER_WAY, Status.WAITING]


def test_a_torn_last_line_is_none(progress: Path, tmp_path: Path) -> None:
    progress.write_text(deed("skipped", "a", reason="later") + '{"deed": "recor')
    assert task(queue_of(tmp_path, *ROWS), "a").status is Status.SKIPPED


def test_two_windows_that_noted_a_return_in_the_same_moment_have_noted_it_once(progress: Path, tmp_path: Path) -> None:
    progress.write_text(2 * deed("sent back", "a", by="Bea", reason="so", episode_id=EPISODE))
    assert len(task(queue_of(tmp_path, *ROWS), "a").history) == 1


def test_a_line_that_is_no_deed_is_told(progress: Path, tmp_path: Path) -> None:
    progress.write_text('{"deed": "eaten"}\n')
    queue = queue_of(tmp_path, *ROWS)
    with pytest.raises(TaskError, match="is no deed"):
        queue.board()
    progress.write_text(deed("skipped", "a", reason="later"))
    assert task(queue, "a").status is Status.SKIPPED


def test_a_file_that_cannot_be_read_is_told(progress: Path, tmp_path: Path) -> None:
    progress.mkdir()
    with pytest.raises(TaskError, match=r"ada\.jsonl, which remembers your tasks, cannot be read"):
        queue_of(tmp_path, *ROWS).skip("a", "later")
