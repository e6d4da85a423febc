"""Verdicts and their outcome as text."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.gui.review.verdict_text import outcome_text, role_text, short_verdict_text, verdict_text
from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import Decision, Judgement, Rating
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewStage, SecondReviewReason
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewRow
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.quality.verdicts import judgements, verdict


@pytest.fixture
def opened(tmp_path: Path) -> OpenedReview:
    reviewing = FakeReviewing(tmp_path / "dataset")
    return reviewing.open(reviewing.record("Buy milk"))


def test_verdict_is_described_in_full_and_in_short() -> None:
    screenshots, _, instruction = judgements("ppp")
    steps = Judgement(criterion=Criterion.SEQUENCE, answer=Rating.FAIL, reason="gap", step=2)
    answers = {"judgements": (screenshots, steps, instruction), "note": "Look at it."}
    sent_back = verdict("Lin", "pfp").model_copy(update=answers)
    assert verdict_text(sent_back) == (
        "Lin: send back\nThe screenshots: pass\nThe steps: fail: A step is missing, step 3\nThe instruction: pass"
        "\n“Look at it.”"
    )
    assert short_verdict_text(sent_back) == "Lin: send back\nThe steps: fail: A step is missing, step 3"
    assert short_verdict_text(verdict("Omar")) == "Omar: accept, three passes"


def test_newer_verdict_of_a_reviewer_counts(opened: OpenedReview) -> None:
    earlier, later = verdict("Lin", "pfp"), verdict("lin ", "fpp", Decision.REJECT, minute=2)
    entries = (earlier, verdict("Omar", minute=1), later)
    disputed = replace(opened, row=replace(opened.row, role=ReviewerRole.THIRD), entries=entries)
    assert role_text(disputed) == "Third review. The first two disagree on the screenshots."


@pytest.mark.parametrize(
    ("stage", "reason", "outcome"),
    [
        (ReviewStage.ACCEPTED, None, "Accepted"),
        (ReviewStage.SENT_BACK, None, "Sent back to Ada's queue"),
        (ReviewStage.REJECTED, None, "Rejected and moved to the trash"),
        (ReviewStage.SECOND, SecondReviewReason.WARNINGS, "Saved. A second review follows (has warnings)"),
        (ReviewStage.DISPUTED, SecondReviewReason.SAMPLE, "Saved. The two reviews differ, so a third reviewer decides"),
        (ReviewStage.UNREVIEWED, None, "Saved"),
    ],
)
def test_outcome_of_a_verdict_is_described(stage: ReviewStage, reason: SecondReviewReason | None, outcome: str) -> None:
    assert outcome_text(ReviewRow(EpisodeSummary("1", annotator="Ada", task_id="t-1"), stage, reason)) == outcome
