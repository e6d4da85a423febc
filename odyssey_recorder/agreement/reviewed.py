"""All reviewed episodes of a dataset with their verdicts and status, for a report."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.episode_row import EpisodeRow, read_row
from odyssey_recorder.dataset.layout import REVIEWS
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.review.controls import ControlStore
from odyssey_recorder.review.review import ReviewFile, Subject, Verdict
from odyssey_recorder.review.review_merge import file_faults
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import TRASH_RULE, ReviewStage, StatusRule, review_status
from odyssey_recorder.review.views import subject_of

Warned = Callable[[str], bool | None]
"""Whether the checks have warnings for an episode; None if not settled."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`verdicts` are those that count; `is_sampled` tells whether it was drawn for a second review.

    `controls` are verdicts that only measure their reviewers, with whether what they were shown is good.
    """

    episode_id: str
    subject: Subject
    stage: ReviewStage
    verdicts: tuple[Verdict, ...] = ()
    is_sampled: bool = False
    controls: tuple[tuple[Verdict, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class AllReviewed:
    """The episodes of a dataset and those in the trash that were judged, by id; `problems` are of unreadable files."""

    episodes: tuple[Reviewed, ...]
    problems: tuple[str, ...] = ()


def read_reviewed(root: Path, present: Iterable[EpisodeRow], warned: Warned, sampled: Collection[str]) -> AllReviewed:
    """`present` are the episodes of the dataset; those in the trash that were judged are added.

    An episode that its annotator has withdrawn counts nowhere: it waits for nobody.

    Raises DatasetError if a folder is unreadable, ReviewError if the controls are; other faults are in `problems`.
    """
    reader = _Reader(root, warned, sampled)
    episodes = tuple(reader.episodes({episode.episode_id: episode for episode in present}))
    return AllReviewed(episodes, tuple(reader.problems))


class _Reader:
    def __init__(self, root: Path, warned: Warned, sampled: Collection[str]) -> None:
        self._warned = warned
        self._sampled = sampled
        self._store = ReviewStore(root)
        self._controls = ControlStore(root).known()
        self._trash = {episode.episode_id: episode.folder for episode in reversed(Trash(root).episodes())}
        self.problems: list[str] = []

    def episodes(self, present: Mapping[str, EpisodeRow]) -> Iterator[Reviewed]:
        reviews = set(self._store.ids())
        for lost in sorted(reviews - present.keys() - self._trash.keys()):
            self.problems.append(f"There are reviews of the episode {lost}, which no longer exists.")
        self.problems += [f"{path.name} is a conflict copy of a review file." for path in self._store.copies()]
        trashed = {
            trashed_id: self._trashed(trashed_id) for trashed_id in (reviews & self._trash.keys()) - present.keys()
        }
        for episode_id, episode in sorted({**trashed, **present}.items()):
            if episode.problem:
                self.problems.append(episode.problem)
            file = self._file(episode) if episode_id in reviews else ReviewFile(episode_id)
            if episode_id in present or file.present_verdicts:
                yield self._reviewed(episode, file, is_present=episode_id in present)

    def _reviewed(self, episode: EpisodeRow, file: ReviewFile, *, is_present: bool) -> Reviewed:
        episode_id, is_sampled = episode.episode_id, episode.episode_id in self._sampled
        rule = StatusRule(warned=self._warned(episode_id), sampled=is_sampled) if is_present else TRASH_RULE
        now = review_status(file, rule, recorder=episode.annotator, revision=lambda: episode.revision)
        subject = _subject(episode, now.verdicts)
        controls = tuple(self._controls.measured(episode, now.stage))
        return Reviewed(episode_id, subject, now.stage, now.verdicts, is_sampled, controls)

    def _file(self, episode: EpisodeRow) -> ReviewFile:
        try:
            file = self._store.read(episode.episode_id)
        except DatasetError as error:
            self.problems.append(str(error))
            return ReviewFile(episode.episode_id)
        self.problems += file_faults(file, episode.annotator, place=REVIEWS)
        return file

    def _trashed(self, episode_id: str) -> EpisodeRow:
        found = read_row(self._trash[episode_id], episode_id)
        return found or EpisodeRow(episode_id, problem=f"{episode_id} no longer exists.")


def _subject(episode: EpisodeRow, verdicts: Sequence[Verdict]) -> Subject:
    """From the episode's files; what they do not say, from the last verdict."""
    stored = verdicts[-1].subject if verdicts else Subject()
    known = {key: value for key, value in subject_of(episode) if value}
    return stored.model_copy(update=known)
