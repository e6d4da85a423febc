"""Verdicts and their outcome as text."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.gui.review.verdict_words import turn_words, verdict_in_short, verdict_words, what_followed
from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import Decision, Verdict
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewStage, SecondReviewReason
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewRow
from tests.gui.review.fake_reviewing import FakeReviewing, fails
from tests.quality.verdicts import verdict


@pytest.fixture
def opened(tmp_path: Path) -> OpenedReview:
    reviewing = FakeReviewing(tmp_path / "dataset")
    return reviewing.open(reviewing.record("Buy milk"))


def disputed(opened: OpenedReview, *verdicts: Verdict) -> OpenedReview:
    return replace(opened, row=replace(opened.row, role=ReviewerRole.THIRD), entries=verdicts)


def test_verdict_is_described_in_full_and_in_short() -> None:
    failed = {"judgements": fails(Criterion.SEQUENCE, "gap", 2), "note": "Look at it."}
    sent_back = verdict("Lin", "pfp").model_copy(update=failed)
    assert verdict_words(sent_back) == (
        "Lin: send back\nThe screenshots: pass\nThe steps: fail: A step is missing, step 3\nThe instruction: pass"
        "\n“Look at it.”"
    )
    assert verdict_in_short(sent_back) == "Lin: send back\nThe steps: fail: A step is missing, step 3"
    assert verdict_in_short(verdict("Omar")) == "Omar: accept, three passes"


def test_newer_verdict_of_a_reviewer_counts(opened: OpenedReview) -> None:
    earlier, later = verdict("Lin", "pfp"), verdict("lin ", "fpp", Decision.REJECT, minute=2)
    text = turn_words(disputed(opened, earlier, verdict("Omar", minute=1), later))
    assert text == "Third review. The first two disagree on the screenshots."


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
    assert what_followed(ReviewRow(EpisodeSummary("1", annotator="Ada", task_id="t-1"), stage, reason)) == outcome


def test_episode_without_a_task_returns_to_no_queue() -> None:
    sent_back = ReviewRow(EpisodeSummary("1", annotator="Ada"), ReviewStage.SENT_BACK)
    assert what_followed(sent_back).endswith("tell Ada yourself")
