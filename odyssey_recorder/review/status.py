"""The review status of an episode: who may judge it next, in which role, and the result. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from math import ceil
from unicodedata import normalize

from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.finding import Criterion, Finding
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.review.review import (
    REASONS,
    Decision,
    Fix,
    Judgement,
    Rating,
    ReviewFile,
    Verdict,
)


class ReviewStage(Enum):
    """CHECKING if the stage depends on checks that have not finished."""

    UNREVIEWED = "Unreviewed"
    SECOND = "Second review"
    DISPUTED = "Disputed"
    ACCEPTED = "Accepted"
    SENT_BACK = "Sent back"
    REJECTED = "Rejected"
    CHECKING = "Checking…"

    @property
    def is_final(self) -> bool:
        return self in (ReviewStage.ACCEPTED, ReviewStage.SENT_BACK, ReviewStage.REJECTED)


class ReviewerRole(Enum):
    """A second reviewer sees nothing of the first, a third sees both."""

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"


class SecondReviewReason(Enum):
    SAMPLE = "in the sample"
    WARNINGS = "has warnings"
    REQUEST = "requested"


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """`changed`: the files were changed other than by a fix, so earlier verdicts are not in `verdicts`."""

    stage: ReviewStage
    verdicts: tuple[Verdict, ...] = ()
    twice: SecondReviewReason | None = None
    changed: bool = False


@dataclass(frozen=True, slots=True)
class ReviewPolicy:
    """How a dataset is reviewed: the share of each stratum that is judged twice, and the seed of the sample."""

    seed: int = 0
    second_share: float = 0.1


@dataclass(frozen=True, slots=True)
class Stratum:
    category: str
    device: str
    annotator: str


_STAGES = {
    Decision.ACCEPT: ReviewStage.ACCEPTED,
    Decision.FIX_AND_ACCEPT: ReviewStage.ACCEPTED,
    Decision.SEND_BACK: ReviewStage.SENT_BACK,
    Decision.REJECT: ReviewStage.REJECTED,
}
_TURNS = {
    ReviewStage.UNREVIEWED: ReviewerRole.FIRST,
    ReviewStage.SECOND: ReviewerRole.SECOND,
    ReviewStage.DISPUTED: ReviewerRole.THIRD,
}
_QUESTIONS = {
    Criterion.SCREENSHOTS: "the screenshots",
    Criterion.SEQUENCE: "the sequence",
    Criterion.INSTRUCTION: "the instruction",
}


def same_person(one: str, other: str) -> bool:
    """Ignores case, outer blanks and Unicode form."""
    return comparable_name(one) == comparable_name(other)


def sample(episodes: Mapping[str, Stratum], policy: ReviewPolicy) -> frozenset[str]:
    """Draw the ids of the episodes that are judged twice: of each stratum the policy's share, rounded up.

    Chosen by rank of a hash of seed and id: adding or removing an episode moves at most one other in or out.
    """
    strata: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for episode_id, stratum in episodes.items():
        strata[stratum.category, stratum.device, comparable_name(stratum.annotator)].append(episode_id)
    share = Fraction(str(policy.second_share))  # of the decimal: 0.07 of 100 are 7, not 8

    def rank(episode_id: str) -> tuple[str, str]:
        return sha256(f"{policy.seed}:{episode_id}".encode()).hexdigest(), episode_id

    return frozenset(member for ids in strata.values() for member in sorted(ids, key=rank)[: ceil(share * len(ids))])


def revisions_to(present: str, fixes: Iterable[Fix]) -> frozenset[str]:
    """The revision `present`, and all from which fixes led to it, over any number of fixes."""
    earlier: dict[str, list[str]] = {}
    for fix in fixes:
        earlier.setdefault(fix.after, []).append(fix.before)
    found, waiting = {present}, [present]
    while waiting:
        new = set(earlier.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return frozenset(found)


def verdict_status(
    verdicts: Iterable[Verdict],
    revisions: Iterable[str],
    twice: SecondReviewReason | None,
    *,
    recorder: str,
    fixes: Sequence[Fix] = (),
) -> ReviewStatus:
    """The status from the verdicts; `revisions` are the present one and those from which fixes led to it.

    The newest verdict of each reviewer counts; the recorder's never does, nor one whose answers do not support its
    decision. Two that agree end the review, whatever a third says; if they differ, the third decides. Two that both
    refuse the episode agree: it is rejected if both say so, otherwise sent back. A second verdict counts even if none
    was required. Where one is required, nobody is the only one who accepts their own fix: once they accept, others'
    verdicts from before that fix no longer count. `fixes` are the effective ones.
    """
    given = [verdict for verdict in verdicts if _may_count(verdict, recorder)]
    known = frozenset(revisions)
    in_order = sorted(
        (verdict for verdict in given if verdict.revision in known), key=lambda verdict: (verdict.at, verdict.id)
    )
    newest = {comparable_name(verdict.by): verdict for verdict in in_order}
    if twice is not None:
        accepting = {name for name, verdict in newest.items() if verdict.decision.accepts}
        own = [fix for fix in fixes if comparable_name(fix.by) in accepting]
        newest = {name: verdict for name, verdict in newest.items() if not any(_precedes(verdict, fix) for fix in own)}
    counting = sorted(newest.values(), key=lambda verdict: (verdict.at, verdict.id))
    changed = any(verdict.revision not in known for verdict in given)
    return ReviewStatus(_stage(counting, twice), tuple(counting), twice, changed)


@dataclass(frozen=True, slots=True)
class StatusRule:
    """Which verdicts make the status of an episode, and what requires a second one.

    With `any_revision` verdicts on every revision count, also those from before the episode came back from the trash;
    otherwise only those on the present files. `warned` and `sampled` say whether warnings or the sample require a
    second verdict; None if unknown. With `requestable` a request does, too.
    """

    any_revision: bool = False
    warned: bool | None = False
    sampled: bool | None = False
    requestable: bool = True


TRASH_RULE = StatusRule(requestable=False)
"""For an episode in the trash: a rejected one stays rejected, without further verdicts."""
QUEUE_RULE = StatusRule(any_revision=True, requestable=False)
"""For the episode of a task: the queue gets the first verdict, though a second one may still send it back."""


def review_status(
    file: ReviewFile, rule: StatusRule, *, recorder: str = "", revision: Callable[[], str] = str
) -> ReviewStatus:
    """The status from a review file; `revision` is called if the present one is needed.

    The stage is CHECKING if it depends on something unknown, so that a status does not change by itself after it was
    shown.
    """
    if rule.any_revision:
        verdicts, revisions = file.verdicts, frozenset(verdict.revision for verdict in file.verdicts)
    else:
        verdicts = file.present_verdicts
        revisions = revisions_to(revision(), file.fixes) if verdicts else frozenset()
    reasons: list[SecondReviewReason | None] = [SecondReviewReason.WARNINGS] if rule.warned is not False else []
    if rule.warned is not True:
        reasons += [SecondReviewReason.SAMPLE] if rule.sampled is not False else []
        reasons += [None] if rule.sampled is not True else []
    if rule.requestable and file.requests:
        reasons = [SecondReviewReason.REQUEST]
    fixes = effective_fixes(file.fixes)
    possible = [verdict_status(verdicts, revisions, reason, recorder=recorder, fixes=fixes) for reason in reasons]
    is_open = len({status.stage for status in possible}) > 1
    return replace(possible[-1], stage=ReviewStage.CHECKING) if is_open else possible[-1]


def effective_fixes(fixes: Sequence[Fix]) -> list[Fix]:
    taken_back = {fix.undoes for fix in fixes}
    return [fix for fix in fixes if not fix.undoes and fix.id not in taken_back]


def reviewer_role(status: ReviewStatus, *, recorder: str, reviewer: str) -> ReviewerRole | str:
    """The role in which `reviewer` may judge the episode now; otherwise a message why not."""
    if not comparable_name(reviewer):
        return "Enter your name first. A verdict carries its reviewer's name."
    if same_person(recorder, reviewer):
        return "You recorded this episode. Somebody else must review it."
    if status.stage is ReviewStage.CHECKING:
        return "The checks are still running and may require a second review. Wait a moment."
    if status.stage.is_final:
        return f"This episode is {status.stage.value.lower()}. There is nothing left to review."
    if any(same_person(verdict.by, reviewer) for verdict in status.verdicts):
        return "You have reviewed this episode. Another reviewer comes next."
    return _TURNS[status.stage]


def reopened_verdict(status: ReviewStatus, *, recorder: str, reviewer: str) -> Verdict | str:
    """The verdict that `reviewer` may take back now, the newest one; otherwise a message why not.

    Everybody takes back their own; that of somebody else, only once the review is finished.
    """
    if not comparable_name(reviewer):
        return "Enter your name first. It is kept with the verdict that you take back."
    if same_person(recorder, reviewer):
        return "You recorded this episode. Somebody else must reopen it."
    if not status.verdicts:
        return "This episode has no verdict to take back."
    newest = status.verdicts[-1]
    if status.stage.is_final or same_person(newest.by, reviewer):
        return newest
    return "The review of this episode is not finished, and its last verdict is not yours."


def decision_fault(decision: Decision, judgements: Sequence[Judgement]) -> str:
    """Why the answers do not support the decision, for the reviewer; empty if they do."""
    if {judgement.criterion for judgement in judgements} != set(Criterion) or len(judgements) != len(Criterion):
        return "Answer each of the 3 questions once."
    lacking = next(filter(None, map(_lacking, judgements)), "")
    if lacking:
        return lacking
    all_passed = all(judgement.answer is Rating.PASS for judgement in judgements)
    if decision.accepts and not all_passed:
        return "Accepting needs 3 passes. Change the answers, or decide otherwise."
    if not decision.accepts and all_passed:
        return f"Say what is wrong. To {decision.value}, at least one of the 3 questions must not be a pass."
    return ""


def checked_decision(
    decision: Decision, judgements: Sequence[Judgement], *, worst_error: Finding | None, has_fixed: bool
) -> Decision:
    """The decision to record. Raises ReviewError if the answers or an error of the checks do not allow it."""
    if fault := decision_fault(decision, judgements):
        raise ReviewError(fault)
    if not decision.accepts:
        return decision
    if worst_error is not None:
        words = f"{worst_error.found} {worst_error.todo}"
        step = "" if worst_error.step is None else f"step {step_number(worst_error.step)}, "
        raise ReviewError(f"An episode with an error cannot be accepted ({step}{worst_error.check}): {words}")
    if decision is Decision.FIX_AND_ACCEPT and not has_fixed:
        raise ReviewError("You have not fixed anything in this episode. Accept it, or fix it first.")
    return Decision.FIX_AND_ACCEPT if has_fixed else Decision.ACCEPT


def refusal_reasons(status: ReviewStatus) -> str:
    refusing = [verdict for verdict in status.verdicts if not verdict.decision.accepts]
    reasons = [
        _reason(judgement)
        for verdict in refusing
        for judgement in verdict.judgements
        if judgement.answer is not Rating.PASS
    ]
    notes = [verdict.note.strip() for verdict in refusing]
    return "; ".join(dict.fromkeys(filter(None, (*reasons, *notes))))


def agrees(one: Verdict, other: Verdict) -> bool:
    """Both accept or neither does, and no question has a pass and a fail. Unsure contradicts neither."""
    opposite = {Rating.PASS, Rating.FAIL}
    return one.decision.accepts is other.decision.accepts and not any(
        {one.answer(criterion), other.answer(criterion)} == opposite for criterion in Criterion
    )


def comparable_name(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold()).strip()


def _may_count(verdict: Verdict, recorder: str) -> bool:
    return (
        bool(comparable_name(verdict.by))
        and not same_person(verdict.by, recorder)
        and not same_person(verdict.by, verdict.subject.recorder)
        and not decision_fault(verdict.decision, verdict.judgements)
    )


def _precedes(verdict: Verdict, fix: Fix) -> bool:
    """Whether the verdict is about the episode before this fix by somebody else."""
    return not same_person(verdict.by, fix.by) and (verdict.at < fix.at or verdict.revision == fix.before)


def _stage(counting: list[Verdict], twice: SecondReviewReason | None) -> ReviewStage:
    if not counting:
        return ReviewStage.UNREVIEWED
    first, *others = counting
    if not others:
        return _STAGES[first.decision] if twice is None else ReviewStage.SECOND
    if agrees(first, others[0]):
        joint = others[0] if first.decision is Decision.REJECT else first  # rejected if both say so
        return _STAGES[joint.decision]
    return ReviewStage.DISPUTED if len(others) == 1 else _STAGES[others[1].decision]


def _reason(judgement: Judgement) -> str:
    words = " ".join(judgement.words.split())
    reason = "" if judgement.reason == "other" else REASONS[judgement.criterion][judgement.reason]
    step = "" if judgement.step is None else f"at step {step_number(judgement.step)}"
    place = ", ".join(filter(None, (reason, step)))
    return ": ".join(filter(None, (place, words)))


def _lacking(judgement: Judgement) -> str:
    if judgement.answer is Rating.PASS:
        return ""
    question = _QUESTIONS[judgement.criterion]
    if judgement.reason not in REASONS[judgement.criterion]:
        return f"Choose a reason for {question}: {', '.join(REASONS[judgement.criterion])}."
    if judgement.reason == "other" and not judgement.words.strip():
        return f"Describe what is wrong with {question}."
    return ""
