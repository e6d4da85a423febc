"""What a check says of a step's text: supported, contradicted or not looked at, and by what evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind
from odyssey_recorder.checking.one_episode import CHECKS as ALL_CHECKS
from odyssey_recorder.model.finding import Severity


class Support(Enum):
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    COULD_NOT_LOOK = "could not look"


CHECKS = {check.id: check for check in ALL_CHECKS if "ANN03" <= check.id <= "ANN14"}

_NO_PROOF = ("ANN10", "ANN11", "ANN12")
"""Their support does not say that a text is true: unique, fresh and well-formed ones may be wrong."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """`source` is where it is from, such as "view hierarchy of step 3"; `said` is quoted from there."""

    source: str
    said: str


@dataclass(frozen=True, slots=True)
class TextFinding:
    """`found` is one sentence for people; `evidence` is empty only if the check could not look."""

    check: str
    step: int
    kind: TextKind | MemoryKind
    verdict: Support
    found: str
    evidence: tuple[Evidence, ...] = ()

    @property
    def severity(self) -> Severity:
        return CHECKS[self.check].severity

    @property
    def is_proof(self) -> bool:
        """Whether it supports what the text says."""
        return self.verdict is Support.SUPPORTS and self.check not in _NO_PROOF


def verdict_on(findings: Iterable[TextFinding]) -> Support:
    """The verdict on one text: contradicted by any check, supported only if a check supports what it says."""
    found = tuple(findings)
    if any(finding.verdict is Support.CONTRADICTS for finding in found):
        return Support.CONTRADICTS
    return Support.SUPPORTS if any(finding.is_proof for finding in found) else Support.COULD_NOT_LOOK
