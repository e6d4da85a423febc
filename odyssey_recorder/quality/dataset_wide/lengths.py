"""How long the episodes of each category are, and which are much longer or shorter than the others."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import quantiles

from odyssey_recorder.quality.evidence import FactsSource
from odyssey_recorder.quality.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.quality.thresholds import LENGTH_FENCE, LENGTHS_NEEDED, LONGEST, SHORTEST
from odyssey_recorder.quality.wording import counted, named


def odd_lengths(source: FactsSource) -> Iterator[Finding | NotChecked]:
    """EPI03: an episode has fewer than 4 or more than 60 steps, or is further from the middle half of its category
    than three times that half's width (Tukey's outer fences).

    A category of few episodes has no usual length: then that part is not checked.
    """
    lengths: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for facts in source():
        lengths[facts.category].append(len(facts.actions))
    usual = {category: _usual(of) for category, of in lengths.items() if len(of) >= LENGTHS_NEEDED}
    for category in sorted(lengths.keys() - usual.keys()):
        yield NotChecked(
            "EPI03",
            f"There are {counted(len(lengths[category]), 'episode')} of the category {named(category)}; what is usual "
            f"can be told from {LENGTHS_NEEDED} on.",
        )
    for facts in source():
        words = _odd(len(facts.actions), facts.category, usual.get(facts.category))
        if words:
            yield Finding(
                "EPI03", Severity.WARNING, Criterion.SEQUENCE, facts.episode_id, None,
                words, "Look for steps that do not belong to it, or for a part that is missing.",
            )  # fmt: skip


def _usual(lengths: Sequence[int]) -> tuple[float, float]:
    """The shortest and the longest that is usual."""
    lower, _, upper = quantiles(lengths, method="inclusive")
    # Where most are of one length the width is 0, and one step more would be odd.
    reach = LENGTH_FENCE * max(1.0, upper - lower)
    return lower - reach, upper + reach


def _odd(length: int, category: str, usual: tuple[float, float] | None) -> str:
    if not SHORTEST <= length <= LONGEST:
        return f"It has {length} steps; {SHORTEST} to {LONGEST} are expected."
    if usual is not None and not usual[0] <= length <= usual[1]:
        return f"It has {length} steps; in {named(category)}, {max(1, usual[0]):.0f} to {usual[1]:.0f} are usual."
    return ""
