"""Programs that claim tasks and record them, many at once; some of them are killed while they do."""

import random
import threading
import time
from collections.abc import Callable
from ctypes import c_double
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from typing import Any

from odyssey_recorder.task.queue.board import FINISHED, OPEN, Status
from odyssey_recorder.task.queue.database import QueueDatabase
from odyssey_recorder.task.queue.queue import QueueEnvironment, TaskQueue
from tests.task.tasks import NotedEpisodes


@dataclass(frozen=True)
class Work:
    """What a process is to do: `claimants` of them at once in the queue at `url`, each at a computer of its own.

    All follow the list `source`, where there is one. Each holds a task for a moment of at most `dawdles_s`.
    """

    url: str
    folder: Path
    number: int
    claimants: int
    source: Path | None
    dawdles_s: float

    @property
    def diary(self) -> Path:
        """The file with a line for each thing that was done."""
        return self.folder / f"diary-{self.number}.txt"


def clock(ahead_s: c_double) -> Callable[[], int]:
    """This computer's clock, some seconds ahead."""
    return lambda: time.time_ns() // 1000 + int(ahead_s.value * 1_000_000)


def queue_for(work: Work, name: str, database: QueueDatabase) -> TaskQueue:
    """The queue of one claimant."""
    environment = QueueEnvironment(NotedEpisodes(), source=work.source)
    return TaskQueue(database, lambda: name, work.folder / name, environment)


def work(what: Work, start: Barrier, ahead_s: c_double) -> None:
    """Claim and record until all is recorded, with a thread for each claimant; all processes begin together."""
    queue_for(what, "opener", QueueDatabase(what.url)).board()
    start.wait(60)
    with what.diary.open("a", buffering=1) as diary:
        threads = [threading.Thread(target=_claim, args=(what, one, ahead_s, diary)) for one in range(what.claimants)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _claim(what: Work, one: int, ahead_s: c_double, diary: Any) -> None:
    name, chance, rest = f"{what.number}-{one}", random.Random(one), threading.Event()
    queue = queue_for(what, name, QueueDatabase(what.url, clock=clock(ahead_s)))
    recorded = 0
    while True:
        task = queue.claim_next()
        if task is None:
            board = queue.board()
            if board.count(*FINISHED) == len(board.tasks):
                return
            rest.wait(0.2 + 0.3 * chance.random())
            continue
        diary.write(f"claimed {task.task_id} {name}\n")
        rest.wait(what.dawdles_s * chance.random())
        queue.mark_recorded(task.task_id, f"{what.number:04}{one:04}{recorded:08}")
        diary.write(f"recorded {task.task_id} {name}\n")
        recorded += 1


def hold(url: str, drafts: Path, is_held: Event) -> None:
    """Claim the first task at the place of the drafts, and stay."""
    queue = TaskQueue(QueueDatabase(url), lambda: "Ada", drafts, QueueEnvironment(NotedEpisodes()))
    queue.claim_next()
    is_held.set()
    threading.Event().wait()


def is_stuck(queue: TaskQueue, killed: set[int]) -> bool:
    """Whether no task is left but those that the killed ones held."""
    is_open = queue.board().count(*OPEN, Status.UNDER_WAY) > 0
    return not is_open and all(int(one.annotator.partition("-")[0]) in killed for one in queue.holders())
