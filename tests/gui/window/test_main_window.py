"""The main window: its pages, navigation, active shortcuts, and what closing waits for."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QStackedWidget, QToolButton

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.dataset.dataset_page import DatasetPage
from odyssey_recorder.gui.record.record_page import RecordPage
from tests.gui.fakes import TASK, FakePractice
from tests.gui.frame.test_background import BlockingWork
from tests.gui.pilot import OpenAt, Pilot

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(open_at: OpenAt, tmp_path: Path) -> Pilot:
    return open_at(Workplace(dataset=lambda: EpisodeIndex(tmp_path / "dataset", None))).watching()


def test_rail_shows_only_available_pages(opened: Pilot, pilot: Pilot) -> None:
    assert opened.rail[:2] == ["Record", "Dataset"]
    assert not {"Dataset", "Devices", "Tasks", "Practice"} & set(pilot.rail)
    assert not pilot.named(QToolButton, "Doctor").isVisible()
    stack = opened.find(QStackedWidget)
    opened.qtbot.waitUntil(lambda: stack.count() >= 2)  # created in advance
    assert isinstance(stack.currentWidget(), RecordPage)
    assert isinstance(stack.widget(1), DatasetPage)
    opened.press("Dataset")
    assert stack.currentWidget() is stack.widget(1)


def test_keys_of_hidden_page_do_nothing(opened: Pilot) -> None:
    opened.start()
    QTest.keyClick(opened.window, Qt.Key.Key_2, CTRL)
    QTest.keyClick(opened.window, Qt.Key.Key_Return, CTRL)
    assert [dialog for dialog in opened.window.findChildren(QDialog) if dialog.isVisible()] == []
    QTest.keyClick(opened.window, Qt.Key.Key_1, CTRL)
    QTest.keyClick(opened.window, Qt.Key.Key_Return, CTRL)
    opened.dialog().reject()


def test_title_names_recorded_task(opened: Pilot) -> None:
    assert opened.window.windowTitle() == "Odyssey Recorder"
    opened.start()
    assert opened.window.windowTitle() == f"Recording: {TASK.instruction}"
    opened.complete()
    assert opened.window.windowTitle() == "Odyssey Recorder"


@pytest.fixture
def blocking_job(opened: Pilot) -> BlockingWork:
    """Runs while the window is closed."""
    job = BlockingWork(ignores_cancel=True)
    opened.controller.background.start("Writing a snapshot", job)
    opened.window.close()
    return job


def test_closing_names_running_job_and_waits_for_it(opened: Pilot, blocking_job: BlockingWork) -> None:
    assert opened.window.isVisible()
    assert opened.dialog().isVisible()
    assert opened.says("• Writing a snapshot")
    assert blocking_job.was_cancelled.wait(60)
    blocking_job.may_end.set()
    opened.qtbot.waitUntil(lambda: not opened.window.isVisible())


def test_close_now_does_not_wait(opened: Pilot, blocking_job: BlockingWork) -> None:
    opened.press_in(opened.dialog(), "Close now")
    assert not opened.window.isVisible()
    blocking_job.may_end.set()


def test_closing_can_be_called_off(opened: Pilot, blocking_job: BlockingWork) -> None:
    opened.press_in(opened.dialog(), "Keep the window open")
    blocking_job.may_end.set()
    opened.qtbot.waitUntil(lambda: not opened.controller.background.jobs)
    assert opened.window.isVisible()


@pytest.mark.parametrize("practice", [None, FakePractice()])
def test_consent_text_is_offered_with_practice(open_at: OpenAt, practice: FakePractice | None) -> None:
    actions = open_at(Workplace(practice=practice)).window.findChildren(QAction)
    [consent] = [action for action in actions if action.text() == "Read the consent text"]
    assert consent.isVisible() is (practice is not None)
