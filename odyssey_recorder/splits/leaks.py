"""What of a split's test part is also in its train part, for our own splits and any others."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Literal

from odyssey_recorder.model.episode import Category, Json
from odyssey_recorder.splits.drawing import Split, Unit, identities
from odyssey_recorder.splits.facts import SplitFacts
from odyssey_recorder.task.wording.lookalikes import alike_pairs, candidates, lettered

ALIKE = 0.7
"""As ALIKE_INSTRUCTION in quality/thresholds.py."""
COMPARED_AT_MOST = 400
"""Likewise."""
COMMON_SCREEN = 5
"""Likewise: a screenshot that this many episodes have is no leak."""
SEVERITIES = ("error", "warning", "note")

Severity = Literal["error", "warning", "note"]
Level = Literal["L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7"]
_Key = Callable[[SplitFacts], Iterable[Hashable]]
_Alike = tuple[Mapping[str, int], Sequence[tuple[int, int]]]
"""The number of each episode's instruction, and the pairs of numbers that are alike."""

LEVELS: Mapping[Level, str] = {
    "L0": "the lists themselves",
    "L1": "the same episode under two ids",
    "L2": "a take of a task, or an instruction, that train has",
    "L3": "an instruction like one in train (ROUGE-L above 0.7)",
    "L4": "a screenshot that train has, byte for byte",
    "L5": "what the split should keep apart",
    "L6": "an annotator or a session that train has",
    "L7": "the categories in test",
}


@dataclass(frozen=True, slots=True)
class Leak:
    """`name` says which rule of the level, `found` what is wrong, as a sentence. `ids` are the episodes it concerns, in
    test unless the rule is about all; `share` is how many of test they are. `values` are what both sides have.
    """

    level: Level
    name: str
    severity: Severity
    found: str
    ids: tuple[str, ...] = ()
    share: float = 0.0
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SplitReport:
    """The leaks of one split. `templates` are those in test, and how many of them train has too."""

    kind: str
    train: int
    test: int
    leaks: tuple[Leak, ...]
    templates: tuple[int, int]

    def worst(self) -> Severity | None:
        return min((one.severity for one in self.leaks), key=SEVERITIES.index, default=None)


@dataclass(frozen=True, slots=True)
class LeakReport:
    """`crossed` is L8: how many test episodes of one split are in the train part of another, by (test, train)."""

    splits: tuple[SplitReport, ...]
    crossed: Mapping[tuple[str, str], int]
    with_screenshots: bool

    def fails(self, from_: Severity = "error") -> bool:
        grave = SEVERITIES[: SEVERITIES.index(from_) + 1]
        return any(leak.severity in grave for one in self.splits for leak in one.leaks)

    def as_json(self) -> dict[str, Json]:
        splits: dict[str, Json] = {}
        for one in self.splits:
            leaks: list[Json] = [
                {**asdict(leak), "count": len(leak.ids), "ids": list(leak.ids), "values": list(leak.values)}
                for leak in one.leaks
            ]
            known, of = one.templates
            splits[one.kind] = {
                "train": one.train, "test": one.test, "leaks": leaks, "templates_in_test": of, "also_in_train": known,
            }  # fmt: skip
        crossed: list[Json] = [
            {"test_of": test, "in_train_of": train, "count": count} for (test, train), count in self.crossed.items()
        ]
        return {"splits": splits, "crossed": crossed, "with_screenshots": self.with_screenshots}


def leak_report(splits: Sequence[Split], facts: Iterable[SplitFacts], *, unit: Unit = "take") -> LeakReport:
    """Report on splits of these episodes; entries of a split may be anything, and may repeat.

    `unit` is that of a random split: if single episodes were drawn, takes on both sides are expected.
    """
    by_id = {one.episode_id: one for one in facts}
    alike = _alike_instructions(by_id.values())
    known = {one.episode_id: {name: (value,) for name, value in identities(one)} for one in by_id.values()}
    common = Counter(picture for one in by_id.values() for picture in set(one.pictures))
    reports = []
    for split in splits:
        train, test = ([by_id[one] for one in sorted({*part} & by_id.keys())] for part in (split.train, split.test))
        sides = _Sides(split, train, test, unit, known)
        leaks = [*membership_leaks(split, by_id.keys()), *sides.same(), *sides.alike(alike), *sides.pictures(common)]
        leaks += [*apart_leaks(split, by_id), *sides.people(), *sides.categories(by_id.values())]
        trained, tested = ({one.meta_task for one in part if one.meta_task} for part in (train, test))
        report = SplitReport(split.kind, len(train), len(test), tuple(leaks), (len(trained & tested), len(tested)))
        reports.append(report)
    crossed = {
        (one.kind, other.kind): len({*one.test} & {*other.train})
        for one in splits
        for other in splits
        if one is not other
    }
    return LeakReport(tuple(reports), crossed, any(one.pictures for one in by_id.values()))


def membership_leaks(split: Split, ids: Collection[str]) -> Iterator[Leak]:
    """L0: `ids` are the episodes that exist."""
    parts = {"train": Counter(split.train), "test": Counter(split.test)}
    named = parts["train"].keys() | parts["test"].keys()
    told = {
        "both": ("in train and in test", parts["train"].keys() & parts["test"].keys()),
        "no_file": ("without a file", named - ids),
        "no_part": ("in neither part", ids - named),
        "repeated": ("more than once in one part", {one for part in parts.values() for one in part if part[one] > 1}),
    }
    if empty := [name for name, part in parts.items() if not part]:
        yield Leak("L0", "empty", "error", f"No episode in {' and '.join(empty)}.")
    for name, (words, found) in told.items():
        if found:
            yield _leak("L0", name, "error", f"{_counted(len(found))} {words}.", found, split)


def apart_leaks(split: Split, by_id: Mapping[str, SplitFacts]) -> Iterator[Leak]:
    """L5, of the splits by task, device and app."""
    sides = [[by_id[one] for one in dict.fromkeys(part) if one in by_id] for part in (split.train, split.test)]
    match split.kind:
        case "task":
            yield from _both_sides(split, *sides, "template", lambda one: one.meta_task)
        case "device":
            yield from _both_sides(split, *sides, "device", lambda one: one.device)
        case "app":
            trained = frozenset(key for one in sides[0] for key in one.app_keys)
            found = [one.episode_id for one in sides[1] if one.app_keys <= trained]
            if found:
                words = f"{_counted(len(found))} in test with no app but those of train."
                yield _leak("L5", "apart", "error", words, found, split)
        case _:
            pass


@dataclass(frozen=True, slots=True)
class _Sides:
    """The existing episodes of a split's two parts."""

    split: Split
    train: Sequence[SplitFacts]
    test: Sequence[SplitFacts]
    unit: Unit
    known: Mapping[str, Mapping[str, tuple[Hashable]]]

    @property
    def is_random(self) -> bool:
        return self.split.kind == "random"

    def same(self) -> Iterator[Leak]:
        """L1 and L2."""
        retaken: Severity = "note" if self.split.kind == "device" else "warning"
        if self.is_random and self.unit == "take":
            retaken = "error"
        for level, name, severity, words in (
            ("L1", "annotation", "error", "whose annotation train has under another id"),
            ("L1", "screenshots", "error", "whose screenshots train has under another id"),
            ("L2", "take", retaken, "with the task and apps of an episode in train"),
            ("L2", "instruction", retaken, "with the instruction of an episode in train"),
        ):
            yield from self._shared(
                level, name, severity, words, lambda one, name=name: self.known[one.episode_id].get(name, ())
            )

    def alike(self, alike: _Alike) -> Iterator[Leak]:
        """L3."""
        number_of, pairs = alike
        trained = {number_of.get(one.episode_id) for one in self.train}
        like = {other for one, other in pairs if one in trained} | {one for one, other in pairs if other in trained}
        found = [one.episode_id for one in self.test if number_of.get(one.episode_id) in like]
        if found:
            words = f"{_counted(len(found))} in test with an instruction like one in train."
            yield _leak("L3", "alike", "note", words, found, self.split)

    def pictures(self, common: Mapping[str, int]) -> Iterator[Leak]:
        """L4; `common` is how many episodes have a screenshot."""

        def own(one: SplitFacts) -> Iterable[str]:
            for step, picture in enumerate(one.pictures):
                if picture and step not in one.entrances and common[picture] < COMMON_SCREEN:
                    yield picture

        yield from self._shared("L4", "screenshot", "note", "with a screenshot of an episode in train", own)

    def people(self) -> Iterator[Leak]:
        """L6."""
        for name, words in (
            ("annotator", "by an annotator of train"),
            ("session", "from a session that train has episodes of"),
        ):
            yield from self._shared(
                "L6", name, "note", words, lambda one, name=name: filter(None, [getattr(one, name)])
            )

    def categories(self, facts: Iterable[SplitFacts]) -> Iterator[Leak]:
        """L7: the published evaluation stops at a test part that lacks one of the six."""
        there = {one.category for one in facts}
        lacking = [one.value for one in Category if one.value not in {fact.category for fact in self.test}]
        if lacking:
            severity: Severity = "error" if self.is_random and there.intersection(lacking) else "warning"
            words = f"No episode of {', '.join(lacking)} in test."
            yield Leak("L7", "category", severity, words, values=tuple(lacking))

    def _shared(self, level: Level, name: str, severity: Severity, words: str, keys_of: _Key) -> Iterator[Leak]:
        trained = set(chain.from_iterable(map(keys_of, self.train)))
        found = [one.episode_id for one in self.test if not trained.isdisjoint(keys_of(one))]
        if found:
            yield _leak(level, name, severity, f"{_counted(len(found))} in test {words}.", found, self.split)


def _both_sides(
    split: Split,
    train: Iterable[SplitFacts],
    test: Iterable[SplitFacts],
    what: str,
    value_of: Callable[[SplitFacts], str],
) -> Iterator[Leak]:
    trained = {value_of(one) for one in train} - {""}
    leaked = [one for one in test if value_of(one) in trained]
    if leaked:
        values = sorted({value_of(one) for one in leaked})
        words = f"{_counted(len(values), what)} in train and in test."
        leak = _leak("L5", "apart", "error", words, (one.episode_id for one in leaked), split)
        yield replace(leak, values=tuple(values))


def _alike_instructions(facts: Iterable[SplitFacts]) -> _Alike:
    letters: dict[str, int] = {}
    said = {one.episode_id: text for one in facts if (text := lettered(one.instruction, letters))}
    texts = sorted({*said.values()}, key=lambda text: (len(text), text))
    number_of = {text: number for number, text in enumerate(texts)}
    pairs = alike_pairs(texts, candidates(texts, ALIKE, COMPARED_AT_MOST), ALIKE)
    return {one: number_of[text] for one, text in said.items()}, [(number, other) for number, other, _ in pairs]


def _leak(  # noqa: PLR0913 - the fields of a leak
    level: Level, name: str, severity: Severity, found: str, ids: Iterable[str], split: Split
) -> Leak:
    concerned, tested = tuple(sorted(ids)), {*split.test}
    return Leak(level, name, severity, found, concerned, len(tested.intersection(concerned)) / max(1, len(tested)))


def _counted(count: int, word: str = "episode") -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
