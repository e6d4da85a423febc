"""Checks episodes in several processes, and reports the task over which a process died."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar, cast

Task = TypeVar("Task")
Result = TypeVar("Result")

_LOOK_S = 0.2
_END_S = 5.0


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """Why there is no result: the process died, or the program has a bug."""

    why: str


class Workers(Generic[Task, Result]):
    """A pool of processes; `begin` is called once in each, and its result handles one task after another.

    `begin`, the tasks and the results must be picklable. As a context manager it ends its processes.
    """

    def __init__(self, count: int, begin: Callable[[], Callable[[Task], Result]]) -> None:
        self._begin = begin
        self._workers = [_Worker(begin) for _ in range(count)]

    def __enter__(self) -> "Workers[Task, Result]":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()

    def run(
        self, tasks: Iterator[Task], cancelled: Callable[[], bool]
    ) -> Iterator[tuple[Task, Result | WorkerFailure]]:
        doing: dict[Connection, tuple[_Worker, Task]] = {}
        for worker, task in zip(self._workers, tasks, strict=False):
            worker.begin(task)
            doing[worker.line] = worker, task
        while doing and not cancelled():
            for line in wait(list(doing), _LOOK_S):
                worker, task = doing.pop(cast(Connection, line))
                result: Result | WorkerFailure = worker.result()
                if worker.has_ended:
                    worker = self._replaced(worker)
                following = next(tasks, None)
                if following is not None:
                    worker.begin(following)
                    doing[worker.line] = worker, following
                yield task, result

    def _replaced(self, lost: "_Worker") -> "_Worker":
        lost.end()
        self._workers[self._workers.index(lost)] = fresh = _Worker(self._begin)
        return fresh


class _Worker:
    def __init__(self, begin: Callable[[], Callable[[Any], Any]]) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.line, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, begin), daemon=True)
        self._process.start()
        theirs.close()  # so that the pipe ends when the process does

    @property
    def has_ended(self) -> bool:
        return not self._process.is_alive()

    def begin(self, task: object) -> None:
        with suppress(OSError):  # it is dead: then there is no result
            self.line.send(task)

    def result(self) -> Any:
        try:
            return self.line.recv()
        except (EOFError, OSError):
            self._process.join(_END_S)
            return WorkerFailure(f"the process that checked it ended ({_ending(self._process.exitcode)})")

    def end(self) -> None:
        self.line.close()
        self._process.terminate()
        self._process.join(_END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _serve(line: Connection, begin: Callable[[], Callable[[Any], Any]]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    work = begin()
    with suppress(EOFError, OSError):
        while True:
            line.send(_done(work, line.recv()))


def _done(work: Callable[[Any], Any], task: object) -> object:
    try:
        return work(task)
    except Exception as error:  # noqa: BLE001 - the top of a process: the parent adds the task
        return WorkerFailure(f"internal error ({type(error).__name__}: {error})")


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"
