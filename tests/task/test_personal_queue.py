"""The queue follows whoever records."""

from pathlib import Path

import pytest

from odyssey_recorder.task.queue.personal_queue import PersonalQueue
from odyssey_recorder.task.queue.queue import Status, WholeQueue
from tests.task.tasks import EPISODE, NotedEpisodes, queue_over, row, write_list


@pytest.fixture
def names() -> list[str]:
    """Who recorded, whoever records now last."""
    return ["root"]


@pytest.fixture
def queue(tmp_path: Path, names: list[str]) -> PersonalQueue:
    source = write_list(tmp_path / "list.jsonl", [row("a"), row("b")])

    def open_queue(name: str) -> WholeQueue:
        return queue_over(source, tmp_path / "queue.sqlite", NotedEpisodes(), annotator=name)

    return PersonalQueue(lambda: names[-1], open_queue)


def test_what_one_has_recorded_is_not_offered_to_the_other(queue: PersonalQueue, names: list[str]) -> None:
    names.append("Ada")
    queue.mark_recorded("a", EPISODE)
    assert [entry.by for entry in queue.board().tasks[0].history] == ["Ada"]
    names.append("root")
    upcoming = queue.claim_next()
    assert upcoming is not None
    assert upcoming.task_id == "b"
    queue.send_back("a", "a step is missing")
    assert queue.board().count(Status.SENT_BACK) == 1
    queue.skip("b", "later")
    assert queue.board().count(Status.SKIPPED) == 1


def test_whoever_says_another_name_gives_back_what_they_held_under_the_first(
    queue: PersonalQueue, names: list[str]
) -> None:
    queue.claim("a")
    assert queue.renew()
    names.append("Ada")
    assert not queue.renew()
    assert queue.board().count(Status.CLAIMED) == 0
    queue.claim("a")
    assert [holder.annotator for holder in queue.holders()] == ["Ada"]
    queue.release()
    assert queue.holders() == ()


def test_whoever_prepares_has_the_same_queue(queue: PersonalQueue) -> None:
    first = queue.board().tasks[0].listed
    assert queue.add([first], to_approve=True) == 0
    queue.reject([first], "root", "not natural")
    queue.amend([first], "root")
    assert queue.board().tasks[0].status is Status.REJECTED
    queue.approve([first], "root")
    assert queue.board().tasks[0].status is Status.WAITING
