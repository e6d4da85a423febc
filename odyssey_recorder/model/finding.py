"""Findings: what a check found, where, how severe it is and what to do; or why it did not look."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """An error keeps an episode out of an export, a warning needs a reviewer."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 is the most severe."""
        return list(Severity).index(self)


class Criterion(Enum):
    """The paper's three criteria for an episode; `ordinal` is its numbering."""

    SCREENSHOTS = "pictures"
    SEQUENCE = "sequence"
    INSTRUCTION = "instruction"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    `check` is the id, such as "IMG01". `episode_id` is empty for the dataset as a whole, `step` None for the whole
    episode. `found` says what it is, with its figures, `todo` what to do; both are one sentence of plain text, and
    quotes from files are cut short and have no control characters. `others` are the other episodes involved.
    """

    check: str
    severity: Severity
    criterion: Criterion | None
    episode_id: str
    step: int | None
    found: str
    todo: str
    others: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How a review refers to it: ``IMG07@3``, or ``EPI02`` without a step."""
        return self.check if self.step is None else f"{self.check}@{self.step}"


@dataclass(frozen=True, slots=True)
class NotChecked:
    """Why a check did not look at an episode, or at these steps."""

    check: str
    why: str
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeReport:
    """What all checks found on an episode."""

    episode_id: str
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()

    @property
    def has_errors(self) -> bool:
        """Whether it must not be exported."""
        return self.count(Severity.ERROR) > 0

    @property
    def worst(self) -> Finding:
        """The first of the most severe ones; there must be a finding."""
        return min(self.findings, key=lambda finding: finding.severity.rank)

    @property
    def failed(self) -> frozenset[str]:
        """The ids of the checks that found something worse than a note."""
        return frozenset(finding.check for finding in self.findings if finding.severity is not Severity.NOTE)

    def with_result(self, check: str, result: "Finding | NotChecked | None") -> "EpisodeReport":
        """With this result of `check`, about the whole episode, instead of those that it had."""
        findings = [finding for finding in self.findings if finding.check != check]
        findings += [result] if isinstance(result, Finding) else []
        not_checked = [unchecked for unchecked in self.not_checked if unchecked.check != check]
        not_checked += [result] if isinstance(result, NotChecked) else []
        return EpisodeReport(self.episode_id, in_order(findings), tuple(not_checked))

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By step, those of the whole episode first; within a step the most severe first."""

    def place(finding: Finding) -> tuple[int, int, str]:
        return -1 if finding.step is None else finding.step, finding.severity.rank, finding.check

    return tuple(sorted(findings, key=place))
