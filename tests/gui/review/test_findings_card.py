"""The findings card, and stepping through its findings."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.review.findings_card import FindingsCard
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.services.review import ReviewService
from tests.episodes import ID
from tests.gui.item_views import click_row
from tests.gui.pilot import WidgetPilot
from tests.gui.review.reviewer import OpenReviews
from tests.review.review_dataset import FakeChecks, ReviewDataset


def finding(check: str, severity: Severity, step: int | None) -> Finding:
    return Finding(check, severity, Criterion.SCREENSHOTS, ID, step, f"{check} found <b>this</b>.", "Look at it.")


REPORT = EpisodeReport(
    ID,
    (finding("EPI03", Severity.NOTE, None), finding("IMG07", Severity.WARNING, 2), finding("IMG01", Severity.ERROR, 5)),
    (NotChecked("ACT07", "there is no view hierarchy", (1, 2)), NotChecked("INS03", "no language model is set up")),
)


class CardDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        self.card = FindingsCard(self.commands, ("ACT07", "EPI03", "IMG01", "IMG02", "IMG07", "INS03"))
        self.show_widget(self.card, 300, 500)
        self.steps: list[int] = []
        self.card.step_requested.connect(self.steps.append)
        self.list = self.find(QListView)

    def press_keys(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self.window, key)


@pytest.fixture
def driver(qtbot: QtBot, background: Background) -> CardDriver:
    return CardDriver(qtbot, background)


def test_report_lists_findings_and_collapsed_checks_not_run(driver: CardDriver) -> None:
    driver.card.show_report(REPORT)
    assert driver.rows_of(driver.list.accessibleName()) == [
        "error IMG01, step 6: IMG01 found <b>this</b>. Look at it.",
        "warning IMG07, step 3: IMG07 found <b>this</b>. Look at it.",
        "note EPI03, the whole episode: EPI03 found <b>this</b>. Look at it.",
    ]
    assert driver.says("1 error, 1 warning, 1 note")
    toggle = driver.find(QToolButton)
    assert toggle.text() == "1 check passed · 2 incomplete"
    assert not driver.says("view hierarchy")
    toggle.click()
    assert driver.says("ACT07 (steps 2 to 3): there is no view hierarchy")
    assert driver.says("INS03: no language model is set up")


def test_keys_and_clicks_move_between_findings(driver: CardDriver) -> None:
    driver.card.show_report(REPORT)
    driver.press_keys(Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_P)
    assert driver.steps == [5, 2, 2], "first to the error; the note is about no step"
    driver.press_keys(Qt.Key.Key_P)
    assert driver.list.currentIndex().row() == 0
    driver.press_keys(Qt.Key.Key_P)
    assert driver.steps == [5, 2, 2, 5, 5], "the first finding shows its step again"
    for _ in range(2):
        driver.steps.clear()
        click_row(driver.list, 1)
        assert set(driver.steps) == {2}


LONG = "The click at (512, 1204) hits no element of the screen; the nearest one is 84 px away."
ADVICE = "If the click did nothing, drop the step. Otherwise send the episode back to its annotator."


@pytest.mark.usefixtures("program_style")
@pytest.mark.parametrize("chosen", range(6))
def test_five_findings_and_the_advice_of_the_chosen_one_need_no_scrolling(
    open_reviews: OpenReviews, tmp_path: Path, chosen: int
) -> None:
    dataset = ReviewDataset(tmp_path / "dataset", FakeChecks())
    one = dataset.record()
    severities = (Severity.NOTE, Severity.WARNING, Severity.ERROR, Severity.WARNING, Severity.NOTE)
    findings = (Finding(f"ACT0{n}", severity, None, one, n, LONG, ADVICE) for n, severity in enumerate(severities))
    report = EpisodeReport(one, tuple(findings))
    checker = Checker(None, 1, judge=lambda _evidence: report)
    reviewer = open_reviews(ReviewService(EpisodeIndex(dataset.root, None), checker, lambda: "Bea"))
    reviewer.pilot.window.resize(1366, 768)
    reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 1)
    reviewer.open(0)
    reviewer.key(Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    reviewer.press("n" * chosen)
    view = reviewer.pilot.named(QListView, "Findings")
    last = view.model().index(4, 0)
    seen = view.viewport().visibleRegion
    reviewer.pilot.qtbot.waitUntil(lambda: seen().boundingRect().contains(view.visualRect(last)))
    assert view.verticalScrollBar().maximum() == 0
    assert view.currentIndex().row() == chosen - 1


def test_summary_without_findings_counts_checks(driver: CardDriver) -> None:
    toggle = driver.find(QToolButton)
    driver.card.show_report(EpisodeReport(ID, (), REPORT.not_checked))
    assert driver.says("No findings: 4 checks passed, 2 not checked")
    driver.press_keys(Qt.Key.Key_N)
    assert driver.steps == []
    driver.card.show_report(EpisodeReport(ID))
    assert driver.says("No findings: 6 checks passed")
    assert toggle.isHidden()


def test_long_finding_wraps_in_a_narrow_card(driver: CardDriver) -> None:
    text = "A long finding, with its figures and names. " * 6
    driver.card.show_report(EpisodeReport(ID, (Finding("IMG05", Severity.WARNING, None, ID, 1, text, text),)))
    narrow = driver.list.sizeHintForRow(0)
    driver.window.resize(700, 500)
    assert driver.list.sizeHintForRow(0) < narrow
