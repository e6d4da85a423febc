"""The queue of whoever records now: another name sits at another seat; nothing is opened before it is asked."""

from collections.abc import Callable, Iterable
from threading import Lock

from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.queue import Board, Holder, QueuedTask, TaskEvent, WholeQueue


class PersonalQueue:
    """A `WholeQueue` that asks who records before each call; `open_queue` is called once for each name that comes.

    Whoever has another name now does not hold what they held under the name before.
    """

    def __init__(self, who_records: Callable[[], str], open_queue: Callable[[str], WholeQueue]) -> None:
        self._who_records = who_records
        self._open_queue = open_queue
        self._queues: dict[str, WholeQueue] = {}
        self._last = ""
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

    def renew(self) -> bool:
        """Keep what is held from running out."""
        return self._queue.renew()

    def skip(self, task_id: str, reason: str) -> None:
        """Put a task at the end."""
        self._queue.skip(task_id, reason)

    def send_back(self, task_id: str, reason: str) -> None:
        """Have a recorded task wait again."""
        self._queue.send_back(task_id, reason)

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        """The task was recorded as this episode."""
        self._queue.mark_recorded(task_id, episode_id)

    def add(self, tasks: Iterable[ListedTask], *, to_approve: bool) -> int:
        """Put tasks behind those that are there."""
        return self._queue.add(tasks, to_approve=to_approve)

    def amend(
        self,
        tasks: Iterable[ListedTask],
        by: str,
        *,
        before: Iterable[ListedTask] = (),
        deed: TaskEvent = TaskEvent.EDITED,
    ) -> None:
        """Put these in the place of the tasks of the same ids."""
        self._queue.amend(tasks, by, before=before, deed=deed)

    def approve(self, tasks: Iterable[ListedTask], by: str) -> None:
        """Let tasks wait."""
        self._queue.approve(tasks, by)

    def reject(self, tasks: Iterable[ListedTask], by: str, reason: str) -> None:
        """Leave tasks out."""
        self._queue.reject(tasks, by, reason)

    def holders(self) -> tuple[Holder, ...]:
        """Who works on what now."""
        return self._queue.holders()

    @property
    def _queue(self) -> WholeQueue:
        name = self._who_records()
        with self._lock:
            if self._last not in ("", name):
                self._queues[self._last].release()
            if name not in self._queues:
                self._queues[name] = self._open_queue(name)
            self._last = name
            return self._queues[name]
