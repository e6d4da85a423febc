"""Curating a dataset: retiring episodes and taking them back, and finding duplicates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from odyssey_recorder.curation.duplicates import LIKENESSES, Candidate, DuplicateGroup, Likeness, duplicate_groups
from odyssey_recorder.curation.retired import RetireDecision, Verb, plan_decisions, read_retired, record_decisions
from odyssey_recorder.dataset.layout import checked_id
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.review.status import ReviewStage
from odyssey_recorder.services.splits import read_episodes

__all__ = ["LIKENESSES", "Candidate", "DuplicateGroup", "Likeness", "RetireDecision", "Verb", "record_decisions"]

Reasons = Mapping[str, tuple[str, str | None]]
"""Why each episode is retired or restored, by id, and the better episode if there is one."""


@dataclass(frozen=True, slots=True)
class PlannedDecisions:
    """Those that would change something, and those that take them back; `unchanged` is how many change nothing."""

    decisions: Sequence[RetireDecision]
    undo: Sequence[RetireDecision]
    unchanged: int

    def because(self, reason: str) -> "PlannedDecisions":
        return replace(self, decisions=[one.model_copy(update={"reason": reason}) for one in self.decisions])


def plan(root: Path, verb: Verb, reasons: Reasons, who: str) -> PlannedDecisions:
    """Changes nothing yet: `record_decisions` does. Raises DatasetError for an id that cannot be retired."""
    wanted = [
        RetireDecision(episode_id=checked_id(episode_id), decision=verb, reason=why, superseded_by=better, who=who)
        for episode_id, (why, better) in reasons.items()
        if better is None or checked_id(better)
    ]
    decisions, retired = plan_decisions(root, wanted), read_retired(root)
    undo = [
        retired.get(one.episode_id)
        or RetireDecision(episode_id=one.episode_id, decision="restore", reason="undone", who=who)
        for one in decisions
    ]
    return PlannedDecisions(decisions, undo, len(wanted) - len(decisions))


# Duplicates.

CheckAll = Callable[[Progress, Cancelled], Iterable[EpisodeReport]]
"""`ReviewedDataset.check_all`."""


def find_duplicates(
    index: EpisodeIndex,
    check_all: CheckAll,
    by: Sequence[Likeness],
    progress: Progress = untold,
    cancelled: Cancelled = never,
) -> tuple[Sequence[DuplicateGroup], Sequence[str]]:
    """Groups of episodes that have one of `by` in common, and why others cannot be compared.

    Checks first: that says which episode of a group is best. Raises DatasetError, CancelledError.
    """
    screenshots = "screenshots" in by
    used = read_episodes(index.root, agents=True, with_screenshots=screenshots, progress=progress, cancelled=cancelled)
    index.refresh(cancelled=cancelled)
    alike = {
        report.episode_id: [other for found in report.findings if found.check == "EPI05" for other in found.others]
        for report in check_all(progress, cancelled)
    }
    rows = {row.episode_id: row for row in index.rows()}
    candidates = (
        Candidate(
            facts, row.verdict is ReviewStage.ACCEPTED, row.recorded_at is not None, row.errors, row.warnings,
            tuple(alike.get(row.episode_id, ())),
        )
        for facts in used.facts
        if (row := rows.get(facts.episode_id)) is not None
    )  # fmt: skip
    return duplicate_groups(candidates, by), [*used.unread.values()]


def superseded(groups: Iterable[DuplicateGroup]) -> Reasons:
    """For `plan`: all but the best of each group."""
    return {
        other.episode_id: (f"duplicate: same {', '.join(group.common)}", group.best.episode_id)
        for group in groups
        for other in group.others
    }
