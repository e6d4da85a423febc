import os
import signal
import time
from collections.abc import Callable

from odyssey_recorder.checking.workers import WorkerFailure, Workers

CRASHING, RAISING, HANGING = -1, -2, -3


def start() -> Callable[[int], int]:
    return double


def double(number: int) -> int:
    if number == CRASHING:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == RAISING:
        raise ValueError("too much")
    if number == HANGING:
        time.sleep(3600)
    return 2 * number


def exit_at_start() -> Callable[[int], int]:
    os._exit(3)


def test_crashed_process_fails_its_task_and_is_replaced() -> None:
    with Workers[int, int](1, start) as workers:
        found = dict(workers.run(iter([1, CRASHING, 2, RAISING, 3]), lambda: False))
    assert found[CRASHING] == WorkerFailure("the process that checked it ended (SIGKILL)")
    assert found[RAISING] == WorkerFailure("internal error (ValueError: too much)")
    assert [found[number] for number in (1, 2, 3)] == [2, 4, 6]


def test_processes_that_cannot_start_fail_their_tasks() -> None:
    with Workers[int, int](2, exit_at_start) as workers:
        lost = dict(workers.run(iter([1, 2, 3]), lambda: False))
    assert lost == dict.fromkeys([1, 2, 3], WorkerFailure("the process that checked it ended (exit code 3)"))


def test_cancelling_waits_for_no_task() -> None:
    answers = iter([False, True])
    began = time.monotonic()
    with Workers[int, int](1, start) as workers:
        assert list(workers.run(iter([HANGING, 1]), lambda: next(answers))) == []
    assert time.monotonic() - began < 120, "the task hangs for an hour"
