"""The questions at the end of a recording: asked beside the phone, checked before anything is published."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QListWidget,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.dataset.layout import annotation_path, episode_ids
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.frame.application import TextSize, use_text_size
from odyssey_recorder.gui.record.finishing import REASONS, CompleteDialog, ImpossibleDialog, annotator_messages
from odyssey_recorder.gui.record.proof import ProofDialog
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, Severity
from odyssey_recorder.recording.notice import Notice
from odyssey_recorder.services.proof import EndProof
from odyssey_recorder.services.recording import check_alone
from tests.gui.fakes import FakeConnector, FakeRecordings
from tests.gui.pilot import OpenWindow, Pilot
from tests.gui.record.screens import UnchangingDevice, child_of, record_one_step

ID = "0000000000000007"


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def dialog(window: QWidget) -> CompleteDialog:
    dialog = CompleteDialog(window)
    window.show()
    dialog.show()
    return dialog


@pytest.fixture
def endings(dialog: CompleteDialog) -> list[Complete]:
    given: list[Complete] = []
    dialog.ending_given.connect(given.append)
    return given


def finding(step: int | None, check: str = "IMG07", severity: Severity = Severity.WARNING) -> Finding:
    criterion = Criterion.INSTRUCTION if check.startswith("INS") else Criterion.SCREENSHOTS
    return Finding(check, severity, criterion, ID, step, f"Found at {step}.", "Drop the step.")


def report(*findings: Finding) -> EpisodeReport:
    return EpisodeReport(ID, findings)


def visible_text(dialog: CompleteDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel) if label.isVisible())


def test_answer_waits_for_the_checks(dialog: CompleteDialog, endings: list[Complete]) -> None:
    dialog.findChildren(QLineEdit)[0].setText("80%")
    dialog.ok.click()
    assert endings == []
    dialog.show_outcome(report(finding(2, severity=Severity.NOTE)))
    assert endings == [Complete("80%")]


def test_findings_are_shown_before_publishing(dialog: CompleteDialog, endings: list[Complete]) -> None:
    dialog.ok.click()
    dialog.show_outcome(report(finding(2)))
    assert endings == []
    assert "Step 3: Found at 2." in visible_text(dialog)
    assert (dialog.ok.text(), dialog.cancel.text()) == ("Publish", "Go back and undo")
    dialog.ok.click()
    assert endings == [Complete("")]


@pytest.mark.parametrize("fails", [True, False], ids=["the checks fail", "the checks take too long"])
def test_publishing_does_not_need_the_checks(dialog: CompleteDialog, endings: list[Complete], fails: bool) -> None:
    dialog.ok.click()
    if fails:
        dialog.show_outcome(DatasetError("The disk is gone."))
    else:
        assert dialog.ok.text() == "Publish unchecked"
        dialog.ok.click()
    assert endings == [Complete("")]


def test_failed_check_is_reported(dialog: CompleteDialog, endings: list[Complete]) -> None:
    dialog.show_outcome(DatasetError("The disk is gone."))
    assert "The disk is gone." in visible_text(dialog)
    assert endings == []


def test_all_that_check_warns_about_is_shown_in_one_line_per_step() -> None:
    findings = finding(4), finding(4, "ACT08"), finding(None, "EPI02", Severity.ERROR), finding(1, "INS01")
    assert list(annotator_messages(report(*findings, finding(2, severity=Severity.NOTE)))) == [
        "Found at None.",
        "Step 2: Found at 1. Tell your lead.",
        "Step 5: The key had no effect. Found at 4.",
    ]
    assert list(annotator_messages(report(finding(3), finding(4)), end=4)) == [
        "Step 4: Found at 3.",
        "Last screen: Found at 4.",
    ]


def test_many_findings_are_scrolled(dialog: CompleteDialog) -> None:
    dialog.show_outcome(report(*map(finding, range(40))))
    area = child_of(dialog, QScrollArea)
    assert area.height() < 250
    assert area.verticalScrollBar().maximum() > 0
    assert "Step 40: " in visible_text(dialog)


def test_ending_is_checked_again_after_a_pause_in_its_text(
    dialog: CompleteDialog, endings: list[Complete], qtbot: QtBot
) -> None:
    dialog.show_outcome(report())
    note = child_of(dialog, QLineEdit)
    with qtbot.waitSignal(dialog.check_wanted) as wanted:
        QTest.keyClicks(note, "+49 30 1234567")
    assert wanted.args == [Complete("+49 30 1234567")]
    dialog.show_outcome(report())
    with qtbot.waitSignal(dialog.check_wanted):  # without the pause
        QTest.keyClicks(note, "8")
        dialog.ok.click()
    assert endings == []
    dialog.show_outcome(report(finding(2, "PRV01")))
    assert endings == []
    assert dialog.ok.isEnabled()


def test_new_step_takes_an_answer_back_and_is_checked(
    dialog: CompleteDialog, endings: list[Complete], qtbot: QtBot
) -> None:
    dialog.ok.click()
    with qtbot.waitSignal(dialog.check_wanted):
        dialog.take_steps()
    dialog.show_outcome(report())
    assert (endings, dialog.ok.text()) == ([], "Publish")
    dialog.ok.click()
    assert endings == [Complete("")]


def test_reasons_are_chosen_with_number_and_arrow_keys(qtbot: QtBot) -> None:
    dialog = ImpossibleDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.field.setFocus()
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_2)
    assert dialog.ending == Impossible("item not found")
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Down)
    assert dialog.ending == Impossible("not available in this country")
    assert dialog.ok.isEnabled()


def test_step_with_a_finding_can_be_undone_before_publishing(tmp_path: Path, open_window: OpenWindow) -> None:
    service = FakeRecordings(tmp_path, UnchangingDevice())
    pilot = open_window(service).watching()
    record_one_step(pilot)
    pilot.press("Complete")
    dialog = pilot.dialog()
    mirror = pilot.mirror.rect().translated(pilot.mirror.mapTo(pilot.window, dialog.rect().topLeft()))
    assert not mirror.intersects(dialog.rect().translated(dialog.mapTo(pilot.window, dialog.rect().topLeft())))
    pilot.wait_for_text("Step 1: Nothing changed on the screen.")
    assert sorted(episode_ids(service.store.root)) == []

    pilot.press_in(dialog, "Go back and undo")
    pilot.press("Undo step 1: nothing changed on the screen")
    pilot.wait_for_steps(0)
    assert not pilot.is_enabled("Undo last")
    assert pilot.controller.phase is Phase.RECORDING
    pilot.complete()
    assert len(sorted(episode_ids(service.store.root))) == 1


def test_question_shows_all_that_check_finds_on_the_published_episode(tmp_path: Path, open_window: OpenWindow) -> None:
    service = FakeRecordings(tmp_path, UnchangingDevice())
    pilot = open_window(service).watching()
    record_one_step(pilot)
    pilot.press("Complete")
    pilot.wait_for_text("Please check:")
    QTest.keyClicks(pilot.line("Note"), "lea@example.org")
    pilot.wait_for_text("The note has what looks like an e-mail address.")
    shown = pilot.named(QScrollArea, "Findings").widget()
    assert isinstance(shown, QLabel)
    lines = shown.text().splitlines()
    dialog = pilot.dialog()
    assert isinstance(dialog, CompleteDialog)
    dialog.ok.click()
    pilot.wait_for_phase(Phase.FINISHED)
    (episode_id,) = episode_ids(service.store.root)
    published = check_alone(service.store.root / annotation_path(episode_id))
    assert lines == ["Please check:", *annotator_messages(published, len(pilot.views[-1].steps) - 1)]
    assert len(lines) >= 3


def test_proof_is_marked_at_the_end_and_kept_with_the_episode(
    tmp_path: Path, open_window: OpenWindow, qtbot: QtBot
) -> None:
    service = FakeRecordings(tmp_path, UnchangingDevice())
    assert isinstance(service.connector, FakeConnector)
    told, asked = service.connector.told, service.connector.asked
    told["settings"] = {"secure": {"mode": "1", "owner": "Ada Lovelace of 1815"}}
    pilot = open_window(service).watching()
    pilot.start()
    qtbot.waitUntil(lambda: asked == ["fake-1"], timeout=30_000)
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    told["settings"] = {"secure": {"mode": "2", "owner": "Ada Lovelace of 1843"}}
    pilot.press("Complete")
    end = pilot.dialog()
    assert isinstance(end, CompleteDialog)
    end.proof.button.click()
    pilot.wait_for_text("What shows that the task is done?")
    dialog = child_of(pilot.window, ProofDialog)
    offered = child_of(dialog, QListWidget)
    assert [offered.item(row).text() for row in range(offered.count())] == [
        "settings > secure > mode is “2”",
        "settings > secure > owner is “Ada Lovelace of 1843”",
    ]
    offered.setCurrentRow(1)
    text = pilot.line("It must say")
    text.selectAll()
    QTest.keyClicks(text, "Ada")
    assert not dialog.ok.isEnabled()  # she owned it at the start, too
    text.selectAll()
    QTest.keyClicks(text, "1843")
    assert dialog.ok.isEnabled()
    offered.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.ok.click()
    pilot.wait_for_text("2 marks")

    QTest.keyClick(end, Qt.Key.Key_Escape)
    told["settings"] = {"secure": {"mode": "3", "owner": "Ada Lovelace of 1843"}}
    pilot.press("Complete")
    pilot.wait_for_text("1 mark left: what you marked has changed since.")
    pilot.finish(pilot.dialog())
    pilot.wait_for_phase(Phase.FINISHED)
    known = service.store.provenance(service.episode.episode_id)
    assert known is not None
    assert known.goals == (TaskGoal(path="settings.secure.owner", op="contains", value="1843"),)


def test_marks_are_compared_again_when_a_step_follows_while_the_question_is_open(
    tmp_path: Path, open_window: OpenWindow, qtbot: QtBot
) -> None:
    service = FakeRecordings(tmp_path, UnchangingDevice())
    assert isinstance(service.connector, FakeConnector)
    told, asked = service.connector.told, service.connector.asked
    told["settings"] = {"secure": {"mode": "1"}}
    pilot = open_window(service).watching()
    pilot.start()
    qtbot.waitUntil(lambda: asked == ["fake-1"], timeout=30_000)
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    told["settings"] = {"secure": {"mode": "2"}}
    pilot.press("Complete")
    end = pilot.dialog()
    assert isinstance(end, CompleteDialog)
    end.proof.button.click()
    pilot.wait_for_text("What shows that the task is done?")
    dialog = child_of(pilot.window, ProofDialog)
    child_of(dialog, QListWidget).item(0).setCheckState(Qt.CheckState.Checked)
    dialog.ok.click()
    pilot.wait_for_text("1 mark")
    told["settings"] = {"secure": {"mode": "3"}}
    pilot.click(180, 300)
    pilot.wait_for_steps(2)
    pilot.wait_for_text("No mark left: what you marked has changed since.")
    assert pilot.dialog() is end


def test_what_is_unknown_after_a_resume_contradicts_no_mark() -> None:
    mark = TaskGoal(path="settings.secure.mode", op="equals", value="2")
    assert not EndProof({}, {}, ()).contradicts(mark)
    known = {"settings": {"secure": {"mode": "3"}}}
    assert EndProof({"settings": {}}, known, ()).contradicts(mark)


def test_what_was_true_at_the_start_cannot_be_marked(tmp_path: Path, open_window: OpenWindow) -> None:
    service = FakeRecordings(tmp_path, UnchangingDevice())
    pilot = open_window(service).watching()
    record_one_step(pilot)
    pilot.press("Complete")
    end = pilot.dialog()
    assert isinstance(end, CompleteDialog)
    end.proof.button.click()
    pilot.wait_for_text("There is nothing to mark")


def answers(pilot: Pilot) -> tuple[str, str]:
    """What is written at both questions for the end."""
    pilot.press("Complete")
    note = pilot.line("Note").text()
    pilot.press("Impossible")
    dialog = pilot.dialog()
    assert isinstance(dialog, ImpossibleDialog)
    reason = dialog.ending.reason
    pilot.press_in(dialog, "Cancel")
    return note, reason


@pytest.mark.parametrize("reason", ["the shop is closed", "login required"])
def test_unsent_answers_survive_a_step_and_a_closed_window(
    open_window: OpenWindow, pilot: Pilot, service: FakeRecordings, reason: str
) -> None:
    pilot.start()
    pilot.press("Complete")
    QTest.keyClicks(pilot.line("Note"), "Platform 4 ")
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    assert answers(pilot) == ("Platform 4 ", "")
    pilot.press("Impossible")
    if reason in REASONS:
        pilot.named(QRadioButton, reason).click()
    else:
        QTest.keyClicks(pilot.line("Another reason"), reason)
    pilot.window.close()

    pilot = open_window(service).watching()
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.wait_for_steps(1)
    assert answers(pilot) == ("Platform 4", reason)
    pilot.stop()
    pilot.start()
    assert answers(pilot) == ("", "")


def test_question_stays_while_something_is_looked_up_and_escape_closes_it(pilot: Pilot) -> None:
    pilot.start()
    pilot.press("Complete")
    child_of(pilot.dialog(), QLineEdit).setText("Platform")
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    assert child_of(pilot.dialog(), QLineEdit).text() == "Platform"
    pilot.activate()
    pilot.press("Complete")
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not pilot.is_asked
    assert pilot.controller.phase is Phase.RECORDING


@pytest.mark.usefixtures("clean_home")
@pytest.mark.parametrize("size", [pytest.param("normal", marks=pytest.mark.soak), "large"])
def test_reasons_are_readable_in_the_smallest_window(tmp_path: Path, open_window: OpenWindow, size: TextSize) -> None:
    use_text_size(size)
    pilot = open_window(FakeRecordings(tmp_path, UnchangingDevice()))
    pilot.window.resize(1100, 700)
    pilot.wait_for_phase(Phase.WATCHING)
    record_one_step(pilot)
    pilot.controller.noticed.emit(Notice("Screenshots come over gRPC again.", after=0))
    pilot.press("Impossible")
    pilot.wait_for_text("Step 1: Nothing changed on the screen.")
    reasons = pilot.dialog().findChildren(QRadioButton)
    pilot.qtbot.waitUntil(lambda: all(one.height() >= one.minimumSizeHint().height() for one in reasons))
    undo = pilot.named(QPushButton, "Undo step 1: nothing changed on the screen")
    assert undo.geometry().right() <= pilot.named(QListView, "Steps").viewport().width()
