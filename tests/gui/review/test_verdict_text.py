"""Verdicts and their outcome as text."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.gui.review.verdict_text import outcome_text, role_text
from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewStage, SecondReviewReason
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewRow
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.quality.verdicts import verdict


@pytest.fixture
def opened(tmp_path: Path) -> OpenedReview:
    reviewing = FakeReviewing(tmp_path / "dataset")
    return reviewing.open(reviewing.record("Buy milk"))


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
