"""Verdicts and their outcome as text."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.gui.review.verdict_text import role_text
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.status import ReviewerRole, ReviewStage, SecondReviewReason
from odyssey_recorder.review.views import ReviewRow, outcome_text
from tests.checking.verdicts import verdict
from tests.episodes import episode
from tests.gui.review.opened_reviews import opened_review


def test_newer_verdict_of_a_reviewer_counts() -> None:
    earlier, later = verdict("Lin", "pfp"), verdict("lin ", "fpp", Decision.REJECT, minute=2)
    review = opened_review(Path("shots"), episode(), entries=(earlier, verdict("Omar", minute=1), later))
    disputed = replace(review, row=replace(review.row, role=ReviewerRole.THIRD))
    assert role_text(disputed) == "Third review. The first two disagree on the screenshots."


@pytest.mark.parametrize(
    ("stage", "reason", "outcome"),
    [
        (ReviewStage.SECOND, SecondReviewReason.WARNINGS, "Saved. A second review follows (has warnings)"),
        (ReviewStage.DISPUTED, SecondReviewReason.SAMPLE, "Saved. The two reviews differ, so a third reviewer decides"),
        (ReviewStage.UNREVIEWED, None, "Saved"),
    ],
)
def test_outcome_of_a_verdict_is_described(stage: ReviewStage, reason: SecondReviewReason | None, outcome: str) -> None:
    assert outcome_text(ReviewRow(EpisodeRow("1", annotator="Ada", task_id="t-1"), stage, reason)) == outcome
