"""What a check says of a step's text: supported, contradicted or not looked at, and by what evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.annotation.kinds import TextKind
from odyssey_recorder.quality.finding import Severity


class Verdict(Enum):
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    COULD_NOT_LOOK = "could not look"


@dataclass(frozen=True, slots=True)
class TextCheck:
    id: str
    title: str
    severity: Severity = Severity.WARNING
    is_proof: bool = True
    """Whether its support says that the text is true; well-formed, fresh and unique texts may be wrong."""


CHECKS = {
    check.id: check
    for check in (
        TextCheck("ANN03", "A text names another element than the one touched"),
        TextCheck("ANN04", "A text says another kind of action"),
        TextCheck("ANN05", "A text quotes something else than what was typed"),
        TextCheck("ANN06", "A text says another direction", Severity.NOTE),
        TextCheck("ANN07", "A text has a figure, a quote or a name that is nowhere to be seen"),
        TextCheck("ANN08", "A text names an app that was not in use"),
        TextCheck("ANN09", "A context tells what happens only later"),
        TextCheck("ANN10", "A text is that of another screen", is_proof=False),
        TextCheck("ANN11", "A text was written for an earlier state of the episode", is_proof=False),
        TextCheck("ANN12", "A text has the wrong form", is_proof=False),
    )
}


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
    kind: TextKind
    verdict: Verdict
    found: str
    evidence: tuple[Evidence, ...] = ()

    @property
    def severity(self) -> Severity:
        return CHECKS[self.check].severity


def verdict_on(findings: Iterable[TextFinding]) -> Verdict:
    """The verdict on one text: contradicted by any check, supported only if a check supports what it says."""
    said = {(one.verdict, CHECKS[one.check].is_proof) for one in findings}
    if any(verdict is Verdict.CONTRADICTS for verdict, _ in said):
        return Verdict.CONTRADICTS
    return Verdict.SUPPORTS if (Verdict.SUPPORTS, True) in said else Verdict.COULD_NOT_LOOK
