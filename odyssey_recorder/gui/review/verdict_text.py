"""The review of an episode in words: the reviewer's role, and others' verdicts."""

from collections.abc import Collection

from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.review.review import REASONS, Entry, Judgement, Rating, Verdict, standing_verdicts
from odyssey_recorder.review.status import ReviewerRole, agrees
from odyssey_recorder.review.views import OpenedReview

_SHORT = {
    Criterion.SCREENSHOTS: "the screenshots",
    Criterion.SEQUENCE: "the steps",
    Criterion.INSTRUCTION: "the instruction",
}
_OPPOSITE = {Rating.PASS, Rating.FAIL}


def role_text(opened: OpenedReview) -> str:
    match opened.row.role:
        case None:
            return opened.row.refusal
        case ReviewerRole.FIRST:
            return ""
        case ReviewerRole.SECOND:
            return "Second review. The first review is hidden."
        case ReviewerRole.THIRD:
            return f"Third review. The first two disagree on {_disputed_questions(verdicts(opened.entries))}."


def verdicts(entries: Collection[Entry]) -> list[Verdict]:
    newest = {verdict.by.strip().casefold(): verdict for verdict in standing_verdicts(entries)}
    return sorted(newest.values(), key=lambda verdict: verdict.at)


def verdict_text(verdict: Verdict) -> str:
    lines = [f"{verdict.by}: {verdict.decision.value}"]
    lines += [
        f"{_SHORT[judgement.criterion].capitalize()}: {judgement_text(judgement)}" for judgement in verdict.judgements
    ]
    return "\n".join([*lines, f"“{verdict.note}”"] if verdict.note else lines)


def short_verdict_text(verdict: Verdict) -> str:
    """A line only for each question that did not pass."""
    others = [judgement for judgement in verdict.judgements if judgement.answer is not Rating.PASS]
    lines = [f"{_SHORT[judgement.criterion].capitalize()}: {judgement_text(judgement)}" for judgement in others]
    return "\n".join([f"{verdict.by}: {verdict.decision.value}{'' if others else ', three passes'}", *lines])


def judgement_text(judgement: Judgement) -> str:
    reason = REASONS[judgement.criterion].get(judgement.reason, judgement.reason)
    step = "" if judgement.step is None else f"step {step_number(judgement.step)}"
    more = ", ".join(filter(None, (reason, step, judgement.words)))
    return f"{judgement.answer.value}: {more}" if more else judgement.answer.value


def _disputed_questions(given: list[Verdict]) -> str:
    if len(given) < 2 or agrees(given[0], given[1]):
        return "this episode"
    one, other = given[:2]
    questions = [
        _SHORT[criterion] for criterion in QUESTIONS if {one.answer(criterion), other.answer(criterion)} == _OPPOSITE
    ]
    return " and ".join(questions) or f"the decision: {one.decision.value} or {other.decision.value}"
