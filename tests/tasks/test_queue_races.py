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

from odyssey_recorder.tasks.queue.database import QueueDatabase
from odyssey_recorder.tasks.queue.task_status import Status, TaskEvent, status_after
from tests.tasks import claimants
from tests.tasks.claimants import Job
from tests.tasks.postgres import Postgres
from tests.tasks.queues import Queues
from tests.tasks.tasks import row, write_list

LEASE_S = 601


def _race(job: Job, processes: int, kills: int) -> set[int]:
    """Run the processes until all is recorded, killing some of them while they hold tasks; returns the killed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.tasks.claimants"])
    ahead_s = context.Value("d", 0.0, lock=False)  # a killed process would keep the lock forever
    start = context.Barrier(processes)
    jobs = [replace(job, number=number) for number in range(processes)]
    running = [context.Process(target=claimants.work_until_all_recorded, args=(one, start, ahead_s)) for one in jobs]
    for process in running:
        process.start()
    database = QueueDatabase(job.url, clock=claimants.clock(ahead_s))
    try:
        killed = _kill_some(jobs, running, kills)
        observer = claimants.queue_for(job, "observer", database)
        while not claimants.is_stuck(observer, killed):
            time.sleep(0.05)
        ahead_s.value = LEASE_S  # the claims of the killed ones expire
        for number, process in enumerate(running):
            process.join(120)
            assert process.exitcode == (-9 if number in killed else 0)
    finally:
        database.close()
        for process in running:
            process.kill()
            process.join()
    return killed


def _kill_some(jobs: Sequence[Job], running: Sequence[BaseProcess], kills: int) -> set[int]:
    rng, killed = random.Random(7), set[int]()
    while len(killed) < kills:
        holding = [one.number for one in jobs if one.number not in killed and _holds_a_task(one.log)]
        if holding:
            number = rng.choice(holding)
            time.sleep(0.01 * rng.random())
            running[number].kill()
            running[number].join()
            killed.add(number)
    return killed


def _holds_a_task(log: Path) -> bool:
    lines = log.read_text().splitlines() if log.exists() else []
    return bool(lines) and lines[-1].startswith("claimed")


def _assert_each_was_recorded_once(job: Job, tasks: int, killed: set[int]) -> None:
    database = QueueDatabase(job.url)
    board = claimants.queue_for(job, "observer", database).board()
    database.close()
    assert len(board.tasks) == tasks
    for task in board.tasks:
        assert [entry.event for entry in task.history] == [TaskEvent.RECORDED]
        assert task.status is status_after(entry.event for entry in task.history)
    entries = [line.split() for log in job.folder.glob("log-*.txt") for line in log.read_text().splitlines()]
    claimed = Counter(task_id for what, task_id, who in entries if what == "claimed" and _survived(who, killed))
    assert max(claimed.values()) == 1
    lost = {task_id for what, task_id, who in entries if what == "claimed" and not _survived(who, killed)}
    assert lost


def _survived(who: str, killed: set[int]) -> bool:
    return int(who.partition("-")[0]) not in killed


@pytest.mark.parametrize(
    ("processes", "tasks"), [(4, 20), pytest.param(20, 10_000, marks=pytest.mark.soak)], ids=["few", "many"]
)
def test_processes_share_a_new_file(processes: int, tasks: int, tmp_path: Path) -> None:
    source = write_list(tmp_path / "tasks.jsonl", [row(f"t-{number}") for number in range(tasks)])
    job = Job(f"sqlite:///{tmp_path / 'queue.sqlite'}", tmp_path, 0, 1, source, 0.02)
    killed = _race(job, processes, 2)
    _assert_each_was_recorded_once(job, tasks, killed)


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
    job = Job(url, tmp_path, 0, claimants, None, 0.1)
    killed = _race(job, processes, 1)
    _assert_each_was_recorded_once(job, tasks, killed)


def test_concurrent_first_access_creates_the_tables_once(postgres: Postgres) -> None:
    from concurrent.futures import ThreadPoolExecutor

    url = postgres.url(postgres.new_database())

    def open_database(_number: int) -> int:
        database = QueueDatabase(url)
        with database.reading() as connection:
            tables = len(connection.exec_driver_sql("SELECT version_num FROM alembic_version").all())
        database.close()
        return tables

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(open_database, range(20))) == [1] * 20


def test_claim_of_a_killed_process_is_freed_on_its_own_computer(queues: Queues) -> None:
    queues.fill(row("a"))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.tasks.claimants"])
    is_held = context.Event()
    process = context.Process(target=claimants.hold, args=(queues.url, queues.folder / "drafts", is_held))
    process.start()
    try:
        assert is_held.wait(60)
        here, there = queues.real_clock_queue("drafts"), queues.real_clock_queue("elsewhere")
        assert here.board().count(Status.CLAIMED) == 1
    finally:
        process.kill()
        process.join()
    assert there.board().count(Status.CLAIMED) == 1
    assert here.board().count(Status.WAITING) == 1
