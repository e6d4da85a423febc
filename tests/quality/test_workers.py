import os
import signal
import time
from collections.abc import Callable

from odyssey_recorder.quality.workers import WorkerFailure, Workers

DEADLY, FAULTY, ENDLESS = -1, -2, -3


def begin() -> Callable[[int], int]:
    return double


def double(number: int) -> int:
    if number == DEADLY:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == FAULTY:
        raise ValueError("too much")
    if number == ENDLESS:
        time.sleep(3600)
    return 2 * number


def begin_dead() -> Callable[[int], int]:
    os._exit(3)


def test_a_process_that_dies_names_its_task_and_another_goes_on() -> None:
    with Workers[int, int](1, begin) as workers:
        found = dict(workers.run(iter([1, DEADLY, 2, FAULTY, 3]), lambda: False))
    assert found[DEADLY] == WorkerFailure("the process that checked it ended (SIGKILL)")
    assert found[FAULTY] == WorkerFailure("internal error (ValueError: too much)")
    assert [found[number] for number in (1, 2, 3)] == [2, 4, 6]


def test_processes_that_cannot_begin_lose_their_tasks_and_nothing_hangs() -> None:
    with Workers[int, int](2, begin_dead) as workers:
        lost = dict(workers.run(iter([1, 2, 3]), lambda: False))
    assert lost == dict.fromkeys([1, 2, 3], WorkerFailure("the process that checked it ended (exit code 3)"))


def test_whoever_cancels_waits_for_no_task() -> None:
    answers = iter([False, True])
    began = time.monotonic()
    with Workers[int, int](1, begin) as workers:
        assert list(workers.run(iter([ENDLESS, 1]), lambda: next(answers))) == []
    assert time.monotonic() - began < 20
