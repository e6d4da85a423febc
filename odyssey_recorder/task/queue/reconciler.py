"""What a queue finds out by itself: what became of the recordings that were begun here, and what reviews say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from odyssey_recorder.task.queue.client import QueueClient, is_gone
from odyssey_recorder.task.queue.queue import FINISHED, RECORDED, EpisodeLookup, Returns, SentBack, Status, TaskEvent
from odyssey_recorder.task.queue.snapshot import QueueSnapshot, TaskState
from odyssey_recorder.task.queue.writer import QueueWriter


@dataclass(frozen=True, slots=True)
class QueueChange:
    """A deed that is not in the queue yet, or, where it is None, a lease that must be taken or renewed."""

    task_id: str
    episode_id: str
    deed: TaskEvent | None
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OutsideState:
    """What there is to see outside of the queue: the tasks of the drafts here, and what was sent back, by episode."""

    drafts: Mapping[str, str] = field(default_factory=dict)
    returns: Mapping[str, SentBack] = field(default_factory=dict)


class Reconciler:
    """Holds drafts, dataset and reviews against the queue, for one seat."""

    def __init__(
        self, client: QueueClient, episodes: EpisodeLookup, returns: Returns | None, recording_s: float
    ) -> None:
        self._client = client
        self._episodes = episodes
        self._returns = returns
        self._enough_us = int(recording_s * 0.9e6)

    def look(self) -> OutsideState:
        """What there is to see now. Raises DatasetError."""
        returns = self._returns.sent_back(self._client.annotator) if self._returns is not None else {}
        return OutsideState(dict(self._episodes.drafts_of_tasks()), dict(returns))

    def news(self, sight: OutsideState, snapshot: QueueSnapshot) -> list[QueueChange]:
        """What of it the queue does not know yet. Raises DatasetError."""
        return [*self._begun(sight, snapshot), *self._ended(sight, snapshot), *self._reviewed(sight, snapshot)]

    def gone(self, snapshot: QueueSnapshot) -> set[str]:
        """The tokens of claims of windows of this place that are no more."""
        tokens = {one.token for one in snapshot if one.left_us and one.token and one.place == self._client.place}
        return {token for token in tokens if is_gone(token)}

    def recorded(self, episode_id: str) -> TaskEvent:
        """What it is to have recorded a task as this episode."""
        return TaskEvent.IMPOSSIBLE if self._episodes.is_impossible(episode_id) else TaskEvent.RECORDED

    def _begun(self, sight: OutsideState, snapshot: QueueSnapshot) -> Iterator[QueueChange]:
        for episode_id, task_id in sight.drafts.items():
            task = snapshot.get(task_id)
            if task is None or episode_id in task.past.ended():
                continue
            if episode_id not in task.past.under_way(self._client.place):
                yield QueueChange(task_id, episode_id, TaskEvent.BEGUN)
            elif task.status not in FINISHED and (not task.left_us or self._wears_off(task)):
                yield QueueChange(task_id, episode_id, None)

    def _wears_off(self, task: TaskState) -> bool:
        is_kept = task.is_recording and task.left_us > self._enough_us
        return task.place == self._client.place and not is_kept

    def _ended(self, sight: OutsideState, snapshot: QueueSnapshot) -> Iterator[QueueChange]:
        for task in snapshot:
            for episode_id in sorted(task.past.under_way(self._client.place)):
                if self._episodes.is_published(episode_id):
                    yield QueueChange(task.task_id, episode_id, self.recorded(episode_id))
                elif episode_id not in sight.drafts:
                    yield QueueChange(task.task_id, episode_id, TaskEvent.DROPPED)

    def _reviewed(self, sight: OutsideState, snapshot: QueueSnapshot) -> Iterator[QueueChange]:
        for episode_id, back in sight.returns.items():
            task = snapshot.get(back.task_id)
            if task is not None and not _knows(task, TaskEvent.SENT_BACK, episode_id):
                yield QueueChange(back.task_id, episode_id, TaskEvent.SENT_BACK, back.by, back.why)
        if self._returns is None:
            return
        waiting = {
            task.past.last_recorded(): task.task_id
            for task in snapshot
            if task.status in FINISHED and not _knows(task, TaskEvent.ACCEPTED, task.past.last_recorded())
        }
        for episode_id, by in self._returns.accepted(waiting).items():
            yield QueueChange(waiting[episode_id], episode_id, TaskEvent.ACCEPTED, by)


def write(writer: QueueWriter, news: QueueChange, client: QueueClient) -> None:
    """Write what is news, unless another window has written it meanwhile, or it means nothing any more."""
    task = writer.task(news.task_id)
    if task is None:
        return
    past = writer.of_episode(news.task_id, news.episode_id)
    known = {deed for deed, _place in past}
    match news.deed:
        case None:
            writer.begin(task)
        case TaskEvent.BEGUN if not known & RECORDED and not _is_under_way(past, client.place):
            by = task.annotator if task.is_held and task.place == client.place else ""
            writer.note(task, TaskEvent.BEGUN, by=by, episode_id=news.episode_id)
            writer.begin(task)
        case TaskEvent.DROPPED if _is_under_way(past, client.place):
            writer.note(task, TaskEvent.DROPPED, episode_id=news.episode_id)
            writer.end(news.task_id)
        case TaskEvent.RECORDED | TaskEvent.IMPOSSIBLE if not known & RECORDED:
            writer.note(task, news.deed, by=news.by, episode_id=news.episode_id)
        case TaskEvent.SENT_BACK if TaskEvent.SENT_BACK not in known:
            is_under_way = task.is_held and task.is_recording
            if not is_under_way and writer.last_recorded(news.task_id) in ("", news.episode_id):
                writer.note(task, TaskEvent.SENT_BACK, by=news.by, reason=news.reason, episode_id=news.episode_id)
        case TaskEvent.ACCEPTED if not known & {TaskEvent.ACCEPTED, TaskEvent.SENT_BACK}:
            if Status[task.status] in FINISHED and writer.last_recorded(news.task_id) == news.episode_id:
                writer.note(task, TaskEvent.ACCEPTED, by=news.by, episode_id=news.episode_id)
        case _:
            pass


def _is_under_way(past: list[tuple[TaskEvent, str]], place: str) -> bool:
    is_begun = False
    for deed, there in past:
        if deed is TaskEvent.BEGUN:
            is_begun = is_begun or there == place
        elif deed is TaskEvent.DROPPED:
            is_begun = False
    return is_begun


def _knows(task: TaskState, deed: TaskEvent, episode_id: str) -> bool:
    return any((one.deed, one.episode_id) == (deed, episode_id) for one in task.past.history)
