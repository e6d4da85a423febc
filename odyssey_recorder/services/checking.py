"""Checking the episodes at a path: one, a folder of them, or a dataset with all that belongs to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from odyssey_recorder.annotation.checking import checked_episodes
from odyssey_recorder.checking.findings_report import FindingsReport
from odyssey_recorder.checking.one_episode import JUDGED
from odyssey_recorder.checking.whole_dataset import check_dataset, check_episodes_together
from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.layout import ANNOTATIONS, INDEXES, dataset_of
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import storage_errors
from odyssey_recorder.model.finding import EpisodeReport, Finding, NotChecked
from odyssey_recorder.progress import Cancelled, Progress, never, untold

if TYPE_CHECKING:
    from odyssey_recorder.checking.checker import Checker

Opinions = Mapping[str, Finding | NotChecked | None]
"""A model's, by episode id, with None for one that it finds completed."""

_NO_OPINIONS: Opinions = MappingProxyType({})
_TOGETHER = ("IMG06", "EPI03", "EPI05", "INS04")


@dataclass(frozen=True, slots=True)
class FoundEpisodes:
    """The episode files at `path`; `root` is the dataset folder that was meant, or None."""

    path: Path
    annotations: Sequence[Path]
    root: Path | None = None

    @property
    def dataset(self) -> Path | None:
        """The dataset folder that the episodes are in, even if only one was meant."""
        return self.root or dataset_of(self.annotations[0])

    @property
    def episode_ids(self) -> list[str]:
        return [annotation.stem for annotation in self.annotations]

    @property
    def warning(self) -> str:
        """For the user, before the check; empty if all is well."""
        change = None if self.root is None else under_way(self.root)
        if change is None:
            return ""
        text = f"A fix of episode {change.episode_id} is in progress or was interrupted. Its findings may be wrong."
        return f"{text} Open the episode in Review to finish or undo it."


def find_episodes(path: Path) -> FoundEpisodes:
    """A file, a folder of them, or a dataset folder. Raises DatasetError if there are no episodes."""
    if path.is_file():
        return FoundEpisodes(path, (path,))
    if not path.is_dir():
        raise DatasetError(f"{path} cannot be checked: no such file or folder.")
    inner = path / ANNOTATIONS
    folder, root = (inner, path) if inner.is_dir() else (path, path.parent if path.name == ANNOTATIONS else None)
    with storage_errors(folder, "read"):
        annotations = sorted(
            found for found in folder.glob("*.json") if found.name not in INDEXES and not found.name.startswith(".")
        )
    if not annotations:
        raise DatasetError(f"{folder} cannot be checked: it contains no episode file.")
    return FoundEpisodes(path, annotations, root)


def check(
    found: FoundEpisodes,
    checker: "Checker",
    opinions: Opinions = _NO_OPINIONS,
    progress: Progress = untold,
    cancelled: Cancelled = never,
) -> FindingsReport:
    """All findings. `opinions` are kept with those of the checks, so that the window shows them.

    Raises DatasetError, CancelledError.
    """
    report, count = FindingsReport(found.path), len(found.annotations)

    def take(episode: EpisodeReport) -> None:
        report.add(_with_opinion(checker, found, opinions, episode))
        progress(report.episodes / count, f"{report.episodes:,} of {count:,} episodes")

    facts = checker.check_all(found.annotations, take, cancelled)
    if count == 1 and found.root is None:
        report.add_together(NotChecked(check, "It needs the other episodes.") for check in _TOGETHER)
    else:
        progress(None, "The whole dataset")
        together = check_episodes_together(facts) if found.root is None else check_dataset(found.root, facts)
        report.add_together(together)
    if found.dataset is not None:
        for texts in checked_episodes(found.dataset, found.episode_ids, checker.evidence):
            report.add_more(texts.report)
    return report


def _with_opinion(
    checker: "Checker", found: FoundEpisodes, opinions: Opinions, episode: EpisodeReport
) -> EpisodeReport:
    if episode.episode_id not in opinions:
        return episode
    opinion = opinions[episode.episode_id]
    judged = episode.with_result(JUDGED, opinion)
    if not isinstance(opinion, NotChecked):
        checker.keep(found.annotations[0].with_name(f"{episode.episode_id}.json"), judged)
    return judged
