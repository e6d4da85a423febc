"""Verdicts given in the window and stored in the dataset's files."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QRadioButton

from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.gui.review.reviewer import OpenReviews, Reviewer
from tests.test_review_service import Checks, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """One episode, not drawn into the sample."""
    place = Place(tmp_path / "dataset", Checks())
    place.record()
    place.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    return place


@pytest.fixture
def reviewer(open_reviews: OpenReviews, place: Place) -> Reviewer:
    """Bea, with the episode open and all its steps seen."""
    reviewer = open_reviews(place.service("Bea"))
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 1)
    reviewer.pilot.qtbot.waitUntil(lambda: "Not checked yet" not in reviewer.heard(0))
    reviewer.open(0)
    reviewer.look_at_all()
    return reviewer


@pytest.mark.parametrize(
    ("keys", "decision", "told"),
    [
        ("qazr", Decision.ACCEPT, "Accepted: "),
        ("qs1zv", Decision.SEND_BACK, "Sent back. It has no task in the queue, so tell ann yourself: "),
        ("w5az", Decision.REJECT, "Rejected and moved to the trash: "),
    ],
)
def test_decisions_are_kept(place: Place, reviewer: Reviewer, keys: str, decision: Decision, told: str) -> None:
    [judged] = reviewer.ids
    reviewer.press(keys)
    if decision is Decision.REJECT:
        reviewer.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    reviewer.wait_for_text(told)
    reviewer.pilot.qtbot.waitUntil(lambda: not reviewer.listed)
    [kept] = place.reviews.read(judged).verdicts
    assert (kept.by, kept.decision) == ("Bea", decision)
    assert place.annotation(judged).exists() is (decision is not Decision.REJECT)


def test_a_fix_is_made_and_accepted_by_keys(place: Place, reviewer: Reviewer) -> None:
    fixed = reviewer.ids[0]
    reviewer.key(Qt.Key.Key_Home)
    reviewer.press("qazf")
    reviewer.wait_for_text("You have not fixed anything in this episode")
    reviewer.wait_to_be_ready()
    reviewer.key(Qt.Key.Key_D, Qt.KeyboardModifier.AltModifier)
    dialog = reviewer.pilot.dialog()
    dialog.findChildren(QRadioButton)[0].click()
    reviewer.pilot.press_in(dialog, "Drop steps")
    reviewer.wait_for_text("4 of 4 steps seen")
    reviewer.pilot.window.activateWindow()  # window systems do this themselves when a dialog closes
    reviewer.pilot.qtbot.waitUntil(reviewer.pilot.window.isActiveWindow)
    reviewer.wait_to_be_ready()
    assert reviewer.answers == ["Pass", "Pass", "Pass"]
    reviewer.press("f")
    reviewer.wait_for_text("Accepted: ")
    assert place.reviews.read(fixed).verdicts[0].decision is Decision.FIX_AND_ACCEPT
