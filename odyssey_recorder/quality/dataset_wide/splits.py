"""Checks of the train and test splits: every episode is on one side, and nothing leaks."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.layout import episode_ids, names_in
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.files import Largest, read_json, storage_error
from odyssey_recorder.quality.evidence import EpisodeFacts, FactsSource
from odyssey_recorder.quality.finding import Finding, NotChecked, Severity
from odyssey_recorder.quality.thresholds import NAMED_AT_MOST
from odyssey_recorder.quality.wording import counted, listed, named

FOLDER = "splits"
PARTS = ("train", "test")
MANIFEST = "metadata/splits.json"
"""Describes how the splits were made. Older datasets have `splits/manifest.json`, which makes the published converter
stop: it opens every file there as a split.
"""


_OLD_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class _Split:
    """A split file; `train` and `test` have each entry once, `more` are ids that a part repeats."""

    name: str
    train: frozenset[str]
    test: frozenset[str]
    more: tuple[str, ...]


def split_findings(root: Path, source: FactsSource) -> Iterator[Finding | NotChecked]:
    """SPL01: a split is unreadable, has an empty part, or names an episode without a file; as a warning, a file is not
    a split. SPL02: an episode is in train and in test. SPL03: it is in neither, or twice in one. SPL04: what the split
    keeps apart is on both sides.

    Entries may be ids or file names. task_split keeps templates apart, device_split devices, and every test episode of
    app_split uses an app that no train episode does. Raises DatasetError.
    """
    present = sorted(names_in(root / FOLDER))
    names = [name for name in present if name.endswith(".json") and name != _OLD_MANIFEST]
    yield from (_no_split(name) for name in present if name not in names)
    if not names:
        yield NotChecked("SPL01", "The dataset has no splits/.")
        return
    episodes = episode_ids(root)
    for name in names:
        split = _read(root / FOLDER / name)
        if isinstance(split, Finding):
            yield split
            continue
        yield from _membership(split, episodes)
        leaks = _LEAKS.get(name.partition("_")[0])
        if leaks is not None:
            yield from leaks(split, source)


def _read(path: Path) -> _Split | Finding:
    try:
        tree = parse(read_json(path, Largest.INDEX, within=path.parent.parent))
    except OSError as error:
        raise storage_error(error, path, "read") from error
    except NotPlainJsonError as error:
        return _error("SPL01", f"{_where(path.name)} cannot be read: {error}.")
    parts = [tree.get(part) for part in PARTS] if isinstance(tree, dict) else []
    entries = [_ids(part) for part in parts if isinstance(part, list)]
    if len(entries) != len(PARTS):
        return _error("SPL01", f"{_where(path.name)} needs 2 lists of episodes, train and test.")
    train, test = (Counter(part) for part in entries)
    more = [one for part in (train, test) for one, count in part.items() if count > 1]
    return _Split(path.name, frozenset(train), frozenset(test), tuple(more))


def _ids(entries: Sequence[object]) -> list[str]:
    return [entry.removesuffix(".json") if isinstance(entry, str) else shown(entry) for entry in entries]


def _membership(split: _Split, episodes: frozenset[str]) -> Iterator[Finding]:
    named = split.train | split.test
    lost = sorted(named - episodes)
    both = sorted(split.train & split.test)
    unnamed = sorted(episodes - named)
    where = _where(split.name)
    empty = [part for part, ids in zip(PARTS, (split.train, split.test), strict=True) if not ids]
    if empty:
        yield _error("SPL01", f"{where} has no episode in {' and '.join(empty)}.")
    if lost:
        yield _error("SPL01", f"{where} names {counted(len(lost), 'episode')} without a file: {listed(lost)}.")
    if both:
        yield _error(
            "SPL02", f"{where} has {counted(len(both), 'episode')} in train and in test: {listed(both)}.", both
        )
    if unnamed:
        words = f"{where} has {counted(len(unnamed), 'episode')} in neither part: {listed(unnamed)}."
        yield _finding("SPL03", Severity.WARNING, words, unnamed)
    if split.more:
        words = f"{where} names {counted(len(split.more), 'episode')} more than once in one part: {listed(split.more)}."
        yield _finding("SPL03", Severity.WARNING, words, [one for one in split.more if one in episodes])


def _on_both_sides(
    what: str, told: Callable[[EpisodeFacts], str]
) -> Callable[[_Split, FactsSource], Iterator[Finding]]:
    def leaks(split: _Split, source: FactsSource) -> Iterator[Finding]:
        sides: dict[str, set[str]] = {part: set() for part in PARTS}
        for facts in source():
            for part in _sides(split, facts):
                sides[part].add(told(facts).strip())
        both = sorted(sides["train"] & sides["test"])
        if both:
            yield _error(
                "SPL04", f"{_where(split.name)} has {counted(len(both), what)} in train and in test: {listed(both)}."
            )

    return leaks


def _app_leaks(split: _Split, source: FactsSource) -> Iterator[Finding]:
    trained: set[str] = set()
    tested: dict[str, tuple[str, ...]] = {}
    for facts in source():
        sides = _sides(split, facts)
        if "train" in sides:
            trained.update(facts.apps)
        if "test" in sides:
            tested[facts.episode_id] = facts.apps
    leaked = sorted(episode_id for episode_id, apps in tested.items() if trained.issuperset(apps))
    if leaked:
        yield _error(
            "SPL04",
            f"{_where(split.name)}: {counted(len(leaked), 'episode')} in test with no app but those of train: "
            f"{listed(leaked)}.",
            leaked,
        )


def _sides(split: _Split, facts: EpisodeFacts) -> list[str]:
    parts = zip(PARTS, (split.train, split.test), strict=True)
    return [part for part, ids in parts if facts.episode_id in ids]


_LEAKS: dict[str, Callable[[_Split, FactsSource], Iterator[Finding]]] = {
    "task": _on_both_sides("template", lambda facts: facts.meta_task),
    "device": _on_both_sides("device", lambda facts: facts.device),
    "app": _app_leaks,
}


def _no_split(name: str) -> Finding:
    todo = f"Move it to {MANIFEST}." if name == _OLD_MANIFEST else "Move it away."
    found = f"{_where(name)} is not a split, and the published converter fails on it because it opens every file there."
    return Finding("SPL01", Severity.WARNING, None, "", None, found, todo)


def _where(name: str) -> str:
    return f"{FOLDER}/{named(name)}"


def _error(check: str, found: str, others: Sequence[str] = ()) -> Finding:
    return _finding(check, Severity.ERROR, found, others)


def _finding(check: str, severity: Severity, found: str, others: Sequence[str]) -> Finding:
    todo = "Make the splits again from the existing episodes."
    return Finding(check, severity, None, "", None, found, todo, tuple(others[:NAMED_AT_MOST]))
