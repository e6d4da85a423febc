"""Every control of every page and dialog in the smallest window has a name, a tooltip, and space for its text."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QListView, QPushButton, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.annotation.reviewing import TextReviewing
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import AgentModels, Workplace
from odyssey_recorder.gui.frame.application import ErrorDialog, TextSize, ThemeName, use_text_size, use_theme
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.estimate_dialog import EstimateDialog
from odyssey_recorder.gui.frame.job_card import ClosingDialog
from odyssey_recorder.gui.frame.question_dialog import (
    SEND_BACK_REASONS,
    SKIP_REASONS,
    QuestionDialog,
    ReasonDialog,
    send_back_question,
    skip_question,
    warning_question,
)
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.practice.first_use import FirstUseDialog
from odyssey_recorder.gui.record.agent_card import consent_question
from odyssey_recorder.gui.record.agent_dialog import RunAgentDialog
from odyssey_recorder.gui.record.drafts import DraftsDialog
from odyssey_recorder.gui.record.finishing import DISCARD, CompleteDialog, ImpossibleDialog, undo_question
from odyssey_recorder.gui.settings.settings_page import UnsavedDialog
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.generate_dialog import GenerateDialog, ProposeDialog
from odyssey_recorder.gui.tasks.preparation import LoadedTemplates
from odyssey_recorder.gui.tasks.task_jobs_bar import rewrite_question
from odyssey_recorder.gui.tasks.team_dialog import TeamDialog
from odyssey_recorder.gui.window.doctor_dialog import DoctorDialog
from odyssey_recorder.gui.window.main_window import SMALLEST
from odyssey_recorder.gui.window.pages import PAGES
from odyssey_recorder.llm.batch import Estimate
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.recording.state import State
from odyssey_recorder.services.tasks import ModelChoice
from odyssey_recorder.settings import SettingsStore, read_settings
from odyssey_recorder.tasks.generation.generator import Targets
from odyssey_recorder.tasks.templates.team import Team
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues
from odyssey_recorder.wiring.user import open_batch
from tests.annotation.phone_dataset import look_around
from tests.annotation.suggestions import suggest
from tests.fakes import FakeDevice
from tests.gui.fakes import FAILED, TASK, FakeDoctor, FakeInventory, FakePractice, FakeRecordings
from tests.gui.inspection import describe, faults, takes_focus, visible
from tests.gui.pilot import OpenAt, Pilot
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.gui.review.reviewer import Reviewer
from tests.gui.tasks.lead_driver import TaskSetup, copy_templates
from tests.tasks.tasks import queue_of, row

_LAYOUT_MS = 60
NO_TEMPLATES = LoadedTemplates(TemplateLibrary((), {}), {}, Targets(), Team(), "", names_apps=False)
FOR_MULTI_APPS = ModelChoice(5, 1, "", frozenset({Category.MULTI_APPS}), names_apps=False)
_MAX_TAB_STOPS = 80
_ALL_PAGES = (
    *(entry.command for entry in PAGES),
    CommonCommand.TASKS_PAGE,
    TasksCommand.SHOW_TEMPLATES,
    TasksCommand.SHOW_PREPARE,
    TasksCommand.SHOW_COVERAGE,
)


pytestmark = pytest.mark.usefixtures("clean_home", "program_style")


@pytest.fixture
def pilot(open_at: OpenAt, service: FakeRecordings, tmp_path: Path) -> Pilot:
    inventory = FakeInventory()
    inventory.run("pixel_fold")
    inventory.make("small_phone")
    tasks = queue_of(
        tmp_path, row("a", notes="For work", devices=["pixel_fold"]), row("b", instruction=TASK.instruction)
    )
    practice = FakePractice(wanted=0)
    practice.score = FAILED
    with_texts = tmp_path / "with texts"
    suggest(with_texts, look_around(with_texts, "1" * 16, 3), wrong_each=2)
    review = FakeReviewing(tmp_path / "under review")
    review.find(review.record("Buy milk"), ("IMG07", Severity.WARNING, 1))
    workplace = Workplace(
        review=lambda: review,
        texts=lambda: TextReviewing(with_texts, Checker(None).evidence, lambda: "Ann"),
        agents=AgentModels(lambda: "gpt-x", lambda name, budget: open_batch(read_settings(model=name), budget)),
        dataset=lambda: EpisodeIndex(service.store.root, None),
        doctor=FakeDoctor(),
        inventory=lambda: inventory,
        tasks=lambda: tasks,
        task_service=TaskSetup(copy_templates(tmp_path), tmp_path, tasks).service,
        practice=practice,
        settings=SettingsStore(),
    )
    opened = open_at(workplace)
    opened.window.resize(SMALLEST)
    opened.wait_for_phase(Phase.WATCHING)
    opened.wait_for_text(TASK.instruction)
    return opened


def test_record_page(pilot: Pilot, qtbot: QtBot, device: FakeDevice) -> None:
    device.keeps_snapshots = False
    pilot.begin()
    pilot.click(60, 100)
    pilot.wait_for_steps(1)
    check(qtbot, pilot.window)
    pilot.press("Undo last")
    pilot.wait_for_state(State.RESTORING)
    check(qtbot, pilot.window)
    assert pilot.window.size() == SMALLEST
    device.show(0)
    pilot.wait_for_steps(0)
    pilot.complete()
    check(qtbot, pilot.window)
    pilot.press("Record another")
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.press("Write my own")
    check(qtbot, pilot.window)
    pilot.window.findChildren(QRadioButton)[1].click()  # passive mode
    check(qtbot, pilot.window)
    pilot.press("Practice")
    pilot.press("Practise this")
    check(qtbot, pilot.window)


def test_review_page(pilot: Pilot, qtbot: QtBot) -> None:
    pilot.press("Review")
    reviewer = Reviewer(pilot)
    qtbot.waitUntil(lambda: reviewer.listed == ["Buy milk"])
    reviewer.open(0)
    check(qtbot, pilot.window)
    for keys in ("w1", "s3r", "xt"):
        reviewer.press(keys)
        check(qtbot, pilot.window)
    for button in ("Findings", "Fix", "Replay", "History", "Show figures"):
        pilot.press(button)
        check(qtbot, pilot.window)


def test_annotate_page(pilot: Pilot, qtbot: QtBot) -> None:
    pilot.press("Annotate")
    qtbot.waitUntil(pilot.named(QPushButton, "Next episode").isEnabled)
    pilot.press("Next episode")
    pilot.wait_for_text("Step 1 of 4")
    for button in ("Edit", "Accept", "Next contradicted", "Reject"):
        pilot.press(button)
        check(qtbot, pilot.window)


def test_tasks_page_of_a_lead(pilot: Pilot, qtbot: QtBot) -> None:
    pilot.press("Tasks")
    qtbot.waitUntil(pilot.named(QPushButton, "Generate").isEnabled)
    pilot.press("Generate")
    dialog = pilot.dialog()
    check(qtbot, dialog)
    pilot.press_in(dialog, "Generate")
    qtbot.waitUntil(lambda: pilot.says("200 tasks generated"))
    check(qtbot, pilot.window)
    pilot.press("Edit")
    check(qtbot, pilot.window)
    for view in ("Templates", "Coverage"):
        pilot.press(view)
        check(qtbot, pilot.window)


def test_every_dialog(pilot: Pilot, service: FakeRecordings, qtbot: QtBot) -> None:
    window, controller = pilot.window, pilot.controller
    practice = FakePractice()
    service.leave_draft()
    drafts = DraftsDialog(window)
    drafts.show_drafts(service.drafts(), {}, cannot_resume="")
    rewrite = EstimateDialog(rewrite_question(["a", "b"], 1), window)
    warning = "gpt-x is scheduled to shut down on 2027-01-31: choose another model for what shall go on longer."
    facts = ("gpt-x", "https://a-rather-long-name.of-a-host.example", (warning,))
    rewrite.show_estimate(Estimate(400, 20, 123_456, 23_456, None, date(2026, 11, 1), *facts))
    dialogs: tuple[QDialog, ...] = (
        FirstUseDialog(practice.welcome(), window),
        DoctorDialog(FakeDoctor(), controller.background, window),
        ErrorDialog("An unexpected error occurred.", "Traceback: a long story\n" * 30, window),
        ReasonDialog(skip_question(TASK.instruction), SKIP_REASONS, window),
        ReasonDialog(send_back_question(TASK.instruction), SEND_BACK_REASONS, window),
        CompleteDialog(window),
        ImpossibleDialog(window),
        RunAgentDialog("gpt-x", KeptFile(), window),
        QuestionDialog(consent_question("https://a-rather-long-name.of-a-host.example"), window),
        QuestionDialog(DISCARD, window),
        QuestionDialog(undo_question(2, 4), window),
        UnsavedDialog(["Dataset", "Screenshots and touches"], window),
        ClosingDialog(controller.background, window),
        ProposeDialog(NO_TEMPLATES, FOR_MULTI_APPS, window),
        GenerateDialog(NO_TEMPLATES, FOR_MULTI_APPS, window),
        TeamDialog(Team(), shipped_catalogues()["android"], window),
        QuestionDialog(
            warning_question("Approve 12 tasks at once?", "3 with faults.", "Approve", "Approve all"), window
        ),
        rewrite,
        drafts,
    )
    for dialog in dialogs:
        dialog.open()
        check(qtbot, dialog)
        dialog.close()


def check(qtbot: QtBot, window: QWidget) -> None:
    def has_no_faults() -> None:
        assert faults(window) == []

    qtbot.wait(_LAYOUT_MS)
    qtbot.waitUntil(has_no_faults)


def test_tab_reaches_every_control_and_shows_focus(pilot: Pilot, qtbot: QtBot) -> None:
    pilot.window.activateWindow()
    qtbot.waitUntil(pilot.window.isActiveWindow)
    for page in _ALL_PAGES:
        pilot.press(page.value.label)
        check(qtbot, pilot.window)
        reached = list(tab_through(pilot.window))
        assert [describe(one) for one in tab_stops(pilot.window) if one not in reached] == [], page
    themes: tuple[ThemeName, ...] = ("dark", "light")
    for theme in themes:
        use_theme(theme)
        compared = set[QWidget]()
        for page in _ALL_PAGES:
            pilot.press(page.value.label)
            check(qtbot, pilot.window)
            stops = [one for one in tab_stops(pilot.window) if one not in compared]
            assert [describe(one) for one in stops if not shows_focus(one)] == [], (page, theme)
            compared.update(stops)


def test_every_page_with_larger_text(pilot: Pilot, qtbot: QtBot) -> None:
    sizes: tuple[tuple[QSize, TextSize], ...] = ((QSize(1366, 768), "large"), (SMALLEST, "extra large"))
    for size, text in sizes:
        pilot.window.resize(size)
        use_text_size(text)
        for page in _ALL_PAGES:
            pilot.press(page.value.label)
            check(qtbot, pilot.window)
            assert pilot.window.size() == size, page


def tab_through(window: QWidget) -> Iterator[QWidget]:
    first = None
    for _ in range(_MAX_TAB_STOPS):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        reached = QApplication.focusWidget()
        if reached is None or reached is first:
            return
        first = first or reached
        yield reached


def tab_stops(window: QWidget) -> Iterator[QWidget]:
    """All widgets that Tab should reach; of a group of radio buttons only the selected one."""
    for widget in visible(window):
        if takes_focus(widget) and not (isinstance(widget, QRadioButton) and not widget.isChecked()):
            yield widget


def shows_focus(widget: QWidget) -> bool:
    widget.window().setFocus()
    without = widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    return without != widget.grab().toImage()


def test_faults_are_found(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    nameless, no_tooltip, cut = QListView(window), QPushButton("Go", window), QLabel("A text that needs space", window)
    cut.setFixedWidth(40)
    no_tooltip.move(0, 200)
    cut.move(0, 300)
    window.show()
    found = [fault.partition(" of QWidget ")[2].split(":")[0] for fault in faults(window)]
    assert found == ["is cut", "has no accessible name", "has no tooltip"]
    nameless.setAccessibleName("Things")
    no_tooltip.setToolTip("Go on")
    cut.setFixedWidth(400)
    assert faults(window) == []
