"""Practice for the window: the annotator's name, consent, scores, and the tasks that remain."""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError, PracticeError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.practice.profiles import (
    AnnotatorProfile,
    Attempt,
    ConsentAnswer,
    PracticeStatus,
    ProfileStore,
    checked_name,
    status,
)
from odyssey_recorder.practice.score import Score, score
from odyssey_recorder.practice.tasks import PracticeTask, practice_folder, practice_tasks

_VERSION = re.compile(r"Version (\S+)")


@dataclass(frozen=True, slots=True)
class ConsentText:
    version: str
    text: str


def consent_text(path: Path | None = None) -> ConsentText:
    """The consent text; the file's first line is its version. Raises PracticeError."""
    path = path or practice_folder() / "consent.txt"
    try:
        first, _, text = read_text(path, Largest.WRITTEN_BY_HAND).partition("\n")
    except (OSError, ValueError) as error:
        raise PracticeError(f"The consent text {path} cannot be read: {error}.") from error
    if (found := _VERSION.fullmatch(first.strip())) is None:
        raise PracticeError(f"The consent text {path} has no version: its first line must be “Version 1” or similar.")
    return ConsentText(found.group(1), text.strip())


@dataclass(frozen=True, slots=True)
class Welcome:
    """The annotator's state when the window opens; `must_ask`: the consent text is new to them."""

    name: str
    consent: ConsentText
    agrees: bool
    must_ask: bool
    tasks: tuple[PracticeTask, ...]
    status: PracticeStatus


class PracticeService:
    """The practice of one annotator at a time; thread-safe.

    `store` takes the practice episodes, which never become part of the dataset. The first `wanted` tasks must be passed
    before the queue opens; 0 for none. `keep_name` is called when the annotator's name changes.
    """

    def __init__(
        self,
        name: str,
        profiles: ProfileStore,
        store: EpisodeStore,
        *,
        wanted: int,
        keep_name: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.store = store
        self._profiles = profiles
        self._wanted = wanted
        self._keep_name = keep_name
        self.annotator = name
        self.agreed_version = ""  # that the annotator's last answer agreed to; empty if none
        self._lock = threading.Lock()

    def welcome(self) -> Welcome:
        """Raises PracticeError, DatasetError."""
        with self._lock:
            return self._welcome(self._profiles.load(self.annotator))

    def answer_consent(self, name: str, *, agreed: bool | None) -> Welcome:
        """Store the name and answer of a person; None if they do not record. Raises PracticeError, DatasetError."""
        with self._lock:
            profile = self._profiles.load(checked_name(name))
            if agreed is not None:
                answer = ConsentAnswer(version=consent_text().version, agreed=agreed, answered_us=_now_us())
                profile = profile.model_copy(update={"answers": (*profile.answers, answer)})
                self._profiles.save(profile)
            if profile.name != self.annotator:
                self._keep_name(profile.name)
            self.annotator = profile.name
            return self._welcome(profile)

    def score_attempt(self, task_id: str, episode_id: str, *, hints: int) -> Score:
        """Score a practice episode and store the attempt. Raises PracticeError, DatasetError."""
        task = self._task(task_id)
        result = self._score(task, episode_id, hints)
        attempt = Attempt(task_id=task_id, value=result.value, episode_id=episode_id, scored_us=_now_us(), hints=hints)
        with self._lock:
            profile = self._profiles.load(self.annotator)
            self._profiles.save(profile.model_copy(update={"attempts": (*profile.attempts, attempt)}))
        return result

    def _score(self, task: PracticeTask, episode_id: str, hints: int) -> Score:
        from odyssey_recorder.practice.gold import read_gold, trail_of  # imported late: the window opens sooner

        episode, provenance = self.store.load(episode_id), self.store.provenance(episode_id)
        if provenance is None or len(provenance.steps) != len(episode.steps):
            raise DatasetError(f"The practice episode {episode_id} has incomplete provenance. Try the task again.")
        attempt = trail_of(episode, provenance, lambda step: self._tree(episode_id, step))
        return score(task, attempt, read_gold(task).trail, hints=hints)

    def _tree(self, episode_id: str, step: int) -> str | None:
        try:
            return read_text(self.store.ui_tree_path(episode_id, step), Largest.TREE)
        except (OSError, ValueError):
            return None

    def _task(self, task_id: str) -> PracticeTask:
        for task in practice_tasks():
            if task.task_id == task_id:
                return task
        raise PracticeError(f"There is no practice task {task_id}.")

    def _welcome(self, profile: AnnotatorProfile) -> Welcome:
        consent, tasks = consent_text(), practice_tasks()
        agrees = profile.agrees_to(consent.version)
        self.agreed_version = consent.version if agrees else ""
        wanted = tuple(task.task_id for task in tasks[: self._wanted])
        return Welcome(
            name=profile.name,
            consent=consent,
            agrees=agrees,
            must_ask=not profile.has_answered(consent.version),
            tasks=tasks,
            status=status(profile.attempts, wanted),
        )


def _now_us() -> int:
    return time.time_ns() // 1000
