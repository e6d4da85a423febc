"""Compares what a model wrote for the memory of a step with what was recorded (ANN13)."""

import re
from collections.abc import Iterator

from odyssey_recorder.annotation import claims
from odyssey_recorder.annotation.checks import facts_in, is_on_screen
from odyssey_recorder.annotation.findings import Evidence, TextFinding
from odyssey_recorder.annotation.memory import StepMemory
from odyssey_recorder.annotation.text_evidence import Course, SourceWords
from odyssey_recorder.annotation.text_in_context import CheckResult, cited, contradicts, supports, unseen
from odyssey_recorder.annotation.text_kinds import MemoryKind
from odyssey_recorder.model.plain_text import step_number

CHECK = "ANN13"

_NOTHING = re.compile(
    r"\b(?:nothing (?:has |was )?(?:visibly )?(?:chang|happen)\w*|no (?:visible |noticeable )?(?:change|effect)"
    r"|(?:is|was|remain\w*|stay\w*) (?:unchanged|the same)|(?:did|does|has) not (?:change|respond)\w*)\b",
    re.IGNORECASE,
)
"""Says that an action changed nothing."""


def check_result(words: str, *, had_effect: bool | None, evidence: Evidence) -> CheckResult:
    """Whether something changed, as an action result says; `had_effect` is None if that is not known."""
    if had_effect is None:
        return unseen("the two screenshots cannot be compared")
    says_nothing = _NOTHING.search(claims.masked(words)) is not None
    if says_nothing and had_effect:
        return contradicts("It says that nothing changed, but the screen did.", evidence)
    if not says_nothing and not had_effect:
        return contradicts("It says what changed, but nothing did.", evidence)
    return supports("Something changed, as it says." if had_effect else "Nothing changed, as it says.", evidence)


def check_core(words: str, screen_info: str) -> CheckResult:
    """Whether the figures, quotes and names of a core text are in the information about the screen."""
    source = SourceWords("screen information", (screen_info,))
    facts = dict(facts_in(words))
    missing = [fact for fact, holds in facts.items() if not holds(source)]
    evidence = Evidence(source.source, cited(screen_info))
    if missing:
        return contradicts(f"{cited(missing[0])} is not in the information about the screen.", evidence)
    if not facts:
        return unseen("it states no figure, quote or name")
    return supports("What it states is in the information about the screen.", evidence)


def memory_findings(course: Course, number: int, memory: StepMemory) -> Iterator[TextFinding]:
    """Findings on the entries of one step; missing and outdated ones are left out."""
    for kind, kept in memory.kept.items():
        if kept.source is None or kept.is_open or not kept.words:
            continue
        match kind:
            case MemoryKind.RESULT:
                had_effect = course.had_effect(number - 1)
                evidence = Evidence(f"screenshots of steps {number} and {step_number(number)}", "compared")
                result = check_result(kept.words, had_effect=had_effect, evidence=evidence)
            case MemoryKind.SCREEN:
                result = is_on_screen(course, number, kept.words)
            case MemoryKind.CORE:
                result = check_core(kept.words, memory.words(MemoryKind.SCREEN))
            case MemoryKind.APP:
                result = unseen("the recording does not say which app was in front")
        yield TextFinding(CHECK, number, kind, result.verdict, result.found, result.evidence)
