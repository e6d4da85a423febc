"""Finds events that block the GUI thread for too long, and where in the program.

Create a `ProbedApplication` before any other application; `application()` then uses it.
"""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import shiboken6
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

LIMIT_MS = 50.0
HAS_STACKS = sys.version_info < (3, 13)
"""In Python 3.13 faulthandler crashes on another thread's running frames."""


@dataclass(frozen=True, slots=True)
class SlowDelivery:
    """An event over the limit; time that was neither work nor queueing was spent blocked.

    `queued_ms` is the wait for a processor, where the system reports it. `stack` is empty if all the time was spent
    inside Qt.
    """

    took_ms: float
    worked_ms: float
    queued_ms: float
    receiver: str
    event: str
    stack: str

    def __str__(self) -> str:
        times = f"{self.took_ms:.0f} ms ({self.worked_ms:.0f} at work, {self.queued_ms:.0f} in the queue)"
        return f"{times}: {self.event} for {self.receiver}\n{self.stack}"


class ProbedApplication(QApplication):
    """Measures the delivery of every event on the GUI thread, including queued slots and timers.

    Nested deliveries count for the outer event. Event loops run by a test are not deliveries.
    """

    def __init__(self, arguments: Sequence[str] = (), *, limit_ms: float = LIMIT_MS) -> None:
        self._limit_ms = limit_ms
        self._slow: list[SlowDelivery] = []
        self._watcher = _StackWatcher(threading.get_ident(), limit_ms / 1000)
        super().__init__(list(arguments))

    @property
    def slow(self) -> tuple[SlowDelivery, ...]:
        return tuple(self._slow)

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        watcher = self._watcher
        if watcher.is_busy or threading.get_ident() != watcher.thread:
            return super().notify(receiver, event)
        kind = event.type()
        watcher.begin()
        try:
            return super().notify(receiver, event)
        finally:
            times_ms, stack = watcher.end()
            if times_ms[0] > self._limit_ms:
                self._slow.append(SlowDelivery(*times_ms, _name(receiver), kind.name, stack))

    @property
    def has_stack(self) -> bool:
        """Whether the event that is being delivered is over the limit, and its stack is known."""
        return bool(self._watcher.stack)

    def end_probe(self) -> None:
        self._watcher.close()


class _Times(NamedTuple):
    """Elapsed, working and queued time of a thread, in milliseconds."""

    took_ms: float
    worked_ms: float
    queued_ms: float

    def since(self, before: "_Times") -> "_Times":
        return _Times(*(now - then for now, then in zip(self, before, strict=True)))


class _ThreadClock:
    """Reads the times of the thread that creates it; use it on that thread."""

    def __init__(self, thread_id: int) -> None:
        statistics = Path(f"/proc/self/task/{thread_id}/schedstat")  # Linux only
        self._queued = os.open(statistics, os.O_RDONLY) if statistics.exists() else None

    def read(self) -> _Times:
        queued_ns = 0 if self._queued is None else int(os.pread(self._queued, 64, 0).split()[1])
        return _Times(1000 * time.perf_counter(), 1000 * time.thread_time(), queued_ns / 1e6)


class _StackWatcher:
    """Samples one thread's stack from another thread once it has been busy for `limit_s`, give or take a fifth."""

    def __init__(self, thread: int, limit_s: float) -> None:
        self.thread = thread
        self.is_busy = False
        self._limit_s = limit_s
        self._began_s = 0.0
        self._before = _Times(0, 0, 0)
        self.stack = ""
        self._clock = _ThreadClock(threading.get_native_id())
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="slot probe", daemon=True).start()

    def begin(self) -> None:
        self.stack = ""
        self._began_s = time.perf_counter()
        self._before = self._clock.read()
        self.is_busy = True

    def end(self) -> tuple[_Times, str]:
        """The time spent, and the stack if it was over the limit."""
        self.is_busy = False
        return self._clock.read().since(self._before), self.stack

    def close(self) -> None:
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(self._limit_s / 5):
            began_s = self._began_s
            if not self.is_busy or self.stack or time.perf_counter() - began_s < self._limit_s:
                continue
            stack = _stack_of(self.thread)
            if self.is_busy and self._began_s == began_s:
                self.stack = stack


def _stack_of(thread: int) -> str:
    """The thread's current stack, innermost first.

    Must not keep a reference to its frames: objects that they release, such as a painter or a timer, would be
    destroyed on the wrong thread. Empty without HAS_STACKS.
    """
    if not HAS_STACKS:
        return ""
    with TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        threads = file.read().split("\n\n")
    return next((stack for stack in threads if f"{thread:x} (" in stack.partition("\n")[0]), "")


def _name(receiver: QObject) -> str:
    if not shiboken6.isValid(receiver):
        return f"{type(receiver).__name__} (gone)"
    name = receiver.objectName() or getattr(receiver, "accessibleName", str)()
    return f"{type(receiver).__name__} {name!r}" if name else type(receiver).__name__
