"""Who has episodes checked: what is known is not looked at again, and many are shared among processes."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from odyssey_recorder.errors import CancelledError, showable
from odyssey_recorder.quality.cache import By, Cache, Kept
from odyssey_recorder.quality.checks import check_episode
from odyssey_recorder.quality.edition import edition, edition_of
from odyssey_recorder.quality.evidence import EpisodeFacts
from odyssey_recorder.quality.facts_cache import FactsCache
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.quality.inspection import (
    Inspected,
    Inspector,
    Judge,
    report_as_json,
    report_from_json,
    unreadable,
)
from odyssey_recorder.quality.screenshot import measure
from odyssey_recorder.quality.sources import EpisodeFiles
from odyssey_recorder.quality.workers import Lost, Workers


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
