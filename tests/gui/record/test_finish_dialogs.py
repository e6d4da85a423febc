import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.record.finishing import CompleteDialog


@pytest.mark.parametrize(
    ("practice", "then"), [(False, "The episode is published at once."), (True, "Your attempt is judged at once.")]
)
def test_the_question_says_what_becomes_of_the_episode(qtbot: QtBot, practice: bool, then: str) -> None:
    dialog = CompleteDialog(practice=practice)
    qtbot.addWidget(dialog)
    assert [label.text() for label in dialog.findChildren(QLabel)] == [f"Is the task done? {then}"]


def test_a_question_is_as_high_as_its_words(qtbot: QtBot) -> None:
    dialog = CompleteDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    (question,) = dialog.findChildren(QLabel)
    assert question.height() == question.heightForWidth(question.width())
