"""The findings of each episode of a dataset, including those of the dataset as a whole, kept up to date."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from threading import Lock
from typing import cast

from odyssey_recorder.checking.check_cache import Inspection
from odyssey_recorder.checking.checker import Checker, report_from_json
from odyssey_recorder.checking.compared_episode import ComparedEpisodes, facts_from_json
from odyssey_recorder.checking.evidence import ComparedEpisode, FactsSource
from odyssey_recorder.checking.whole_dataset import TOGETHER
from odyssey_recorder.checking.whole_dataset.exported import is_exported, spelling_findings
from odyssey_recorder.dataset.layout import annotation_files, annotation_path
from odyssey_recorder.model.finding import EpisodeReport, Finding, Severity, in_order
from odyssey_recorder.progress import Cancelled, never

_ALL = frozenset(field.name for field in fields(ComparedEpisode))
_Together = Mapping[str, tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class _Found:
    kept: Inspection
    report: EpisodeReport


@dataclass(frozen=True, slots=True)
class CheckStatus:
    """`is_settled`: both the present episode and the dataset with it were checked."""

    report: EpisodeReport | None = None
    is_settled: bool = False

    @property
    def warned(self) -> bool | None:
        """Whether a warning asks for a second review; None if that is not settled."""
        if self.report is not None and self.report.count(Severity.WARNING):
            return True
        return False if self.is_settled else None


class DatasetChecks:
    """The checks of a dataset folder. Thread-safe. `on_change` gets the ids of episodes whose findings changed."""

    def __init__(self, root: Path, checker: Checker, on_change: Callable[[Collection[str]], object]) -> None:
        self._root = root.absolute()
        self._checker = checker
        self._on_change = on_change
        self._is_complete = False  # True after the first complete run
        self._running, self._lock = Lock(), Lock()
        self._found: dict[str, _Found] = {}
        self._together: _Together = {}
        self._source = ComparedEpisodes()
        self._cached_checks = [_CachedCheck(check) for check in TOGETHER]

    def look(self, episode_id: str) -> CheckStatus:
        """Check one episode now; includes the findings of the whole dataset after a complete run."""
        report = self._checker.check(self._annotation(episode_id))
        if self._current(episode_id) is None:
            self._settle_one(episode_id)
        return CheckStatus(self._with_together(report), is_settled=self._current(episode_id) is not None)

    def known(self, episode_id: str) -> CheckStatus:
        """Like `look`, from what is known; opens no file."""
        found = self._current(episode_id)
        alone = self._checker.known(self._annotation(episode_id)) if found is None else found.report
        return CheckStatus(None if alone is None else self._with_together(alone), is_settled=found is not None)

    def warned(self, episode_id: str) -> bool | None:
        return self.known(episode_id).warned

    def reports(self) -> list[EpisodeReport]:
        """Those of the episodes that have not changed since the last complete `run`."""
        return [
            self._with_together(found.report)
            for episode_id in list(self._found)
            if (found := self._current(episode_id))
        ]

    def run(
        self, take: Callable[[int, int, str], object] = lambda _done, _count, _new: None, cancelled: Cancelled = never
    ) -> None:
        """Check all that has changed; finished checks are not repeated. Raises DatasetError, CancelledError.

        `take` gets how many are done, of how many, and a new episode's id once it is checked, else "".
        """
        with self._running:
            annotations = annotation_files(self._root)
            fresh: dict[str, _Found] = {}
            facts: dict[str, str] = {}
            seen = set()
            for annotation, kept in self._checker.check_each(annotations, cancelled):
                episode_id = annotation.stem
                seen.add(episode_id)
                known = self._found.get(episode_id)
                is_new = known is None or known.kept.stamp != kept.stamp
                if is_new:
                    facts[episode_id] = kept.facts
                    fresh[episode_id] = _Found(replace(kept, report="", facts=""), report_from_json(kept.report))
                take(len(seen), len(annotations), episode_id if is_new else "")
            changed = self._settle(fresh, facts, self._found.keys() - seen)
            self._is_complete = True
        self._on_change(changed)

    def _settle_one(self, episode_id: str) -> None:
        if not self._is_complete or not self._running.acquire(blocking=False):
            return
        try:
            [(_, kept)] = self._checker.check_each([self._annotation(episode_id)])
            found = _Found(replace(kept, report="", facts=""), report_from_json(kept.report))
            changed = self._settle({episode_id: found}, {episode_id: kept.facts}, ())
        finally:
            self._running.release()
        self._on_change(changed)

    def _settle(self, fresh: Mapping[str, _Found], facts: Mapping[str, str], gone: Collection[str]) -> frozenset[str]:
        together = self._check_together(facts, gone) if fresh or gone else self._together
        found = {
            episode_id: known for episode_id, known in (self._found | dict(fresh)).items() if episode_id not in gone
        }
        with self._lock:
            before, self._together, self._found = self._together, together, found
        others = {
            episode_id
            for episode_id in before.keys() | together.keys()
            if before.get(episode_id) != together.get(episode_id)
        }
        return frozenset(fresh.keys() | others)

    def _check_together(self, changed: Mapping[str, str], gone: Iterable[str]) -> _Together:
        fields_read: set[str] = set()
        for episode_id in gone:
            fields_read |= _ALL if self._source.take(episode_id) is not None else set()
        for episode_id, stored in changed.items():
            before, now = self._source.take(episode_id), facts_from_json(stored) if stored else None
            fields_read |= _different_fields(before, now)
            if stored:
                self._source.put(episode_id, stored)
        findings: defaultdict[str, list[Finding]] = defaultdict(list)
        for check in self._cached_checks:
            for finding in check.findings(self._source, fields_read):
                findings[finding.episode_id].append(finding)
        for finding in spelling_findings(self._root) if is_exported(self._root) else ():
            if finding.episode_id:
                findings[finding.episode_id].append(finding)
        return {episode_id: tuple(some) for episode_id, some in findings.items()}

    def _annotation(self, episode_id: str) -> Path:
        return self._root / annotation_path(episode_id)

    def _current(self, episode_id: str) -> _Found | None:
        with self._lock:
            found = self._found.get(episode_id)
        is_current = found is not None and self._checker.is_unchanged(self._annotation(episode_id), found.kept)
        return found if is_current else None

    def _with_together(self, alone: EpisodeReport) -> EpisodeReport:
        with self._lock:
            together = self._together.get(alone.episode_id, ())
        return replace(alone, findings=in_order((*alone.findings, *together))) if together else alone


class _CachedCheck:
    def __init__(self, check: Callable[[FactsSource], Iterator[object]]) -> None:
        self._check = check
        self._found: list[Finding] = []
        self._fields_read: set[str] | None = None

    def findings(self, source: FactsSource, changed: Collection[str]) -> list[Finding]:
        if self._fields_read is None or not self._fields_read.isdisjoint(changed):
            fields_read: set[str] = set()
            found = self._check(lambda: (cast(ComparedEpisode, _FactsProbe(facts, fields_read)) for facts in source()))
            self._found = [result for result in found if isinstance(result, Finding) and result.episode_id]
            self._fields_read = fields_read
        return self._found


class _FactsProbe:
    """The facts of an episode; records which ones a check reads, so that no list of names can be incomplete."""

    __slots__ = ("_facts", "_fields_read")

    def __init__(self, facts: ComparedEpisode, fields_read: set[str]) -> None:
        self._facts = facts
        self._fields_read = fields_read

    def __getattr__(self, name: str) -> object:
        self._fields_read.add(name)
        return getattr(self._facts, name)


def _different_fields(one: ComparedEpisode | None, other: ComparedEpisode | None) -> frozenset[str]:
    if one is None or other is None:
        return frozenset() if one is other else _ALL
    return frozenset(name for name in _ALL if getattr(one, name) != getattr(other, name))
