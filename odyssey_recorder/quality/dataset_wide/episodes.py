"""How long the episodes of each category are, and which are much longer or shorter than the others."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil
from statistics import quantiles

from rapidfuzz.distance import Indel

from odyssey_recorder.quality.evidence import EpisodeFacts, FactsSource
from odyssey_recorder.quality.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.quality.thresholds import (
    ALIKE_ACTIONS,
    ALIKE_INSTRUCTION,
    COMPARED_AT_MOST,
    LENGTH_FENCE,
    LENGTHS_NEEDED,
    LONGEST,
    NAMED_AT_MOST,
    SAME_PLACE,
    SHORTEST,
)
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


class ActionClasses:
    """Gives actions that mean the same the same letter, so that episodes can be compared as words."""

    def __init__(self) -> None:
        self._known: defaultdict[str, list[tuple[tuple[int, ...], str]]] = defaultdict(list)
        self._letters = map(chr, range(0x100, 0xD800))

    def letter(self, action: str) -> str:
        """The letter of an action told in words, such as ``CLICK 432, 118``."""
        kind, _, rest = action.partition(" ")
        places = tuple(map(int, re.findall(r"[0-9]+", rest))) if kind in ("CLICK", "LONG_PRESS", "SCROLL") else ()
        known = self._known[kind if places else action]
        for other, letter in known:
            if all(abs(a - b) <= SAME_PLACE for a, b in zip(places, other, strict=False)):
                return letter
        known.append((places, next(self._letters, "?")))
        return known[-1][1]


# --- what is done ----------------------------------------------------------------------------------------


def alike_episodes(source: FactsSource) -> Iterator[Finding]:
    """EPI05: of the same task on the same device, the actions are more than 0.9 alike.

    Alike is twice the longest common subsequence over both lengths. Two actions are the same where they are of one
    kind, with the same text, and at places that differ by no more than `SAME_PLACE` on either axis.
    """
    times = Counter(_task_on_device(facts) for facts in source())
    groups: defaultdict[int, list[EpisodeFacts]] = defaultdict(list)
    for facts in source():
        if times[_task_on_device(facts)] > 1:
            groups[_task_on_device(facts)].append(facts)
    for group in groups.values():
        yield from _alike_in(group)


def _task_on_device(facts: EpisodeFacts) -> int:
    return hash((facts.meta_task.strip(), facts.task.strip(), facts.device))


def _alike_in(group: Sequence[EpisodeFacts]) -> Iterator[Finding]:
    deeds = ActionClasses()
    spelled = ["".join(map(deeds.letter, facts.actions)) for facts in group]
    nearest = [_ClosestMatches() for _ in group]
    for one, other in combinations(range(len(group)), 2):
        likeness = Indel.normalized_similarity(spelled[one], spelled[other], score_cutoff=ALIKE_ACTIONS)
        if likeness > ALIKE_ACTIONS:
            nearest[one].take(likeness, other)
            nearest[other].take(likeness, one)
    for facts, found in zip(group, nearest, strict=True):
        if found:
            yield Finding(
                "EPI05", Severity.WARNING, Criterion.SEQUENCE, facts.episode_id, None,
                f"The same task on the same device, and {found.best:.0%} the actions of {found.words(group)}.",
                "Keep one of them, unless the task was meant to be recorded twice.",
                found.names(group),
            )  # fmt: skip


# --- what is said ----------------------------------------------------------------------------------------


def alike_instructions(source: FactsSource) -> Iterator[Finding]:
    """INS04: the instruction, but for case and punctuation, is another episode's (warning), or its ROUGE-L with one is
    above 0.7 (note).

    ROUGE-L is the F-measure of the longest common subsequence of words. The nearest few are named.
    """
    words: dict[str, int] = {}
    saying: defaultdict[str, list[str]] = defaultdict(list)
    for facts in source():
        saying[_spelled(facts.instruction, words)].append(facts.episode_id)
    saying.pop("", None)
    for ids in saying.values():
        yield from _same_instruction(ids)
    texts = sorted(saying, key=len)
    first = [saying[text][0] for text in texts]
    for number, found in _nearest_texts(texts):
        for episode_id in saying[texts[number]]:
            yield Finding(
                "INS04", Severity.NOTE, Criterion.INSTRUCTION, episode_id, None,
                f"The words of the instruction are much like those of episode {first[found.order[0][1]]}: "
                f"ROUGE-L {found.best:.2f}.",
                "Nothing, where the template is the same; otherwise look whether it is said too much alike.",
                tuple(first[other] for _, other in found.order),
            )  # fmt: skip


def _same_instruction(ids: Sequence[str]) -> Iterator[Finding]:
    for episode_id in ids if len(ids) > 1 else ():
        others = [other for other in ids if other != episode_id]
        where = f"episode {others[0]}" if len(others) == 1 else f"{len(others)} other episodes"
        yield Finding(
            "INS04", Severity.WARNING, Criterion.INSTRUCTION, episode_id, None,
            f"The instruction is, but for case and punctuation, also that of {where}.",
            "Say it in other words, or keep one of the episodes.",
            tuple(others[:NAMED_AT_MOST]),
        )  # fmt: skip


def _spelled(text: str, words: dict[str, int]) -> str:
    """`text` with a letter for each word, so that two of them are compared as fast as two words are."""
    tokens = re.findall(r"\w+", text.casefold())
    return "".join(chr(_FIRST_LETTER + words.setdefault(token, len(words))) for token in tokens)


_FIRST_LETTER = 0xE000
"""From here on there are a million letters and no surrogates."""


def _nearest_texts(texts: Sequence[str]) -> Iterator[tuple[int, "_ClosestMatches"]]:
    """For each of the different `texts`, shortest first, those that are alike."""
    nearest = [_ClosestMatches() for _ in texts]
    for one, other in _candidates(texts):
        likeness = Indel.normalized_similarity(texts[one], texts[other], score_cutoff=ALIKE_INSTRUCTION)
        if likeness > ALIKE_INSTRUCTION:
            nearest[one].take(likeness, other)
            nearest[other].take(likeness, one)
    return ((number, found) for number, found in enumerate(nearest) if found)


def _candidates(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The pairs that can be alike: they share one of their rarest words (prefix filtering, Chaudhuri et al. 2006).

    With likeness t = 2c / (n + m), c common words and m <= n: c >= tm for the shorter, c >= tn / (2 - t) for the
    longer. Two texts with c words in common share one among the n - c + 1 rarest of either.
    """
    times = Counter("".join(texts))
    index: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for number, text in enumerate(texts):
        rare_first = sorted(text, key=lambda letter: (times[letter], letter))
        longer = ceil(ALIKE_INSTRUCTION * len(text) / (2 - ALIKE_INSTRUCTION))
        probed = set(rare_first[: len(text) - longer + 1])
        met = Counter(other for letter in probed for other in index.get(letter, ()))
        for other, _ in met.most_common(COMPARED_AT_MOST):
            yield number, other
        for letter in set(rare_first[: len(text) - ceil(ALIKE_INSTRUCTION * len(text)) + 1]):
            index[letter].append(number)


@dataclass(slots=True)
class _ClosestMatches:
    """The few most alike of those that were taken, the most alike first, by their number."""

    order: list[tuple[float, int]] = field(default_factory=list)
    count: int = 0

    def __bool__(self) -> bool:
        return bool(self.order)

    def take(self, likeness: float, number: int) -> None:
        self.count += 1
        self.order.append((likeness, number))
        self.order.sort(key=lambda one: (-one[0], one[1]))
        del self.order[NAMED_AT_MOST:]

    @property
    def best(self) -> float:
        return self.order[0][0]

    def names(self, group: Sequence[EpisodeFacts]) -> tuple[str, ...]:
        return tuple(group[number].episode_id for _, number in self.order)

    def words(self, group: Sequence[EpisodeFacts]) -> str:
        return f"episode {self.names(group)[0]}" if self.count == 1 else f"{self.count} other episodes"
