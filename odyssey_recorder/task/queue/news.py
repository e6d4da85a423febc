"""What a queue finds out by itself: what became of the recordings that were begun here, and what reviews say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from odyssey_recorder.task.queue.ledger import Ledger
from odyssey_recorder.task.queue.queue import FINISHED, RECORDED, Deed, Episodes, Returns, SentBack, Status
from odyssey_recorder.task.queue.seat import Seat, is_gone
from odyssey_recorder.task.queue.snapshot import Snapshot, Standing


@dataclass(frozen=True, slots=True)
class News:
    """A deed that is not in the queue yet, or, where it is None, a lease that must be taken or renewed."""

    task_id: str
    episode_id: str
    deed: Deed | None
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """What there is to see outside of the queue: the tasks of the drafts here, and what was sent back, by episode."""

    drafts: Mapping[str, str] = field(default_factory=dict)
    returns: Mapping[str, SentBack] = field(default_factory=dict)


class Scout:
    """Holds drafts, dataset and reviews against the queue, for one seat."""

    def __init__(self, seat: Seat, episodes: Episodes, returns: Returns | None, recording_s: float) -> None:
        self._seat = seat
        self._episodes = episodes
        self._returns = returns
        self._enough_us = int(recording_s * 0.9e6)

    def look(self) -> Sight:
        """What there is to see now. Raises DatasetError."""
        returns = self._returns.sent_back(self._seat.annotator) if self._returns is not None else {}
        return Sight(dict(self._episodes.drafts_of_tasks()), dict(returns))

    def news(self, sight: Sight, snapshot: Snapshot) -> list[News]:
        """What of it the queue does not know yet. Raises DatasetError."""
        return [*self._begun(sight, snapshot), *self._ended(sight, snapshot), *self._reviewed(sight, snapshot)]

    def gone(self, snapshot: Snapshot) -> set[str]:
        """The tokens of claims of windows of this place that are no more."""
        tokens = {one.token for one in snapshot if one.left_us and one.token and one.place == self._seat.place}
        return {token for token in tokens if is_gone(token)}

    def recorded(self, episode_id: str) -> Deed:
        """What it is to have recorded a task as this episode."""
        return Deed.IMPOSSIBLE if self._episodes.is_impossible(episode_id) else Deed.RECORDED

    def _begun(self, sight: Sight, snapshot: Snapshot) -> Iterator[News]:
        for episode_id, task_id in sight.drafts.items():
            task = snapshot.get(task_id)
            if task is None or episode_id in task.past.ended():
                continue
            if episode_id not in task.past.under_way(self._seat.place):
                yield News(task_id, episode_id, Deed.BEGUN)
            elif task.status not in FINISHED and (not task.left_us or self._wears_off(task)):
                yield News(task_id, episode_id, None)

    def _wears_off(self, task: Standing) -> bool:
        is_kept = task.is_recording and task.left_us > self._enough_us
        return task.place == self._seat.place and not is_kept

    def _ended(self, sight: Sight, snapshot: Snapshot) -> Iterator[News]:
        for task in snapshot:
            for episode_id in sorted(task.past.under_way(self._seat.place)):
                if self._episodes.is_published(episode_id):
                    yield News(task.task_id, episode_id, self.recorded(episode_id))
                elif episode_id not in sight.drafts:
                    yield News(task.task_id, episode_id, Deed.DROPPED)

    def _reviewed(self, sight: Sight, snapshot: Snapshot) -> Iterator[News]:
        for episode_id, back in sight.returns.items():
            task = snapshot.get(back.task_id)
            if task is not None and not _knows(task, Deed.SENT_BACK, episode_id):
                yield News(back.task_id, episode_id, Deed.SENT_BACK, back.by, back.why)
        if self._returns is None:
            return
        waiting = {
            task.past.last_recorded(): task.task_id
            for task in snapshot
            if task.status in FINISHED and not _knows(task, Deed.ACCEPTED, task.past.last_recorded())
        }
        for episode_id, by in self._returns.accepted(waiting).items():
            yield News(waiting[episode_id], episode_id, Deed.ACCEPTED, by)


def write(ledger: Ledger, news: News, seat: Seat) -> None:
    """Write what is news, unless another window has written it meanwhile, or it means nothing any more."""
    task = ledger.task(news.task_id)
    if task is None:
        return
    past = ledger.of_episode(news.task_id, news.episode_id)
    known = {deed for deed, _place in past}
    match news.deed:
        case None:
            ledger.begin(task)
        case Deed.BEGUN if not known & RECORDED and not _is_under_way(past, seat.place):
            by = task.annotator if task.is_held and task.place == seat.place else ""
            ledger.note(task, Deed.BEGUN, by=by, episode_id=news.episode_id)
            ledger.begin(task)
        case Deed.DROPPED if _is_under_way(past, seat.place):
            ledger.note(task, Deed.DROPPED, episode_id=news.episode_id)
            ledger.end(news.task_id)
        case Deed.RECORDED | Deed.IMPOSSIBLE if not known & RECORDED:
            ledger.note(task, news.deed, by=news.by, episode_id=news.episode_id)
        case Deed.SENT_BACK if Deed.SENT_BACK not in known:
            is_under_way = task.is_held and task.is_recording
            if not is_under_way and ledger.last_recorded(news.task_id) in ("", news.episode_id):
                ledger.note(task, Deed.SENT_BACK, by=news.by, reason=news.reason, episode_id=news.episode_id)
        case Deed.ACCEPTED if not known & {Deed.ACCEPTED, Deed.SENT_BACK}:
            if Status[task.status] in FINISHED and ledger.last_recorded(news.task_id) == news.episode_id:
                ledger.note(task, Deed.ACCEPTED, by=news.by, episode_id=news.episode_id)
        case _:
            pass


def _is_under_way(past: list[tuple[Deed, str]], place: str) -> bool:
    is_begun = False
    for deed, there in past:
        if deed is Deed.BEGUN:
            is_begun = is_begun or there == place
        elif deed is Deed.DROPPED:
            is_begun = False
    return is_begun


def _knows(task: Standing, deed: Deed, episode_id: str) -> bool:
    return any((one.deed, one.episode_id) == (deed, episode_id) for one in task.past.history)
