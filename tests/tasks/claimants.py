"""Processes that claim and record tasks concurrently; some are killed meanwhile."""

import random
import threading
import time
from collections.abc import Callable
from ctypes import c_double
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from typing import Any

from odyssey_recorder.tasks.queue.database import QueueDatabase
from odyssey_recorder.tasks.queue.queue import QueueEnvironment, TaskQueue
from odyssey_recorder.tasks.queue.task_status import FINISHED, OPEN, Status
from tests.tasks.tasks import FakeEpisodes


@dataclass(frozen=True)
class Job:
    """The work of one process: `claimants` of them in the queue at `url`, each at its own computer.

    All follow the list `source`, if given. Each keeps a task for a random time up to `max_delay_s`.
    """

    url: str
    folder: Path
    number: int
    claimants: int
    source: Path | None
    max_delay_s: float

    @property
    def log(self) -> Path:
        """A log with one line per action."""
        return self.folder / f"log-{self.number}.txt"


def clock(ahead_s: c_double) -> Callable[[], int]:
    return lambda: time.time_ns() // 1000 + int(ahead_s.value * 1_000_000)


def queue_for(job: Job, name: str, database: QueueDatabase) -> TaskQueue:
    environment = QueueEnvironment(FakeEpisodes(), source=job.source)
    return TaskQueue(database, lambda: name, job.folder / name, environment)


def work_until_all_recorded(job: Job, start: Barrier, ahead_s: c_double) -> None:
    """Claim and record until everything is recorded, in one thread per claimant; all processes start together."""
    queue_for(job, "opener", QueueDatabase(job.url)).board()
    start.wait(120)
    with job.log.open("a", buffering=1) as log:
        threads = [
            threading.Thread(target=_claim_and_record, args=(job, index, ahead_s, log))
            for index in range(job.claimants)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _claim_and_record(job: Job, index: int, ahead_s: c_double, log: Any) -> None:
    name, rng, rest = f"{job.number}-{index}", random.Random(index), threading.Event()
    queue = queue_for(job, name, QueueDatabase(job.url, clock=clock(ahead_s)))
    recorded = 0
    while True:
        task = queue.claim_next()
        if task is None:
            board = queue.board()
            if board.count(*FINISHED) == len(board.tasks):
                return
            rest.wait(0.2 + 0.3 * rng.random())
            continue
        log.write(f"claimed {task.task_id} {name}\n")
        rest.wait(job.max_delay_s * rng.random())
        queue.mark_recorded(task.task_id, f"{job.number:04}{index:04}{recorded:08}")
        log.write(f"recorded {task.task_id} {name}\n")
        recorded += 1


def hold(url: str, drafts: Path, is_held: Event) -> None:
    """Claim the first task from this drafts folder, and never return."""
    queue = TaskQueue(QueueDatabase(url), lambda: "Ada", drafts, QueueEnvironment(FakeEpisodes()))
    queue.claim_next()
    is_held.set()
    threading.Event().wait()


def is_stuck(queue: TaskQueue, killed: set[int]) -> bool:
    """Whether the only tasks left are those that the killed processes held."""
    is_open = queue.board().count(*OPEN, Status.UNDER_WAY) > 0
    return not is_open and all(int(index.annotator.partition("-")[0]) in killed for index in queue.holders())
