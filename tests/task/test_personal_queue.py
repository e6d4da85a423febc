"""The queue follows whoever records."""

from pathlib import Path

from odyssey_recorder.task.annotator_queue import AnnotatorQueue
from odyssey_recorder.task.personal_queue import PersonalQueue
from odyssey_recorder.task.progress import ProgressFile
from odyssey_recorder.task.queue import Status, TaskQueue
from tests.task.tasks import EPISODE, NotedEpisodes, row, write_list


def test_what_one_has_recorded_waits_for_the_other(tmp_path: Path) -> None:
    source = write_list(tmp_path / "list.jsonl", [row("a"), row("b")])
    names = ["root"]

    def queue_of(name: str) -> TaskQueue:
        return AnnotatorQueue(source, ProgressFile(tmp_path / f"{name}.jsonl", name), NotedEpisodes())

    queue = PersonalQueue(lambda: names[-1], queue_of)
    queue.claim("a")
    names.append("Ada")
    queue.mark_recorded("a", EPISODE)
    assert [task.status for task in queue.board().tasks] == [Status.RECORDED, Status.WAITING]
    assert [entry.by for entry in queue.board().tasks[0].history] == ["Ada"]

    names.append("root")
    assert [task.status for task in queue.board().tasks] == [Status.CLAIMED, Status.WAITING]
    queue.release()
    queue.skip("a", "later")
    upcoming = queue.claim_next()
    assert upcoming is not None
    assert upcoming.task_id == "b"

    names.append("Ada")
    queue.send_back("a", "a step is missing")
    assert queue.board().count(Status.SENT_BACK) == 1
