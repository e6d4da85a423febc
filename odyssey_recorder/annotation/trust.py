"""Figures on the decisions of people, which show how far accepted texts can be trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from odyssey_recorder.agreement.measures import wilson
from odyssey_recorder.annotation.semantics import Offer, Planted, SemanticsFile, TextDecision
from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind

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


def trust_figures(every: Iterable["Seen"]) -> list[TrustFigures]:
    """Of all people together, then of each by name; empty without any decision."""
    seen = list(every)
    names = {decision.by for part in seen for decision in part.decisions} | {
        entry.by for part in seen for entry in part.planted
    }
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
        for entry in file.entries:
            if isinstance(entry, TextDecision):
                given = last.setdefault((entry.step_key, entry.field, entry.suggestion, entry.by), {})
                if entry.blind or entry.decision == "withdraw":
                    given.clear()  # made again after another decision, a blind text takes that one back
                if entry.decision != "withdraw":
                    given[entry.blind] = entry
        standing = [decision for given in last.values() for decision in given.values()]
        planted = [entry for entry in file.entries if isinstance(entry, Planted)]
        wanted = {decision.suggestion for decision in standing}
        suggested = {entry.id: entry.words for entry in file.entries if isinstance(entry, Offer) and entry.id in wanted}
        return cls(suggested, standing, planted)


def _figures(by: str, seen: Sequence[Seen]) -> TrustFigures:
    known = {key: text for part in seen for key, text in part.suggested.items()}
    own = [decision for part in seen for decision in part.decisions if by in ("", decision.by)]
    planted = [entry for part in seen for entry in part.planted if by in ("", entry.by)]
    compared = [decision for decision in own if decision.suggestion in known]
    single = [decision for decision in compared if not decision.blind and not decision.bulk]
    distances = [
        Levenshtein.normalized_distance(known[decision.suggestion], decision.words)
        for decision in single
        if decision.decision == "edit"
    ]
    blind = [decision for decision in compared if decision.blind]
    looked = (*(decision.seconds for decision in own), *(entry.seconds for entry in planted))
    times = [seconds for seconds in looked if seconds > 0]
    return TrustFigures(
        by,
        decided=len(single),
        accepted=sum(decision.decision == "accept" for decision in single),
        bulk=sum(decision.bulk for decision in own),
        edit_distance=mean(distances) if distances else None,
        seconds=median(times) if times else None,
        planted=len(planted),
        caught=sum(entry.is_caught for entry in planted),
        blind=len(blind),
        agreement=mean(agreement(decision.words, known[decision.suggestion]) for decision in blind) if blind else None,
    )


def agreement(own: str, suggested: str) -> float:
    """Similarity of two texts, 0 to 1, ignoring word order."""
    return fuzz.token_sort_ratio(own.casefold(), suggested.casefold()) / 100
