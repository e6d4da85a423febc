"""The splits of a dataset: which episodes they are drawn of, how they are planned and written, and what leaks.

Retired episodes are in none of it, and those by agents only if they are wanted. Splits continue the newest release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.curation.retired import read_retired, without_retired
from odyssey_recorder.dataset.layout import SPLITS, episode_ids
from odyssey_recorder.dataset.provenance import by_agents
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.releases.folder import base_of_splits
from odyssey_recorder.splits import files
from odyssey_recorder.splits.drawing import KINDS, DrawnSplit, DrawRules, Unit, moved
from odyssey_recorder.splits.episodes import SplitFacts, read_facts
from odyssey_recorder.splits.files import (
    PlannedSplits,
    SplitsOrder,
    SplitsRecord,
    read_drawing,
    read_record,
    read_splits,
    split_names,
    write_splits,
)
from odyssey_recorder.splits.leaks import LeakReport, leak_report

__all__ = ["PlannedSplits", "SplitsRecord", "write_splits"]


@dataclass(frozen=True, slots=True)
class UsedEpisodes:
    """The episodes that are used, and those that are left out: how many are `retired`, and why others are `unread`.

    Those `by_agents` are among the unread. `left_out` are all ids that splits may name without a fault.
    """

    facts: Sequence[SplitFacts]
    retired: int
    unread: Mapping[str, str]
    by_agents: frozenset[str]
    left_out: frozenset[str]


def read_episodes(
    root: Path,
    *,
    agents: bool = False,
    with_screenshots: bool = False,
    progress: Progress = untold,
    cancelled: Cancelled = never,
) -> UsedEpisodes:
    """Raises DatasetError, also if no episode is left, and CancelledError."""

    def on_read(done: int, count: int) -> None:
        if cancelled():
            raise CancelledError("Reading the episodes was cancelled.")
        progress(done / count, f"{done:,} of {counted(count, 'episodes')}")

    retired, unread = read_retired(root), dict[str, str]()
    facts = read_facts(
        root,
        without=retired,
        agents=agents,
        with_screenshots=with_screenshots,
        on_read=on_read,
        on_unread=unread.__setitem__,
    )
    return UsedEpisodes(
        facts, len(episode_ids(root) & retired.keys()), unread, by_agents(root, unread), frozenset({*retired, *unread})
    )


# The present splits.


@dataclass(frozen=True, slots=True)
class MadeSplits:
    """`record` says how they were made; `changed` is how many episodes were added or removed since."""

    record: SplitsRecord
    drawn: Sequence[DrawnSplit]
    changed: int


@dataclass(frozen=True, slots=True)
class PresentSplits:
    """`made` is None for splits from elsewhere, and if a `problem` says what is wrong with them.

    `foreign` are the names of files in splits/ that are not ours. `unread` says why episodes are not among the `leaks`.
    """

    splits: Sequence[DrawnSplit] = ()
    leaks: LeakReport | None = None
    made: MadeSplits | None = None
    foreign: Sequence[str] = ()
    problem: str = ""
    unread: Sequence[str] = ()


def read_made_splits(root: Path) -> MadeSplits:
    """Raises DatasetError, also if no splits were made here or one has changed since."""
    record, drawing = read_drawing(root)
    drawn = [*drawing.drawn.values()]
    named = {episode_id for one in drawn for episode_id in (*one.split.train, *one.split.test)}
    there = episode_ids(root) - read_retired(root).keys()
    changed = named ^ there
    return MadeSplits(record, drawn, len(changed - by_agents(root, changed & there)))


def read_present_splits(root: Path, progress: Progress = untold) -> PresentSplits:
    """Whoever made them; looks for leaks where no record tells them. Raises DatasetError."""
    names, others = split_names(root / SPLITS)
    foreign = [name for name in (*others, *names) if name not in {f"{kind}_split.json" for kind in KINDS}]
    problem = ""
    if read_record(root) is not None:
        try:
            made = read_made_splits(root)
            return PresentSplits(made.drawn, made.record.leaks, made, foreign)
        except DatasetError as error:
            problem = str(error)
    if not names:
        return PresentSplits(foreign=foreign, problem=problem)
    progress(None, "Looking for leaks…")
    leaks, used = find_leaks(root, progress=progress)
    splits = [DrawnSplit(split) for split in read_splits(root / SPLITS)]
    return PresentSplits(splits, leaks, None, foreign, problem, [*used.unread.values()])


def find_leaks(  # noqa: PLR0913 - values by keyword, each with a plain default
    root: Path,
    folder: Path | None = None,
    *,
    unit: Unit | None = None,
    agents: bool = False,
    with_screenshots: bool = False,
    progress: Progress = untold,
) -> tuple[LeakReport, UsedEpisodes]:
    """What leaks in the splits of the dataset, or those in another folder; `unit` is what they were drawn of.

    Raises DatasetError.
    """
    splits = read_splits(root / SPLITS if folder is None else folder)
    used = read_episodes(root, agents=agents, with_screenshots=with_screenshots, progress=progress)
    record = read_record(root) if folder is None else None
    drawn_of = unit or ("take" if record is None else record.rules.unit)
    return leak_report([without_retired(split, used.left_out) for split in splits], used.facts, unit=drawn_of), used


# Making splits.


@dataclass(frozen=True, slots=True)
class ProposedRules:
    """`are_fixed`: the splits continue released ones, whose rules hold until they are drawn again."""

    rules: DrawRules
    are_fixed: bool


def propose_rules(root: Path) -> ProposedRules:
    """Those of the release that is continued, or of the present splits, or the usual ones. Raises DatasetError."""
    base = base_of_splits(root)
    record = read_record(base or root)
    if record is None:
        return ProposedRules(DrawRules(), are_fixed=False)
    return ProposedRules(record.rules, are_fixed=base is not None or record.base is not None)


def plan_splits(
    root: Path, used: UsedEpisodes, rules: DrawRules | None, *, base: Path | None = None, reshuffle: bool = False
) -> PlannedSplits:
    """Continues the splits of `base`, a released dataset, by default those of the newest release; writes nothing.

    Raises DatasetError, also for other rules than those of a release that is continued.
    """
    return files.plan_splits(root, used.facts, SplitsOrder(rules, base or base_of_splits(root), reshuffle))


def count_moves(root: Path, planned: PlannedSplits) -> dict[str, int]:
    """How many episodes would change sides, by split; without those splits that are new or cannot be read now."""
    try:
        before = {split.kind: split for split in read_splits(root / SPLITS)}
    except DatasetError:
        return {}
    after = {kind: drawn.split for kind, drawn in planned.drawing.drawn.items()}
    return {kind: moved(before[kind], split) for kind, split in after.items() if kind in before}
