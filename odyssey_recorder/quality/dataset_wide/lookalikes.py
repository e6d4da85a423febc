"""Which episodes of a dataset say or do nearly the same as another, found without comparing each with each."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil

from rapidfuzz.distance import Indel

from odyssey_recorder.quality.dataset_wide.alphabet import Alphabet
from odyssey_recorder.quality.evidence import EpisodeFacts, FactsSource
from odyssey_recorder.quality.finding import Criterion, Finding, Severity
from odyssey_recorder.quality.thresholds import (
    ALIKE_ACTIONS,
    ALIKE_INSTRUCTION,
    COMPARED_AT_MOST,
    NAMED_AT_MOST,
)

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
    deeds = Alphabet()
    spelled = ["".join(map(deeds.letter, facts.actions)) for facts in group]
    nearest = [_Nearest() for _ in group]
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


def _nearest_texts(texts: Sequence[str]) -> Iterator[tuple[int, "_Nearest"]]:
    """For each of the different `texts`, shortest first, those that are alike."""
    nearest = [_Nearest() for _ in texts]
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
class _Nearest:
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
