"""Task lists for the tests, and stores of episodes in memory."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from weakref import finalize

from odyssey_recorder.tasks.queue.database import QueueDatabase
from odyssey_recorder.tasks.queue.queue import QueueEnvironment, TaskQueue
from odyssey_recorder.tasks.queue.reconciler import EpisodeLookup, ReviewOutcomes
from odyssey_recorder.tasks.queue.task_status import SentBack

EPISODE, SECOND_EPISODE = "0000000000000001", "0000000000000002"


class FakeEpisodes:
    def __init__(self) -> None:
        self.drafts: dict[str, str] = {}
        self.published: set[str] = set()
        self.impossible: set[str] = set()

    def drafts_of_tasks(self) -> Mapping[str, str]:
        return dict(self.drafts)

    def is_published(self, episode_id: str) -> bool:
        return episode_id in self.published

    def is_impossible(self, episode_id: str) -> bool:
        return episode_id in self.impossible

    def publish(self, episode_id: str) -> None:
        del self.drafts[episode_id]
        self.published.add(episode_id)


class FakeReviews:
    def __init__(self) -> None:
        self.returned: dict[str, dict[str, SentBack]] = {}
        self.accepted_by: dict[str, str] = {}
        self.reopened_by: dict[str, str] = {}

    def sent_back(self, annotator: str) -> Mapping[str, SentBack]:
        return self.returned.get(annotator, {})

    def accepted(self, episode_ids: Collection[str]) -> Mapping[str, str]:
        return {one: by for one, by in self.accepted_by.items() if one in episode_ids}

    def reopened(self, episode_ids: Collection[str]) -> Mapping[str, str]:
        return {one: by for one, by in self.reopened_by.items() if one in episode_ids}

    def take_back(self, episode_id: str) -> None:
        del self.returned["Ada"][episode_id]
        self.reopened_by[episode_id] = "Bea"

    def send_back(self, task_id: str, episode_id: str, why: str = "A step is missing, at step 3") -> None:
        self.reopened_by.pop(episode_id, None)
        self.returned.setdefault("Ada", {})[episode_id] = SentBack(task_id, "Bea", why)


def row(task_id: str, **more: object) -> dict[str, object]:
    words = {"category": "General_Tool", "instruction": f"Do {task_id} in the clock", "apps": ["Clock"]}
    return {"task_id": task_id, **words, **more}


def write_list(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def queue_of(
    folder: Path, *rows: Mapping[str, object], episodes: FakeEpisodes | None = None, returns: FakeReviews | None = None
) -> TaskQueue:
    """Ada's queue over a list of `rows`, in a file in the same folder."""
    source = write_list(folder / "my_tasks.jsonl", rows)
    return queue_over(source, folder / "queue.sqlite", episodes or FakeEpisodes(), returns)


def queue_over(
    source: Path,
    file: Path,
    episodes: EpisodeLookup,
    returns: ReviewOutcomes | None = None,
    *,
    annotator: Callable[[], str] = lambda: "Ada",
) -> TaskQueue:
    """An annotator's queue over the list `source`."""
    database = QueueDatabase.in_file(file)
    queue = TaskQueue(database, annotator, source.parent, QueueEnvironment(episodes, returns, source))
    finalize(queue, database.close)
    return queue
