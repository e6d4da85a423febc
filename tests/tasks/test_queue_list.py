"""A queue in a file follows its list, which may change at any time."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.tasks.listing import read_tasks, task_line
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import Status
from tests.tasks.origins import FAULTY
from tests.tasks.queues import claimed_id
from tests.tasks.tasks import EPISODE, queue_of, row, write_list

ROWS = (row("a"), row("b"), row("c"))


def rewrite(folder: Path, *rows: Mapping[str, object]) -> None:
    """Rewrite the list."""
    write_list(folder / "my_tasks.jsonl", rows)


def shown_ids(queue: TaskQueue) -> list[str]:
    return [task.task_id for task in queue.board().tasks]


def test_changed_list_is_read_again(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    assert shown_ids(queue) == ["a", "b", "c"]
    assert queue.board().name == "my tasks"
    rewrite(tmp_path, row("a"), row("the new one"))
    with pytest.raises(TaskError, match="2: task_id"):
        queue.board()
    rewrite(tmp_path, row("a"), row("new"))
    assert shown_ids(queue) == ["a", "new"]
    with pytest.raises(TaskError, match=r"c is not in .*my_tasks\.jsonl any more"):
        queue.claim("c")
    (tmp_path / "my_tasks.jsonl").unlink()
    with pytest.raises(TaskError, match=r"my_tasks\.jsonl cannot be read"):
        queue.claim_next()


def test_removed_task_returns_with_its_status(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    queue.skip("a", "later")
    queue.mark_recorded("b", EPISODE)
    rewrite(tmp_path, row("c"))
    assert shown_ids(queue) == ["c"]
    queue.mark_recorded("c", EPISODE)
    assert queue.claim_next() is None
    rewrite(tmp_path, row("b"), row("a"), row("c"))
    assert shown_ids(queue) == ["b", "a", "c"]
    assert [one.status for one in queue.board().tasks] == [Status.RECORDED, Status.SKIPPED, Status.RECORDED]
    assert claimed_id(queue.claim_next()) == "a"


def test_list_changes_apply_to_claimed_tasks(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    queue.claim("a")
    rewrite(tmp_path, row("a", instruction="Wake me", priority=2), row("b"), row("c", priority=1))
    tasks = queue.board().tasks
    assert (tasks[0].listed.task.instruction, tasks[0].status) == ("Wake me", Status.CLAIMED)
    assert claimed_id(queue.claim_next(after="a")) == "c"


def test_edited_instruction_is_kept_until_the_list_changes_it(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    source = write_list(tmp_path / "better.jsonl", [row("b", instruction="Wake me")])
    queue.amend(read_tasks(source), "Lea")
    rewrite(tmp_path, row("c"), row("b"))
    assert [task.listed.task.instruction for task in queue.board().tasks] == ["Do c in the clock", "Wake me"]
    assert queue_of(tmp_path, row("c"), row("b")).board().tasks[1].listed.task.instruction == "Wake me"
    rewrite(tmp_path, row("b", instruction="Wake me at seven"))
    assert queue.board().tasks[0].listed.task.instruction == "Wake me at seven"


def test_added_tasks_stay_behind_those_of_the_list(tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS)
    added = read_tasks(write_list(tmp_path / "more.jsonl", [row("x"), row("y"), row("a")]))
    assert queue.add(added, to_approve=False) == 2
    rewrite(tmp_path, *ROWS, row("d"))
    assert shown_ids(queue) == ["a", "b", "c", "d", "x", "y"]


def test_listed_task_with_known_faults_needs_approval(tmp_path: Path) -> None:
    faulty = json.loads(task_line(replace(*read_tasks(write_list(tmp_path / "one.jsonl", [row("a")])), text=FAULTY)))
    queue = queue_of(tmp_path, faulty, row("b"))
    assert [task.status for task in queue.board().tasks] == [Status.TO_APPROVE, Status.WAITING]
    rewrite(tmp_path, faulty, {**faulty, "task_id": "b"})
    assert [task.status for task in queue.board().tasks] == [Status.TO_APPROVE, Status.TO_APPROVE]
    queue.approve([queue.board().tasks[0].listed], "Lea")
    assert claimed_id(queue.claim_next()) == "a"
