"""What a reviewer sees and submits: the list of episodes with their status, an opened one, and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.review.review import Decision, Entry, Judgement, Subject, Verdict
from odyssey_recorder.review.status import ReviewerRole, ReviewStage, SecondReviewReason, same_person

_SOMEBODY = "another reviewer"


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """An episode in the reviewer's list.

    `report` is None until the episode was checked; `is_settled` is True once the whole dataset was checked after that.
    `role` is None if the reviewer may not judge it; `refusal` says why. `reopens` is who gave the verdict that the
    reviewer may take back, empty if there is none. `thread` is why the episode was sent back and what was said to that,
    a line for each; `is_replied` if the annotator had the last word. `is_hit` is set after a verdict on a control:
    whether it is as the known one; `defect` then says what was altered in it. `problem` says why its review file is
    unreadable.
    """

    episode: EpisodeRow
    stage: ReviewStage = ReviewStage.UNREVIEWED
    twice: SecondReviewReason | None = None
    role: ReviewerRole | None = None
    refusal: str = ""
    reopens: str = ""
    thread: tuple[str, ...] = ()
    is_replied: bool = False
    is_hit: bool | None = None
    defect: str = ""
    report: EpisodeReport | None = None
    problem: str = ""
    is_settled: bool = False

    @property
    def episode_id(self) -> str:
        return self.episode.episode_id


@dataclass(frozen=True, slots=True)
class ReviewNews:
    """Changes since the last ones; `unread` is how many episodes are still being read."""

    read: tuple[ReviewRow, ...] = ()
    gone: frozenset[str] = frozenset()
    unread: int = 0


@dataclass(frozen=True, slots=True)
class OpenedReview:
    """One episode as the reviewer sees it.

    `entries` is its review file, oldest first; for a blind review without others' verdicts and names. `revision` is the
    SHA-256 of the annotation file that is shown. `texts` are those of each step, a line for each; empty without any.
    """

    row: ReviewRow
    opened: OpenedEpisode
    report: EpisodeReport
    entries: tuple[Entry, ...]
    revision: str
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlsoRight:
    """That another action is right at a step, counted from 0, spelled as by the official converter.

    An empty `answer` stands for what an agent wanted there and a person corrected; None withdraws all.
    """

    step: int
    answer: str | None


@dataclass(frozen=True, slots=True)
class VerdictDraft:
    """What a reviewer submits; `seconds` is how long the episode was looked at, 0 if unknown."""

    decision: Decision
    judgements: tuple[Judgement, Judgement, Judgement]
    note: str
    revision: str
    seconds: float


def blind(entries: Sequence[Entry], reviewer: str) -> tuple[Entry, ...]:
    return tuple(
        entry if same_person(entry.by, reviewer) else entry.model_copy(update={"by": _SOMEBODY})
        for entry in entries
        if not isinstance(entry, Verdict) or same_person(entry.by, reviewer)
    )


def subject_of(episode: EpisodeRow) -> Subject:
    return Subject(
        recorder=episode.annotator,
        category=episode.category,
        device=episode.device,
        template=episode.template,
        steps=episode.steps,
    )


def outcome_text(row: ReviewRow) -> str:
    """What follows from a verdict that was just given."""
    owner = row.episode.annotator or "the annotator"
    if row.is_hit is not None:
        known = "good" if row.stage is ReviewStage.ACCEPTED and not row.defect else "bad"
        as_known = "your decision is right" if row.is_hit else "your decision is wrong"
        defect = f"{row.defect} " if row.defect else ""
        return f"Saved. {defect}This was a control episode, known to be {known}: {as_known}"
    match row.stage:
        case ReviewStage.ACCEPTED:
            return "Accepted"
        case ReviewStage.SENT_BACK if row.episode.task_id:
            return f"Sent back to {owner}'s queue"
        case ReviewStage.SENT_BACK:
            return f"Sent back. It has no task in the queue, so tell {owner} yourself"
        case ReviewStage.REJECTED:
            return "Rejected and moved to the trash"
        case ReviewStage.SECOND:
            why = f" ({row.twice.value})" if row.twice is not None else ""
            return f"Saved. A second review follows{why}"
        case ReviewStage.DISPUTED:
            return "Saved. The two reviews differ, so a third reviewer decides"
        case ReviewStage.CHECKING:
            return "Saved. The outcome is shown when the checks are done"
        case ReviewStage.UNREVIEWED:
            return "Saved"
