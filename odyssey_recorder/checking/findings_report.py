"""The findings of a run: counts per check, findings by episode, an HTML page, JSON."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from odyssey_recorder.checking.one_episode import CHECKS
from odyssey_recorder.checking.thumbnails import Thumbnails
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.finding import EpisodeReport, Finding, NotChecked, Severity, in_order
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.reports import render_page

TITLES: Mapping[str, str] = {check.id: check.title for check in CHECKS}


@dataclass(frozen=True, slots=True)
class CheckCounts:
    check: str
    found: Mapping[Severity, int]
    episodes: int
    not_checked: int
    reasons: tuple[str, ...]

    @property
    def title(self) -> str:
        return TITLES.get(self.check, "")


@dataclass(slots=True)
class FindingsReport:
    path: Path
    episodes: int = 0
    clean: int = 0
    findings: list[Finding] = field(default_factory=list)
    _unlooked: defaultdict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, report: EpisodeReport) -> None:
        self.episodes += 1
        self.clean += not report.findings
        self.add_more(report)

    def add_more(self, report: EpisodeReport) -> None:
        """Add findings of an episode that is counted already."""
        self.findings.extend(report.findings)
        for unchecked in report.not_checked:
            self._unlooked[unchecked.check, unchecked.why].append(report.episode_id)

    def add_together(self, results: Iterable[Finding | NotChecked]) -> None:
        """Add findings of the dataset as a whole; an episode named there is not clean."""
        for result in results:
            match result:
                case Finding():
                    self.findings.append(result)
                case NotChecked(check, why):
                    self._unlooked[check, why].append("")

    @property
    def counts(self) -> Mapping[Severity, int]:
        found = Counter(finding.severity for finding in self.findings)
        return {severity: found[severity] for severity in Severity}

    @property
    def checks(self) -> Sequence[CheckCounts]:
        found: defaultdict[str, list[Finding]] = defaultdict(list)
        for finding in self.findings:
            found[finding.check].append(finding)
        ids = sorted(found.keys() | {check for check, _ in self._unlooked})
        return [self._counted(check, found[check]) for check in ids]

    @property
    def by_episode(self) -> Sequence[tuple[str, Sequence[Finding]]]:
        found: defaultdict[str, list[Finding]] = defaultdict(list)
        for finding in self.findings:
            found[finding.episode_id].append(finding)
        ordered = sorted(found.items(), key=lambda item: (item[0] != "", _gravity(item[1]), item[0]))
        return [(episode_id, in_order(findings)) for episode_id, findings in ordered]

    @property
    def summary(self) -> str:
        counts = ", ".join(counted(count, severity.value) for severity, count in self.counts.items())
        unlooked = len({check for check, _ in self._unlooked})
        not_checked = f"; {counted(unlooked, 'check')} could not look everywhere" if unlooked else ""
        return f"{counted(self.episodes, 'episode')}: {counts}{not_checked}"

    def fails(self, *, from_: Severity) -> bool:
        return any(finding.severity.rank <= from_.rank for finding in self.findings)

    def as_json(self, *, exit_code: int) -> dict[str, Json]:
        """The report for programs; docs/quality.md describes the keys."""
        return {
            "path": str(self.path),
            "exit_code": exit_code,
            "episodes": self.episodes,
            "clean": self.clean,
            "counts": {severity.value: count for severity, count in self.counts.items()},
            "checks": [_counts_as_json(counts) for counts in self.checks],
            "findings": [_finding_as_json(finding) for _, findings in self.by_episode for finding in findings],
            "not_checked": [
                {"check": check, "why": why, "episodes": [*sorted(filter(None, ids))]}
                for (check, why), ids in sorted(self._unlooked.items())
            ],
        }

    def _counted(self, check: str, found: Sequence[Finding]) -> CheckCounts:
        severities = Counter(finding.severity for finding in found)
        unlooked = {why: ids for (other, why), ids in self._unlooked.items() if other == check}
        return CheckCounts(
            check,
            {severity: severities[severity] for severity in Severity},
            len({finding.episode_id for finding in found if finding.episode_id}),
            len({episode_id for ids in unlooked.values() for episode_id in ids}),
            tuple(sorted(unlooked, key=lambda why: -len(unlooked[why]))),
        )


def render_findings_page(report: FindingsReport, annotations: Sequence[Path] = ()) -> str:
    """With thumbnails of the screenshots beside these annotations."""
    thumbnails = Thumbnails({EpisodeFiles.of(path).episode_id: path for path in annotations})
    filters: dict[str, Callable[..., object]] = {"counted": counted, "thumbnail": thumbnails.of}
    return render_page("findings.html", filters, report=report, severities=list(Severity))


def _gravity(findings: Sequence[Finding]) -> tuple[int, ...]:
    return tuple(-sum(finding.severity is severity for finding in findings) for severity in Severity)


def _finding_as_json(finding: Finding) -> dict[str, Json]:
    return {
        "check": finding.check,
        "severity": finding.severity.value,
        "criterion": finding.criterion and finding.criterion.value,
        "episode_id": finding.episode_id,
        "step_index": finding.step,
        "found": finding.found,
        "todo": finding.todo,
        "others": [*finding.others],
    }


def _counts_as_json(counts: CheckCounts) -> dict[str, Json]:
    found: dict[str, Json] = {severity.value: count for severity, count in counts.found.items()}
    return {
        "check": counts.check,
        "title": counts.title,
        **found,
        "episodes": counts.episodes,
        "not_checked": counts.not_checked,
    }
