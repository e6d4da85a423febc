"""What of a split's test part is also in its train part, for our own splits and any others."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.splits.drawing import Split, Unit, identities
from odyssey_recorder.splits.episodes import SplitEpisode
from odyssey_recorder.tasks.wording.lookalikes import alike_pairs, candidates, lettered

ALIKE, COMPARED_AT_MOST = 0.7, 400
"""As ALIKE_INSTRUCTION and COMPARED_AT_MOST in checking/thresholds.py."""
COMMON_SCREEN = 5
"""Likewise: a screenshot that this many episodes have is no leak."""

Severity = Literal["error", "warning", "note"]
Level = Literal["L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7"]
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_TAKES: Mapping[str, Severity] = {"random": "error", "device": "note", "": "warning"}


@dataclass(frozen=True, slots=True)
class _Rule:
    """Test episodes that have what an episode of train has; `severity` by kind of split, "" for all others."""

    level: Level
    name: str
    text: str
    severity: Mapping[str, Severity]


_RULES = (
    _Rule("L1", "annotation", "whose annotation is in train under another id", {"": "error"}),
    _Rule("L1", "screenshots", "whose screenshots are in train under another id", {"": "error"}),
    _Rule("L2", "take", "with the task and apps of a train episode", _TAKES),
    _Rule("L2", "instruction", "with the instruction of a train episode", _TAKES),
    _Rule("L4", "screenshot", "with a screenshot of a train episode", {"": "note"}),
    _Rule("L5", "template", "with a template that train uses", {"task": "error"}),
    _Rule("L5", "device", "from a device that train uses", {"device": "error"}),
    _Rule("L6", "annotator", "by an annotator who recorded train episodes", {"": "note"}),
    _Rule("L6", "session", "from a session that recorded train episodes", {"": "note"}),
)


@dataclass(frozen=True, slots=True)
class Leak:
    """`name` is the rule's within the level; `found` follows the split's name in a sentence.

    `ids` are the episodes, of test unless the lists themselves are wrong; `share` is how many of test they are, 0 to 1.
    `values` are the templates, devices or annotators of both parts, or the categories that test lacks.
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
    """The leaks of one split. `templates` is how many test has, `known_templates` how many of them train has too."""

    kind: str
    train: int
    test: int
    templates: int
    known_templates: int
    leaks: tuple[Leak, ...]


@dataclass(frozen=True, slots=True)
class LeakReport:
    """`crossed` is L8: how many test episodes of one split are in train of another, by the names of the two.

    Without screenshots, L4 and half of L1 were not looked for.
    """

    splits: tuple[SplitReport, ...]
    crossed: Mapping[str, Mapping[str, int]]
    with_screenshots: bool

    def fails(self, from_: Severity = "error") -> bool:
        grave = _SEVERITIES[: _SEVERITIES.index(from_) + 1]
        return any(leak.severity in grave for split in self.splits for leak in split.leaks)


def leak_report(splits: Sequence[Split], facts: Iterable[SplitEpisode], *, unit: Unit = "take") -> LeakReport:
    """Report on splits of these episodes; the entries of a split may be anything, and may repeat.

    `unit` is what a random split was drawn of: with single episodes, takes on both sides are only a warning.
    """
    by_id = {episode.episode_id: episode for episode in facts}
    common = Counter(screenshot for episode in by_id.values() for screenshot in set(episode.screenshots))
    keys = {episode_id: _keys_of(episode, common) for episode_id, episode in by_id.items()}
    number_of, pairs = _alike_instructions(by_id.values())
    reports = []
    for split in splits:
        train, test = ({*part} & by_id.keys() for part in (split.train, split.test))
        leaks = [*membership_leaks(split, by_id.keys()), *_shared(split, keys, unit)]
        trained = {number_of.get(episode_id) for episode_id in train}
        like = {other for one, other in pairs if one in trained} | {one for one, other in pairs if other in trained}
        if alike := {episode_id for episode_id in test if number_of.get(episode_id) in like}:
            words = f"has {counted(alike)} in test with an instruction similar to one in train"
            leaks.append(_leak(split, "L3", "alike", "note", words, alike))
        leaks += [
            *_app_leaks(split, by_id),
            *_lacking(split.kind, {by_id[episode_id].category for episode_id in test}, by_id.values()),
        ]
        templates = [{by_id[episode_id].meta_task for episode_id in part} - {""} for part in (train, test)]
        known = len(templates[0] & templates[1])
        in_order = tuple(sorted(leaks, key=lambda leak: leak.level))
        reports.append(SplitReport(split.kind, len(train), len(test), len(templates[1]), known, in_order))
    crossed = {
        tested.kind: {other.kind: len({*tested.test} & {*other.train}) for other in splits if other is not tested}
        for tested in splits
    }
    return LeakReport(tuple(reports), crossed, any(episode.screenshots for episode in by_id.values()))


def membership_leaks(split: Split, ids: Set[str]) -> Iterator[Leak]:
    """L0; `ids` are the episodes that exist."""
    train, test = Counter(split.train), Counter(split.test)
    named = train.keys() | test.keys()
    if empty := [name for name, part in (("train", train), ("test", test)) if not part]:
        yield Leak("L0", "empty", "error", f"has no episode in {' and '.join(empty)}")
    for name, found, words in (
        ("no_file", named - ids, "names {} without a file"),
        ("both", train.keys() & test.keys(), "has {} in train and in test"),
        ("no_part", ids - named, "has {} in neither part"),
        (
            "repeated",
            {episode_id for episode_id in named if max(train[episode_id], test[episode_id]) > 1},
            "names {} more than once in one part",
        ),
    ):
        if found:
            yield _leak(split, "L0", name, "error", words.format(counted(found)), found)


def apart_leaks(split: Split, facts: Iterable[SplitEpisode]) -> Iterator[Leak]:
    """L5: templates, devices and apps that the split of that kind should keep apart."""
    by_id = {episode.episode_id: episode for episode in facts}
    keys = {episode_id: _keys_of(fact, {}) for episode_id, fact in by_id.items()}
    yield from (leak for leak in _shared(split, keys, "take") if leak.level == "L5")
    yield from _app_leaks(split, by_id)


def _keys_of(episode: SplitEpisode, common: Mapping[str, int]) -> dict[str, set[Hashable]]:
    """What the rules compare, by their names; `common` is how many episodes have a screenshot."""
    screenshots = (screenshot for step, screenshot in enumerate(episode.screenshots) if step not in episode.entrances)
    named = {
        "template": episode.meta_task,
        "device": episode.device,
        "annotator": episode.annotator,
        "session": episode.session,
    }
    return {
        **{name: {key} for name, key in (identities(episode) | named).items() if key},
        "screenshot": {
            screenshot for screenshot in screenshots if screenshot and common.get(screenshot, 0) < COMMON_SCREEN
        },
    }


def _shared(split: Split, keys: Mapping[str, Mapping[str, set[Hashable]]], unit: Unit) -> Iterator[Leak]:
    for rule in _RULES:
        severity = rule.severity.get(split.kind, rule.severity.get(""))
        if split.kind == "random" and rule.level == "L2" and unit == "episode":
            severity = "warning"
        if severity is None:
            continue
        trained = set[Hashable]().union(
            *(keys[episode_id].get(rule.name, ()) for episode_id in split.train if episode_id in keys)
        )
        found = {
            episode_id
            for episode_id in split.test
            if episode_id in keys and not trained.isdisjoint(keys[episode_id].get(rule.name, ()))
        }
        if found:
            leak = _leak(split, rule.level, rule.name, severity, f"has {counted(found)} in test {rule.text}", found)
            both = {str(key) for episode_id in found for key in keys[episode_id][rule.name] & trained}
            yield replace(leak, values=tuple(sorted(both)) if rule.level in ("L5", "L6") else ())


def _app_leaks(split: Split, by_id: Mapping[str, SplitEpisode]) -> Iterator[Leak]:
    if split.kind != "app":
        return
    trained = {key for episode_id in split.train if episode_id in by_id for key in by_id[episode_id].app_keys}
    if found := {
        episode_id for episode_id in split.test if episode_id in by_id and by_id[episode_id].app_keys <= trained
    }:
        words = f"has {counted(found)} in test with only apps that train uses"
        yield _leak(split, "L5", "app", "error", words, found)


def _lacking(kind: str, tested: Collection[str], facts: Iterable[SplitEpisode]) -> Iterator[Leak]:
    """L7: the published evaluation stops at a random test part that lacks one of the six."""
    if lacking := tuple(category.value for category in Category if category.value not in tested):
        is_avoidable = any(episode.category in lacking for episode in facts)
        severity: Severity = "error" if kind == "random" and is_avoidable else "warning"
        words = f"has no episode of {len(lacking)} of the 6 categories in test"
        yield Leak("L7", "category", severity, words, values=lacking)


def _alike_instructions(facts: Iterable[SplitEpisode]) -> tuple[Mapping[str, int], Sequence[tuple[int, int]]]:
    """The number of each episode's instruction, and the pairs of numbers whose instructions are alike."""
    letters: dict[str, int] = {}
    text_of = {episode.episode_id: text for episode in facts if (text := lettered(episode.instruction, letters))}
    texts = sorted({*text_of.values()}, key=lambda text: (len(text), text))
    number_of = {text: number for number, text in enumerate(texts)}
    pairs = alike_pairs(texts, candidates(texts, ALIKE, COMPARED_AT_MOST), ALIKE)
    return {episode_id: number_of[text] for episode_id, text in text_of.items()}, [
        (number, other) for number, other, _ in pairs
    ]


def _leak(  # noqa: PLR0913 - the fields of a leak
    split: Split, level: Level, name: str, severity: Severity, found: str, ids: Iterable[str]
) -> Leak:
    concerned, tested = tuple(sorted(ids)), {*split.test}
    return Leak(level, name, severity, found, concerned, len(tested.intersection(concerned)) / max(1, len(tested)))
