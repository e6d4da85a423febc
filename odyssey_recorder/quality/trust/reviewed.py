"""Which episodes of a dataset were judged, by whom and how they stand: all review files at once, for a report."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.durable import dataset_of, storage_error
from odyssey_recorder.dataset.summaries import EpisodeSummary, summarise
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.quality.reviewing.review import Subject, Verdict
from odyssey_recorder.quality.reviewing.review_file import ReviewFile
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.standing import Stage, Stratum, WhyTwice, revisions_to, sample, standing
from odyssey_recorder.quality.whole.dataset_folder import ANNOTATIONS, episode_ids

Known = Callable[[Path], EpisodeReport | None]
"""What the checks said of the episode in an annotation file; None where they have not looked."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An episode that somebody may have judged.

    `verdicts` are those that count, in the order they were given, and `is_sampled` says whether it was chosen by lot to
    be judged twice, whatever the checks found.
    """

    episode_id: str
    subject: Subject
    stage: Stage
    verdicts: tuple[Verdict, ...] = ()
    is_sampled: bool = False


@dataclass(frozen=True, slots=True)
class AllReviewed:
    """Every episode of a dataset, those in the trash too, sorted by id; `problems` are what could not be read."""

    episodes: tuple[Reviewed, ...]
    problems: tuple[str, ...] = ()


def read_reviewed(root: Path, known: Known = lambda _: None) -> AllReviewed:
    """All episodes of the dataset folder `root` with their verdicts.

    An episode that the checks warn of is judged twice, as far as `known` tells. Raises DatasetError, ReviewError where
    folder or policy cannot be read; a review file that cannot is one of the problems.
    """
    if not (root / ANNOTATIONS).is_dir():
        raise DatasetError(f"{root} is no dataset folder: {ANNOTATIONS}/ with episode files is not in it.")
    reader = _Reader(root, known)
    episodes = tuple(reader.episodes())
    return AllReviewed(episodes, tuple(reader.problems))


class _Reader:
    """One pass over the files of a dataset."""

    def __init__(self, root: Path, known: Known) -> None:
        self._root = root
        self._known = known
        self._store = ReviewStore(root)
        self._trashed = {one.episode_id: one.folder for one in reversed(Trash(root).episodes())}
        self.problems: list[str] = []

    def episodes(self) -> Iterator[Reviewed]:
        """Each episode that there is, or was judged."""
        reviews = set(self._store.ids())
        ids = sorted(episode_ids(self._root) | (reviews & self._trashed.keys()))
        for lost in sorted(reviews.difference(ids)):
            self.problems.append(f"There are reviews of the episode {lost}, which is not there any more.")
        self.problems += [f"{path.name} lies beside the reviews of its episode." for path in self._store.copies()]
        summaries = {episode_id: self._summary(episode_id) for episode_id in ids}
        policy = self._store.policy()
        # Over the rejected ones too: without them the sample would forget the defects that it has found.
        sampled = sample({one: _stratum(of) for one, of in summaries.items()}, policy)
        for episode_id, summary in summaries.items():
            file = self._file(episode_id) if episode_id in reviews else ReviewFile(episode_id)
            yield self._reviewed(summary, file, is_sampled=episode_id in sampled)

    def _reviewed(self, summary: EpisodeSummary, file: ReviewFile, *, is_sampled: bool) -> Reviewed:
        annotation = self._annotation(summary.episode_id)
        report = self._known(annotation)
        warned = report is not None and report.has_warnings
        twice = WhyTwice.WARNINGS if warned else WhyTwice.SAMPLE if is_sampled else None
        revisions = revisions_to(_sha256(annotation), file.fixes) if file.present_verdicts else frozenset[str]()
        now = standing(file.present_verdicts, revisions, twice, recorder=summary.annotator)
        return Reviewed(summary.episode_id, _subject(summary, now.verdicts), now.stage, now.verdicts, is_sampled)

    def _file(self, episode_id: str) -> ReviewFile:
        try:
            file = self._store.read(episode_id)
        except DatasetError as error:
            self.problems.append(str(error))
            return ReviewFile(episode_id)
        self.problems += file.problems
        self.problems += [f"{episode_id}.json: {doubt}" for doubt in file.doubts()]
        return file

    def _summary(self, episode_id: str) -> EpisodeSummary:
        folder = self._root if self._is_present(episode_id) else self._trashed[episode_id]
        summary = summarise(folder, episode_id) or EpisodeSummary(episode_id, problem=f"{episode_id} is gone.")
        if summary.problem:
            self.problems.append(summary.problem)
        return summary

    def _annotation(self, episode_id: str) -> Path:
        folder = self._root if self._is_present(episode_id) else self._trashed[episode_id]
        return folder / ANNOTATIONS / f"{episode_id}.json"

    def _is_present(self, episode_id: str) -> bool:
        return (self._root / ANNOTATIONS / f"{episode_id}.json").exists()


def _stratum(summary: EpisodeSummary) -> Stratum:
    return Stratum(summary.category, summary.device, summary.annotator)


def _subject(summary: EpisodeSummary, verdicts: Sequence[Verdict]) -> Subject:
    """What was judged; what the files do not tell any more, the newest verdict may."""
    told = verdicts[-1].subject if verdicts else Subject()
    return Subject(
        recorder=summary.annotator or told.recorder,
        category=summary.category or told.category,
        device=summary.device or told.device,
        template=summary.template or told.template,
        steps=summary.steps or told.steps,
    )


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(read_file(path, Largest.ANNOTATION, within=dataset_of(path))).hexdigest()
    except OSError as error:
        raise storage_error(error, path, "read") from error
