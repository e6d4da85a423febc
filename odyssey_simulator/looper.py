"""The single thread, with timers, on which everything in a simulated emulator happens."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class PhoneStoppedError(RuntimeError):
    """Used before `start` or after `stop`."""


class Timer:
    def __init__(self, task: Callable[[], None]) -> None:
        self._task: Callable[[], None] | None = task

    def cancel(self) -> None:
        """Only on the looper's thread; does nothing if the call was already made."""
        self._task = None

    def fire(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task()


class Looper:
    """An exception in a timer does not end the thread."""

    def __init__(self, name: str) -> None:
        self._queue: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()
        self._wake = threading.Condition()
        self._running = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._running = True
        self._thread.start()

    def stop(self) -> None:
        """Finish the current call, drop the others, and wait for the thread to end."""
        with self._wake:
            self._running = False
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join()

    def call(self, task: Callable[[], _Result]) -> _Result:
        """Returns or raises what `task` does; runs it directly if already on the thread."""
        if threading.current_thread() is self._thread:
            return task()
        future: Future[_Result] = Future()

        def run() -> None:
            try:
                future.set_result(task())
            except BaseException as error:  # noqa: BLE001 - re-raised in the caller's thread
                future.set_exception(error)

        self.later(0.0, run)
        while True:
            may_answer = self._thread.is_alive()
            if future in wait((future,), timeout=0.5).done:
                return future.result()
            if not may_answer:
                raise PhoneStoppedError("The simulated emulator is not running.")

    def later(self, delay_s: float, task: Callable[[], None]) -> Timer:
        timer = Timer(task)
        with self._wake:
            if not self._running:
                raise PhoneStoppedError("The simulated emulator is not running.")
            heapq.heappush(self._queue, (time.monotonic() + delay_s, next(self._order), timer))
            self._wake.notify()
        return timer

    def _run(self) -> None:
        while (timer := self._next()) is not None:
            try:
                timer.fire()
            except PhoneStoppedError:
                return  # stopped while a timer ran that set another one
            except Exception:  # noqa: BLE001 - top of the thread: one failing timer must not end the phone
                _log.exception("A timer of the simulated emulator failed.")

    def _next(self) -> Timer | None:
        with self._wake:
            while self._running:
                wait_s = self._queue[0][0] - time.monotonic() if self._queue else None
                if wait_s is not None and wait_s <= 0:
                    return heapq.heappop(self._queue)[2]
                self._wake.wait(wait_s)
        return None
