"""Entering a task by hand."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.kit.app_chips import AppChips, AppsField
from odyssey_recorder.gui.kit.parts import Choice
from odyssey_recorder.gui.record.task_fields import TaskFields
from odyssey_recorder.model.episode import TaskInfo
from tests.gui.fakes import TASK
from tests.gui.record.screens import child_of


@pytest.fixture
def fields(qtbot: QtBot) -> TaskFields:
    made = TaskFields()
    qtbot.addWidget(made)
    made.show()
    return made


def test_each_app_counts_once_and_while_it_is_typed(fields: TaskFields, qtbot: QtBot) -> None:
    field = child_of(fields, AppsField)
    with qtbot.waitSignal(fields.task_changed):
        QTest.keyClicks(field, "Settings, Google  Clock,Settings, ,,Notes")
    assert fields.task.apps == ("Settings", "Google Clock", "Notes")


def test_each_app_to_read_is_there_once(qtbot: QtBot) -> None:
    chips = AppChips()
    qtbot.addWidget(chips)
    chips.set_apps(("<img src=x>", "Google Maps", "Google Maps"))
    assert chips.toPlainText().split() == ["<img", "src=x>", "Google", "Maps"]


def enter(fields: TaskFields, task: TaskInfo) -> None:
    texts = {"Template": task.meta_task, "Filled template": task.task}
    for field in fields.findChildren(QLineEdit):
        field.setText(texts.get(field.accessibleName(), ""))
    child_of(fields, Choice).choose(task.category)
    child_of(fields, QPlainTextEdit).setPlainText(task.instruction)
    child_of(fields, AppsField).set_apps(task.apps)


def test_fields_give_the_entered_task(fields: TaskFields) -> None:
    enter(fields, TASK)
    assert fields.task == TASK


def test_empty_templates_become_the_instruction(fields: TaskFields) -> None:
    enter(fields, TaskInfo("General_Tool", ("Clock",), "", "", "Set an\n alarm "))
    assert fields.task == TaskInfo("General_Tool", ("Clock",), "Set an alarm", "Set an alarm", "Set an alarm")
