"""The findings card, and stepping through its findings."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.review.findings_card import FindingsCard
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from tests.episodes import ID
from tests.gui.pilot import WidgetPilot


def finding(check: str, severity: Severity, step: int | None) -> Finding:
    return Finding(check, severity, Criterion.SCREENSHOTS, ID, step, f"{check} found <b>this</b>.", "Look at it.")


REPORT = EpisodeReport(
    ID,
    (
        finding("EPI03", Severity.NOTE, None),
        finding("IMG07", Severity.WARNING, 2),
        finding("IMG01", Severity.ERROR, 5),
    ),
    (NotChecked("ACT07", "there is no view hierarchy", (1, 2)), NotChecked("INS03", "no language model is set up")),
)


class CardPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        self.card = FindingsCard(self.commands, ("ACT07", "EPI03", "IMG01", "IMG02", "IMG07", "INS03"))
        self.show_widget(self.card, 300, 500)
        self.asked: list[int] = []
        self.card.step_asked.connect(self.asked.append)
        self.list = self.find(QListView)

    def keys(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self.window, key)


@pytest.fixture
def pilot(qtbot: QtBot, background: Background) -> CardPilot:
    return CardPilot(qtbot, background)


def test_findings_stand_in_the_order_of_the_report(pilot: CardPilot) -> None:
    pilot.card.show_report(REPORT)
    assert pilot.rows_of(pilot.list.accessibleName()) == [
        "note EPI03, the whole episode: EPI03 found <b>this</b>. Look at it.",
        "warning IMG07, step 3: IMG07 found <b>this</b>. Look at it.",
        "error IMG01, step 6: IMG01 found <b>this</b>. Look at it.",
    ]
    assert pilot.card.summary == "1 error, 1 warning, 1 note"


def test_keys_and_clicks_go_from_finding_to_finding_and_to_their_steps(pilot: CardPilot) -> None:
    pilot.card.show_report(REPORT)
    pilot.keys(Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_P)
    assert pilot.asked == [2, 5, 2]
    pilot.keys(Qt.Key.Key_P)
    assert pilot.list.currentIndex().row() == 0
    pilot.keys(Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_N)
    assert pilot.asked == [2, 5, 2, 2, 5, 5], "at the last one to its step again"
    place = pilot.list.visualRect(pilot.list.model().index(1, 0)).center()
    for _ in range(2):
        pilot.asked.clear()
        QTest.mouseClick(pilot.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert set(pilot.asked) == {2}


def test_what_was_not_checked_is_folded_away_and_can_be_read(pilot: CardPilot) -> None:
    pilot.card.show_report(REPORT)
    fold = pilot.find(QToolButton)
    assert fold.text() == "1 passed, 2 not or only partly checked"
    assert not pilot.says("view hierarchy")
    fold.click()
    assert pilot.says("ACT07 (steps 2, 3): there is no view hierarchy")
    assert pilot.says("INS03: no language model is set up")


def test_no_findings_are_told_with_what_was_passed_and_what_not_looked_at(pilot: CardPilot) -> None:
    fold = pilot.find(QToolButton)
    pilot.card.show_report(EpisodeReport(ID, (), REPORT.not_checked))
    assert pilot.card.summary == "No findings: 4 checks passed, 2 not checked"
    pilot.keys(Qt.Key.Key_N)
    assert pilot.asked == []
    pilot.card.show_report(EpisodeReport(ID))
    assert pilot.card.summary == "No findings: 6 checks passed"
    assert fold.isHidden()


def test_long_words_are_shown_whole_in_a_narrow_card(pilot: CardPilot) -> None:
    words = "What was found is told at length, with its figures and names. " * 4
    pilot.card.show_report(EpisodeReport(ID, (Finding("IMG05", Severity.WARNING, None, ID, 1, words, words),)))
    narrow = pilot.list.sizeHintForRow(0)
    pilot.window.resize(700, 500)
    assert pilot.list.sizeHintForRow(0) < narrow
