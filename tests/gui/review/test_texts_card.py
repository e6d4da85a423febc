"""The texts of an episode as shown to a reviewer."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QLabel, QTextEdit
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.review.texts_card import TextsCard
from odyssey_recorder.model.action import Click, Complete, Impossible
from odyssey_recorder.model.assignment import TaskOrigin
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.model.text_origin import Equivalence, ModelCall, TextOrigin, Writer
from tests.episodes import episode
from tests.gui.review.opened_reviews import open_review, opened_review, provenance_of, step_record

TASK = TaskInfo(
    "Web_Shopping", ("Chrome", "Shop"), "Buy {} in a shop.", "Buy red shoes in a shop.", "Use Chrome to buy red shoes."
)


@pytest.fixture
def card(qtbot: QtBot) -> Iterator[TextsCard]:
    made = TextsCard()
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    yield made
    made.close()


def text_edit(card: TextsCard) -> QTextEdit:
    found = card.findChild(QTextEdit)
    assert found is not None
    return found


def format_of(card: TextsCard, text: str) -> QTextCharFormat:
    document = text_edit(card).document()
    at = document.toPlainText().rindex(text)
    cursor = text_edit(card).textCursor()
    cursor.setPosition(at + 1)
    return cursor.charFormat()


def says(card: TextsCard, text: str) -> bool:
    return any(text in label.text() for label in card.findChildren(QLabel) if not label.isHidden())


def test_texts_are_shown_with_their_differences(card: TextsCard, tmp_path: Path) -> None:
    card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(), task=TASK))
    lines = text_edit(card).toPlainText().splitlines()
    assert [line.split(None, 1)[0] for line in lines] == ["Template", "Task", "Instruction"]
    assert lines[2].endswith("Use Chrome to buy red shoes.")
    assert format_of(card, "in a shop").fontStrikeOut()
    assert format_of(card, "Use Chrome to").fontUnderline()
    plain = format_of(card, "buy red shoes")
    assert not plain.fontStrikeOut()
    assert not plain.fontUnderline()
    assert format_of(card, "{}").fontWeight() > plain.fontWeight()
    assert card.difference == (
        "Filled in: red shoes. Removed by the rewrite: in a shop. Added by the rewrite: Use Chrome to."
    )
    same = replace(TASK, instruction=TASK.task)
    card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(), task=same))
    assert card.difference == "The instruction equals the task."


def test_end_and_notes_are_shown_with_the_texts(card: TextsCard, tmp_path: Path) -> None:
    provenance = provenance_of(step_record(note="slow page"), step_record())
    card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete("rain"), provenance=provenance))
    assert says(card, "Completed: rain")
    assert says(card, "Note at step 1: slow page")
    assert says(card, "recorded by Ada")
    card.show_review(open_review(tmp_path, Click(Point(1, 1)), Impossible("login required")))
    assert says(card, "Impossible: login required")
    assert not says(card, "slow page")
    assert says(card, "annotator unknown")


def test_markup_is_shown_literally(card: TextsCard, tmp_path: Path) -> None:
    hostile = "<h1>x</h1><img src='file:///etc/passwd'> &amp; <a href='http://x'>y</a>"
    task = replace(TASK, apps=(hostile,), meta_task=hostile, task=hostile, instruction=hostile)
    card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(hostile), task=task))
    assert text_edit(card).toPlainText().count(hostile) == 3
    assert {label.textFormat() for label in card.findChildren(QLabel) if label.text()} == {Qt.TextFormat.PlainText}


def test_endless_word_does_not_widen_the_card(card: TextsCard) -> None:
    made = episode(Click(Point(1, 1)), Complete("w" * 3000))
    task = replace(made.task, instruction="w" * 3000, task="x" * 3000)
    card.show_review(opened_review(Path("shots"), replace(made, task=task)))
    assert card.minimumSizeHint().width() < 400
    assert text_edit(card).document().size().width() <= text_edit(card).viewport().width()


def test_height_follows_the_text(card: TextsCard, tmp_path: Path) -> None:
    card.show_review(open_review(tmp_path, Click(Point(1, 1)), Complete(), task=TASK))
    low = text_edit(card).height()
    card.resize(200, 300)
    assert text_edit(card).height() > low
    assert text_edit(card).verticalScrollBar().maximum() == 0


def test_author_of_the_instruction_and_judge_are_shown(card: TextsCard, tmp_path: Path) -> None:
    call = ModelCall(
        "rewrite/1", "luna", "luna-0815", "https://models.example", datetime(2026, 11, 20, tzinfo=UTC), 9, 9
    )
    verdict = Equivalence(
        ("Leaves out “red”.",), missing=("The shoes are red.",), judge=replace(call, prompt="judge/1")
    )
    provenance = provenance_of(step_record(), step_record())
    making = TaskOrigin("red_shoes", text=TextOrigin(Writer.MODEL, call=call, equivalence=verdict, approved_by="Lea"))
    provenance = provenance.model_copy(update={"origin": provenance.origin.model_copy(update={"making": making})})
    made = replace(episode(Click(Point(1, 1)), Complete()), task=TASK)
    card.show_review(opened_review(tmp_path, made, provenance=provenance))
    for text in ("luna-0815", "Leaves out “red”.", "Missing: The shoes are red.", "Lea"):
        assert says(card, text)
    card.show_review(opened_review(tmp_path, made, provenance=provenance_of(step_record(), step_record())))
    assert not says(card, "luna-0815")
