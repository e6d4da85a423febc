"""The Review page: its list, verdicts by keys, and failures to save them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListView, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import DatasetError, OdysseyError, ReviewError
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.review_page import ReviewPage
from odyssey_recorder.gui.review.verdict_panel import VerdictPanel
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.review import review
from odyssey_recorder.review.review import Decision, Rating
from odyssey_recorder.review.views import ReviewNews
from tests.checking.verdicts import judgements
from tests.gui.pilot import WidgetPilot
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.gui.review.reviewer import OpenReviews, Reviewer

CTRL = Qt.KeyboardModifier.ControlModifier
SCREENSHOTS, STEPS, _ = QUESTIONS.values()


@pytest.fixture
def reviewing(tmp_path: Path) -> FakeReviewing:
    return FakeReviewing(tmp_path / "dataset")


@pytest.fixture
def three(reviewing: FakeReviewing) -> list[str]:
    return [
        reviewing.record("Set an alarm"),
        reviewing.record("Buy red shoes", category="Web_Shopping", device="Pixel Fold"),
        reviewing.record("Buy blue shoes", category="Web_Shopping", annotator="Grace"),
    ]


@pytest.fixture
def reviewer(reviewing: FakeReviewing, three: list[str], open_reviews: OpenReviews) -> Reviewer:
    """With the three episodes listed."""
    return open_reviews(reviewing)


@pytest.fixture
def opened(reviewer: Reviewer) -> Reviewer:
    """With the first of the three episodes open."""
    reviewer.open(0)
    return reviewer


def test_empty_list_fills_as_episodes_arrive(reviewing: FakeReviewing, open_reviews: OpenReviews) -> None:
    reviewer = open_reviews(reviewing)
    assert reviewer.says("No episodes to review yet.")
    reviewing.publish_rows(reviewing.record("Set an alarm"))
    reviewer.pilot.qtbot.waitUntil(lambda: reviewer.listed == ["Set an alarm"])
    assert reviewer.says("1 for you · 1 episode")


def test_filters_narrow_the_list(reviewing: FakeReviewing, three: list[str], open_reviews: OpenReviews) -> None:
    reviewing.add_verdict(three[0], "Omar", Decision.ACCEPT)
    reviewing.find(three[1], ("IMG07", Severity.WARNING, 1), ("TXT01", Severity.NOTE, 0))
    reviewing.record("My own", annotator="Rosa")
    reviewer = open_reviews(reviewing)
    assert reviewer.listed == ["Buy red shoes", "Buy blue shoes"]
    assert reviewer.says("2 for you · 2 of 4 episodes")
    assert reviewer.pilot.rows_of("Stage") == [
        "All: 4", "To review: 2", "Requested: 0", "Replied: 0", "Unreviewed: 3", "Second review: 0", "Disputed: 0",
        "Accepted: 1", "Sent back: 0", "Rejected: 0", "Checking…: 0",
    ]  # fmt: skip
    reviewer.pilot.press("Show all")
    assert len(reviewer.listed) == 4
    reviewer.narrow("Stage", "Accepted")
    assert reviewer.listed == ["Set an alarm"]
    reviewer.pilot.press("Show all")
    reviewer.narrow("Category", "Web Shopping")
    assert reviewer.listed == ["Buy red shoes", "Buy blue shoes"]
    check = reviewer.pilot.choice("Failed check")
    options = [check.itemText(option) for option in range(check.count())]
    assert options == ["All findings", "IMG07 (1)  An action had no effect"]
    check.setCurrentIndex(1)
    assert reviewer.listed == ["Buy red shoes"]
    reviewer.pilot.choice("Annotator").setCurrentText("Grace (0)")
    assert reviewer.says("No matching episodes.")
    reviewer.pilot.press("Show all")
    reviewer.narrow("Device", "Pixel Fold")
    assert reviewer.listed == ["Buy red shoes"]


def test_search_finds_instruction_template_and_id(reviewing: FakeReviewing, reviewer: Reviewer) -> None:
    reviewer.key(Qt.Key.Key_F, CTRL)
    field = reviewer.pilot.line("Search episodes")
    for text, count in (("SHOES", 2), ("weather in {", 3), (reviewing.ids[0], 1), ("nowhere", 0)):
        field.clear()
        QTest.keyClicks(field, text)
        assert len(reviewer.listed) == count


def test_rows_show_what_the_checks_found(reviewing: FakeReviewing, open_reviews: OpenReviews) -> None:
    reviewing.may_check.clear()
    reviewing.find(reviewing.record("Two errors"), *[("IMG01", Severity.ERROR, step) for step in (0, 1)])
    reviewing.find(reviewing.record("A warning"), ("IMG07", Severity.WARNING, 1), ("TXT01", Severity.NOTE, 0))
    reviewing.find(reviewing.record("Clean"))
    reviewing.record("New", checked=False)
    reviewer = open_reviews(reviewing)
    assert reviewer.row_text(0) == "Two errors. Unreviewed · General Tool · Small Phone · Ada · 3 steps. 2 errors"
    found = [reviewer.row_text(row).rpartition(". ")[2] for row in (1, 2, 3)]
    assert found == ["1 warning", "No findings", "Not checked yet"]
    reviewing.may_check.set()


def test_checks_start_automatically_and_can_be_cancelled(reviewing: FakeReviewing, open_reviews: OpenReviews) -> None:
    new = reviewing.record("New", checked=False)
    reviewing.checks = [("IMG01", Severity.ERROR, 0)]
    reviewing.may_check.clear()
    reviewer = open_reviews(reviewing)
    reviewer.wait_for_text("0 of 1 episodes")
    reviewer.pilot.press("Cancel")
    check = reviewer.pilot.button_named("Check")
    reviewer.pilot.qtbot.waitUntil(check.isEnabled)
    reviewing.publish_rows(new)
    QApplication.processEvents()
    assert check.isEnabled()  # a cancelled check does not restart by itself
    reviewing.may_check.set()
    reviewer.pilot.press("Check")
    reviewer.pilot.qtbot.waitUntil(lambda: reviewer.row_text(0).endswith("1 error"))
    reviewer.pilot.qtbot.waitUntil(lambda: not reviewer.says("Checking the episodes"))
    assert not check.isEnabled()


def test_four_keys_accept_once_every_step_is_seen(reviewing: FakeReviewing, opened: Reviewer) -> None:
    assert opened.answers == ["", "", ""]
    opened.press("qazr")
    assert opened.says("You have not seen steps 2 to 3 yet.")
    assert opened.viewer.current_step == 1
    assert reviewing.submitted == []
    opened.look_at_all()
    assert opened.says("3 of 3 steps seen")
    assert not opened.says("You have not seen")
    assert opened.answers == ["Pass", "Pass", "Pass"]
    opened.press("r")
    opened.wait_for_text("Accepted: Set an alarm")
    opened.wait_for_open("Buy red shoes")
    [(judged, draft)] = reviewing.submitted
    assert (judged, draft.decision, draft.note) == (reviewing.ids[0], Decision.ACCEPT, "")
    assert draft.seconds > 0
    assert opened.answers == ["", "", ""]
    assert opened.listed == ["Buy red shoes", "Buy blue shoes"]


def test_next_episode_is_preloaded(reviewing: FakeReviewing, opened: Reviewer) -> None:
    opened.pilot.qtbot.waitUntil(lambda: reviewing.opened == reviewing.ids[:2])
    for _ in range(2):
        opened.key(Qt.Key.Key_J, CTRL)
    opened.wait_for_open("Buy red shoes")
    opened.pilot.qtbot.waitUntil(lambda: reviewing.opened == reviewing.ids)


def test_open_question_fits_the_smallest_window(reviewer: Reviewer) -> None:
    reviewer.pilot.window.resize(1100, 700)
    reviewer.open(0)
    reviewer.press("s")
    reasons = reviewer.pilot.named(QListView, f"Reason: {STEPS}")
    reviewer.pilot.qtbot.waitUntil(lambda: is_fully_visible(reasons))
    reviewer.press("3")
    step, comment = reviewer.pilot.named(QSpinBox, f"Step: {STEPS}"), reviewer.pilot.line(f"Words: {STEPS}")
    reviewer.pilot.qtbot.waitUntil(lambda: is_fully_visible(step) and is_fully_visible(comment))


def is_fully_visible(widget: QWidget) -> bool:
    return widget.visibleRegion().boundingRect() == widget.rect()


def test_missing_answer_is_asked_for(reviewing: FakeReviewing, opened: Reviewer) -> None:
    opened.look_at_all()
    opened.press("qzr")
    assert opened.says(f"Answer this first: {STEPS}")
    opened.press("sv")
    assert opened.says(f"Choose a reason: {STEPS}")
    assert reviewing.submitted == []


def test_failed_answer_has_reason_step_and_comment(reviewing: FakeReviewing, opened: Reviewer) -> None:
    opened.press(".qzs3t")
    field = opened.pilot.line(f"Words: {STEPS}")
    opened.pilot.qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "wrong app")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not field.hasFocus()
    opened.press("v")
    opened.wait_for_text("Sent back to Ada's queue: Set an alarm")
    [(_, draft)] = reviewing.submitted
    failed = draft.judgements[1]
    assert (failed.answer, failed.reason, failed.step, failed.words) == (Rating.FAIL, "stray", 1, "wrong app")


def test_step_of_a_failed_answer_can_be_changed(reviewing: FakeReviewing, opened: Reviewer) -> None:
    opened.press("w")
    step = opened.pilot.named(QSpinBox, f"Step: {SCREENSHOTS}")
    assert step.text() == "Step 1"
    opened.press("..g")
    assert step.text() == "Step 3"
    step.setFocus()
    step.setValue(-1)
    assert step.text() == "No single step"
    QTest.keyClick(step, Qt.Key.Key_Return)
    assert not step.hasFocus()
    opened.press("1azv")
    opened.pilot.qtbot.waitUntil(lambda: len(reviewing.submitted) == 1)
    assert reviewing.submitted[0][1].judgements[0].step is None


def test_question_collapses_when_another_is_answered(opened: Reviewer) -> None:
    opened.press("e2a")
    assert opened.says("Unsure: it shows an earlier screen, step 1")
    opened.press("1")
    assert opened.says("Unsure: it shows an earlier screen, step 1")


def test_answers_are_kept_while_viewing_another_episode(opened: Reviewer) -> None:
    opened.press("qs2")
    for _ in range(2):
        opened.key(Qt.Key.Key_J, CTRL)
    opened.wait_for_open("Buy red shoes")
    assert opened.answers == ["", "", ""]
    opened.key(Qt.Key.Key_L, CTRL)
    opened.open(0)
    assert opened.answers == ["Pass", "Fail", ""]


def test_own_episode_cannot_be_reviewed(reviewing: FakeReviewing, open_reviews: OpenReviews) -> None:
    reviewing.record("My own", annotator="rosa ")
    reviewer = open_reviews(reviewing)
    assert reviewer.says("Nothing to review for you.")
    reviewer.pilot.press("Show all")
    reviewer.open(0)
    reviewer.wait_for_text("You recorded this episode. Somebody else must review it.")
    assert not reviewer.pilot.button_named("Accept").isEnabled()
    reviewer.press("q")
    assert reviewer.answers == ["", "", ""]


def test_third_review_shows_both_verdicts(reviewing: FakeReviewing, open_reviews: OpenReviews) -> None:
    sampled = reviewing.record("Buy milk")
    reviewing.add_to_sample(sampled)
    reviewing.add_verdict(sampled, "Omar", Decision.ACCEPT)
    reviewing.add_verdict(sampled, "Lin", Decision.SEND_BACK, judgements("pfp", step=2))
    reviewer = open_reviews(reviewing)
    reviewer.open(0)
    reviewer.wait_for_text("Third review. The first two disagree on the steps.")
    assert reviewer.says("Omar: accept, three passes")
    assert reviewer.says("The steps: fail: The instruction is not completed, step 3")


@pytest.mark.parametrize("kind", [ReviewError, DatasetError])
def test_answers_stay_after_a_failed_submission(
    reviewing: FakeReviewing, opened: Reviewer, kind: type[OdysseyError]
) -> None:
    opened.look_at_all()
    reviewing.failure = kind("No space is left on the disk.")
    opened.press("qazr")
    opened.wait_for_text("The verdict was not saved. Your answers are still here.")
    assert opened.says("No space is left on the disk.")
    assert opened.answers == ["Pass", "Pass", "Pass"]
    opened.pilot.qtbot.waitUntil(opened.pilot.button_named("Accept").isEnabled)
    opened.press("r")
    opened.wait_for_text("Accepted: Set an alarm")


def test_changed_episode_is_reloaded_and_answers_stay(reviewing: FakeReviewing, opened: Reviewer) -> None:
    opened.look_at_all()
    reviewing.change_instruction(reviewing.ids[0], "Set two alarms")
    opened.press("qazr")
    opened.wait_for_text("The episode has changed since you opened it.")
    opened.pilot.qtbot.waitUntil(lambda: reviewing.opened.count(reviewing.ids[0]) == 2)
    opened.pilot.qtbot.waitUntil(opened.pilot.button_named("Accept").isEnabled)
    opened.press("r")
    opened.wait_for_text("Accepted: Set two alarms")


def test_episode_that_cannot_be_opened_is_reported(reviewing: FakeReviewing, reviewer: Reviewer) -> None:
    (reviewing.root / "annotations" / f"{reviewing.ids[0]}.json").write_text("{}")
    reviewer.click(0)
    reviewer.wait_for_text(f"Episode {reviewing.ids[0]} cannot be opened.")
    assert reviewer.list.isVisible()


def test_removal_of_the_open_episode_is_reported(reviewing: FakeReviewing, opened: Reviewer) -> None:
    reviewing.remove(reviewing.ids[0])
    opened.wait_for_text("The open episode is no longer in the dataset.")
    assert opened.listed == ["Buy red shoes", "Buy blue shoes"]
    assert opened.list.isVisible()


def test_rejected_episode_may_vanish_before_confirmation(reviewing: FakeReviewing, opened: Reviewer) -> None:
    reviewing.reports_removal_first = True
    opened.press("w5az")
    opened.key(Qt.Key.Key_D, CTRL)
    opened.wait_for_open("Buy red shoes")
    opened.wait_for_text("Rejected and moved to the trash: Set an alarm")
    assert not opened.says("The open episode is no longer in the dataset.")
    assert opened.ids == reviewing.ids


def test_verdict_of_another_reviewer_is_shown_at_once(reviewing: FakeReviewing, opened: Reviewer) -> None:
    opened.press("q")
    reviewing.add_verdict(reviewing.ids[0], "Omar", Decision.ACCEPT)
    reviewing.publish_rows(reviewing.ids[0])
    opened.wait_for_text("This episode is accepted. There is nothing left to review.")
    assert opened.answers == ["Pass", "", ""]


def test_changes_to_others_leave_the_open_episode_alone(reviewing: FakeReviewing, reviewer: Reviewer) -> None:
    reviewer.open(1)
    reviewer.press(".q")
    reviewing.publish(ReviewNews(gone=frozenset({reviewing.ids[0]})))
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 2)
    assert reviewer.viewer.current_step == 1
    assert reviewer.answers == ["Pass", "", ""]


ACCEPT_ALL = (
    ReviewCommand.PASS_PICTURES,
    ReviewCommand.PASS_SEQUENCE,
    ReviewCommand.PASS_INSTRUCTION,
    ReviewCommand.ACCEPT_EPISODE,
)


class PageDriver(WidgetPilot):
    """The page without the main window, with a clock and figures of the test's own."""

    def __init__(self, qtbot: QtBot, background: Background, reviewing: FakeReviewing) -> None:
        super().__init__(qtbot, background)
        self.now_s = 0.0
        self.page = ReviewPage(reviewing, background, self.commands, clock=lambda: self.now_s)
        self.figures: list[QLabel] = []
        self.show_widget(self.page)
        self.page.enter()

    def switch_to(self, window: QWidget) -> None:
        window.show()
        window.activateWindow()
        self.qtbot.waitUntil(window.isActiveWindow)

    def wait_for_verdict_panel(self) -> None:
        panel = self.find(VerdictPanel)
        self.qtbot.waitUntil(lambda: panel.isVisible() and panel.isEnabled())

    def trigger(self, *commands: Command) -> None:
        for command in commands:
            self.commands[command].trigger()

    def make_figures(self) -> QLabel:
        self.figures.append(QLabel("Agreement: 0.8"))
        return self.figures[-1]


@pytest.fixture
def driver(reviewing: FakeReviewing, three: list[str], qtbot: QtBot, background: Background) -> Iterator[PageDriver]:
    driver = PageDriver(qtbot, background, reviewing)
    qtbot.waitUntil(lambda: driver.commands[ReviewCommand.NEXT_REVIEW].isEnabled())
    yield driver
    driver.page.close_down()


@pytest.mark.parametrize("instead", ["another window", "figures"])
def test_review_time_pauses_while_away(reviewing: FakeReviewing, driver: PageDriver, instead: str) -> None:
    other = QWidget()
    driver.qtbot.addWidget(other)
    driver.page.offer_figures(driver.make_figures)
    driver.page.enter()
    driver.trigger(ReviewCommand.NEXT_REVIEW)
    driver.wait_for_verdict_panel()
    driver.now_s = 5.0
    driver.switch_to(other) if instead == "another window" else driver.trigger(ReviewCommand.REVIEW_FIGURES)
    driver.now_s = 1000.0
    driver.switch_to(driver.window) if instead == "another window" else driver.trigger(ReviewCommand.REVIEW_FIGURES)
    driver.now_s = 1002.0
    driver.trigger(ReviewCommand.NEXT_STEP, ReviewCommand.NEXT_STEP)
    driver.trigger(*ACCEPT_ALL)
    driver.qtbot.waitUntil(lambda: len(reviewing.submitted) == 1)
    assert reviewing.submitted[0][1].seconds == 7.0


def test_very_fast_verdict_is_questioned_once(
    reviewing: FakeReviewing, driver: PageDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "FASTEST_SCREEN_S", 0.5)
    driver.trigger(ReviewCommand.NEXT_REVIEW)
    driver.wait_for_verdict_panel()
    driver.trigger(ReviewCommand.NEXT_STEP, ReviewCommand.NEXT_STEP)
    driver.now_s = 1.2
    driver.trigger(ReviewCommand.REVIEW_LIST)
    driver.now_s = 500.0
    driver.trigger(ReviewCommand.REVIEW_LIST)
    driver.trigger(*ACCEPT_ALL)
    assert driver.says("You reviewed 3 screens in 2 s. Save anyway?"), "the time in the list does not count"
    assert reviewing.submitted == []
    driver.trigger(ReviewCommand.DISMISS_REVIEW, ReviewCommand.ACCEPT_EPISODE)
    driver.qtbot.waitUntil(lambda: len(reviewing.submitted) == 1)
    assert reviewing.submitted[0][1].seconds == pytest.approx(1.2)


def test_figures_are_made_once_and_can_be_toggled(driver: PageDriver) -> None:
    switch = driver.button_named("Show figures")
    assert not switch.isVisible()
    driver.page.offer_figures(driver.make_figures)
    assert driver.figures == []
    assert len(list(driver.page.fill())) == 1
    driver.page.enter()
    [figures] = driver.figures
    assert switch.isVisible()
    for shown in (True, False, True):
        driver.trigger(ReviewCommand.REVIEW_FIGURES)
        assert figures.isVisible() is shown
        assert switch.text() == ("Show episodes" if shown else "Show figures")
        assert driver.button_named("Check").isVisible() is not shown
    QTest.keyClick(driver.window, Qt.Key.Key_F, CTRL)
    assert figures.isVisible(), "the key of the search does nothing meanwhile"
    driver.trigger(ReviewCommand.NEXT_REVIEW)
    driver.wait_for_verdict_panel()
    assert not figures.isVisible()
