"""Verdicts are taken back in the window, and no episode that needs a verdict is passed over."""

from functools import partial
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.review.amend_card import AmendCard
from odyssey_recorder.gui.review.verdict_panel import VerdictPanel
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.status import ReviewPolicy
from odyssey_recorder.review.views import OpenedReview
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.services.review_files import add_reply, review_thread
from tests.checking.verdicts import judgements
from tests.gui.conftest import PATIENCE_MS
from tests.gui.pilot import texts_in
from tests.gui.review.reviewer import OpenReviews, Reviewer
from tests.review.review_dataset import FakeChecks, ReviewDataset

RECORDER = "ann"
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def dataset(tmp_path: Path) -> ReviewDataset:
    """Two episodes that need one review each."""
    dataset = ReviewDataset(tmp_path / "dataset", FakeChecks())
    dataset.record()
    dataset.record()
    dataset.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    return dataset


@pytest.fixture
def bea(dataset: ReviewDataset) -> ReviewService:
    return dataset.service("Bea")


@pytest.fixture
def reviewer(bea: ReviewService, open_reviews: OpenReviews) -> Reviewer:
    reviewer = open_reviews(bea)
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 2)
    return reviewer


def judge(reviewer: Reviewer, decision: Decision) -> None:
    """The first of the two episodes, after which the second opens."""
    following = reviewer.listed[1]
    reviewer.open(0)
    reviewer.look_at_all()
    if decision is Decision.REJECT:
        reviewer.press("w5az")
        reviewer.key(Qt.Key.Key_D, CTRL)
    else:
        reviewer.press("qazr" if decision is Decision.ACCEPT else "qzs3v")
    reviewer.wait_for_open(following)


@pytest.mark.parametrize("decision", [Decision.ACCEPT, Decision.SEND_BACK, Decision.REJECT])
def test_one_key_takes_the_last_verdict_back_and_keeps_its_answers(
    dataset: ReviewDataset, reviewer: Reviewer, decision: Decision
) -> None:
    first, title = reviewer.ids[0], reviewer.listed[0]
    judge(reviewer, decision)
    given = dataset.reviews.read(first).verdicts
    reviewer.press("qs")  # answers on the second episode stay, too
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.wait_for_open(title)
    answers = {Decision.ACCEPT: ["Pass"] * 3, Decision.SEND_BACK: ["Pass", "Fail", "Pass"]}
    assert reviewer.answers == answers.get(decision, ["Fail", "Pass", "Pass"])
    assert reviewer.says("5 of 5 steps seen")
    assert (dataset.reviews.read(first).verdicts, dataset.annotation(first).exists()) == ((), True)
    assert not reviewer.pilot.is_enabled("Undo verdict")
    reviewer.press("a" if decision is not Decision.ACCEPT else "s3")
    reviewer.press("qv" if decision is Decision.ACCEPT else "qr")
    reviewer.wait_for_text("Sent back" if decision is Decision.ACCEPT else "Accepted:")
    reviewer.pilot.qtbot.waitUntil(lambda: reviewer.answers == ["Pass", "Fail", ""])
    (now,) = dataset.reviews.read(first).verdicts
    assert now.decision is not given[0].decision


def test_undo_first_undoes_the_fix_that_came_after_the_verdict(dataset: ReviewDataset, reviewer: Reviewer) -> None:
    first, second = reviewer.ids
    titles = reviewer.listed
    judge(reviewer, Decision.ACCEPT)
    reviewer.pilot.find(AmendCard).fix_requested.emit(NewInstruction(instruction="Note: milk"), "shorter")
    reviewer.wait_to_be_ready()
    reviewer.pilot.qtbot.waitUntil(lambda: len(dataset.reviews.read(second).fixes) == 1)
    reviewer.pilot.wait_until_enabled("Undo verdict")
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.pilot.qtbot.waitUntil(lambda: len(dataset.reviews.read(second).fixes) == 2)
    assert len(dataset.reviews.read(first).verdicts) == 1
    reviewer.wait_to_be_ready()
    reviewer.pilot.wait_until_enabled("Undo verdict")
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.wait_for_open(titles[0])
    assert dataset.reviews.read(first).verdicts == ()


class HeldReviews(ReviewService):
    """Answers wait for the test."""

    def __init__(self, dataset: ReviewDataset) -> None:
        super().__init__(EpisodeIndex(dataset.root, None), Checker(None, 1, judge=dataset.checks), lambda: "Bea")
        self.may_open, self.may_undo = Event(), Event()
        self.opening: list[str] = []
        self.may_open.set()

    def open(self, episode_id: str) -> OpenedReview:
        opened = super().open(episode_id)
        self.opening.append(episode_id)
        self.may_open.wait(PATIENCE_MS / 1000)
        self.opening.remove(episode_id)
        return opened

    def undo(self, episode_id: str, revision: str) -> OpenedReview:
        self.may_undo.wait(PATIENCE_MS / 1000)
        return super().undo(episode_id, revision)


def test_episode_read_before_a_change_does_not_end_the_wait_for_it(
    dataset: ReviewDataset, open_reviews: OpenReviews
) -> None:
    service = HeldReviews(dataset)
    service.check_all()
    reviewer, first = open_reviews(service), min(episode_ids(dataset.root))
    wait = reviewer.pilot.qtbot.waitUntil
    wait(lambda: len(reviewer.listed) == 2)
    reviewer.open(reviewer.ids.index(first))
    panel = reviewer.pilot.find(VerdictPanel)
    reviewer.pilot.find(AmendCard).fix_requested.emit(NewInstruction(instruction="Note: milk"), "shorter")
    wait(lambda: len(dataset.reviews.read(first).fixes) == 1)
    wait(lambda: panel.isEnabled() and not service.opening)
    service.may_open.clear()
    dataset.service("Lea").request([first], "look")
    wait(lambda: bool(service.opening))  # the news made the page read it again
    reviewer.key(Qt.Key.Key_Z, CTRL)
    assert not panel.isEnabled()
    service.may_open.set()
    wait(lambda: not service.opening)
    for _ in range(20):  # threads that answer take turns
        answers: list[None] = []
        reviewer.pilot.controller.background.run(lambda: None, answers.append)
        wait(partial(bool, answers))
    assert not panel.isEnabled()
    service.may_undo.set()
    wait(panel.isEnabled)
    assert len(dataset.reviews.read(first).fixes) == 2


def test_verdict_of_another_reviewer_is_reopened_with_a_reason(dataset: ReviewDataset, reviewer: Reviewer) -> None:
    first = reviewer.ids[0]
    dataset.service("Cleo").judge(first, Decision.SEND_BACK, judgements("pfp"))
    reviewer.pilot.press("Show all")
    reviewer.open(reviewer.ids.index(first))
    reviewer.wait_for_text("This episode is sent back.")
    reviewer.key(Qt.Key.Key_Z, CTRL | SHIFT)
    dialog = reviewer.pilot.dialog()
    assert "Why are you taking back the verdict of Cleo?" in texts_in(dialog)
    reviewer.pilot.press_in(dialog, "3   The annotator is right")
    reviewer.pilot.press_in(dialog, "Reopen")
    reviewer.pilot.wait_until_enabled("Accept")
    assert reviewer.answers == ["", "", ""]
    (reopening,) = dataset.reviews.read(first).reopenings
    assert (reopening.by, reopening.why) == ("Bea", "The annotator is right")


def test_reply_of_the_annotator_is_listed_and_answered_until_the_verdict_is_taken_back(
    dataset: ReviewDataset, reviewer: Reviewer
) -> None:
    first, title = reviewer.ids[0], reviewer.listed[0]
    judge(reviewer, Decision.SEND_BACK)
    add_reply(dataset.root, RECORDER, first, "The cart is empty on purpose")
    reviewer.wait_for_text("1 for you · 1 reply · ")
    reviewer.key(Qt.Key.Key_L, CTRL)
    reviewer.pilot.press("Show all")
    reviewer.narrow("Stage", "Replied")
    assert reviewer.listed == [title]
    assert f"Sent back ({RECORDER} replied)" in reviewer.row_text(0)
    reviewer.click(0)
    reviewer.wait_for_text("\n".join(review_thread(dataset.root, first)))
    reviewer.key(Qt.Key.Key_Y, CTRL | SHIFT)
    dialog = reviewer.pilot.dialog()
    assert f"What should {RECORDER} know about this episode?" in texts_in(dialog)
    reviewer.pilot.press_in(dialog, "2   Please record it again as the task says")
    reviewer.pilot.press_in(dialog, "Reply")
    reviewer.wait_for_text(": Please record it again as the task says")
    assert review_thread(dataset.root, first)[-1].startswith("Bea, ")
    reviewer.pilot.qtbot.waitUntil(lambda: not reviewer.says("replied"))
    reviewer.pilot.activate()
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.pilot.qtbot.waitUntil(lambda: not reviewer.says("on purpose"))
    assert dataset.reviews.read(first).verdicts == ()


def test_control_is_listed_and_judged_like_any_other_episode(dataset: ReviewDataset, open_reviews: OpenReviews) -> None:
    cleo = dataset.service("Cleo")
    control, _ = sorted(episode_ids(dataset.root))
    cleo.judge(control, Decision.ACCEPT, judgements("ppp"))
    dataset.service("Lea").control([control])
    reviewer = open_reviews(dataset.service("Bea"))
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 2)
    rows = [reviewer.row_text(row).removeprefix(reviewer.listed[row]) for row in (0, 1)]
    assert rows[0] == rows[1], "the two episodes differ in nothing but their instruction"
    reviewer.open(reviewer.ids.index(control))
    reviewer.look_at_all()
    reviewer.press("qazr")
    reviewer.wait_for_text("This was a control episode, known to be good: your decision is right")
    assert not reviewer.pilot.is_enabled("Undo verdict")
    assert len(dataset.reviews.read(control).verdicts) == 1


def test_reopening_that_came_too_late_is_explained(dataset: ReviewDataset, reviewer: Reviewer) -> None:
    first = reviewer.ids[0]
    dataset.service("Lea").request([first], "looks wrong")
    reviewer.pilot.qtbot.waitUntil(lambda: "requested" in reviewer.row_text(0))
    judge(reviewer, Decision.ACCEPT)
    reviewer.wait_for_text("A second review follows")
    dataset.service("Cleo").judge(first, Decision.SEND_BACK, judgements("pfp"))
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.wait_for_text("The verdict was not taken back.")
    assert reviewer.says("its last verdict is not yours")
    assert reviewer.pilot.named(QAbstractButton, "Accept").isEnabled()


def test_open_episode_that_needs_a_verdict_is_not_passed_over_silently(reviewer: Reviewer) -> None:
    titles = reviewer.listed
    reviewer.open(0)
    for _ in range(2):
        reviewer.press("q")
        reviewer.key(Qt.Key.Key_L, CTRL)
        reviewer.key(Qt.Key.Key_J, CTRL)
        assert reviewer.says("This episode still needs your verdict.")
        assert reviewer.viewer.isVisible(), "it is shown again, before any other"
        assert reviewer.list.currentIndex().data() == titles[0]
        reviewer.key(Qt.Key.Key_J, CTRL)
        reviewer.wait_for_open(titles[1])
        reviewer.key(Qt.Key.Key_J, CTRL)
        assert reviewer.list.currentIndex().data() == titles[1]
        reviewer.key(Qt.Key.Key_J, CTRL)
        reviewer.wait_for_open(titles[0])
        assert reviewer.answers == ["Pass", "", ""]
