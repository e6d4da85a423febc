"""What a check says: what it found, where, how grave it is and what to do; or that it did not look, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """How grave a finding is: an error keeps an episode out of an export, a warning needs a reviewer's word."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Criterion(Enum):
    """The three things that the paper asks of an episode; `ordinal` is how it numbers them."""

    PICTURES = "pictures"
    """All screenshots are regularly saved (i)."""
    SEQUENCE = "sequence"
    """Screenshots and actions complete the instruction (ii)."""
    INSTRUCTION = "instruction"
    """The rewritten instruction is equivalent to the original (iii)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    `check` is the id, such as "IMG01". `episode_id` is empty for what is of the dataset as a whole, `step` None for
    what is of the episode as a whole. `found` says what it is, with its figures, `todo` what to do; both are one
    sentence of plain text, and what they quote from files is cut short and has no control characters. `others` are the
    other episodes that have part in it.
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
        """How a review refers to it: ``IMG07@3``, or ``EPI02`` where it is of no step."""
        return self.check if self.step is None else f"{self.check}@{self.step}"


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A check that could not look, at the steps given or at all, and why: what it needs is not there."""

    check: str
    why: str
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeReport:
    """What the checks say of one episode: the findings by step, those of the whole episode first."""

    episode_id: str
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()

    @property
    def has_errors(self) -> bool:
        """Whether it may not be exported as it is."""
        return self.count(Severity.ERROR) > 0

    @property
    def has_warnings(self) -> bool:
        """Whether a second reviewer must see it."""
        return self.count(Severity.WARNING) > 0

    @property
    def worst(self) -> Finding:
        """The first of the gravest; there must be one."""
        return min(self.findings, key=lambda one: list(Severity).index(one.severity))

    @property
    def failed(self) -> frozenset[str]:
        """The ids of the checks that found something worse than a note."""
        return frozenset(one.check for one in self.findings if one.severity is not Severity.NOTE)

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by step, those of the whole episode first, of one step the gravest first."""
    grave = list(Severity)
    return tuple(
        sorted(
            findings,
            key=lambda one: (-1 if one.step is None else one.step, grave.index(one.severity), one.check),
        )
    )
