"""One text with its place in an episode, as the checks see it, and the result of a check."""

from collections.abc import Set
from dataclasses import dataclass
from functools import cache, cached_property

from odyssey_recorder.annotation import claims
from odyssey_recorder.annotation.findings import Evidence, Support
from odyssey_recorder.annotation.near_duplicates import SeenTexts
from odyssey_recorder.annotation.text_evidence import Course, app_of_package
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.plain_text import on_one_line
from odyssey_recorder.tasks.naming import Mention, mentions

_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class WrittenText:
    """`inputs` is the hash of what the text was written from, `inputs_now` of the same today; empty if not known."""

    words: str
    inputs: str = ""
    inputs_now: str = ""


@dataclass(frozen=True)
class TextInContext:
    course: Course
    number: int
    kind: TextKind
    written: WrittenText
    seen: SeenTexts

    @property
    def words(self) -> str:
        return self.written.words

    @property
    def action(self) -> Action | None:
        return self.course.action(self.number)

    @cached_property
    def clause(self) -> str:
        return claims.clause(self.words, self.kind)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Apps named outside quotes."""
        names = _catalogue() | set(self.course.evidence.episode.task.apps)
        return mentions(claims.masked(self.words), names)


@cache
def _catalogue() -> Set[str]:
    return frozenset(app_of_package().values())


@dataclass(frozen=True, slots=True)
class CheckResult:
    verdict: Support
    found: str
    evidence: tuple[Evidence, ...] = ()


def supports(found: str, *evidence: Evidence) -> CheckResult:
    return CheckResult(Support.SUPPORTS, found, evidence)


def contradicts(found: str, *evidence: Evidence) -> CheckResult:
    return CheckResult(Support.CONTRADICTS, found, evidence)


def unseen(why: str) -> CheckResult:
    return CheckResult(Support.COULD_NOT_LOOK, f"Not checked: {why}.")


def cited(text: str) -> str:
    """In quotation marks, on one line, cut short."""
    line = on_one_line(text)
    return f"“{line if len(line) <= _LONGEST_QUOTE else f'{line[: _LONGEST_QUOTE - 1].rstrip()}…'}”"
