"""Runs functions off the GUI thread and delivers results, errors and progress on it."""

import logging
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from itertools import count
from typing import Any, TypeAlias, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot

from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.progress import Cancelled, Progress

_log = logging.getLogger(__name__)

T = TypeVar("T")

JobWork: TypeAlias = Callable[[Progress, Cancelled], T]
"""A job's function: if cancelled it ends by raising any error; if it returns, its result counts."""


def error_text(error: Exception) -> str:
    """The message for the annotator; re-raises an unexpected error."""
    if not isinstance(error, OdysseyError):
        raise error
    return str(error)


def _raise(error: Exception) -> None:
    raise error


def _unless_destroyed(owner: QObject, deliver: Callable[[Any], object], outcome: object) -> None:
    if shiboken6.isValid(owner):
        deliver(outcome)
    elif isinstance(outcome, Exception):
        error_text(outcome)


class JobState(Enum):
    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def has_ended(self) -> bool:
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class Background(QObject):
    """Runs functions on its own threads and delivers the outcomes on the thread that created it.

    `run` is for short work, `start` for long work that is shown. With one thread, functions run in order.
    """

    all_ended = Signal()

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None, *, threads: int = 4) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="background")
        self._jobs: list[Job] = []
        self._children: list[Background] = []
        self._numbers = count()
        self._callbacks: dict[int, tuple[Callable[..., object], Callable[[Exception], object]]] = {}
        self._lock = threading.Lock()
        self._closed = False  # guarded by _lock where other threads read it
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def jobs(self) -> tuple["Job", ...]:
        """The running jobs, oldest first."""
        return tuple(self._jobs)

    def run(
        self,
        call: Callable[[], T],
        on_done: Callable[[T], object] = lambda _: None,
        on_error: Callable[[Exception], object] = _raise,
        *,
        of: QObject | None = None,
    ) -> None:
        """Run `call`; `on_done` gets its result or `on_error` its exception, on the GUI thread.

        Neither is called if `of` is destroyed meanwhile, such as a closed dialog; an unexpected error is raised.
        """
        if of is not None:
            on_done, on_error = partial(_unless_destroyed, of, on_done), partial(_unless_destroyed, of, on_error)
        if not self._closed:
            self._pool.submit(self._execute, call, self._keep_callbacks(on_done, on_error))

    def in_order(self) -> "Background":
        """A child that runs one function at a time; it closes with this one."""
        child = Background(self, threads=1)
        self._children.append(child)
        if self._closed:
            child.close()
        return child

    def start(
        self, title: str, work: JobWork[T], on_done: Callable[[T], object] = lambda _: None, *, can_cancel: bool = True
    ) -> "Job":
        """Start long work; `on_done` gets its result on the GUI thread, and only the job reports a failure.

        `can_cancel` is False for work that never checks whether it was cancelled.
        """
        job = Job(title, self, can_cancel=can_cancel)
        self._jobs.append(job)

        def finish(result: T) -> None:
            self._end(job, None)
            on_done(result)

        call = partial(work, job.report, lambda: job.is_cancelled)
        # Not in the pool: the program may exit while a job that cannot be cancelled still waits for another program.
        target = partial(self._execute, call, self._keep_callbacks(finish, partial(self._end, job)))
        threading.Thread(target=target, name=title, daemon=True).start()
        return job

    def post(self, call: Callable[[], object]) -> None:
        """Call `call` on the GUI thread; may be called on any thread."""
        with self._lock:  # once closed this object may be deleted at any moment
            if not self._closed:
                self._posted.emit(call)

    def cancel_jobs(self) -> None:
        for job in self.jobs:
            job.cancel()

    def close(self) -> None:
        """Stop delivering, drop what has not begun and wait for what has; jobs are cancelled but not waited for."""
        self.cancel_jobs()
        with self._lock:
            self._closed = True
        for child in self._children:
            child.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._callbacks.clear()

    def _keep_callbacks(self, on_done: Callable[[T], object], on_error: Callable[[Exception], object]) -> int:
        """Hide both from the worker thread: if it held a widget last, it would destroy it, which crashes."""
        number = next(self._numbers)
        self._callbacks[number] = on_done, on_error
        return number

    def _execute(self, call: Callable[[], object], number: int) -> None:
        try:
            result = call()
        except Exception as error:  # noqa: BLE001  the top of a thread: `on_error` decides
            self.post(partial(self._fail, number, error))
        else:
            self.post(partial(self._finish, number, result))

    def _finish(self, number: int, result: object) -> None:
        on_done, _ = self._callbacks.pop(number)
        on_done(result)

    def _fail(self, number: int, error: Exception) -> None:
        _, on_error = self._callbacks.pop(number)
        on_error(error)

    def _end(self, job: "Job", error: Exception | None) -> None:
        self._jobs.remove(job)
        if error is not None and not job.is_cancelled:
            level = logging.INFO if isinstance(error, OdysseyError) else logging.ERROR
            _log.log(level, "%s failed", job.title, exc_info=error)
        job.end(error)
        if not self._jobs:
            self.all_ended.emit()

    @Slot(object)
    def _deliver(self, call: Callable[[], object]) -> None:
        if not self._closed:
            call()


class Job(QObject):
    changed = Signal()

    ended = Signal()
    """The last change: the state is DONE, FAILED or CANCELLED."""

    def __init__(self, title: str, background: Background, *, can_cancel: bool) -> None:
        super().__init__(background)
        self.title = title
        self.can_cancel = can_cancel
        self.state = JobState.RUNNING
        self.share: float | None = None
        self.text = ""
        self.error = ""  # for the annotator, once the job has failed
        self.details = ""  # for a report
        self._background = background
        self._cancel = threading.Event()
        self._lock = threading.Lock()
        self._newest: tuple[float | None, str] | None = None  # guarded by _lock

    @property
    def is_cancelled(self) -> bool:
        """May be called on any thread."""
        return self._cancel.is_set()

    @Slot()
    def cancel(self) -> None:
        if self.state is JobState.RUNNING:
            self._cancel.set()
            self.state = JobState.CANCELLING
            self.changed.emit()

    def report(self, share: float | None, text: str) -> None:
        """Report progress from the worker thread; the GUI thread gets only the newest."""
        with self._lock:
            is_posted = self._newest is not None
            self._newest = share, text
        if not is_posted:
            self._background.post(self._show_progress)

    def end(self, error: Exception | None) -> None:
        if error is None:
            self.state = JobState.DONE
        elif self.is_cancelled:
            self.state = JobState.CANCELLED
        else:
            self.state = JobState.FAILED
            self.error = str(error) if isinstance(error, OdysseyError) else _unexpected(error)
            self.details = "".join(traceback.format_exception(error))
        self.changed.emit()
        self.ended.emit()

    def _show_progress(self) -> None:
        with self._lock:
            newest, self._newest = self._newest, None
        if newest is not None:
            self.share, self.text = newest
            self.changed.emit()


def _unexpected(error: Exception) -> str:
    return (
        f"An unexpected error occurred: {type(error).__name__}: {error}. Try again. If it happens "
        "again, copy the details and report them."
    )
