"""What lies before a reviewer: the list of episodes with how each stands, one of them opened, and what is submitted."""

from collections.abc import Sequence
from dataclasses import dataclass

from odyssey_recorder.dataset.opened import EpisodeSummary, OpenedEpisode
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.quality.reviewing.review import Decision, Entry, Judgement, Verdict
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewStage, SecondReviewReason, same_person

_SOMEBODY = "another reviewer"


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """An episode in the reviewer's list.

    `report` is None until the checks have looked at the episode, and `is_settled` once they have looked at the dataset
    as a whole since then. `role` is None where the reviewer may not judge it; `refusal` says why. `problem` says why
    its review file cannot be read.
    """

    summary: EpisodeSummary
    stage: ReviewStage = ReviewStage.UNREVIEWED
    twice: SecondReviewReason | None = None
    role: ReviewerRole | None = None
    refusal: str = ""
    report: EpisodeReport | None = None
    problem: str = ""
    is_settled: bool = False

    @property
    def episode_id(self) -> str:
        return self.summary.episode_id


@dataclass(frozen=True, slots=True)
class ReviewNews:
    """What has become of some episodes since the last news; `unread` is how many more are being read."""

    read: tuple[ReviewRow, ...] = ()
    gone: frozenset[str] = frozenset()
    unread: int = 0


@dataclass(frozen=True, slots=True)
class OpenedReview:
    """One episode as it lies before the reviewer.

    `entries` is what was done with it so far, the oldest first; where the reviewer is to judge it blind, the verdicts
    and the fixes' authors of others are not in it. `revision` is the SHA-256 of the annotation file that is shown.
    """

    row: ReviewRow
    opened: OpenedEpisode
    report: EpisodeReport
    entries: tuple[Entry, ...]
    revision: str


@dataclass(frozen=True, slots=True)
class VerdictDraft:
    """What a reviewer submits; `seconds` is how long the episode was looked at, `replay` the id of the evidence."""

    decision: Decision
    judgements: tuple[Judgement, Judgement, Judgement]
    note: str
    revision: str
    seconds: float
    replay: str = ""


def blind(entries: Sequence[Entry], reviewer: str) -> tuple[Entry, ...]:
    """What a second reviewer may see: no verdict of others, and not who did what."""
    return tuple(
        entry if same_person(entry.by, reviewer) else entry.model_copy(update={"by": _SOMEBODY})
        for entry in entries
        if not isinstance(entry, Verdict) or same_person(entry.by, reviewer)
    )
