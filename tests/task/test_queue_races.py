"""Concurrent claims, with some processes killed: no task goes to two, and none is lost."""

import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from odyssey_recorder.task.queue.board import Status, TaskEvent, status_after
from odyssey_recorder.task.queue.database import QueueDatabase
from tests.task import claimants
from tests.task.claimants import Work
from tests.task.postgres import Postgres
from tests.task.queues import Queues
from tests.task.tasks import row, write_list

LEASE_S = 601


def _race(work: Work, processes: int, victims: int) -> set[int]:
    """Run the processes until all is recorded, killing `victims` of them while they hold tasks; returns those."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.task.claimants"])
    ahead_s = context.Value("d", 0.0, lock=False)  # a killed process would keep the lock forever
    start = context.Barrier(processes)
    works = [replace(work, number=number) for number in range(processes)]
    running = [context.Process(target=claimants.work, args=(one, start, ahead_s)) for one in works]
    for process in running:
        process.start()
    database = QueueDatabase(work.url, clock=claimants.clock(ahead_s))
    try:
        killed = _kill_some(works, running, victims)
        looker = claimants.queue_for(work, "looker", database)
        while not claimants.is_stuck(looker, killed):
            time.sleep(0.05)
        ahead_s.value = LEASE_S  # the claims of the killed ones expire
        for number, process in enumerate(running):
            process.join(25)
            assert process.exitcode == (-9 if number in killed else 0)
    finally:
        database.close()
        for process in running:
            process.kill()
            process.join()
    return killed


def _kill_some(works: Sequence[Work], running: Sequence[BaseProcess], victims: int) -> set[int]:
    chance, killed = random.Random(7), set[int]()
    while len(killed) < victims:
        holding = [one.number for one in works if one.number not in killed and _holds(one.diary)]
        if holding:
            number = chance.choice(holding)
            time.sleep(0.01 * chance.random())
            running[number].kill()
            running[number].join()
            killed.add(number)
    return killed


def _holds(diary: Path) -> bool:
    lines = diary.read_text().splitlines() if diary.exists() else []
    return bool(lines) and lines[-1].startswith("claimed")


def _assert_each_was_recorded_once(work: Work, tasks: int, killed: set[int]) -> None:
    database = QueueDatabase(work.url)
    board = claimants.queue_for(work, "looker", database).board()
    database.close()
    assert len(board.tasks) == tasks
    for task in board.tasks:
        assert [entry.event for entry in task.history] == [TaskEvent.RECORDED]
        assert task.status is status_after(entry.event for entry in task.history)
    told = [line.split() for diary in work.folder.glob("diary-*.txt") for line in diary.read_text().splitlines()]
    claimed = Counter(task_id for what, task_id, who in told if what == "claimed" and _lives(who, killed))
    assert max(claimed.values()) == 1
    lost = {task_id for what, task_id, who in told if what == "claimed" and not _lives(who, killed)}
    assert lost


def _lives(who: str, killed: set[int]) -> bool:
    return int(who.partition("-")[0]) not in killed


@pytest.mark.parametrize(
    ("processes", "tasks"), [(4, 20), pytest.param(20, 10_000, marks=pytest.mark.soak)], ids=["few", "many"]
)
def test_processes_share_a_file_that_none_has_made(processes: int, tasks: int, tmp_path: Path) -> None:
    source = write_list(tmp_path / "tasks.jsonl", [row(f"t-{number}") for number in range(tasks)])
    work = Work(f"sqlite:///{tmp_path / 'queue.sqlite'}", tmp_path, 0, 1, source, 0.02)
    killed = _race(work, processes, 2)
    _assert_each_was_recorded_once(work, tasks, killed)


@pytest.mark.parametrize(
    ("processes", "claimants", "tasks"),
    [(3, 8, 40), pytest.param(8, 25, 250, marks=pytest.mark.soak)],
    ids=["few", "many"],
)
def test_processes_share_a_server(
    processes: int, claimants: int, tasks: int, postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.url(postgres.new_database())
    filling = Queues(tmp_path, url)
    filling.fill(*(row(f"t-{number}") for number in range(tasks)))
    filling.close()
    work = Work(url, tmp_path, 0, claimants, None, 0.1)
    killed = _race(work, processes, 1)
    _assert_each_was_recorded_once(work, tasks, killed)


def test_many_that_open_an_empty_server_at_once_make_its_tables_once(postgres: Postgres) -> None:
    from concurrent.futures import ThreadPoolExecutor

    url = postgres.url(postgres.new_database())

    def open_it(_number: int) -> int:
        database = QueueDatabase(url)
        with database.reading() as connection:
            tables = len(connection.exec_driver_sql("SELECT version_num FROM alembic_version").all())
        database.close()
        return tables

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(open_it, range(20))) == [1] * 20


def test_what_a_killed_program_held_is_free_at_once_where_it_ran_and_later_elsewhere(queues: Queues) -> None:
    queues.fill(row("a"))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.task.claimants"])
    is_held = context.Event()
    process = context.Process(target=claimants.hold, args=(queues.url, queues.folder / "drafts", is_held))
    process.start()
    try:
        assert is_held.wait(60)
        here, there = queues.queue_by_the_clock("drafts"), queues.queue_by_the_clock("elsewhere")
        assert here.board().count(Status.CLAIMED) == 1
    finally:
        process.kill()
        process.join()
    assert there.board().count(Status.CLAIMED) == 1
    assert here.board().count(Status.WAITING) == 1
