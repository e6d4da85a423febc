"""Progress files from before there was a database are imported once."""

from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.tasks.queue.task_status import Status, TaskEvent
from tests.tasks.queues import claimed_id, queued_task, status
from tests.tasks.tasks import EPISODE, SECOND_EPISODE, FakeEpisodes, queue_of, row

ROWS = (row("a"), row("b"), row("c"))


@pytest.fixture
def progress(tmp_path: Path) -> Path:
    """The file of the older program."""
    (tmp_path / "progress").mkdir()
    return tmp_path / "progress" / "ada.jsonl"


def progress_line(name: str, task_id: str, *, by: str = "Ada", minute: int = 0, **more: str) -> str:
    values = {"deed": name, "task_id": task_id, "by": by, "at": f"2026-11-20T10:{minute:02}:00Z", **more}
    return "{" + ", ".join(f'"{key}": "{value}"' for key, value in values.items()) + "}\n"


def test_history_is_imported_with_who_when_and_why(progress: Path, tmp_path: Path) -> None:
    progress.write_text(
        progress_line("recorded", "a", episode_id=EPISODE)
        + progress_line("skipped", "b", minute=1, reason="no such app")
        + 2 * progress_line("sent back", "a", by="Bea", minute=2, reason="A step is missing", episode_id=EPISODE)
        + progress_line("recorded", "later", episode_id=SECOND_EPISODE)
        + '{"deed": "recor'  # torn
    )
    queue = queue_of(tmp_path, *ROWS)
    assert [one.status for one in queue.board().tasks] == [Status.SENT_BACK, Status.SKIPPED, Status.WAITING]
    recorded, back = queued_task(queue, "a").history
    assert recorded.episode_id == EPISODE
    assert (back.event, back.by, back.reason, back.episode_id) == (
        TaskEvent.SENT_BACK, "Bea", "A step is missing", EPISODE,
    )  # fmt: skip
    assert back.at.isoformat() == "2026-11-20T10:02:00+00:00"
    offered = [queue.claim_next(), queue.claim_next(after="a"), queue.claim_next(after="c")]
    assert [claimed_id(one) for one in offered] == ["a", "c", "b"]
    again = queue_of(tmp_path, *ROWS, row("later"))
    assert len(queued_task(again, "a").history) == 2, "it is taken over once"
    assert status(again, "later") is Status.RECORDED
    assert progress.exists()


def test_status_of_begun_tasks_is_determined(progress: Path, tmp_path: Path) -> None:
    progress.write_text(
        progress_line("begun", "a", episode_id=EPISODE) + progress_line("begun", "b", episode_id=SECOND_EPISODE)
    )
    episodes = FakeEpisodes()
    episodes.published.add(EPISODE)
    episodes.drafts[SECOND_EPISODE] = "b"
    queue = queue_of(tmp_path, *ROWS, episodes=episodes)
    assert [one.status for one in queue.board().tasks] == [Status.RECORDED, Status.UNDER_WAY, Status.WAITING]


def test_invalid_line_is_reported(progress: Path, tmp_path: Path) -> None:
    progress.write_text('{"deed": "eaten"}\n')
    queue = queue_of(tmp_path, *ROWS)
    with pytest.raises(TaskError, match="contains an invalid line"):
        queue.board()
    progress.write_text(progress_line("skipped", "a", reason="later"))
    assert status(queue, "a") is Status.SKIPPED


def test_unreadable_file_is_reported(progress: Path, tmp_path: Path) -> None:
    progress.mkdir()
    with pytest.raises(TaskError, match=r"ada\.jsonl, which remembers your tasks, cannot be read"):
        queue_of(tmp_path, *ROWS).skip("a", "later")
