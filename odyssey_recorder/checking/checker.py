"""Runs the checks of single episodes, in several processes; cached results are reused."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from pydantic import TypeAdapter

from odyssey_recorder.checking.check_cache import Cache, CodeHashes, Inspection, Measurements
from odyssey_recorder.checking.code_hash import module_hash, program_hash
from odyssey_recorder.checking.collect import collect, read_annotation
from odyssey_recorder.checking.compared_episode import ComparedEpisodes, facts_as_json, facts_of
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.image_metrics import ImageMetrics
from odyssey_recorder.checking.one_episode import check_episode
from odyssey_recorder.checking.screenshot import measure
from odyssey_recorder.checking.workers import WorkerFailure, Workers
from odyssey_recorder.dataset.file_stamps import ScreenshotNames, stamp_episode
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.errors import CancelledError, DatasetError, showable
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import on_one_line
from odyssey_recorder.progress import Cancelled, never

EpisodeCheck = Callable[[EpisodeEvidence], EpisodeReport]

_REPORT = TypeAdapter(EpisodeReport)


class Inspector:
    def __init__(self, cache: Cache, judge: EpisodeCheck) -> None:
        self._cache = cache
        self._check_one = judge
        self._names: dict[Path, ScreenshotNames] = {}

    def __call__(self, annotation: Path) -> tuple[Inspection, Measurements]:
        """Check the episode in this file, in any state; returns its findings and new measurements."""
        try:
            episode = read_annotation(annotation)
        except DatasetError as error:
            return self.unreadable(annotation, str(error)), Measurements()
        metrics = ImageMetrics(self._cache)
        files, steps = EpisodeFiles(annotation, episode.episode_id), len(episode.steps)
        stamp = self._stamp(files, steps)
        evidence = collect(files, episode, metrics, self._screenshot_names(files))
        report = _REPORT.dump_json(self._check_one(evidence)).decode()
        return Inspection(stamp, files.episode_id, steps, report, facts_as_json(facts_of(evidence))), metrics.measured

    def evidence(self, annotation: Path) -> EpisodeEvidence:
        """Raises DatasetError."""
        episode = read_annotation(annotation)
        files = EpisodeFiles(annotation, episode.episode_id)
        return collect(files, episode, ImageMetrics(self._cache), self._screenshot_names(files))

    def unreadable(self, annotation: Path, why: str) -> Inspection:
        name = showable(annotation.stem)
        found = f"The episode could not be checked: {on_one_line(why).rstrip('.')}."
        todo = "Restore its file, or remove the episode from the dataset."
        finding = Finding("ACT01", Severity.ERROR, Criterion.SEQUENCE, name, None, found, todo)
        report = EpisodeReport(name, (finding,), (NotChecked("all others", "the episode could not be read"),))
        stamp = self._stamp(EpisodeFiles.of(annotation), 0)
        return Inspection(stamp, name, 0, _REPORT.dump_json(report).decode(), "")

    def is_unchanged(self, annotation: Path, found: Inspection) -> bool:
        """Opens none of the episode's files."""
        return self._stamp(EpisodeFiles(annotation, found.name), found.steps) == found.stamp

    def _stamp(self, files: EpisodeFiles, steps: int) -> str:
        return stamp_episode(files, steps, self._screenshot_names(files))

    def _screenshot_names(self, files: EpisodeFiles) -> Sequence[str]:
        folder = files.screenshots
        if folder not in self._names:
            self._names[folder] = ScreenshotNames(folder)
        return self._names[folder].of(files.episode_id)


def report_from_json(stored: str) -> EpisodeReport:
    """Raises ValueError if it is not a report."""
    return _REPORT.validate_json(stored)


class Checker:
    """Caches findings in the file at `cache_path`, or not at all for None; must be closed.

    `jobs` is the number of processes, by default one per processor. All methods but `check_all` are thread-safe.
    """

    def __init__(
        self, cache_path: Path | None, jobs: int | None = None, *, judge: EpisodeCheck = check_episode
    ) -> None:
        self._start_worker = partial(_start_worker, cache_path, _current_code(), judge)
        self._cache = Cache(cache_path, _current_code())
        self._jobs = jobs or os.cpu_count() or 1
        self._inspector = Inspector(self._cache, judge)

    @property
    def problem(self) -> str:
        """Why nothing is cached, for the user; empty without a problem."""
        return self._cache.problem

    def close(self) -> None:
        self._cache.close()

    def check(self, annotation: Path) -> EpisodeReport:
        [(_, found)] = self.check_each([annotation])
        return report_from_json(found.report)

    def known(self, annotation: Path) -> EpisodeReport | None:
        """The earlier findings of an episode, if none of its files has changed; opens none of them."""
        found = self._unchanged(annotation.absolute())
        return None if found is None else report_from_json(found.report)

    def keep(self, annotation: Path, report: EpisodeReport) -> None:
        """As the findings of the episode that was just checked, until one of its files changes."""
        if (found := self._unchanged(annotation.absolute())) is not None:
            kept = replace(found, report=_REPORT.dump_json(report).decode())
            self._cache.keep(annotation.absolute(), kept, Measurements())

    def evidence(self, annotation: Path) -> EpisodeEvidence:
        """The evidence from the files of an episode, in any state. Raises DatasetError."""
        return self._inspector.evidence(annotation.absolute())

    def check_all(
        self, annotations: Iterable[Path], on_report: Callable[[EpisodeReport], object], cancelled: Cancelled = never
    ) -> ComparedEpisodes:
        """Call `on_report` with each report as soon as it is ready; returns all facts. Raises CancelledError."""
        facts = ComparedEpisodes()
        for _, found in self.check_each(annotations, cancelled):
            if found.facts:
                facts.put(found.name, found.facts)
            on_report(report_from_json(found.report))
        return facts

    def is_unchanged(self, annotation: Path, found: Inspection) -> bool:
        """Opens none of the episode's files."""
        return self._inspector.is_unchanged(annotation.absolute(), found)

    def check_each(
        self, annotations: Iterable[Path], cancelled: Cancelled = never
    ) -> Iterator[tuple[Path, Inspection]]:
        """First the cached findings, then those of the other episodes. Raises as `check_all`."""
        others = []
        for annotation in map(Path.absolute, annotations):
            if cancelled():
                break
            found = self._unchanged(annotation)
            if found is None:
                others.append(annotation)
            else:
                yield annotation, found
        for annotation, result in self._inspect_all(others, cancelled):
            match result:
                case (found, measured):
                    self._cache.keep(annotation, found, measured)
                    yield annotation, found
                case WorkerFailure(why):
                    yield annotation, self._inspector.unreadable(annotation, why)
        if cancelled():
            raise CancelledError("The check was cancelled.")

    def _inspect_all(
        self, annotations: Sequence[Path], cancelled: Cancelled
    ) -> Iterator[tuple[Path, tuple[Inspection, Measurements] | WorkerFailure]]:
        count = min(self._jobs, len(annotations))
        if count < 2:
            for annotation in annotations:
                if cancelled():
                    return
                yield annotation, self._inspector(annotation)
            return
        with Workers[Path, tuple[Inspection, Measurements]](count, self._start_worker) as workers:
            yield from workers.run(iter(annotations), cancelled)

    def _unchanged(self, annotation: Path) -> Inspection | None:
        found = self._cache.episode(annotation)
        return found if found is not None and self.is_unchanged(annotation, found) else None


def _start_worker(cache_path: Path | None, code_hashes: CodeHashes, judge: EpisodeCheck) -> Inspector:
    return Inspector(Cache(cache_path, code_hashes, reader=True), judge)


@cache
def _current_code() -> CodeHashes:
    return CodeHashes(module_hash(measure.__module__, "pillow"), program_hash())
