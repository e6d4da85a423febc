"""The queue of one annotator on this computer: a list of tasks, and a file that remembers what was done with them."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from threading import Lock

from odyssey_recorder.errors import TaskError
from odyssey_recorder.task.listing import ListedTask, read_tasks, shipped_tasks
from odyssey_recorder.task.progress import ProgressFile
from odyssey_recorder.task.queue import OPEN, Board, Deed, Episodes, HistoryEntry, QueuedTask, Returns, Status

_STATUSES = {
    Deed.BEGUN: Status.UNDER_WAY,
    Deed.RECORDED: Status.RECORDED,
    Deed.SKIPPED: Status.SKIPPED,
    Deed.SENT_BACK: Status.SENT_BACK,
}
_SIMULATED = "Tasks for the simulated phone"


class AnnotatorQueue:
    """A `TaskQueue` over the file of a list; the list may change while the program runs.

    Claims live in this object. What was begun, recorded, skipped and sent back lives in the progress file; what a
    review sends back is learnt from `returns`, where there are reviews, and noted there once.
    """

    def __init__(
        self, source: Path, progress: ProgressFile, episodes: Episodes, returns: Returns | None = None
    ) -> None:
        self._source = source
        self._progress = progress
        self._episodes = episodes
        self._returns = returns
        self._lock = Lock()
        self._signature: tuple[int, int] | None = None
        self._tasks: tuple[ListedTask, ...] = ()
        self._history: dict[str, list[HistoryEntry]] = {}
        self._deeds = 0
        self._skipped_at: dict[str, int] = {}  # the number of the deed
        self._claimed = ""

    def board(self) -> Board:
        """Every task and how it stands now."""
        with self._lock:
            self._look()
            name = _SIMULATED if self._source == shipped_tasks() else self._source.stem.replace("_", " ")
            return Board(name, tuple(self._queued(task) for task in self._tasks))

    def claim_next(self, *, after: str = "", device: str | None = None) -> QueuedTask | None:
        """Hold the next open task that fits."""
        with self._lock:
            self._look()
            self._claimed = ""
            order = sorted((self._queued(task) for task in self._tasks), key=self._rank)
            place = next((number for number, one in enumerate(order) if one.task_id == after), -1) + 1
            is_done = place > 0 and order[place - 1].status not in OPEN
            offered = [one for one in (*order[place:], *order[:place]) if one.status in OPEN]
            if is_done:
                offered.sort(key=lambda one: one.status is not Status.SENT_BACK)
            found = next((one for one in offered if one.listed.fits(device)), None)
            return None if found is None else self._hold(found)

    def claim(self, task_id: str) -> QueuedTask:
        """Hold this task."""
        with self._lock:
            self._look()
            return self._hold(self._standing(task_id, OPEN | {Status.CLAIMED}, "be claimed"))

    def release(self) -> None:
        """Hold none any more."""
        with self._lock:
            self._claimed = ""

    def skip(self, task_id: str, reason: str) -> None:
        """Put a task at the end."""
        with self._lock:
            self._look()
            self._standing(task_id, OPEN | {Status.CLAIMED}, "be skipped")
            self._claimed = "" if self._claimed == task_id else self._claimed
            self._note(Deed.SKIPPED, task_id, reason=_given(reason))

    def send_back(self, task_id: str, reason: str) -> None:
        """Have a recorded task wait again."""
        with self._lock:
            self._look()
            self._standing(task_id, frozenset({Status.RECORDED}), "be sent back")
            self._note(Deed.SENT_BACK, task_id, reason=_given(reason))

    def mark_recorded(self, task_id: str, episode_id: str) -> None:
        """The task was recorded as this episode."""
        with self._lock:
            self._look()
            if any(task.task_id == task_id for task in self._tasks) and not self._is_settled(task_id, episode_id):
                self._note(Deed.RECORDED, task_id, episode_id=episode_id)
            self._claimed = "" if self._claimed == task_id else self._claimed

    # All below: with the lock held.

    def _look(self) -> None:
        """Learn what is new: in the list, in the progress file, and of the episodes that were begun."""
        self._read_list()
        self._take_deeds()
        drafts = self._episodes.drafts_of_tasks()
        known = {task.task_id for task in self._tasks}
        begun = {entry.episode_id for history in self._history.values() for entry in history}
        for episode_id, task_id in drafts.items():
            if task_id in known and episode_id not in begun:
                self._note(Deed.BEGUN, task_id, episode_id=episode_id)
        for task_id, episode_id in list(self._under_way()):
            if self._episodes.is_published(episode_id):
                self._note(Deed.RECORDED, task_id, episode_id=episode_id)
            elif episode_id not in drafts:
                self._note(Deed.DROPPED, task_id, episode_id=episode_id)
        if self._returns is not None:
            for episode_id, back in self._returns.sent_back(self._progress.annotator).items():
                if back.task_id in known and self._comes_back(back.task_id, episode_id):
                    self._note(Deed.SENT_BACK, back.task_id, by=back.by, reason=back.why, episode_id=episode_id)

    def _read_list(self) -> None:
        try:
            stat = self._source.stat()
        except OSError:
            signature = None  # read_tasks says why
        else:
            signature = (stat.st_mtime_ns, stat.st_size)
        if signature is None or signature != self._signature:
            self._tasks = read_tasks(self._source)
            self._signature = signature

    def _take_deeds(self) -> None:
        for line in self._progress.read_new():
            self._deeds += 1
            if line.deed is Deed.SENT_BACK and self._knows_return(line.task_id, line.episode_id):
                continue  # two windows noted it in the same moment
            self._history.setdefault(line.task_id, []).append(line.entry)
            if line.deed is Deed.SKIPPED:
                self._skipped_at[line.task_id] = self._deeds

    def _note(self, deed: Deed, task_id: str, *, by: str = "", reason: str = "", episode_id: str = "") -> None:
        self._progress.append(deed, task_id, by=by, reason=reason, episode_id=episode_id)
        self._take_deeds()

    def _under_way(self) -> Iterator[tuple[str, str]]:
        for task_id, history in self._history.items():
            ended = {entry.episode_id for entry in history if entry.deed is not Deed.BEGUN}
            for entry in history:
                if entry.deed is Deed.BEGUN and entry.episode_id not in ended:
                    yield task_id, entry.episode_id

    def _comes_back(self, task_id: str, episode_id: str) -> bool:
        """Whether the task waits again because this episode was sent back: it is news, and nothing newer was recorded.

        The episode may have been recorded on another computer.
        """
        history = self._history.get(task_id, [])
        recorded = [entry.episode_id for entry in history if entry.deed is Deed.RECORDED]
        return (
            not self._knows_return(task_id, episode_id)
            and _status(history) is not Status.UNDER_WAY
            and recorded[-1:] in ([], [episode_id])
        )

    def _knows_return(self, task_id: str, episode_id: str) -> bool:
        done = (Deed.SENT_BACK, episode_id)
        return bool(episode_id) and any((one.deed, one.episode_id) == done for one in self._history.get(task_id, ()))

    def _is_settled(self, task_id: str, episode_id: str) -> bool:
        done = (Deed.RECORDED, episode_id)
        return any((entry.deed, entry.episode_id) == done for entry in self._history.get(task_id, ()))

    def _queued(self, task: ListedTask) -> QueuedTask:
        history = self._history.get(task.task_id, [])
        status = _status(history)
        is_held = task.task_id == self._claimed and status in OPEN
        return QueuedTask(task, Status.CLAIMED if is_held else status, tuple(history))

    def _hold(self, queued: QueuedTask) -> QueuedTask:
        self._claimed = queued.task_id
        return QueuedTask(queued.listed, Status.CLAIMED, queued.history)

    def _standing(self, task_id: str, wanted: frozenset[Status], deed: str) -> QueuedTask:
        """The task of this id, which must stand as `wanted` to `deed` ("be claimed")."""
        listed = next((task for task in self._tasks if task.task_id == task_id), None)
        if listed is None:
            raise TaskError(f"The task {task_id} is not in {self._source} any more: choose another one.")
        queued = self._queued(listed)
        if queued.status not in wanted:
            raise TaskError(f"The task {task_id} cannot {deed}: it is {queued.status.value.lower()}.")
        return queued

    def _rank(self, queued: QueuedTask) -> tuple[int, int, date]:
        """The order of offering; of two that are equal in it, the list's own decides."""
        listed, status = queued.listed, _status(list(queued.history))
        if status is Status.SKIPPED:
            return (self._skipped_at[listed.task_id], 0, date.max)
        return (-1 if status is Status.SENT_BACK else 0, -listed.priority, listed.due or date.max)


def _status(history: list[HistoryEntry]) -> Status:
    """How a task stands that nobody holds; what was dropped does not count."""
    dropped = {entry.episode_id for entry in history if entry.deed is Deed.DROPPED}
    lasting = [entry.deed for entry in history if entry.deed is not Deed.DROPPED and entry.episode_id not in dropped]
    return _STATUSES[lasting[-1]] if lasting else Status.WAITING


def _given(reason: str) -> str:
    words = " ".join(reason.split())
    if not words:
        raise TaskError("Say why: the reason is shown with the task.")
    return words
