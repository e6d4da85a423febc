"""The queue of whoever records now: another name has another queue."""

from collections.abc import Callable
from threading import Lock

from odyssey_recorder.task.queue import Board, QueuedTask, TaskQueue


class PersonalQueue:
    """A `TaskQueue` that asks who records before each call; `open_queue` is called once for each name that comes."""

    def __init__(self, who_records: Callable[[], str], open_queue: Callable[[str], TaskQueue]) -> None:
        self._who_records = who_records
        self._open_queue = open_queue
        self._queues: dict[str, TaskQueue] = {}
        self._lock = Lock()

    def board(self) -> Board:
        """Every task and how it stands now."""
        return self._queue.board()

    def claim_next(self, *, after: str = "", device: str | None = None) -> QueuedTask | None:
        """Hold the next open task that fits."""
        return self._queue.claim_next(after=after, device=device)

    def claim(self, task_id: str) -> QueuedTask:
        """Hold this task."""
        return self._queue.claim(task_id)

    def release(self) -> None:
        """Hold none any more."""
        self._queue.release()

    def skip(self, task_id: str, reason: str) -> None:
        """Put a task at the end."""
        self._queue.skip(task_id, reason)

    def send_back(self, task_id: str, reason: str) -> None:
        """Have a recorded task wait again."""
        self._queue.send_back(task_id, reason)

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        """The task was recorded as this episode."""
        self._queue.mark_recorded(task_id, episode_id)

    @property
    def _queue(self) -> TaskQueue:
        name = self._who_records()
        with self._lock:
            if name not in self._queues:
                self._queues[name] = self._open_queue(name)
            return self._queues[name]
