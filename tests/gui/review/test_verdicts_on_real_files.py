"""Verdicts given in the window and stored in the dataset's files."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QRadioButton

from odyssey_recorder.quality.reviewing.review import Decision
from tests.gui.review.reviewer import OpenReviews, Reviewer
from tests.test_review_service import ReviewDataset, with_one_episode


@pytest.fixture
def dataset(tmp_path: Path) -> ReviewDataset:
    return with_one_episode(tmp_path)


@pytest.fixture
def reviewer(open_reviews: OpenReviews, dataset: ReviewDataset) -> Reviewer:
    """Bea, with the episode open and all its steps seen."""
    reviewer = open_reviews(dataset.service("Bea"))
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 1)
    reviewer.pilot.qtbot.waitUntil(lambda: "Not checked yet" not in reviewer.row_text(0))
    reviewer.open(0)
    reviewer.look_at_all()
    return reviewer


@pytest.mark.parametrize(
    ("keys", "decision", "message"),
    [
        ("qazr", Decision.ACCEPT, "Accepted: "),
        ("qs1zv", Decision.SEND_BACK, "Sent back. It has no task in the queue, so tell ann yourself: "),
        ("w5az", Decision.REJECT, "Rejected and moved to the trash: "),
    ],
)
def test_decisions_are_stored(
    dataset: ReviewDataset, reviewer: Reviewer, keys: str, decision: Decision, message: str
) -> None:
    [episode_id] = reviewer.ids
    reviewer.press(keys)
    if decision is Decision.REJECT:
        reviewer.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    reviewer.wait_for_text(message)
    reviewer.pilot.qtbot.waitUntil(lambda: not reviewer.listed)
    [stored] = dataset.reviews.read(episode_id).verdicts
    assert (stored.by, stored.decision) == ("Bea", decision)
    assert dataset.annotation(episode_id).exists() is (decision is not Decision.REJECT)


def test_episode_is_fixed_and_accepted_by_keys(dataset: ReviewDataset, reviewer: Reviewer) -> None:
    [episode_id] = reviewer.ids
    reviewer.key(Qt.Key.Key_Home)
    reviewer.press("qazf")
    reviewer.wait_for_text("You have not fixed anything in this episode")
    reviewer.wait_to_be_ready()
    reviewer.key(Qt.Key.Key_D, Qt.KeyboardModifier.AltModifier)
    dialog = reviewer.pilot.dialog()
    dialog.findChildren(QRadioButton)[0].click()
    reviewer.pilot.press_in(dialog, "Drop steps")
    reviewer.wait_for_text("4 of 4 steps seen")
    reviewer.pilot.activate()
    reviewer.wait_to_be_ready()
    assert reviewer.answers == ["Pass", "Pass", "Pass"]
    reviewer.press("f")
    reviewer.wait_for_text("Accepted: ")
    assert dataset.reviews.read(episode_id).verdicts[0].decision is Decision.FIX_AND_ACCEPT
