"""The Review page: its list, verdicts by keys, and failures to save them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QListView, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import DatasetError, OdysseyError, ReviewError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.review_page import ReviewPage
from odyssey_recorder.gui.review.verdict_panel import VerdictPanel
from odyssey_recorder.quality.finding import Criterion, Finding, Severity
from odyssey_recorder.quality.reviewing import review
from odyssey_recorder.quality.reviewing.review import Decision, Rating
from odyssey_recorder.quality.reviewing.views import ReviewNews
from tests.gui.pilot import WidgetPilot
from tests.gui.review.bench_review import BenchReviewing, fails
from tests.gui.review.reviewer import OpenReviews, Reviewer

SitDown = Callable[[], Reviewer]

CTRL = Qt.KeyboardModifier.ControlModifier
SCREENSHOTS, STEPS, _ = QUESTIONS.values()


@pytest.fixture
def bench(tmp_path: Path) -> BenchReviewing:
    return BenchReviewing(tmp_path / "dataset")


@pytest.fixture
def sit_down(open_reviews: OpenReviews, bench: BenchReviewing) -> SitDown:
    return lambda: open_reviews(bench)


@pytest.fixture
def three(bench: BenchReviewing) -> list[str]:
    return [
        bench.record("Set an alarm"),
        bench.record("Buy red shoes", category="Web_Shopping", device="Pixel Fold"),
        bench.record("Buy blue shoes", category="Web_Shopping", annotator="Grace"),
    ]


@pytest.fixture
def reviewer(three: list[str], sit_down: SitDown) -> Reviewer:
    """With the list of the three."""
    return sit_down()


@pytest.fixture
def first(reviewer: Reviewer) -> Reviewer:
    """With the first of the three open."""
    reviewer.open(0)
    return reviewer


# List.


def test_a_page_with_nothing_in_it_says_so_and_fills_by_itself(bench: BenchReviewing, sit_down: SitDown) -> None:
    reviewer = sit_down()
    assert reviewer.says("No episodes to review yet.")
    bench.tell_again(bench.record("Set an alarm"))
    reviewer.pilot.qtbot.waitUntil(lambda: reviewer.listed == ["Set an alarm"])
    assert reviewer.says("1 for you · 1 episode")


def test_the_list_shows_what_filters_want(bench: BenchReviewing, three: list[str], sit_down: SitDown) -> None:
    bench.judge(three[0], "Omar", Decision.ACCEPT)
    bench.find(three[1], ("IMG07", Severity.WARNING, 1), ("TXT01", Severity.NOTE, 0))
    bench.record("My own", annotator="Rosa")
    reviewer = sit_down()
    assert reviewer.listed == ["Buy red shoes", "Buy blue shoes"]
    assert reviewer.says("2 for you · 2 of 4 episodes")
    assert reviewer.facets("Stage") == [
        "All: 4", "To review: 2", "Requested: 0", "Unreviewed: 3", "Second review: 0", "Disputed: 0", "Accepted: 1",
        "Sent back: 0", "Rejected: 0", "Checking…: 0",
    ]  # fmt: skip
    reviewer.pilot.press("Show all")
    assert len(reviewer.listed) == 4
    reviewer.narrow("Stage", "Accepted")
    assert reviewer.listed == ["Set an alarm"]
    reviewer.pilot.press("Show all")
    reviewer.narrow("Category", "Web Shopping")
    assert reviewer.listed == ["Buy red shoes", "Buy blue shoes"]
    check = reviewer.pilot.named(QComboBox, "Failed check")
    assert [check.itemText(place) for place in range(check.count())] == [
        "All findings",
        "IMG07 (1)  An action had no effect",
    ]
    check.setCurrentIndex(1)
    assert reviewer.listed == ["Buy red shoes"]
    reviewer.pilot.named(QComboBox, "Annotator").setCurrentText("Grace (0)")
    assert reviewer.says("No matching episodes.")
    reviewer.pilot.press("Show all")
    reviewer.narrow("Device", "Pixel Fold")
    assert reviewer.listed == ["Buy red shoes"]


def test_an_episode_is_found_by_instruction_template_and_id(bench: BenchReviewing, reviewer: Reviewer) -> None:
    reviewer.key(Qt.Key.Key_F, CTRL)
    field = reviewer.pilot.named(QLineEdit, "Search episodes")
    for words, found in (("SHOES", 2), ("weather in {", 3), (bench.ids[0], 1), ("nowhere", 0)):
        field.clear()
        QTest.keyClicks(field, words)
        assert len(reviewer.listed) == found


def test_what_the_checks_found_stands_beside_each_row(bench: BenchReviewing, sit_down: SitDown) -> None:
    bench.go_on.clear()
    bench.find(bench.record("Two errors"), *[("IMG01", Severity.ERROR, step) for step in (0, 1)])
    bench.find(bench.record("A warning"), ("IMG07", Severity.WARNING, 1), ("TXT01", Severity.NOTE, 0))
    bench.find(bench.record("Clean"))
    bench.record("New", checked=False)
    reviewer = sit_down()
    assert reviewer.heard(0) == "Two errors. Unreviewed · General Tool · Small Phone · Ada · 3 steps. 2 errors"
    found = [reviewer.heard(row).rpartition(". ")[2] for row in (1, 2, 3)]
    assert found == ["1 warning", "No findings", "Not checked yet"]
    bench.go_on.set()


def test_the_checks_begin_by_themselves_and_can_be_cancelled(bench: BenchReviewing, sit_down: SitDown) -> None:
    new = bench.record("New", checked=False)
    bench.checks = [Finding("IMG01", Severity.ERROR, Criterion.SCREENSHOTS, new, 0, "It is missing.", "Reject it.")]
    bench.go_on.clear()
    reviewer = sit_down()
    reviewer.wait_for_text("0 of 1 episodes")
    reviewer.pilot.press("Cancel")
    check = reviewer.button("Check")
    reviewer.pilot.qtbot.waitUntil(check.isEnabled)
    bench.tell_again(new)
    QApplication.processEvents()
    assert check.isEnabled()  # a cancelled check does not restart by itself
    bench.go_on.set()
    reviewer.pilot.press("Check")
    reviewer.pilot.qtbot.waitUntil(lambda: reviewer.heard(0).endswith("1 error"))
    reviewer.pilot.qtbot.waitUntil(lambda: not reviewer.says("Checking the episodes"))
    assert not check.isEnabled()


# Verdict.


def test_four_keys_accept_an_episode_of_which_every_step_was_seen(bench: BenchReviewing, first: Reviewer) -> None:
    assert first.answers == ["", "", ""]
    first.press("qazr")
    assert first.says("You have not seen steps 2 to 3 yet.")
    assert first.viewer.current_step == 1
    assert bench.ballots == []
    first.look_at_all()
    assert first.says("3 of 3 steps seen")
    assert not first.says("You have not seen")
    assert first.answers == ["Pass", "Pass", "Pass"]
    first.press("r")
    first.wait_for_text("Accepted: Set an alarm")
    first.wait_for_open("Buy red shoes")
    [(judged, verdict_draft)] = bench.ballots
    assert (judged, verdict_draft.decision, verdict_draft.note) == (bench.ids[0], Decision.ACCEPT, "")
    assert verdict_draft.seconds > 0
    assert first.answers == ["", "", ""]
    assert first.listed == ["Buy red shoes", "Buy blue shoes"]


def test_the_next_episode_is_opened_ahead(bench: BenchReviewing, first: Reviewer) -> None:
    first.pilot.qtbot.waitUntil(lambda: bench.opened == bench.ids[:2])
    first.key(Qt.Key.Key_J, CTRL)
    first.wait_for_open("Buy red shoes")
    first.pilot.qtbot.waitUntil(lambda: bench.opened == bench.ids)


def test_in_the_smallest_window_nothing_of_an_open_question_must_be_scrolled_to(reviewer: Reviewer) -> None:
    reviewer.pilot.window.resize(1100, 700)
    reviewer.open(0)
    reviewer.press("s")
    reasons = reviewer.pilot.named(QListView, f"Reason: {STEPS}")
    reviewer.pilot.qtbot.waitUntil(lambda: is_whole(reasons))
    reviewer.press("3")
    step, words = reviewer.pilot.named(QSpinBox, f"Step: {STEPS}"), reviewer.pilot.named(QLineEdit, f"Words: {STEPS}")
    reviewer.pilot.qtbot.waitUntil(lambda: is_whole(step) and is_whole(words))


def is_whole(widget: QWidget) -> bool:
    return widget.visibleRegion().boundingRect() == widget.rect()


def test_a_question_that_is_not_answered_is_asked_for(bench: BenchReviewing, first: Reviewer) -> None:
    first.look_at_all()
    first.press("qzr")
    assert first.says(f"Answer this first: {STEPS}")
    first.press("sv")
    assert first.says(f"Choose a reason: {STEPS}")
    assert bench.ballots == []


def test_a_failure_carries_its_reason_the_step_that_was_shown_and_words(bench: BenchReviewing, first: Reviewer) -> None:
    first.press(".qzs3t")
    field = first.pilot.named(QLineEdit, f"Words: {STEPS}")
    first.pilot.qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "wrong app")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not field.hasFocus()
    first.press("v")
    first.wait_for_text("Sent back to Ada's queue: Set an alarm")
    [(_, verdict_draft)] = bench.ballots
    failed = verdict_draft.judgements[1]
    assert (failed.answer, failed.reason, failed.step, failed.words) == (Rating.FAIL, "stray", 1, "wrong app")


def test_the_step_of_a_failure_can_be_another_or_none(bench: BenchReviewing, first: Reviewer) -> None:
    first.press("w")
    step = first.pilot.named(QSpinBox, f"Step: {SCREENSHOTS}")
    assert step.text() == "Step 1"
    first.press("..g")
    assert step.text() == "Step 3"
    step.setFocus()
    step.setValue(-1)
    assert step.text() == "No single step"
    QTest.keyClick(step, Qt.Key.Key_Return)
    assert not step.hasFocus()
    first.press("1azv")
    first.pilot.qtbot.waitUntil(lambda: len(bench.ballots) == 1)
    assert bench.ballots[0][1].judgements[0].step is None


def test_the_details_of_a_question_fold_when_another_one_is_answered(first: Reviewer) -> None:
    first.press("e2a")
    assert first.says("Unsure: it shows an earlier screen, step 1")
    first.press("1")
    assert first.says("Unsure: it shows an earlier screen, step 1")


def test_what_is_filled_in_waits_while_another_episode_is_looked_at(first: Reviewer) -> None:
    first.press("qs2")
    first.key(Qt.Key.Key_J, CTRL)
    first.wait_for_open("Buy red shoes")
    assert first.answers == ["", "", ""]
    first.key(Qt.Key.Key_L, CTRL)
    first.open(0)
    assert first.answers == ["Pass", "Fail", ""]


# Turns.


def test_who_recorded_an_episode_is_told_why_not_to_judge_it(bench: BenchReviewing, sit_down: SitDown) -> None:
    bench.record("My own", annotator="rosa ")
    reviewer = sit_down()
    assert reviewer.says("Nothing to review for you.")
    reviewer.pilot.press("Show all")
    reviewer.open(0)
    reviewer.wait_for_text("You recorded this episode. Somebody else must review it.")
    assert not reviewer.button("Accept").isEnabled()
    reviewer.press("q")
    assert reviewer.answers == ["", "", ""]


@pytest.fixture
def twice(bench: BenchReviewing) -> str:
    """An episode that two reviewers are to judge."""
    episode = bench.record("Buy milk")
    bench.ask_two(episode)
    return episode


def test_the_first_of_two_is_told_that_a_second_follows(twice: str, sit_down: SitDown) -> None:
    reviewer = sit_down()
    reviewer.open(0)
    reviewer.look_at_all()
    reviewer.press("qazr")
    reviewer.wait_for_text("Saved. A second review follows (in the sample): Buy milk")
    assert reviewer.says("Nothing to review for you.")


def test_a_second_review_is_blind(bench: BenchReviewing, twice: str, sit_down: SitDown) -> None:
    bench.judge(twice, "Omar", Decision.ACCEPT)
    reviewer = sit_down()
    reviewer.open(0)
    reviewer.wait_for_text("Second review. The first review is hidden.")
    assert not reviewer.says("Omar")


def test_a_third_review_sees_both_verdicts(bench: BenchReviewing, twice: str, sit_down: SitDown) -> None:
    bench.judge(twice, "Omar", Decision.ACCEPT)
    bench.judge(twice, "Lin", Decision.SEND_BACK, fails(Criterion.SEQUENCE, "unfinished", 2))
    reviewer = sit_down()
    reviewer.open(0)
    reviewer.wait_for_text("Third review. The first two disagree on the steps.")
    assert reviewer.says("Omar: accept, three passes")
    assert reviewer.says("The steps: fail: The instruction is not completed, step 3")


# Failures.


@pytest.mark.parametrize("kind", [ReviewError, DatasetError])
def test_a_refused_verdict_stays_filled_in(bench: BenchReviewing, first: Reviewer, kind: type[OdysseyError]) -> None:
    first.look_at_all()
    bench.failure = kind("No space is left on the disk.")
    first.press("qazr")
    first.wait_for_text("The verdict was not saved. Your answers are still here.")
    assert first.says("No space is left on the disk.")
    assert first.answers == ["Pass", "Pass", "Pass"]
    first.pilot.qtbot.waitUntil(first.button("Accept").isEnabled)
    first.press("r")
    first.wait_for_text("Accepted: Set an alarm")


def test_a_changed_episode_is_shown_anew_and_the_answers_stay(bench: BenchReviewing, first: Reviewer) -> None:
    first.look_at_all()
    bench.rewrite(bench.ids[0], "Set two alarms")
    first.press("qazr")
    first.wait_for_text("The episode has changed since you opened it.")
    first.pilot.qtbot.waitUntil(lambda: bench.opened.count(bench.ids[0]) == 2)
    first.pilot.qtbot.waitUntil(first.button("Accept").isEnabled)
    first.press("r")
    first.wait_for_text("Accepted: Set two alarms")


def test_an_episode_that_cannot_be_opened_is_told_over_the_list(bench: BenchReviewing, reviewer: Reviewer) -> None:
    (bench.root / "annotations" / f"{bench.ids[0]}.json").write_text("{}")
    reviewer.click(0)
    reviewer.wait_for_text(f"Episode {bench.ids[0]} cannot be opened.")
    assert reviewer.list.isVisible()


def test_that_the_open_episode_was_taken_away_is_told(bench: BenchReviewing, first: Reviewer) -> None:
    bench.remove(bench.ids[0])
    first.wait_for_text("The open episode is no longer in the dataset.")
    assert first.listed == ["Buy red shoes", "Buy blue shoes"]
    assert first.list.isVisible()


def test_a_rejected_episode_may_be_gone_before_that_is_confirmed(bench: BenchReviewing, first: Reviewer) -> None:
    bench.is_slow_to_answer = True
    first.press("w5az")
    first.key(Qt.Key.Key_D, CTRL)
    first.wait_for_open("Buy red shoes")
    first.wait_for_text("Rejected and moved to the trash: Set an alarm")
    assert not first.says("The open episode is no longer in the dataset.")
    assert first.ids == bench.ids


def test_a_verdict_of_another_on_the_open_episode_is_shown_at_once(bench: BenchReviewing, first: Reviewer) -> None:
    first.press("q")
    bench.judge(bench.ids[0], "Omar", Decision.ACCEPT)
    bench.tell_again(bench.ids[0])
    first.wait_for_text("This episode is accepted. There is nothing left to review.")
    assert first.answers == ["Pass", "", ""]


def test_news_of_others_leave_the_open_episode_alone(bench: BenchReviewing, reviewer: Reviewer) -> None:
    reviewer.open(1)
    reviewer.press(".q")
    bench.tell(ReviewNews(gone=frozenset({bench.ids[0]})))
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 2)
    assert reviewer.viewer.current_step == 1
    assert reviewer.answers == ["Pass", "", ""]


# Time and figures.


class PageAlone(WidgetPilot):
    """The page without the main window, its clock and its figures given."""

    def __init__(self, qtbot: QtBot, background: Background, bench: BenchReviewing) -> None:
        super().__init__(qtbot, background)
        self.now_s = 0.0
        self.page = ReviewPage(bench, background, self.commands, clock=lambda: self.now_s)
        self.figures: list[QLabel] = []
        self.show_widget(self.page)
        self.page.enter()

    def use(self, window: QWidget) -> None:
        window.show()
        window.activateWindow()
        self.qtbot.waitUntil(window.isActiveWindow)

    def wait_for_verdict_panel(self) -> None:
        panel = self.find(VerdictPanel)
        self.qtbot.waitUntil(lambda: panel.isVisible() and panel.isEnabled())

    def ask(self, *commands: Command) -> None:
        for command in commands:
            self.commands[command].trigger()

    def make_figures(self) -> QLabel:
        self.figures.append(QLabel("Agreement: 0.8"))
        return self.figures[-1]


@pytest.fixture
def alone(bench: BenchReviewing, three: list[str], qtbot: QtBot, background: Background) -> Iterator[PageAlone]:
    alone = PageAlone(qtbot, background, bench)
    qtbot.waitUntil(lambda: alone.commands[Command.NEXT_REVIEW].isEnabled())
    yield alone
    alone.page.close_down()


@pytest.mark.parametrize("instead", ["another window", "the figures"])
def test_the_time_rests_meanwhile(bench: BenchReviewing, alone: PageAlone, qtbot: QtBot, instead: str) -> None:
    other = QWidget()
    qtbot.addWidget(other)
    alone.page.offer_figures(alone.make_figures)
    alone.page.enter()
    alone.ask(Command.NEXT_REVIEW)
    alone.wait_for_verdict_panel()
    alone.now_s = 5.0
    alone.use(other) if instead == "another window" else alone.ask(Command.REVIEW_FIGURES)
    alone.now_s = 1000.0
    alone.use(alone.window) if instead == "another window" else alone.ask(Command.REVIEW_FIGURES)
    alone.now_s = 1002.0
    alone.ask(Command.NEXT_STEP, Command.NEXT_STEP)
    alone.ask(Command.PASS_SCREENSHOTS, Command.PASS_SEQUENCE, Command.PASS_INSTRUCTION, Command.ACCEPT_EPISODE)
    qtbot.waitUntil(lambda: len(bench.ballots) == 1)
    assert bench.ballots[0][1].seconds == 7.0


def test_a_verdict_faster_than_the_screens_can_be_read_is_asked_about_once(
    bench: BenchReviewing, alone: PageAlone, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "FASTEST_SCREEN_S", 0.5)
    alone.ask(Command.NEXT_REVIEW)
    alone.wait_for_verdict_panel()
    alone.ask(Command.NEXT_STEP, Command.NEXT_STEP)
    alone.now_s = 1.2
    alone.ask(Command.REVIEW_LIST)
    alone.now_s = 500.0
    alone.ask(Command.REVIEW_LIST)
    alone.ask(Command.PASS_SCREENSHOTS, Command.PASS_SEQUENCE, Command.PASS_INSTRUCTION, Command.ACCEPT_EPISODE)
    assert alone.says("You judged 3 screens in 2 s. Save anyway?"), "the time in the list does not count"
    assert bench.ballots == []
    alone.ask(Command.DISMISS_REVIEW, Command.ACCEPT_EPISODE)
    qtbot.waitUntil(lambda: len(bench.ballots) == 1)
    assert bench.ballots[0][1].seconds == pytest.approx(1.2)


def test_figures_are_made_once_in_a_turn_of_their_own_and_stand_behind_a_switch(alone: PageAlone) -> None:
    switch = next(one for one in alone.page.findChildren(QAbstractButton) if one.accessibleName() == "Show figures")
    assert not switch.isVisible()
    alone.page.offer_figures(alone.make_figures)
    assert alone.figures == []
    assert len(list(alone.page.fill())) == 1
    alone.page.enter()
    [figures] = alone.figures
    assert switch.isVisible()
    for shown in (True, False, True):
        alone.ask(Command.REVIEW_FIGURES)
        assert figures.isVisible() is shown
        assert switch.text() == ("Show episodes" if shown else "Show figures")
    alone.ask(Command.NEXT_REVIEW)
    alone.wait_for_verdict_panel()
    assert not figures.isVisible()
