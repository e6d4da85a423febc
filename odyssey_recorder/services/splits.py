"""The splits of a dataset: which episodes they are drawn of, how they are planned and written, and what leaks.

Retired episodes are in none of it, and those by agents only if they are wanted. Splits continue the newest release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.curation.retired import read_retired, without_retired
from odyssey_recorder.dataset import quick_reading
from odyssey_recorder.dataset.layout import SPLITS, episode_ids
from odyssey_recorder.dataset.provenance import by_agents
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.releases.folder import base_of_splits
from odyssey_recorder.splits import files
from odyssey_recorder.splits.drawing import KINDS, DrawnSplit, DrawRules, Split, Unit, moved
from odyssey_recorder.splits.episodes import SplitEpisode, read_facts
from odyssey_recorder.splits.files import PlannedSplits, SplitsRecord, write_splits
from odyssey_recorder.splits.leaks import LeakReport, leak_report

__all__ = ["PlannedSplits", "SplitsRecord", "write_splits"]


@dataclass(frozen=True, slots=True)
class UsedEpisodes:
    """The episodes that are used. `retired` is how many are left out for that, `unread` why others are, by id."""

    facts: Sequence[SplitEpisode]
    retired: int
    unread: Mapping[str, str]


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
    wanted = {"agents": agents, "with_screenshots": with_screenshots}
    facts = read_facts(root, without=retired, on_read=on_read, on_unread=unread.__setitem__, **wanted)
    return UsedEpisodes(facts, len(episode_ids(root) & retired.keys()), unread)


# The present splits.


@dataclass(frozen=True, slots=True)
class PresentSplits:
    """`record` says how they were made; None for splits from elsewhere, or with a `problem`.

    `changed` is how many episodes were added or removed since. `foreign` are the names of files that are no splits of
    ours, and `unread` says why episodes are not among the `leaks`.
    """

    splits: Sequence[DrawnSplit] = ()
    leaks: LeakReport | None = None
    record: SplitsRecord | None = None
    changed: int = 0
    foreign: Sequence[str] = ()
    problem: str = ""
    unread: Sequence[str] = ()


def read_sides(root: Path) -> dict[str, Split]:
    """The splits by kind, whoever made them, without retired episodes; empty without splits. Raises DatasetError."""
    retired = read_retired(root)
    read = files.read_splits(root / SPLITS) if files.split_names(root / SPLITS)[0] else ()
    return {split.kind: without_retired(split, retired) for split in read}


def read_made_splits(root: Path) -> tuple[SplitsRecord, Sequence[DrawnSplit], int]:
    """How they were made, and how many episodes that splits are drawn of were added or removed since.

    Raises DatasetError, also if no splits were made here or one has changed since.
    """
    record, drawing = files.read_drawing(root)
    drawn = [*drawing.drawn.values()]
    there = episode_ids(root) - read_retired(root).keys()
    changed = there ^ {episode_id for one in drawn for episode_id in one.split.sides}
    added = sorted(changed & there)
    unread = {episode.episode_id for episode in quick_reading.read_episodes(root, added) if episode.contents.problem}
    return record, drawn, len(changed - unread - by_agents(root, added))


def read_present_splits(root: Path, progress: Progress = untold) -> PresentSplits:
    """Whoever made them; looks for leaks where no record tells them. Raises DatasetError."""
    names, others = files.split_names(root / SPLITS)
    made = files.read_record(root)
    ours = {f"{kind}_split.json" for kind in (*KINDS, *(() if made is None else made.splits))}
    foreign, problem = [name for name in (*others, *names) if name not in ours], ""
    if made is not None:
        try:
            record, drawn, changed = read_made_splits(root)
            return PresentSplits(drawn, record.leaks, record, changed, foreign)
        except DatasetError as error:
            problem = str(error)
    if not names:
        return PresentSplits(foreign=foreign, problem=problem)
    progress(None, "Looking for leaks…")
    leaks, used = find_leaks(root, progress=progress)
    splits = [DrawnSplit(split) for split in files.read_splits(root / SPLITS)]
    return PresentSplits(splits, leaks, foreign=foreign, problem=problem, unread=[*used.unread.values()])


def find_leaks(  # noqa: PLR0913 - values by keyword, each with a plain default
    root: Path,
    folder: Path | None = None,
    *,
    unit: Unit | None = None,
    agents: bool = False,
    with_screenshots: bool = False,
    progress: Progress = untold,
) -> tuple[LeakReport, UsedEpisodes]:
    """What leaks in the dataset's splits, or in those of another folder, drawn of `unit`. Raises DatasetError."""
    read = files.read_splits(root / SPLITS if folder is None else folder)
    used = read_episodes(root, agents=agents, with_screenshots=with_screenshots, progress=progress)
    record = files.read_record(root) if folder is None else None
    left_out = {*read_retired(root), *used.unread}
    splits = [without_retired(split, left_out) for split in read]
    return leak_report(splits, used.facts, unit=unit or (DrawRules() if record is None else record.rules).unit), used


# Making splits.


def propose_rules(root: Path) -> tuple[DrawRules, bool]:
    """Those of the release that is continued, of the present splits, or the usual ones. Raises DatasetError.

    With whether they hold: those of a release do, until it is drawn again.
    """
    base = base_of_splits(root)
    record = files.read_record(base or root)
    if record is None:
        return DrawRules(), False
    return record.rules, base is not None or record.base is not None


def plan_splits(
    root: Path, used: UsedEpisodes, rules: DrawRules | None, *, base: Path | None = None, reshuffle: bool = False
) -> PlannedSplits:
    """Continues the splits of `base`, a released dataset, by default those of the newest release; writes nothing.

    Raises DatasetError, also for other rules than those that hold.
    """
    return files.plan_splits(root, used.facts, rules, base=base or base_of_splits(root), reshuffle=reshuffle)


def count_moves(root: Path, planned: PlannedSplits) -> dict[str, int]:
    """How many episodes would change sides, by split; without those splits that are new or cannot be read now."""
    try:
        before = {split.kind: split for split in files.read_splits(root / SPLITS)}
    except DatasetError:
        return {}
    drawn = planned.drawing.drawn
    return {kind: moved(before[kind], drawn[kind].split) for kind in drawn if kind in before}
