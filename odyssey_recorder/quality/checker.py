"""One look at one episode: its evidence is collected, judged, and put into the form in which it is kept and sent."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from pydantic import TypeAdapter

from odyssey_recorder.dataset.fonts import on_one_line
from odyssey_recorder.errors import CancelledError, DatasetError, showable
from odyssey_recorder.quality.cache import By, Cache, Kept
from odyssey_recorder.quality.checks import check_episode
from odyssey_recorder.quality.collect import collect, read_annotation
from odyssey_recorder.quality.edition import edition, edition_of
from odyssey_recorder.quality.evidence import EpisodeEvidence, EpisodeFacts
from odyssey_recorder.quality.facts_cache import FactsCache, facts_as_json, facts_of
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.quality.image_metrics import ImageMetrics, Learnt, MetricsMemory
from odyssey_recorder.quality.screenshot import measure
from odyssey_recorder.quality.sources import EpisodeFiles, ScreenshotNames
from odyssey_recorder.quality.workers import Lost, Workers

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


class Checker:
    """Checks episodes, and remembers what was found in the file at `cache_path`, if there is to be one.

    `jobs` is how many processes look at many episodes, one for each processor unless it is given. May be called from
    several threads, but for `check_all` and `facts`.
    """

    def __init__(self, cache_path: Path | None, jobs: int | None = None, *, judge: Judge = check_episode) -> None:
        self._by = _this_program()
        self._cache_path = cache_path
        self._cache = Cache(cache_path, self._by)
        self._jobs = jobs or os.cpu_count() or 1
        self._judge = judge
        self._inspector = Inspector(self._cache, judge)
        self._source = FactsCache()

    @property
    def problem(self) -> str:
        """Why nothing is remembered, in words for a person; empty where all is well."""
        return self._cache.problem

    def close(self) -> None:
        """Let go of the cache and of the facts."""
        self._cache.close()
        self._source.close()

    def check(self, annotation: Path) -> EpisodeReport:
        """What the checks say of one episode, now; an annotation that cannot be read is a finding."""
        known = self.known(annotation)
        if known is not None:
            return known
        inspected = self._inspector(annotation.absolute())
        self._cache.keep(annotation.absolute(), inspected.kept, inspected.learnt)
        return report_from_json(inspected.kept.report)

    def known(self, annotation: Path) -> EpisodeReport | None:
        """What the checks said of an episode, if none of its files has changed since; none of them is opened."""
        kept = self._unchanged(annotation.absolute())
        return None if kept is None else report_from_json(kept.report)

    def check_all(
        self,
        annotations: Iterable[Path],
        on_report: Callable[[EpisodeReport], object],
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Check every episode of `annotations` and call `on_report` with each report as soon as it is there.

        Afterwards `facts` are those of all these episodes. Raises CancelledError once `cancelled` says so; what was
        found until then is remembered.
        """
        self._source.close()
        self._source = FactsCache()
        for _, kept in self.check_each(annotations, cancelled):
            if kept.facts:
                self._source.put(kept.name, kept.facts)
            on_report(report_from_json(kept.report))

    def facts(self) -> Iterator[EpisodeFacts]:
        """What the checks of a whole dataset need of the episodes that `check_all` has looked at, sorted by id."""
        return self._source()

    def is_unchanged(self, annotation: Path, kept: Kept) -> bool:
        """Whether none of the episode's files has changed since `kept` was found of it; none of them is opened."""
        return self._inspector.stamp(EpisodeFiles(annotation.absolute()), kept.name, kept.steps) == kept.stamp

    def check_each(self, annotations: Iterable[Path], cancelled: Callable[[], bool]) -> Iterator[tuple[Path, Kept]]:
        """What is known of each episode, and then, once that is told, what is found of the others.

        Raises as `check_all`.
        """
        others = []
        for annotation in map(Path.absolute, annotations):
            if cancelled():
                break
            kept = self._unchanged(annotation)
            if kept is None:
                others.append(annotation)
            else:
                yield annotation, kept
        for annotation, found in self._inspected(others, cancelled):
            match found:
                case Inspected(kept, learnt):
                    self._cache.keep(annotation, kept, learnt)
                    yield annotation, kept
                case Lost(why):
                    report = report_as_json(unreadable(annotation, why))
                    stamp = self._inspector.stamp(EpisodeFiles(annotation), annotation.stem, 0)
                    yield annotation, Kept(stamp, showable(annotation.stem), 0, report, "")
        if cancelled():
            raise CancelledError("The check was given up.")

    def _inspected(
        self, annotations: Sequence[Path], cancelled: Callable[[], bool]
    ) -> Iterator[tuple[Path, Inspected | Lost]]:
        count = min(self._jobs, len(annotations))
        if count < 2:
            for annotation in annotations:
                if cancelled():
                    return
                yield annotation, self._inspector(annotation)
            return
        begin = partial(_begin, self._cache_path, self._by, self._judge)
        with Workers[Path, Inspected](count, begin) as workers:
            yield from workers.run(iter(annotations), cancelled)

    def _unchanged(self, annotation: Path) -> Kept | None:
        """What was found of an episode whose files are all as they were."""
        kept = self._cache.episode(annotation)
        return kept if kept is not None and self.is_unchanged(annotation, kept) else None


def _begin(cache_path: Path | None, by: By, judge: Judge) -> Inspector:
    """What a process looks at episodes with; it reads the cache, and its parent writes it."""
    return Inspector(Cache(cache_path, by, reader=True), judge)


@cache
def _this_program() -> By:
    return By(edition_of(measure.__module__, "pillow"), edition())
