"""Episodes that are much longer or shorter than the others, or nearly the same as another."""

import re
from array import array
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor
from statistics import quantiles

from odyssey_recorder.checking import thresholds
from odyssey_recorder.checking.evidence import ComparedEpisode, FactsSource
from odyssey_recorder.checking.finding_text import named
from odyssey_recorder.model.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.tasks.wording.lookalikes import alike_pairs, candidates, lettered


def odd_lengths(source: FactsSource) -> Iterator[Finding | NotChecked]:
    """EPI03: an episode has fewer steps than its apps take, or more than 60, or is longer or shorter than is usual in
    its category (Tukey's outer fences of the logarithms).

    The second part is not checked for a category of few episodes.
    """
    lengths: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for facts in source():
        lengths[facts.category].append(len(facts.actions))
    usual = {category: _usual_range(of) for category, of in lengths.items() if len(of) >= thresholds.LENGTHS_NEEDED}
    for category in sorted(lengths.keys() - usual.keys()):
        yield NotChecked(
            "EPI03",
            f"The category {named(category)} has {counted(len(lengths[category]), 'episode')}; "
            f"at least {thresholds.LENGTHS_NEEDED} are needed to know the usual length.",
        )
    for facts in source():
        words = _fault(facts, usual.get(facts.category))
        if words:
            yield Finding(
                "EPI03", Severity.WARNING, Criterion.SEQUENCE, facts.episode_id, None,
                words, "Check for superfluous steps or a missing part.",
            )  # fmt: skip


def _usual_range(lengths: Sequence[int]) -> tuple[float, float]:
    lower, _, upper = quantiles(lengths, method="inclusive")
    # Where most have the same length the range is 0, and one more step would be odd.
    reach = max(thresholds.LENGTH_SPREAD, upper / max(1.0, lower)) ** thresholds.LENGTH_FENCE
    return lower / reach, upper * reach


def _shortest(facts: ComparedEpisode) -> int:
    """A step to open each app, one to do something, and the end; IMPOSSIBLE may follow on the first look."""
    return 2 if facts.actions[-1:] and facts.actions[-1].startswith("IMPOSSIBLE") else max(1, len(facts.apps)) + 2


def _fault(facts: ComparedEpisode, usual: tuple[float, float] | None) -> str:
    length, shortest = len(facts.actions), _shortest(facts)
    if not shortest <= length <= thresholds.LONGEST:
        return f"It has {counted(length, 'step')}; {shortest} to {thresholds.LONGEST} are expected."
    if usual is not None and not usual[0] <= length <= usual[1]:
        usually = f"{ceil(usual[0])} to {floor(usual[1])} are usual"
        return f"It has {counted(length, 'step')}; in {named(facts.category)}, {usually}."
    return ""


class ActionClasses:
    """Gives equivalent actions the same letter, so that episodes can be compared as strings.

    Two are equivalent if they have the same kind and text, and positions that differ by no more than `SAME_PLACE` on
    either axis.
    """

    def __init__(self) -> None:
        self._cells: defaultdict[tuple[str, int, int], list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
        self._letters = map(chr, range(0x100, 0xD800))

    def letter(self, action: str) -> str:
        kind, _, rest = action.partition(" ")
        places = tuple(map(int, re.findall(r"[0-9]+", rest))) if kind in ("CLICK", "LONG_PRESS", "SCROLL") else ()
        if len(places) < 2:
            kind, places = action, (0, 0)
        column, row = places[0] // _CELL, places[1] // _CELL
        known = [
            letter
            for x in (column - 1, column, column + 1)
            for y in (row - 1, row, row + 1)
            for letter, other in self._cells.get((kind, x, y), ())
            if all(abs(a - b) <= thresholds.SAME_PLACE for a, b in zip(places, other, strict=False))
        ]
        if known:
            return min(known)
        letter = next(self._letters, "?")
        self._cells[kind, column, row].append((letter, places))
        return letter


_CELL = thresholds.SAME_PLACE + 1
"""Equivalent positions are in the same cell of this size, or in neighbouring ones."""


# Actions.


def alike_episodes(source: FactsSource) -> Iterator[Finding]:
    """EPI05: episodes of one task on one device whose actions, as `ActionClasses`, have a similarity above 0.9.

    The similarity is twice the longest common subsequence over both lengths.
    """
    times = Counter(_task_on_device(facts) for facts in source())
    groups: defaultdict[int, list[ComparedEpisode]] = defaultdict(list)
    for facts in source():
        if times[_task_on_device(facts)] > 1:
            groups[_task_on_device(facts)].append(facts)
    for group in groups.values():
        yield from _alike_in(group)


def _task_on_device(facts: ComparedEpisode) -> int:
    return hash((facts.meta_task.strip(), facts.task.strip(), facts.device))


def _alike_in(group: Sequence[ComparedEpisode]) -> Iterator[Finding]:
    classes = ActionClasses()
    spelled = ["".join(map(classes.letter, facts.actions)) for facts in group]
    pairs = ((number, range(number)) for number in range(len(group)))
    for facts, matches in zip(group, _closest_matches(spelled, pairs, thresholds.ALIKE_ACTIONS), strict=True):
        if matches:
            names = tuple(group[other].episode_id for other in matches.numbers)
            where = f"episode {names[0]}" if matches.count == 1 else f"{matches.count} other episodes"
            yield Finding(
                "EPI05", Severity.WARNING, Criterion.SEQUENCE, facts.episode_id, None,
                f"The same task on the same device, and {matches.likeness:.0%} the same actions as {where}.",
                "Keep only one, unless the task was meant to be recorded twice.",
                names,
            )  # fmt: skip


# Instructions.


def alike_instructions(source: FactsSource) -> Iterator[Finding]:
    """INS04: the instruction equals another episode's but for case and punctuation (warning), or its ROUGE-L with one
    is above 0.7 (note).

    ROUGE-L is the F-measure of the longest common subsequence of words. The nearest few are named.
    """
    words: dict[str, int] = {}
    ids_by_text: defaultdict[str, list[str]] = defaultdict(list)
    for facts in source():
        ids_by_text[lettered(facts.instruction, words)].append(facts.episode_id)
    ids_by_text.pop("", None)
    for ids in ids_by_text.values():
        yield from _same_instruction(ids)
    texts = sorted(ids_by_text, key=len)
    first = [ids_by_text[text][0] for text in texts]
    likely = candidates(texts, thresholds.ALIKE_INSTRUCTION, thresholds.COMPARED_AT_MOST)
    for text, matches in zip(texts, _closest_matches(texts, likely, thresholds.ALIKE_INSTRUCTION), strict=True):
        for episode_id in ids_by_text[text] if matches else ():
            names = tuple(first[other] for other in matches.numbers)
            yield Finding(
                "INS04", Severity.NOTE, Criterion.INSTRUCTION, episode_id, None,
                f"The instruction is similar to that of episode {names[0]}: "
                f"ROUGE-L {matches.likeness:.2f}.",
                "Nothing to do if the template is the same; otherwise check whether the instructions are too similar.",
                names,
            )  # fmt: skip


def _same_instruction(ids: Sequence[str]) -> Iterator[Finding]:
    for episode_id in ids if len(ids) > 1 else ():
        others = [other for other in ids[: thresholds.NAMED_AT_MOST + 1] if other != episode_id]
        where = f"episode {others[0]}" if len(ids) == 2 else f"{len(ids) - 1} other episodes"
        yield Finding(
            "INS04", Severity.WARNING, Criterion.INSTRUCTION, episode_id, None,
            f"Except for case and punctuation, the instruction is the same as that of {where}.",
            "Change the instruction, or keep only one of the episodes.",
            tuple(others[:thresholds.NAMED_AT_MOST]),
        )  # fmt: skip


# Similarity.


class _ClosestMatches:
    __slots__ = ("_order", "count")

    def __init__(self) -> None:
        self._order: list[tuple[float, int]] = []  # by falling similarity, then by number
        self.count = 0

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, likeness: float, number: int) -> None:
        self.count += 1
        match = -likeness, number
        if len(self._order) < thresholds.NAMED_AT_MOST or match < self._order[-1]:
            insort(self._order, match)
            del self._order[thresholds.NAMED_AT_MOST :]

    @property
    def likeness(self) -> float:
        return -self._order[0][0]

    @property
    def numbers(self) -> list[int]:
        return [number for _, number in self._order]


def _closest_matches(
    texts: Sequence[str], candidates: Iterable[tuple[int, Iterable[int]]], above: float
) -> list[_ClosestMatches]:
    """For each text, its candidates with a similarity above `above`, by number."""
    closest = [_ClosestMatches() for _ in texts]
    for number, other, likeness in alike_pairs(texts, candidates, above):
        closest[number].add(likeness, other)
        closest[other].add(likeness, number)
    return closest
