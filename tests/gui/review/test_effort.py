"""How many keys a reviewer presses: for a verdict on 15 steps, and to take it back."""

from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.review.status import ReviewPolicy
from tests.dataset.published_episode import recorded
from tests.gui.review.reviewer import OpenReviews
from tests.review.review_dataset import FakeChecks, ReviewDataset


@pytest.mark.usefixtures("program_style")
def test_verdict_on_15_steps_takes_19_keys_and_taking_it_back_one(tmp_path: Path, open_reviews: OpenReviews) -> None:
    dataset = ReviewDataset(tmp_path / "dataset", FakeChecks())
    steps = [Click(Point(20 * number, 40 * number)) for number in range(14)]
    one = recorded(tmp_path, (*steps, Complete("done"))).episode_id
    dataset.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    reviewer = open_reviews(dataset.service("Bea"))
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 1)
    pressed = 0

    def press(*keys: str) -> None:
        nonlocal pressed
        for key in keys:
            QTest.keySequence(reviewer.pilot.window, QKeySequence(key))
            pressed += 1

    press("Ctrl+J")
    reviewer.wait_to_be_ready()
    press(*["Right"] * 14, *"QAZR")
    reviewer.wait_for_text("Accepted: ")
    assert (pressed, len(dataset.reviews.read(one).verdicts)) == (19, 1)
    press("Ctrl+Z")
    reviewer.wait_for_text("Verdict taken back: ")
    assert (pressed, dataset.reviews.read(one).verdicts) == (20, ())
    assert reviewer.answers == ["Pass", "Pass", "Pass"]
