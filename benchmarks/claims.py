"""Claims per second at a server, relative to the two bare statements that a claim needs.

The server is a local PostgreSQL with ten thousand open tasks. The floor selects the first free row with FOR UPDATE SKIP
LOCKED, updates it and commits, over the same driver. The two claim one task each in turn; each task is recorded before
the next claim, unmeasured, so that both find the machine in the same state. The rates are those of the median claim.
"""

import time
from itertools import count
from pathlib import Path

import psycopg

from benchmarks.figure import Figure, medians_in_turn
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.database import QueueDatabase
from odyssey_recorder.tasks.queue.queue import QueueEnvironment, TaskQueue
from tests.tasks.postgres import find_programs, running_postgres

TASKS = 10_000
_CLAIMS = 600
_EPISODES = (f"{number:016}" for number in count())
_NOW = "CAST(EXTRACT(epoch FROM now()) * 1000000 AS BIGINT)"
_SELECT = f"""SELECT task_id FROM tasks WHERE is_open AND until_us <= {_NOW}
    ORDER BY rank LIMIT 1 FOR UPDATE SKIP LOCKED"""
_UPDATE = f"UPDATE tasks SET token = 'bare', until_us = {_NOW} + 600000000 WHERE task_id = %s"


def measure(folder: Path) -> list[Figure]:
    """Claims per second; empty if PostgreSQL is not installed."""
    if find_programs() is None:
        return []
    with running_postgres() as server:
        names = server.new_database(), server.new_database()
        queue, recorder = (_filled_queue(server.url(name), folder) for name in names)
        with psycopg.connect(server.url(names[1])) as bare:
            claims = [lambda: _claim_s(queue), lambda: _bare_claim_s(bare, recorder)]
            ours_s, bare_s = medians_in_turn(claims, rounds=_CLAIMS)
    floor = "bare SELECT FOR UPDATE SKIP LOCKED", 1 / bare_s
    return [Figure(f"claims of {TASKS:,} tasks on PostgreSQL", 1 / ours_s, "per second", *floor, ">= 0.5")]


def _claim_s(queue: TaskQueue) -> float:
    began_s = time.perf_counter()
    task = queue.claim_next()
    spent_s = time.perf_counter() - began_s
    if task is None:
        raise RuntimeError("no task is left")
    queue.mark_recorded(task.task_id, next(_EPISODES))
    return spent_s


def _bare_claim_s(connection: psycopg.Connection, recorder: TaskQueue) -> float:
    began_s = time.perf_counter()
    row = connection.execute(_SELECT).fetchone()
    connection.execute(_UPDATE, row)
    connection.commit()
    spent_s = time.perf_counter() - began_s
    if row is None:
        raise RuntimeError("no task is left")
    recorder.mark_recorded(row[0], next(_EPISODES))
    return spent_s


def _filled_queue(url: str, folder: Path) -> TaskQueue:
    queue = _queue(QueueDatabase(url), folder)
    told = TaskInfo(
        Category.GENERAL_TOOL.value, ("Clock",), "Set {item}", "Set an alarm", "Please set an alarm in Clock"
    )
    queue.add((ListedTask(f"task-{number}", told) for number in range(TASKS)), to_approve=False)
    queue.board()
    return queue


def _queue(database: QueueDatabase, folder: Path) -> TaskQueue:
    store = EpisodeStore(folder / "claimed", drafts=folder / "claimed drafts")
    environment = QueueEnvironment(store, ReviewStore(store.root))
    return TaskQueue(database, lambda: "bench", folder / "claimed drafts", environment)
