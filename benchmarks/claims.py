"""How many tasks a second can be claimed at a server, over the two bare statements that a claim cannot do without.

The server is PostgreSQL on this computer, with ten thousand open tasks. The floor selects the first free row with
FOR UPDATE SKIP LOCKED, updates it and commits, over the same driver. Each task is recorded before the next is claimed;
that is not measured.
"""

import time
from pathlib import Path

import psycopg

from benchmarks.figure import Figure, medians_in_turn
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.database import QueueDatabase
from odyssey_recorder.task.queue.seat import Seat
from odyssey_recorder.task.queue.shared_queue import SharedQueue, Surroundings
from tests.task.postgres import Postgres, find_programs, running_postgres

TASKS = 10_000
_CLAIMS, _ROUNDS = 100, 9
_NOW = "CAST(EXTRACT(epoch FROM now()) * 1000000 AS BIGINT)"
_SELECT = f"""SELECT task_id FROM tasks WHERE is_open AND until_us <= {_NOW}
    ORDER BY rank LIMIT 1 FOR UPDATE SKIP LOCKED"""
_UPDATE = f"UPDATE tasks SET token = 'bare', until_us = {_NOW} + 600000000 WHERE task_id = %s"
_END = "UPDATE tasks SET is_open = false, status = 'RECORDED' WHERE task_id = %s"


def measure(folder: Path) -> list[Figure]:
    """Claims a second of the queue and of the bare statements, in turn; none where PostgreSQL is not installed."""
    if find_programs() is None:
        return []
    with running_postgres() as server:
        queue = _filled_queue(server, folder)
        with psycopg.connect(server.url(_filled_database(server, folder))) as bare:
            rates = medians_in_turn([lambda: _rate(queue), lambda: _bare_rate(bare)], rounds=_ROUNDS)
    floor = "bare SELECT FOR UPDATE SKIP LOCKED", rates[1]
    return [Figure(f"claims of {TASKS:,} tasks on PostgreSQL", rates[0], "per second", *floor, ">= 0.5")]


def _rate(queue: SharedQueue) -> float:
    """Claims a second of the queue."""
    spent_s = 0.0
    for number in range(_CLAIMS):
        began_s = time.perf_counter()
        task = queue.claim_next()
        spent_s += time.perf_counter() - began_s
        if task is None:
            raise RuntimeError("no task is left")
        queue.mark_recorded(task.task_id, f"{number:016}")
    return _CLAIMS / spent_s


def _bare_rate(connection: psycopg.Connection) -> float:
    """Claims a second of the bare statements."""
    spent_s = 0.0
    for _ in range(_CLAIMS):
        began_s = time.perf_counter()
        row = connection.execute(_SELECT).fetchone()
        connection.execute(_UPDATE, row)
        connection.commit()
        spent_s += time.perf_counter() - began_s
        connection.execute(_END, row)
        connection.commit()
    return _CLAIMS / spent_s


def _filled_database(server: Postgres, folder: Path) -> str:
    name = server.new_database()
    database = QueueDatabase(server.url(name))
    _fill(_queue(database, folder))
    database.close()
    return name


def _filled_queue(server: Postgres, folder: Path) -> SharedQueue:
    queue = _queue(QueueDatabase(server.url(server.new_database())), folder)
    _fill(queue)
    queue.board()
    return queue


def _queue(database: QueueDatabase, folder: Path) -> SharedQueue:
    store = EpisodeStore(folder / "claimed", drafts=folder / "claimed drafts")
    seat = Seat.of("bench", folder / "claimed drafts")
    return SharedQueue(database, seat, Surroundings(store, ReviewStore(store.root)))


def _fill(queue: SharedQueue) -> None:
    told = TaskInfo(
        Category.GENERAL_TOOL.value, ("Clock",), "Set {item}", "Set an alarm", "Please set an alarm in Clock"
    )
    queue.add((ListedTask(f"task-{number}", told) for number in range(TASKS)), to_approve=False)
