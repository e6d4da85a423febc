"""Figures on the decisions of people, which show how far accepted texts can be trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from odyssey_recorder.annotation.semantics import Offer, Planted, SemanticsFile, TextDecision
from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind
from odyssey_recorder.quality.agreement.measures import wilson

CAUGHT_BAR = 0.8
"""The share of planted errors that a careful person catches at least."""
_FEWEST_PLANTED = 5
"""Fewer say nothing."""


@dataclass(frozen=True, slots=True)
class TrustFigures:
    """Of one person, or of all if `by` is empty; a figure is None if there is nothing to measure it on.

    `edit_distance` and `agreement` are means from 0 to 1, `seconds` is the median for each text. `decided` counts the
    suggestions that were looked at one by one, `bulk` those accepted together.
    """

    by: str
    decided: int
    accepted: int
    bulk: int
    edit_distance: float | None
    seconds: float | None
    planted: int
    caught: int
    blind: int
    agreement: float | None

    @property
    def accept_rate(self) -> float | None:
        return self.accepted / self.decided if self.decided else None

    @property
    def doubt(self) -> str:
        """Why the accepted texts cannot be trusted; empty if there is no objection, or too little is known."""
        if self.planted < _FEWEST_PLANTED or self.caught >= CAUGHT_BAR * self.planted:
            return ""
        most = wilson(self.caught, self.planted).high
        return (
            f"{self.caught} of {self.planted} planted errors were caught, so at most {most:.0%} of wrong suggestions "
            "are. Do not trust the accepted texts."
        )

    @property
    def is_known(self) -> bool:
        """Whether enough errors were planted to say anything."""
        return self.planted >= _FEWEST_PLANTED


def trust_figures(every: Iterable["Seen"]) -> list[TrustFigures]:
    """Of all people together, then of each by name; empty without any decision."""
    seen = list(every)
    names = {one.by for part in seen for one in part.decisions} | {one.by for part in seen for one in part.planted}
    people = sorted(names, key=str.casefold)
    return [_figures("", seen), *(_figures(by, seen) for by in people)] if people else []


@dataclass(frozen=True, slots=True)
class Seen:
    """Of one episode: the suggestions that were decided on, by id; the decisions that stand; what was planted."""

    suggested: dict[str, str]
    decisions: Sequence[TextDecision]
    planted: Sequence[Planted]

    @classmethod
    def of(cls, file: SemanticsFile) -> "Seen":
        last: dict[tuple[str, TextKind | MemoryKind, str, str], dict[bool, TextDecision]] = {}
        for one in file.entries:
            if isinstance(one, TextDecision):
                given = last.setdefault((one.step_key, one.field, one.suggestion, one.by), {})
                if one.blind or one.decision == "withdraw":
                    given.clear()  # made again after another decision, a blind text takes that one back
                if one.decision != "withdraw":
                    given[one.blind] = one
        standing = [one for given in last.values() for one in given.values()]
        planted = [one for one in file.entries if isinstance(one, Planted)]
        wanted = {one.suggestion for one in standing}
        suggested = {one.id: one.words for one in file.entries if isinstance(one, Offer) and one.id in wanted}
        return cls(suggested, standing, planted)


def _figures(by: str, seen: Sequence[Seen]) -> TrustFigures:
    known = {key: one for part in seen for key, one in part.suggested.items()}
    own = [one for part in seen for one in part.decisions if by in ("", one.by)]
    planted = [one for part in seen for one in part.planted if by in ("", one.by)]
    compared = [one for one in own if one.suggestion in known]
    single = [one for one in compared if not one.blind and not one.bulk]
    distances = [
        Levenshtein.normalized_distance(known[one.suggestion], one.words) for one in single if one.decision == "edit"
    ]
    blind = [one for one in compared if one.blind]
    times = [seconds for seconds in (*(one.seconds for one in own), *(one.seconds for one in planted)) if seconds > 0]
    return TrustFigures(
        by,
        decided=len(single),
        accepted=sum(one.decision == "accept" for one in single),
        bulk=sum(one.bulk for one in own),
        edit_distance=mean(distances) if distances else None,
        seconds=median(times) if times else None,
        planted=len(planted),
        caught=sum(one.is_caught for one in planted),
        blind=len(blind),
        agreement=mean(agreement(one.words, known[one.suggestion]) for one in blind) if blind else None,
    )


def agreement(own: str, suggested: str) -> float:
    """Similarity of two texts, 0 to 1, ignoring word order."""
    return fuzz.token_sort_ratio(own.casefold(), suggested.casefold()) / 100
