"""The findings card, and stepping through its findings."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QListView, QMainWindow, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.commands import Commands
from odyssey_recorder.gui.review.findings_card import FindingsCard
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from tests.episodes import ID


def finding(check: str, severity: Severity, step: int | None) -> Finding:
    return Finding(check, severity, Criterion.PICTURES, ID, step, f"{check} found <b>this</b>.", "Look at it.")


REPORT = EpisodeReport(
    ID,
    (
        finding("EPI03", Severity.NOTE, None),
        finding("IMG07", Severity.WARNING, 2),
        finding("IMG01", Severity.ERROR, 5),
    ),
    (NotChecked("ACT07", "there is no view tree", (1, 2)), NotChecked("INS03", "no language model is set up")),
)


class Reader:
    def __init__(self, qtbot: QtBot) -> None:
        self.window = QMainWindow()
        self.card = FindingsCard(Commands(self.window), ("ACT07", "EPI03", "IMG01", "IMG02", "IMG07", "INS03"))
        self.window.setCentralWidget(self.card)
        self.window.resize(300, 500)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.asked: list[int] = []
        self.card.step_asked.connect(self.asked.append)
        found = self.card.findChild(QListView)
        assert found is not None
        self.list = found

    def says(self, words: str) -> bool:
        return any(words in label.text() for label in self.card.findChildren(QLabel) if not label.isHidden())

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.window, key)


@pytest.fixture
def reader(qtbot: QtBot) -> Iterator[Reader]:
    made = Reader(qtbot)
    yield made
    made.window.close()
    made.window.deleteLater()


def test_findings_stand_in_the_order_of_the_report(reader: Reader) -> None:
    reader.card.show_report(REPORT)
    model = reader.list.model()
    spoken = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]
    assert spoken == [
        "note EPI03, the whole episode: EPI03 found <b>this</b>. Look at it.",
        "warning IMG07, step 2: IMG07 found <b>this</b>. Look at it.",
        "error IMG01, step 5: IMG01 found <b>this</b>. Look at it.",
    ]
    assert reader.card.summary == "1 error, 1 warning, 1 note"


def test_keys_go_from_finding_to_finding_and_to_their_steps(reader: Reader) -> None:
    reader.card.show_report(REPORT)
    for key in (Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_P):
        reader.press(key)
    assert reader.asked == [2, 5, 2]
    reader.press(Qt.Key.Key_P)
    assert reader.list.currentIndex().row() == 0


def test_at_the_last_finding_the_key_leads_to_its_step_again(reader: Reader) -> None:
    reader.card.show_report(REPORT)
    reader.press(Qt.Key.Key_P)
    reader.press(Qt.Key.Key_N)
    assert reader.asked == [5, 5]


def test_a_click_on_a_finding_leads_to_its_step_each_time(reader: Reader) -> None:
    reader.card.show_report(REPORT)
    place = reader.list.visualRect(reader.list.model().index(1, 0)).center()
    for _ in range(2):
        reader.asked.clear()
        QTest.mouseClick(reader.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert set(reader.asked) == {2}


def test_what_was_not_checked_is_folded_away_and_can_be_read(reader: Reader) -> None:
    reader.card.show_report(REPORT)
    fold = reader.card.findChild(QToolButton)
    assert fold is not None
    assert fold.text() == "1 passed, 2 not checked or not everywhere"
    assert not reader.says("view tree")
    fold.click()
    assert reader.says("ACT07 (steps 1, 2): there is no view tree")
    assert reader.says("INS03: no language model is set up")


def test_no_findings_are_told_with_what_was_passed_and_what_not_looked_at(reader: Reader) -> None:
    reader.card.show_report(EpisodeReport(ID, (), REPORT.not_checked))
    assert reader.card.summary == "No findings: 4 checks passed, 2 not checked"
    reader.press(Qt.Key.Key_N)
    assert reader.asked == []


def test_an_episode_without_anything_unchecked_says_nothing_of_it(reader: Reader) -> None:
    reader.card.show_report(EpisodeReport(ID))
    assert reader.card.summary == "No findings: 6 checks passed"
    fold = reader.card.findChild(QToolButton)
    assert fold is not None
    assert fold.isHidden()


def test_long_words_are_shown_whole_in_a_narrow_card(reader: Reader) -> None:
    words = "What was found is told at length, with its figures and names. " * 4
    reader.card.show_report(EpisodeReport(ID, (Finding("IMG05", Severity.WARNING, None, ID, 1, words, words),)))
    narrow = reader.list.sizeHintForRow(0)
    reader.window.resize(700, 500)
    assert reader.list.sizeHintForRow(0) < narrow
