"""The texts of an episode as shown to a reviewer."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QLabel, QTextEdit
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.marked_text import MarkedText
from odyssey_recorder.gui.review.texts_card import TextsCard
from odyssey_recorder.model.action import Click, Complete, Impossible
from odyssey_recorder.model.assignment import TaskOrigin
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.model.text_origin import Equivalence, ModelCall, TextOrigin, Writer
from tests.episodes import episode
from tests.gui.pilot import WidgetPilot
from tests.gui.review.opened_reviews import open_review, opened_review, provenance_of, step_record

TASK = TaskInfo(
    "Web_Shopping", ("Chrome", "Shop"), "Buy {} in a shop.", "Buy red shoes in a shop.", "Use Chrome to buy red shoes."
)


class CardDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        self.card = TextsCard()
        self.text = self.card.findChildren(QTextEdit)[0]
        self.show_widget(self.card, 600, 300)

    def format_of(self, text: str) -> QTextCharFormat:
        cursor = self.text.textCursor()
        cursor.setPosition(self.text.toPlainText().rindex(text) + 1)
        return cursor.charFormat()


@pytest.fixture
def driver(qtbot: QtBot, background: Background) -> CardDriver:
    return CardDriver(qtbot, background)


def test_texts_are_shown_with_their_differences(driver: CardDriver, tmp_path: Path) -> None:
    driver.card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(), task=TASK))
    lines = driver.text.toPlainText().splitlines()
    assert [line.split(None, 1)[0] for line in lines] == ["Template", "Task", "Instruction"]
    assert lines[2].endswith("Use Chrome to buy red shoes.")
    assert driver.format_of("in a shop").fontStrikeOut()
    assert driver.format_of("Use Chrome to").fontUnderline()
    plain = driver.format_of("buy red shoes")
    assert not plain.fontStrikeOut()
    assert not plain.fontUnderline()
    assert driver.format_of("{}").fontWeight() > plain.fontWeight()
    assert driver.find(MarkedText).accessibleDescription() == (
        "Filled in: red shoes. Removed by the rewrite: in a shop. Added by the rewrite: Use Chrome to."
    )
    same = replace(TASK, instruction=TASK.task)
    driver.card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(), task=same))
    assert driver.find(MarkedText).accessibleDescription() == "The instruction is the same as the task."


def test_end_and_notes_are_shown_with_the_texts(driver: CardDriver, tmp_path: Path) -> None:
    provenance = provenance_of(step_record(note="slow page"), step_record())
    driver.card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete("rain"), provenance=provenance))
    assert driver.says("Completed: rain")
    assert driver.says("Note at step 1: slow page")
    assert driver.says("recorded by Ada")
    driver.card.show_review(open_review(tmp_path, Click(Point(1, 1)), Impossible("login required")))
    assert driver.says("Impossible: login required")
    assert not driver.says("slow page")
    assert driver.says("annotator unknown")


def test_markup_is_shown_literally(driver: CardDriver, tmp_path: Path) -> None:
    hostile = "<h1>x</h1><img src='file:///etc/passwd'> &amp; <a href='http://x'>y</a>"
    task = replace(TASK, apps=(hostile,), meta_task=hostile, task=hostile, instruction=hostile)
    driver.card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(hostile), task=task))
    assert driver.text.toPlainText().count(hostile) == 3
    assert {label.textFormat() for label in driver.card.findChildren(QLabel) if label.text()} == {
        Qt.TextFormat.PlainText
    }


def test_endless_word_does_not_widen_the_card(driver: CardDriver) -> None:
    recorded = episode(Click(Point(1, 1)), Complete("w" * 3000))
    task = replace(recorded.task, instruction="w" * 3000, task="x" * 3000)
    driver.card.show_review(opened_review(Path("shots"), replace(recorded, task=task)))
    assert driver.card.minimumSizeHint().width() < 400
    assert driver.text.document().size().width() <= driver.text.viewport().width()


def test_height_follows_the_text(driver: CardDriver, tmp_path: Path) -> None:
    driver.card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(), task=TASK))
    low = driver.text.height()
    driver.window.resize(200, 300)
    assert driver.text.height() > low
    assert driver.text.verticalScrollBar().maximum() == 0


def test_author_of_the_instruction_and_judge_are_shown(driver: CardDriver, tmp_path: Path) -> None:
    call = ModelCall(
        "rewrite/1", "luna", "luna-0815", "https://models.example", datetime(2026, 11, 20, tzinfo=UTC), 9, 9
    )
    verdict = Equivalence(
        ("Leaves out “red”.",), missing=("The shoes are red.",), judge=replace(call, prompt="judge/1")
    )
    provenance = provenance_of(step_record(), step_record())
    making = TaskOrigin("red_shoes", text=TextOrigin(Writer.MODEL, call=call, equivalence=verdict, approved_by="Lea"))
    provenance = provenance.model_copy(update={"origin": provenance.origin.model_copy(update={"making": making})})
    recorded = replace(episode(Click(Point(1, 1)), Complete()), task=TASK)
    driver.card.show_review(opened_review(tmp_path, recorded, provenance=provenance))
    for text in ("luna-0815", "Leaves out “red”.", "Missing: The shoes are red.", "Lea"):
        assert driver.says(text)
    driver.card.show_review(opened_review(tmp_path, recorded, provenance=provenance_of(step_record(), step_record())))
    assert not driver.says("luna-0815")
