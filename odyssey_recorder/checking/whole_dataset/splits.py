"""Checks of the train and test splits: every episode is on one side, and nothing leaks."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from odyssey_recorder.checking.evidence import ComparedEpisode, FactsSource
from odyssey_recorder.checking.finding_text import listed, named
from odyssey_recorder.checking.thresholds import NAMED_AT_MOST
from odyssey_recorder.curation.retired import read_retired, without_retired
from odyssey_recorder.dataset.layout import SPLITS, episode_ids
from odyssey_recorder.dataset.provenance import by_agents
from odyssey_recorder.model.finding import Finding, NotChecked, Severity
from odyssey_recorder.splits.episodes import SplitEpisode
from odyssey_recorder.splits.files import InvalidSplitError, read_split, split_names
from odyssey_recorder.splits.leaks import apart_leaks, membership_leaks

_CHECKS: Mapping[str, str] = {
    "empty": "SPL01",
    "no_file": "SPL01",
    "both": "SPL02",
    "no_part": "SPL03",
    "repeated": "SPL03",
}
_REMAKE = "Make the splits again from the existing episodes."


def split_findings(root: Path, source: FactsSource) -> Iterator[Finding | NotChecked]:
    """SPL01: a split is unreadable, has an empty part, or names an episode without a file; as a warning, a file is not
    a split. SPL02: an episode is in train and in test. SPL03: it is in neither, or twice in one. SPL04: what the split
    keeps apart is on both sides.

    Entries may be ids or file names. task_split keeps templates apart, device_split devices, and every test episode of
    app_split uses an app that no train episode does. Retired episodes are passed over, and those by agents that are in
    neither part. Raises DatasetError.
    """
    names, others = split_names(root / SPLITS)
    yield from map(_no_split, others)
    if not names:
        yield NotChecked("SPL01", "The dataset has no splits/.")
        return
    retired = read_retired(root)
    episodes = episode_ids(root) - retired.keys()
    for name in names:
        try:
            split = without_retired(read_split(root / SPLITS / name), retired)
        except InvalidSplitError as error:
            yield Finding("SPL01", Severity.ERROR, None, "", None, f"{_where(name)} {error.why}.", _REMAKE)
            continue
        expected = episodes - by_agents(root, episodes.difference(split.train, split.test))
        for leak in (*membership_leaks(split, expected), *apart_leaks(split, map(_split_facts, source()))):
            check = _CHECKS.get(leak.name, "SPL04")
            severity = Severity.WARNING if check == "SPL03" else Severity.ERROR
            names_of = listed(leak.values or leak.ids)
            found = f"{_where(name)} {leak.found}{f': {names_of}' if names_of else ''}."
            concerned = tuple(episode_id for episode_id in leak.ids if episode_id in episodes)[:NAMED_AT_MOST]
            yield Finding(check, severity, None, "", None, found, _REMAKE, concerned)


def _split_facts(facts: ComparedEpisode) -> SplitEpisode:
    """What `apart_leaks` compares."""
    return SplitEpisode(
        facts.episode_id, facts.category, facts.device.strip(), facts.apps, facts.meta_task.strip(), "", ""
    )


def _no_split(name: str) -> Finding:
    found = f"{_where(name)} is not a split, and the published converter fails on it because it opens every file there."
    return Finding("SPL01", Severity.WARNING, None, "", None, found, "Move it away.")


def _where(name: str) -> str:
    return f"{SPLITS}/{named(name)}"
