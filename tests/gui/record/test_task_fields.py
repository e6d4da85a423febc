"""Entering a task by hand."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.kit.app_chips import AppChips
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


@pytest.fixture
def chips(fields: TaskFields) -> AppChips:
    return child_of(fields, AppChips)


def test_comma_or_return_adds_each_app_once(chips: AppChips) -> None:
    QTest.keyClicks(child_of(chips, QLineEdit), "Settings, Google Clock,Settings, ,,")
    QTest.keyClicks(child_of(chips, QLineEdit), "Notes")
    QTest.keyClick(child_of(chips, QLineEdit), Qt.Key.Key_Return)
    assert chips.apps == ("Settings", "Google Clock", "Notes")
    assert child_of(chips, QLineEdit).text() == ""


def test_app_name_counts_while_it_is_typed(chips: AppChips, qtbot: QtBot) -> None:
    with qtbot.waitSignal(chips.apps_changed):
        QTest.keyClicks(child_of(chips, QLineEdit), "Notes, Clock")
    assert chips.apps == ("Notes", "Clock")
    assert [button.accessibleName() for button in chips.findChildren(QToolButton)] == ["Remove Notes"]


def test_cross_and_backspace_remove_apps(chips: AppChips) -> None:
    chips.set_apps(("Settings", "Clock", "Notes"))
    crosses = {button.accessibleName(): button for button in chips.findChildren(QToolButton)}
    crosses["Remove Clock"].click()
    assert list(chips.apps) == ["Settings", "Notes"]
    QTest.keyClick(child_of(chips, QLineEdit), Qt.Key.Key_Backspace)
    assert list(chips.apps) == ["Settings"]


def enter(fields: TaskFields, task: TaskInfo) -> None:
    texts = {"Template": task.meta_task, "Filled template": task.task}
    for field in fields.findChildren(QLineEdit):
        field.setText(texts.get(field.accessibleName(), ""))
    child_of(fields, Choice).choose(task.category)
    child_of(fields, QPlainTextEdit).setPlainText(task.instruction)
    child_of(fields, AppChips).set_apps(task.apps)


def test_fields_give_the_entered_task(fields: TaskFields) -> None:
    enter(fields, TASK)
    assert fields.task == TASK


def test_empty_templates_become_the_instruction(fields: TaskFields) -> None:
    enter(fields, TaskInfo("General_Tool", ("Clock",), "", "", "Set an\n alarm "))
    assert fields.task == TaskInfo("General_Tool", ("Clock",), "Set an alarm", "Set an alarm", "Set an alarm")
