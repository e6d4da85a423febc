"""Verdicts and their outcome as text."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.gui.review.verdict_words import turn_words, verdict_in_short, verdict_words, what_followed
from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import Decision, Judgement, Subject, Verdict
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewStage, SecondReviewReason
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewRow
from tests.gui.review.bench_review import BenchReviewing, fails, passes

Answers = tuple[Judgement, Judgement, Judgement]


def verdict(by: str, decision: Decision, answers: Answers, *, minute: int = 0, note: str = "") -> Verdict:
    return Verdict(
        id=f"{minute:032}",
        at=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=minute),
        by=by,
        decision=decision,
        judgements=answers,
        note=note,
        revision="r",
        seconds=1,
        subject=Subject(recorder="Ada", category="Media", device="Fold", template="t", steps=3),
    )


@pytest.fixture
def opened(tmp_path: Path) -> OpenedReview:
    bench = BenchReviewing(tmp_path / "dataset")
    return bench.open(bench.record("Buy milk"))


def disputed(opened: OpenedReview, *verdicts: Verdict) -> OpenedReview:
    return replace(opened, row=replace(opened.row, role=ReviewerRole.THIRD), entries=verdicts)


def test_a_verdict_is_told_in_full_and_in_short() -> None:
    sent_back = verdict("Lin", Decision.SEND_BACK, fails(Criterion.SEQUENCE, "gap", 2), note="Look at it.")
    assert verdict_words(sent_back) == (
        "Lin: send back\nThe screenshots: pass\nThe steps: fail: A step is missing, step 3\nThe instruction: pass"
        "\n“Look at it.”"
    )
    assert verdict_in_short(sent_back) == "Lin: send back\nThe steps: fail: A step is missing, step 3"
    assert verdict_in_short(verdict("Omar", Decision.ACCEPT, passes())) == "Omar: accept, three passes"


def test_of_one_who_judged_twice_the_newer_verdict_is_told(opened: OpenedReview) -> None:
    earlier = verdict("Lin", Decision.SEND_BACK, fails(Criterion.SEQUENCE, "gap"))
    accepts = verdict("Omar", Decision.ACCEPT, passes(), minute=1)
    later = verdict("lin ", Decision.REJECT, fails(Criterion.SCREENSHOTS, "private"), minute=2)
    words = turn_words(disputed(opened, earlier, accepts, later))
    assert words == "Third review. The first two disagree on the screenshots."


@pytest.mark.parametrize(
    ("stage", "twice", "told"),
    [
        (ReviewStage.ACCEPTED, None, "Accepted"),
        (ReviewStage.SENT_BACK, None, "Sent back to Ada's queue"),
        (ReviewStage.REJECTED, None, "Rejected and moved to the trash"),
        (ReviewStage.SECOND, SecondReviewReason.WARNINGS, "Saved. A second review follows (has warnings)"),
        (ReviewStage.DISPUTED, SecondReviewReason.SAMPLE, "Saved. The two reviews differ, so a third reviewer decides"),
        (ReviewStage.UNREVIEWED, None, "Saved"),
    ],
)
def test_what_followed_is_told(stage: ReviewStage, twice: SecondReviewReason | None, told: str) -> None:
    assert what_followed(ReviewRow(EpisodeSummary("1", annotator="Ada", task_id="t-1"), stage, twice)) == told


def test_what_was_recorded_for_no_task_waits_in_no_queue() -> None:
    sent_back = ReviewRow(EpisodeSummary("1", annotator="Ada"), ReviewStage.SENT_BACK)
    assert what_followed(sent_back).endswith("tell Ada yourself")
