"""What each role sees: pages, their keys, views, settings and questions."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QListView, QRadioButton, QTableView, QToolButton

from odyssey_recorder.annotation.reviewing import TextReviewing
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.window.help_dialog import HelpDialog
from odyssey_recorder.gui.window.pages import PAGES, all_commands
from odyssey_recorder.settings import Role, SettingsStore, settings_file
from odyssey_recorder.tasks.queue.task_status import Status
from tests.gui.fakes import FakeDoctor, FakeInventory, FakePractice
from tests.gui.pilot import OpenAt, Pilot, texts_in
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.gui.tasks.lead_driver import TaskSetup, copy_templates
from tests.tasks.tasks import queue_of, row

pytestmark = pytest.mark.usefixtures("clean_home")

OpenAs = Callable[..., Pilot]

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ANNOTATOR_PAGES = ["Record", "Tasks", "Practice", "Devices", "Dataset", "Settings"]
REVIEWER_PAGES = ["Review", "Devices", "Dataset", "Annotate", "Evaluate", "Settings"]
ALL = [entry.command.value.label for entry in PAGES]


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    tasks = queue_of(tmp_path, row("a"))
    reviewing = FakeReviewing(tmp_path / "under review")
    return Workplace(
        review=lambda: reviewing,
        texts=lambda: TextReviewing(tmp_path / "dataset", Checker(None).evidence, lambda: "Ann"),
        dataset=lambda: EpisodeIndex(tmp_path / "dataset", None),
        doctor=FakeDoctor(),
        inventory=FakeInventory,
        tasks=lambda: tasks,
        task_service=TaskSetup(copy_templates(tmp_path), tmp_path, tasks).service,
        practice=FakePractice(wanted=0),
        settings=SettingsStore(),
    )


@pytest.fixture
def open_as(open_at: OpenAt, workplace: Workplace) -> OpenAs:
    """Opens the window for a role, optionally with other practice."""

    def open_with_role(role: Role, practice: FakePractice | None = None) -> Pilot:
        pilot = open_at(replace(workplace, role=role, practice=practice or workplace.practice))
        pilot.window.activateWindow()
        pilot.qtbot.waitUntil(lambda: QApplication.activeWindow() is not None)  # a dialog may be open already
        return pilot

    return open_with_role


def sections(pilot: Pilot) -> list[str]:
    view = pilot.named(QListView, "Sections")
    model = view.model()
    return [str(model.index(at, 0).data()) for at in range(model.rowCount()) if not view.isRowHidden(at)]


def help_of(pilot: Pilot) -> HelpDialog:
    pilot.qtbot.waitUntil(lambda: any(one.isVisible() for one in pilot.window.findChildren(HelpDialog)))
    return next(one for one in pilot.window.findChildren(HelpDialog) if one.isVisible())


@pytest.mark.parametrize(("role", "pages"), [("", ALL), ("annotator", ANNOTATOR_PAGES), ("reviewer", REVIEWER_PAGES)])
def test_pages_and_their_keys_follow_the_role(open_as: OpenAs, role: Role, pages: list[str]) -> None:
    pilot = open_as(role)
    assert pilot.rail == pages
    for number, name in enumerate(pages):
        QTest.keyClick(pilot.window, Qt.Key(Qt.Key.Key_1 + number), CTRL)
        assert pilot.window.page.value.label == name
        assert [one for one in pages if pilot.named(QToolButton, one).isChecked()] == [name]
    QTest.keyClick(pilot.window, Qt.Key(Qt.Key.Key_1 + len(pages)), CTRL)
    assert pilot.window.page.value.label == pages[-1]
    QTest.keyClick(pilot.window, Qt.Key.Key_Tab, CTRL)
    assert pilot.window.page.value.label == pages[0]
    QTest.keyClick(pilot.window, Qt.Key.Key_Backtab, CTRL | SHIFT)
    assert pilot.window.page.value.label == pages[-1]


def test_annotators_see_nothing_for_leads(open_as: OpenAs) -> None:
    pilot = open_as("annotator")
    pilot.press("Tasks")
    pilot.wait_for_text("in total")
    assert not any(tab.isVisible() for tab in pilot.window.findChildren(QToolButton) if tab.text() == "Templates")
    pilot.press("Settings")
    assert "Language model" not in sections(pilot)
    table = pilot.named(QTableView, "Keys of all actions")
    changeable = [command for command in all_commands() if not command.value.is_fixed]
    hidden = [command for number, command in enumerate(changeable) if table.isRowHidden(number)]
    assert {TasksCommand.GENERATE_TASKS, TasksCommand.SHOW_TEMPLATES, ReviewCommand.REVIEW_PAGE} < set(hidden)
    assert TasksCommand.RECORD_TASK not in hidden
    for words in ("Templates", "Team queue", "Practice tasks to pass", "Apps in instructions", "Propose templates"):
        assert not pilot.says(words), words
    pilot.press("Dataset")
    pilot.qtbot.waitUntil(lambda: pilot.button_named("Figures").isVisible())
    for name in ("Splits", "Releases", "Export", "Retire", "Restore", "Find duplicates"):
        assert not pilot.button_named(name).isVisible(), name


def test_reviewer_gets_no_questions_and_no_task(open_as: OpenAs, workplace: Workplace) -> None:
    practice = FakePractice(agrees=None)
    pilot = open_as("reviewer", practice)
    with pilot.qtbot.waitSignal(pilot.window.prepared, timeout=60_000):
        pass
    assert pilot.window.page is ReviewCommand.REVIEW_PAGE
    assert not any(dialog.isVisible() for dialog in pilot.window.findChildren(QDialog))
    assert pilot.controller.phase is Phase.NO_DEVICE
    assert workplace.tasks is not None
    assert workplace.tasks().board().count(Status.CLAIMED) == 0
    pilot.press("Settings")
    assert "Recording" not in sections(pilot)
    assert not pilot.says("The text you agreed to")


def test_lead_is_asked_for_consent_before_recording(open_as: OpenAs) -> None:
    practice = FakePractice(agrees=None, wanted=0)
    pilot = open_as("lead", practice)
    pilot.wait_for_phase(Phase.WATCHING)
    start = pilot.button_named("Start recording")
    pilot.qtbot.waitUntil(start.isEnabled)
    assert not any(dialog.isVisible() for dialog in pilot.window.findChildren(QDialog))
    assert not pilot.says("Recording is locked")
    pilot.press("Tasks")
    pilot.wait_for_text("in total")
    assert not pilot.says("Continue practice")
    pilot.press("Record")
    pilot.press("Start recording")
    dialog = pilot.dialog()
    assert not any(button.isVisible() for button in dialog.findChildren(QRadioButton))
    assert pilot.controller.phase is Phase.WATCHING
    pilot.press_in(dialog, "I agree")
    pilot.qtbot.waitUntil(lambda: practice.agrees is True)


def test_new_role_takes_effect_at_once(open_as: OpenAs) -> None:
    pilot = open_as("")
    pilot.press("Settings")
    role = pilot.choice("Your role")
    pilot.qtbot.waitUntil(role.isVisible)
    role.setCurrentIndex(role.findData("reviewer"))
    pilot.press("Save")
    pilot.qtbot.waitUntil(lambda: pilot.rail == REVIEWER_PAGES)
    assert pilot.says("Saved.")
    assert not pilot.says("after a restart")
    assert tomllib.loads(settings_file().read_text()) == {"role": "reviewer"}


def test_new_role_waits_for_end_of_recording(open_as: OpenAs) -> None:
    pilot = open_as("annotator")
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.wait_until_enabled("Start recording")
    pilot.press("Start recording")
    pilot.wait_for_phase(Phase.RECORDING)
    pilot.press("Settings")
    role = pilot.choice("Your role")
    role.setCurrentIndex(role.findData("lead"))
    pilot.press("Save")
    pilot.wait_for_text("Saved.")
    assert pilot.rail == ANNOTATOR_PAGES
    pilot.controller.stop()
    pilot.qtbot.waitUntil(lambda: pilot.rail == ALL)
    pilot.press("Tasks")
    pilot.qtbot.waitUntil(lambda: pilot.named(QToolButton, "Templates").isVisible())


class TestFirstUse:
    def test_new_reviewer_chooses_role_by_keyboard(self, open_as: OpenAs) -> None:
        practice = FakePractice(agrees=None)
        pilot = open_as("", practice)
        dialog = pilot.dialog()
        pilot.qtbot.waitUntil(dialog.isActiveWindow)
        QTest.keyClicks(dialog.focusWidget(), " Lovelace")
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Right)
        assert [button.text() for button in dialog.findChildren(QRadioButton) if button.isChecked()] == ["I review"]
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
        pilot.qtbot.waitUntil(lambda: pilot.rail == REVIEWER_PAGES)
        assert practice.agrees is None
        pilot.qtbot.waitUntil(lambda: settings_file().exists())
        assert tomllib.loads(settings_file().read_text()) == {"role": "reviewer"}

    def test_new_annotator_starts_practice_with_one_click(self, open_as: OpenAs) -> None:
        practice = FakePractice(agrees=None, wanted=1)
        pilot = open_as("", practice)
        pilot.wait_for_phase(Phase.WATCHING)
        pilot.press_in(pilot.dialog(), "I agree, start practice")
        pilot.wait_for_phase(Phase.RECORDING)
        assert pilot.rail == ANNOTATOR_PAGES
        assert pilot.says("Do the task on the device")

    def test_known_role_is_not_asked(self, open_as: OpenAs) -> None:
        pilot = open_as("annotator", FakePractice(agrees=None))
        assert pilot.dialog().findChildren(QRadioButton) == []


class TestHelp:
    def test_f1_shows_keys_of_page(self, open_as: OpenAs) -> None:
        pilot = open_as("lead")
        for page in ALL:
            pilot.press(page)
            QTest.keyClick(pilot.window.focusWidget() or pilot.window, Qt.Key.Key_F1)
            shown = help_of(pilot)
            words = texts_in(shown)
            assert f"On the page {page}" in words
            assert next(one.value.tip for one in all_commands() if one.value.page == page and one.value.keys) in words
            shown.close()
            pilot.activate()

    def test_f1_opens_help_once_above_dialog(self, open_as: OpenAs) -> None:
        pilot = open_as("", FakePractice(agrees=None))
        dialog = pilot.dialog()
        pilot.qtbot.waitUntil(dialog.isActiveWindow)
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_F1)
        shown = help_of(pilot)
        pilot.qtbot.waitUntil(shown.isActiveWindow)
        QTest.keyClick(shown.focusWidget(), Qt.Key.Key_F1)
        assert [one for one in pilot.window.findChildren(HelpDialog) if one.isVisible()] == [shown]
        QTest.keyClick(shown.focusWidget(), Qt.Key.Key_Escape)
        assert dialog.isVisible()

    def test_help_opens_doctor(self, open_as: OpenAs) -> None:
        pilot = open_as("lead")
        QTest.keyClick(pilot.window, Qt.Key.Key_F1)
        pilot.press_in(help_of(pilot), "Check this computer")
        pilot.qtbot.waitUntil(lambda: any(one.windowTitle() == "Doctor" for one in pilot.window.findChildren(QDialog)))
