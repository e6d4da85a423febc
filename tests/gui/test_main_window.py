"""The main window: its pages, navigation, active shortcuts, and what closing waits for."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QStackedWidget, QToolButton

from odyssey_recorder.gui.dataset.dataset_page import DatasetPage
from odyssey_recorder.gui.record.record_page import RecordPage
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.selection.index import EpisodeIndex
from tests.gui.fakes import TASK, FakePractice
from tests.gui.pilot import OpenAt, Pilot
from tests.gui.test_background import Patient

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(dataset=lambda: EpisodeIndex(tmp_path / "dataset", None))


@pytest.fixture
def opened(open_at: OpenAt, workplace: Workplace) -> Pilot:
    return open_at(workplace).watching()


def test_the_rail_leads_to_what_there_is_and_to_nothing_else(opened: Pilot, pilot: Pilot) -> None:
    assert opened.rail[:2] == ["Record", "Dataset"]
    assert not {"Dataset", "Devices", "Tasks", "Practice"} & set(pilot.rail)
    assert not pilot.named(QToolButton, "Doctor").isVisible()
    stack = opened.find(QStackedWidget)
    opened.qtbot.waitUntil(lambda: stack.count() >= 2)  # made before anybody asks for it
    assert isinstance(stack.currentWidget(), RecordPage)
    assert isinstance(stack.widget(1), DatasetPage)
    opened.press("Dataset")
    assert stack.currentWidget() is stack.widget(1)


def test_the_keys_of_a_page_that_is_not_shown_do_nothing(opened: Pilot) -> None:
    opened.start()
    QTest.keyClick(opened.window, Qt.Key.Key_2, CTRL)
    QTest.keyClick(opened.window, Qt.Key.Key_Return, CTRL)
    assert [dialog for dialog in opened.window.findChildren(QDialog) if dialog.isVisible()] == []
    QTest.keyClick(opened.window, Qt.Key.Key_1, CTRL)
    QTest.keyClick(opened.window, Qt.Key.Key_Return, CTRL)
    opened.dialog().reject()


def test_the_title_says_what_is_recorded(opened: Pilot) -> None:
    assert opened.window.windowTitle() == "Odyssey Recorder"
    opened.start()
    assert opened.window.windowTitle() == f"Recording: {TASK.instruction}"
    opened.complete()
    assert opened.window.windowTitle() == "Odyssey Recorder"


@pytest.fixture
def stubborn(opened: Pilot) -> Patient:
    """The window is closed while it runs."""
    job = Patient(deaf=True)
    opened.controller.background.start("Writing a snapshot", job)
    opened.window.close()
    return job


def test_closing_says_what_it_waits_for_and_goes_on_by_itself(opened: Pilot, stubborn: Patient) -> None:
    assert opened.window.isVisible()
    assert opened.dialog().isVisible()
    assert opened.says("• Writing a snapshot")
    assert stubborn.was_cancelled.wait(10)
    stubborn.may_end.set()
    opened.qtbot.waitUntil(lambda: not opened.window.isVisible())


def test_an_annotator_who_does_not_want_to_wait_closes_at_once(opened: Pilot, stubborn: Patient) -> None:
    opened.press_in(opened.dialog(), "Close now")
    assert not opened.window.isVisible()
    stubborn.may_end.set()


def test_an_annotator_who_thinks_better_of_it_keeps_the_window(opened: Pilot, stubborn: Patient) -> None:
    opened.press_in(opened.dialog(), "Keep the window open")
    stubborn.may_end.set()
    opened.qtbot.waitUntil(lambda: not opened.controller.background.jobs)
    assert opened.window.isVisible()


@pytest.mark.parametrize("practice", [None, FakePractice()])
def test_the_consent_text_is_offered_where_there_is_practice(open_at: OpenAt, practice: FakePractice | None) -> None:
    actions = open_at(Workplace(practice=practice)).window.findChildren(QAction)
    [consent] = [action for action in actions if action.text() == "Read the consent text"]
    assert consent.isVisible() is (practice is not None)
