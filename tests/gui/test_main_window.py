"""The main window: its pages, navigation, active shortcuts, and what closing waits for."""

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QStackedWidget, QToolButton

from odyssey_recorder.gui.background import Cancelled, Progress
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.dataset.dataset_page import DatasetPage
from odyssey_recorder.gui.page import MainPage
from odyssey_recorder.gui.record.record_page import RecordPage
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.selection.index import EpisodeIndex
from tests.gui.fakes import TASK, FakePractice
from tests.gui.pilot import OpenAt, Pilot

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(dataset=lambda: EpisodeIndex(tmp_path / "dataset", None))


@pytest.fixture
def opened(open_at: OpenAt, workplace: Workplace) -> Pilot:
    pilot = open_at(workplace)
    pilot.wait_for_phase(Phase.WATCHING)
    return pilot


def rail(pilot: Pilot) -> list[str]:
    buttons = [button for button in pilot.window.findChildren(QToolButton) if button.property("kind") == "rail"]
    return [button.accessibleName() for button in buttons if button.isVisible()]


def page(pilot: Pilot) -> MainPage:
    shown = pilot.find(QStackedWidget).currentWidget()
    assert isinstance(shown, MainPage)
    return shown


def test_the_rail_leads_to_what_there_is_and_to_nothing_else(opened: Pilot, pilot: Pilot) -> None:
    assert rail(opened)[:2] == ["Record", "Dataset"]
    assert rail(pilot)[:1] == ["Record"]
    assert not {"Dataset", "Devices", "Tasks", "Practice", "Doctor"} & set(rail(pilot))
    stack = opened.find(QStackedWidget)
    opened.qtbot.waitUntil(lambda: stack.count() >= 2)  # made before anybody asks for it
    assert isinstance(stack.widget(1), DatasetPage)
    assert isinstance(page(opened), RecordPage)


def test_a_page_is_shown_by_its_button_and_by_its_key(opened: Pilot) -> None:
    assert isinstance(page(opened), RecordPage)
    opened.press("Dataset")
    assert isinstance(page(opened), DatasetPage)
    assert opened.window.page is Command.DATASET_PAGE
    opened.press("Dataset")
    assert opened.named(QToolButton, "Dataset").isChecked()
    assert not opened.named(QToolButton, "Record").isChecked()
    QTest.keyClick(opened.window, Qt.Key.Key_1, CTRL)
    assert isinstance(page(opened), RecordPage)
    QTest.keyClick(opened.window, Qt.Key.Key_2, CTRL)
    assert isinstance(page(opened), DatasetPage)


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


def test_the_window_closes_once_the_work_that_it_cancels_has_ended(opened: Pilot) -> None:
    begun = threading.Event()

    def work(progress: Progress, cancelled: Cancelled) -> None:
        begun.set()
        while not cancelled():
            threading.Event().wait(0.005)
        raise InterruptedError

    opened.controller.background.start("Starting Pixel 7 Pro", work)
    assert begun.wait(10)
    opened.window.close()
    assert opened.window.isVisible()
    opened.qtbot.waitUntil(lambda: not opened.window.isVisible())


@pytest.fixture
def stubborn(opened: Pilot) -> threading.Event:
    """The window is closed while a job ignores cancelling; set the event to end it."""
    may_end = threading.Event()
    opened.controller.background.start("Writing a snapshot", lambda progress, cancelled: may_end.wait(20))
    opened.window.close()
    return may_end


def test_closing_says_what_it_waits_for_and_goes_on_by_itself(opened: Pilot, stubborn: threading.Event) -> None:
    opened.dialog()
    assert opened.says("• Writing a snapshot")
    stubborn.set()
    opened.qtbot.waitUntil(lambda: not opened.window.isVisible())


def test_an_annotator_who_does_not_want_to_wait_closes_at_once(opened: Pilot, stubborn: threading.Event) -> None:
    opened.press_in(opened.dialog(), "Close now")
    assert not opened.window.isVisible()
    stubborn.set()


def test_an_annotator_who_thinks_better_of_it_keeps_the_window(opened: Pilot, stubborn: threading.Event) -> None:
    opened.press_in(opened.dialog(), "Keep the window open")
    stubborn.set()
    opened.qtbot.waitUntil(lambda: not opened.controller.background.jobs)
    assert opened.window.isVisible()


@pytest.mark.parametrize("practice", [None, FakePractice()])
def test_the_consent_text_is_offered_where_there_is_practice(open_at: OpenAt, practice: FakePractice | None) -> None:
    actions = open_at(Workplace(practice=practice)).window.findChildren(QAction)
    [consent] = [action for action in actions if action.text() == "Read the consent text"]
    assert consent.isVisible() is (practice is not None)
