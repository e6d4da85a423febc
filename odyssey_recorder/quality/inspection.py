"""One look at one episode: its evidence is collected, judged, and put into the form in which it is kept and sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from odyssey_recorder.dataset.fonts import on_one_line
from odyssey_recorder.errors import DatasetError, showable
from odyssey_recorder.quality.cache import Kept
from odyssey_recorder.quality.collect import collect, read_annotation
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.facts_cache import facts_as_json, facts_of
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.quality.image_metrics import ImageMetrics, Learnt, MetricsMemory
from odyssey_recorder.quality.sources import EpisodeFiles, ScreenshotNames

Judge = Callable[[EpisodeEvidence], EpisodeReport]
"""The checks of one episode."""

_REPORT = TypeAdapter(EpisodeReport)


@dataclass(frozen=True, slots=True)
class Inspected:
    """What came of one look, and what was measured for it."""

    kept: Kept
    learnt: Learnt


class Inspector:
    """Looks at episodes, one after another, with what `memory` knows."""

    def __init__(self, memory: MetricsMemory, judge: Judge) -> None:
        self._memory = memory
        self._judge = judge
        self._names: dict[Path, ScreenshotNames] = {}

    def __call__(self, annotation: Path) -> Inspected:
        """Look at the episode in this file, whatever state it is in."""
        files = EpisodeFiles(annotation)
        metrics = ImageMetrics(self._memory)
        try:
            episode = read_annotation(files)
        except DatasetError as error:
            stamp = self.stamp(files, showable(annotation.stem), 0)
            report = report_as_json(unreadable(annotation, str(error)))
            return Inspected(Kept(stamp, showable(annotation.stem), 0, report, ""), metrics.learnt)
        name, steps = episode.episode_id, len(episode.steps)
        stamp = self.stamp(files, name, steps)
        evidence = collect(files, episode, metrics, self._beside(files, name))
        report = report_as_json(self._judge(evidence))
        return Inspected(Kept(stamp, name, steps, report, facts_as_json(facts_of(evidence))), metrics.learnt)

    def stamp(self, files: EpisodeFiles, name: str, steps: int) -> str:
        """What changes as soon as one of the episode's files does."""
        return files.stamp(name, steps, self._beside(files, name))

    def _beside(self, files: EpisodeFiles, name: str) -> Sequence[str]:
        folder = files.pictures
        if folder not in self._names:
            self._names[folder] = ScreenshotNames(folder)
        return self._names[folder].of(name)


def unreadable(annotation: Path, why: str) -> EpisodeReport:
    """The report of an episode that could not be looked at, and why."""
    found = f"The episode could not be checked: {on_one_line(why).rstrip('.')}."
    todo = "Bring its file back as it was, or take the episode out of the dataset."
    finding = Finding("ACT01", Severity.ERROR, Criterion.SEQUENCE, showable(annotation.stem), None, found, todo)
    return EpisodeReport(
        showable(annotation.stem), (finding,), (NotChecked("all others", "the episode could not be read"),)
    )


def report_as_json(report: EpisodeReport) -> str:
    """A report as it is kept."""
    return _REPORT.dump_json(report).decode()


def report_from_json(kept: str) -> EpisodeReport:
    """The report that was kept so. Raises ValueError for what is none."""
    return _REPORT.validate_json(kept)
