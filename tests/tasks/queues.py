"""Queues in one database, a file or on a server, with a clock that the tests set."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from odyssey_recorder.tasks.listing import ListedTask, read_tasks
from odyssey_recorder.tasks.queue.database import QueueDatabase
from odyssey_recorder.tasks.queue.queue import QueueEnvironment, TaskQueue
from odyssey_recorder.tasks.queue.reconciler import EpisodeLookup, ReviewOutcomes
from odyssey_recorder.tasks.queue.task_status import QueuedTask, Status
from odyssey_recorder.tasks.queue.transaction import Leases
from tests.tasks.tasks import FakeEpisodes, write_list

LEASES = Leases(claim_s=600, recording_s=86_400)


@cache
def empty_queue_file() -> bytes:
    """Cached: creating the tables takes longer than most tests."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "queue.sqlite"
        database = QueueDatabase.in_file(path)
        with database.reading():
            pass
        database.close()
        return path.read_bytes()


class Clock:
    """A clock that only `advance_s` moves."""

    def __init__(self) -> None:
        self.now_us = 1_800_000_000_000_000

    def __call__(self) -> int:
        return self.now_us

    def advance_s(self, seconds: float) -> None:
        self.now_us += int(seconds * 1_000_000)


class Queues:
    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self.clock = Clock()
        self.url = url
        if not url:
            file = folder / "queue.sqlite"
            file.write_bytes(empty_queue_file())
            self.url = f"sqlite:///{file}"
        self._databases: list[QueueDatabase] = []

    def database(self, clock: Callable[[], int] | None = None) -> QueueDatabase:
        made = QueueDatabase(self.url, clock=clock)
        self._databases.append(made)
        return made

    def fill(self, *rows: Mapping[str, object]) -> None:
        self.queue().add(self.listed(*rows), to_approve=False)

    def listed(self, *rows: Mapping[str, object]) -> tuple[ListedTask, ...]:
        return read_tasks(write_list(self.folder / "rows.jsonl", rows))

    def queue(
        self,
        episodes: EpisodeLookup | None = None,
        returns: ReviewOutcomes | None = None,
        *,
        annotator: str = "Ada",
        drafts: str = "drafts",
    ) -> TaskQueue:
        environment = QueueEnvironment(episodes or FakeEpisodes(), returns)
        return TaskQueue(self.database(self.clock), lambda: annotator, self.folder / drafts, environment, LEASES)

    def real_clock_queue(self, drafts: str) -> TaskQueue:
        """Bob's queue, with the real clock."""
        return TaskQueue(self.database(), lambda: "Bob", self.folder / drafts, QueueEnvironment(FakeEpisodes()))

    def close(self) -> None:
        for database in self._databases:
            database.close()


def claimed_id(task: QueuedTask | None) -> str:
    """The id of a claimed task; empty for none."""
    return "" if task is None else task.task_id


def queued_task(queue: TaskQueue, task_id: str) -> QueuedTask:
    task = queue.board().task(task_id)
    assert task is not None
    return task


def status(queue: TaskQueue, task_id: str) -> Status:
    return queued_task(queue, task_id).status
