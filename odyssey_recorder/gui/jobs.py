"""Long work: each job on a thread of its own, its progress and its end told on the GUI thread, and a way to cancel."""

import logging
import threading
import traceback
from collections.abc import Callable
from enum import Enum
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from odyssey_recorder.errors import OdysseyError

_log = logging.getLogger(__name__)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Progress = Callable[[float | None, str], None]
"""Tells how far the work is: the share that is done, 0..1 or None while nobody knows, and the words for it."""

Cancelled = Callable[[], bool]
"""Whether the work is no longer wanted; asked often, from the thread of the work."""


class JobWork(Protocol[T_co]):
    """What a job does. It may block, and touches no widget.

    Work that was cancelled ends by raising any error; if it returns it was too late, and its result counts.
    """

    def __call__(self, progress: Progress, cancelled: Cancelled) -> T_co: ...


class JobState(Enum):
    """How far a job is; the last three are its ends."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes of the job."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class Job(QObject):
    """One piece of long work, as the GUI thread knows it."""

    changed = Signal()
    """Something of what is shown is different now."""

    ended = Signal()
    """The last change: the state is DONE, FAILED or CANCELLED."""

    def __init__(self, title: str, parent: QObject, *, can_cancel: bool = True) -> None:
        super().__init__(parent)
        self.title = title
        self.can_cancel = can_cancel
        self.state = JobState.RUNNING
        self.share: float | None = None
        self.words = ""
        self.error = ""  # for the annotator, once the job has failed
        self.details = ""  # for whoever mends it
        self._cancel = threading.Event()

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked to end; may be asked from any thread."""
        return self._cancel.is_set()

    @Slot()
    def cancel(self) -> None:
        """Ask the work to end; it does so when it next looks."""
        if self.state is JobState.RUNNING:
            self._cancel.set()
            self.state = JobState.CANCELLING
            self.changed.emit()

    def tell(self, share: float | None, words: str) -> None:
        """Take over how far the work is."""
        self.share, self.words = share, words
        self.changed.emit()

    def end(self, error: Exception | None) -> None:
        """Take over how the work ended."""
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


class Jobs(QObject):
    """The jobs at work in one window."""

    all_ended = Signal()
    """The last one that was at work has ended."""

    _told = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._at_work: list[Job] = []
        self._lock = threading.Lock()
        self._closed = False
        self._told.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def at_work(self) -> tuple[Job, ...]:
        """The jobs that have not ended, the oldest first."""
        return tuple(self._at_work)

    def start(
        self, title: str, work: JobWork[T], on_done: Callable[[T], object] = lambda _: None, *, can_cancel: bool = True
    ) -> Job:
        """Begin `work`; `on_done` gets its result on the GUI thread. A failure is told by the job alone.

        `can_cancel` is False for work that never asks whether it is still wanted.
        """
        job = Job(title, self, can_cancel=can_cancel)
        self._at_work.append(job)
        # No pool: the program may end while a job that cannot be cancelled still waits for another program.
        threading.Thread(target=self._carry_out, args=(job, work, on_done), name=title, daemon=True).start()
        return job

    def cancel_all(self) -> None:
        """Ask every job to end."""
        for job in self.at_work:
            job.cancel()

    def close(self) -> None:
        """Deliver nothing more, and leave alone what is still at work."""
        self.cancel_all()
        with self._lock:
            self._closed = True

    def _carry_out(self, job: Job, work: JobWork[T], on_done: Callable[[T], object]) -> None:
        latest = _Latest(lambda tell: self._tell(lambda: tell(job)))
        try:
            result = work(latest.put, lambda: job.is_cancelled)
        except Exception as error:  # noqa: BLE001  the top of a thread: the job shows it
            failure = error
            self._tell(lambda: self._end(job, failure))
        else:
            self._tell(lambda: self._finish(job, on_done, result))

    def _finish(self, job: Job, on_done: Callable[[T], object], result: T) -> None:
        self._end(job, None)
        on_done(result)

    def _end(self, job: Job, error: Exception | None) -> None:
        self._at_work.remove(job)
        if error is not None and not job.is_cancelled:
            level = logging.INFO if isinstance(error, OdysseyError) else logging.ERROR
            _log.log(level, "%s failed", job.title, exc_info=error)
        job.end(error)
        if not self._at_work:
            self.all_ended.emit()

    def _tell(self, call: Callable[[], object]) -> None:
        with self._lock:  # once closed this object may be deleted at any moment
            if not self._closed:
                self._told.emit(call)

    @Slot(object)
    def _deliver(self, call: Callable[[], object]) -> None:
        if not self._closed:
            call()


class _Latest:
    """The newest progress of a job: however often the work tells it, one is under way to the GUI thread at a time."""

    def __init__(self, send: Callable[[Callable[[Job], None]], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._newest: tuple[float | None, str] | None = None

    def put(self, share: float | None, words: str) -> None:
        with self._lock:
            under_way = self._newest is not None
            self._newest = share, words
        if not under_way:
            self._send(self._take)

    def _take(self, job: Job) -> None:
        with self._lock:
            newest, self._newest = self._newest, None
        if newest is not None:
            job.tell(*newest)


def _unexpected(error: Exception) -> str:
    return (
        f"The program met an error that it did not expect: {type(error).__name__}: {error}. Try again; if it"
        " comes again, copy the details and report them."
    )
