"""All reviewed episodes of a dataset with their verdicts and status, for a report."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.layout import ANNOTATIONS, REVIEWS, annotation_path, episode_ids, read_dataset_file
from odyssey_recorder.dataset.opened import EpisodeSummary, summarise
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest
from odyssey_recorder.quality.reviewing.following import draw
from odyssey_recorder.quality.reviewing.review import ReviewFile, Subject, Verdict
from odyssey_recorder.quality.reviewing.review_merge import file_faults
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import TRASH_RULE, ReviewStage, ReviewStatus, StatusRule, review_status
from odyssey_recorder.quality.reviewing.views import subject_of

Warned = Callable[[str], bool | None]
"""Whether the checks have warnings for an episode; None if not settled."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`verdicts` are those that count; `is_sampled` tells whether it was drawn for a second review."""

    episode_id: str
    subject: Subject
    stage: ReviewStage
    verdicts: tuple[Verdict, ...] = ()
    is_sampled: bool = False


@dataclass(frozen=True, slots=True)
class AllReviewed:
    """Every episode of a dataset including the trash, sorted by id; `problems` are messages about unreadable files."""

    episodes: tuple[Reviewed, ...]
    problems: tuple[str, ...] = ()


def read_reviewed(root: Path, warned: Warned = lambda _: False) -> AllReviewed:
    """Raises DatasetError or ReviewError if folder or policy are unreadable; other faults are in `problems`."""
    if not (root / ANNOTATIONS).is_dir():
        raise DatasetError(f"{root} is not a dataset folder: {ANNOTATIONS}/ with episode files is missing.")
    reader = _Reader(root, warned)
    episodes = tuple(reader.episodes())
    return AllReviewed(episodes, tuple(reader.problems))


class _Reader:
    def __init__(self, root: Path, warned: Warned) -> None:
        self._root = root
        self._warned = warned
        self._store = ReviewStore(root)
        self._trash = Trash(root).episodes()
        self._trashed = {one.episode_id: one.folder for one in reversed(self._trash)}
        self.problems: list[str] = []

    def episodes(self) -> Iterator[Reviewed]:
        reviews = set(self._store.ids())
        ids = sorted(episode_ids(self._root) | (reviews & self._trashed.keys()))
        for lost in sorted(reviews.difference(ids)):
            self.problems.append(f"There are reviews of the episode {lost}, which no longer exists.")
        self.problems += [f"{path.name} is a conflict copy of a review file." for path in self._store.copies()]
        summaries = {episode_id: self._summary(episode_id) for episode_id in ids}
        trashed = filter(None, (summarise(one.folder, one.episode_id) for one in self._trash))
        present = (of for one, of in summaries.items() if self._is_present(one))
        sampled = draw(present, trashed, self._store.policy())
        for episode_id, summary in summaries.items():
            file = self._file(summary) if episode_id in reviews else ReviewFile(episode_id)
            yield self._reviewed(summary, file, is_sampled=episode_id in sampled)

    def _reviewed(self, summary: EpisodeSummary, file: ReviewFile, *, is_sampled: bool) -> Reviewed:
        episode_id = summary.episode_id
        now = ReviewStatus(ReviewStage.UNREVIEWED)
        try:
            rule = TRASH_RULE
            if self._is_present(episode_id):
                rule = StatusRule(warned=self._warned(episode_id), sampled=is_sampled)
            path = self._annotation(episode_id)
            now = review_status(file, rule, recorder=summary.annotator, revision=lambda: _sha256(path))
        except DatasetError as error:
            self.problems.append(str(error))
        return Reviewed(episode_id, _subject(summary, now.verdicts), now.stage, now.verdicts, is_sampled)

    def _file(self, summary: EpisodeSummary) -> ReviewFile:
        try:
            file = self._store.read(summary.episode_id)
        except DatasetError as error:
            self.problems.append(str(error))
            return ReviewFile(summary.episode_id)
        self.problems += file_faults(file, summary.annotator, place=REVIEWS)
        return file

    def _summary(self, episode_id: str) -> EpisodeSummary:
        folder = self._annotation(episode_id).parent.parent
        summary = summarise(folder, episode_id) or EpisodeSummary(episode_id, problem=f"{episode_id} no longer exists.")
        if summary.problem:
            self.problems.append(summary.problem)
        return summary

    def _annotation(self, episode_id: str) -> Path:
        folder = self._root if self._is_present(episode_id) else self._trashed[episode_id]
        return folder / annotation_path(episode_id)

    def _is_present(self, episode_id: str) -> bool:
        return (self._root / annotation_path(episode_id)).exists()


def _subject(summary: EpisodeSummary, verdicts: Sequence[Verdict]) -> Subject:
    """From the episode's files; what they do not say, from the last verdict."""
    told = verdicts[-1].subject if verdicts else Subject()
    known = {key: value for key, value in subject_of(summary) if value}
    return told.model_copy(update=known)


def _sha256(path: Path) -> str:
    return hashlib.sha256(read_dataset_file(path, Largest.ANNOTATION)).hexdigest()
