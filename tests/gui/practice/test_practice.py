"""First use, practice until the queue opens, hints and results."""

import threading
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QScrollArea

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.services.practice import Welcome
from tests.fakes import FakeDevice
from tests.gui.fakes import FAILED, FakePractice, FakeRecordings
from tests.gui.item_views import column_texts
from tests.gui.pilot import OpenAt, OpenWindow, Pilot, button_in

FIRST, SECOND = practice_tasks()[:2]


class DelayedPractice(FakePractice):
    """Saves the answer to the consent text once `may_save` is set."""

    def __init__(self) -> None:
        super().__init__(wanted=0, agrees=None)
        self.may_save = threading.Event()

    def answer_consent(self, name: str, *, agreed: bool | None) -> Welcome:
        assert self.may_save.wait(30)
        return super().answer_consent(name, agreed=agreed)


def open_practice(open_at: OpenAt, practice: FakePractice) -> Pilot:
    pilot = open_at(Workplace(practice=practice)).watching()
    pilot.press("Practice")
    pilot.qtbot.waitUntil(lambda: rows(pilot) != [])
    return pilot


def rows(pilot: Pilot) -> list[str]:
    return column_texts(pilot.named(QListView, "Practice tasks"))


def record_practice(pilot: Pilot) -> None:
    pilot.wait_for_phase(Phase.RECORDING)
    pilot.wait_for_steps(0)
    pilot.complete()


class TestFirstUse:
    def test_first_use_asks_for_name_and_consent(self, open_at: OpenAt) -> None:
        practice = FakePractice(agrees=None)
        pilot = open_practice(open_at, practice)
        dialog = pilot.dialog()
        assert not pilot.says("Recording is locked")
        assert "What is recorded" in pilot.named(QScrollArea, "Consent text").accessibleDescription()
        name = pilot.line("Your name")
        assert name.text() == "ada"
        name.setText("  ")
        assert not button_in(dialog, "I agree, start practice").isEnabled()
        name.setText("Ada Lovelace")
        pilot.press_in(dialog, "I agree, start practice")
        pilot.qtbot.waitUntil(lambda: practice.agrees is True)
        assert practice.name == "Ada Lovelace"
        pilot.wait_for_phase(Phase.RECORDING)
        assert pilot.window.page is CommonCommand.RECORD_PAGE
        assert pilot.says(FIRST.task.instruction)

    def test_recording_is_locked_until_the_annotator_agrees(self, open_at: OpenAt) -> None:
        practice = FakePractice(agrees=None, wanted=0)
        pilot = open_practice(open_at, practice)
        QTest.keyClick(pilot.dialog(), Qt.Key.Key_Escape)
        pilot.press("Read the consent text")
        dialog = pilot.dialog()
        assert practice.agrees is None
        pilot.press_in(dialog, "I do not agree")
        pilot.wait_for_text("You can record after you agree")
        assert not pilot.is_enabled("Practise this")
        pilot.press("Record")
        pilot.write_task()
        pilot.wait_for_text("Read it under Practice.")
        assert not pilot.is_enabled("Start recording")
        pilot.press("Practice")
        pilot.press("Read the consent text")
        pilot.press_in(pilot.dialog(), "I agree")
        pilot.qtbot.waitUntil(lambda: practice.agrees is True)
        pilot.press("Record")
        pilot.wait_until_enabled("Start recording")

    def test_recording_waits_until_the_answer_is_saved(self, open_at: OpenAt) -> None:
        practice = DelayedPractice()
        pilot = open_at(Workplace(practice=practice)).watching()
        pilot.write_task()
        pilot.press_in(pilot.dialog(), "I agree")
        assert not pilot.is_enabled("Start recording")
        pilot.wait_for_text("Loading your profile…")
        practice.may_save.set()
        pilot.wait_until_enabled("Start recording")

    def test_draft_cannot_be_resumed_without_consent(self, open_at: OpenAt, service: FakeRecordings) -> None:
        service.leave_draft()
        pilot = open_practice(open_at, FakePractice(agrees=False))
        pilot.press("Record")
        pilot.wait_for_text("Recording is locked because you have not agreed")
        assert not button_in(pilot.dialog(), "Resume").isEnabled()


class TestPractice:
    def test_passing_all_practice_tasks_unlocks_recording(self, open_at: OpenAt) -> None:
        practice = FakePractice(wanted=2)
        pilot = open_practice(open_at, practice)
        assert rows(pilot)[:2] == [f"1. {FIRST.teaches}: to do", f"2. {SECOND.teaches}: to do"]
        pilot.press("Record")
        pilot.write_task()
        assert pilot.says("Practice first: 2 practice tasks are left to pass before you can record. Open Practice.")
        assert not pilot.is_enabled("Start recording")
        pilot.press("Practice")
        pilot.press("Practise this")
        assert pilot.says(FIRST.task.instruction)
        record_practice(pilot)
        pilot.wait_for_text("Passed: 92%")
        assert pilot.says("1 more to pass before you can record.")
        assert pilot.says("The Display page is open")
        pilot.press("Next practice task")
        assert pilot.says(SECOND.task.instruction)
        record_practice(pilot)
        pilot.wait_for_text("All practice tasks passed. You can record now.")
        pilot.press("Leave practice")
        pilot.start()
        assert [attempt.task_id for attempt in practice.attempts] == [FIRST.task_id, SECOND.task_id]
        pilot.press("Practice")
        pilot.wait_for_text("you have passed all 2")
        assert rows(pilot)[0] == f"1. {FIRST.teaches}: passed, 92%"

    def test_hints_are_counted_and_a_failed_attempt_can_be_repeated(self, open_at: OpenAt) -> None:
        practice = FakePractice()
        practice.score = FAILED
        pilot = open_practice(open_at, practice)
        pilot.press("Practise this")
        assert not pilot.is_enabled("Show a hint")
        pilot.wait_for_phase(Phase.RECORDING)
        pilot.wait_for_steps(0)
        for taken, hint in enumerate(FIRST.hints, 1):
            assert not pilot.says(hint)
            pilot.press("Show a hint")
            assert pilot.says(hint)
            assert pilot.says(f"{taken} of {len(FIRST.hints)} hints taken.")
        assert not pilot.is_enabled("Show a hint")
        pilot.complete()
        pilot.wait_for_text("Not passed yet: 17%")
        for text in ("Missed: the Display page is open", "The ending is wrong.", "70% is needed."):
            assert pilot.says(text)
        assert [attempt.hints for attempt in practice.attempts] == [len(FIRST.hints)]

        practice.failure = PracticeError("The gold episode gold.json cannot be read.")
        pilot.press("Practise again")
        record_practice(pilot)
        pilot.wait_for_text("The gold episode gold.json cannot be read.")

    def test_practice_needs_the_simulated_emulator(self, open_at: OpenAt, device: FakeDevice) -> None:
        device.avd_name = "Pixel_7"
        pilot = open_practice(open_at, FakePractice())
        pilot.press("Practise this")
        assert pilot.says("Practice needs the simulated emulator; this device has other apps.")
        assert not pilot.is_enabled("Start recording")

    def test_stopped_practice_can_be_restarted_or_left(self, open_at: OpenAt) -> None:
        practice = FakePractice(wanted=0)
        pilot = open_practice(open_at, practice)
        pilot.press("Practise this")
        pilot.wait_for_phase(Phase.RECORDING)
        pilot.stop()
        pilot.wait_until_enabled("Start recording")
        assert pilot.says(FIRST.task.instruction)
        assert practice.attempts == []
        pilot.press("Leave practice")
        assert not pilot.says(FIRST.task.instruction)
        pilot.start(TaskInfo("General_Tool", ("Clock",), "", "", "Set an alarm"))

    def test_optional_practice_waits_for_the_recording(self, open_at: OpenAt) -> None:
        pilot = open_practice(open_at, FakePractice(wanted=0))
        assert pilot.says("no practice is required")
        pilot.press("Record")
        pilot.start()
        pilot.press("Practice")
        pilot.qtbot.waitUntil(lambda: pilot.button_named("Practise this").text() == "Return to the recording")
        pilot.press("Practise this")
        assert pilot.window.page is CommonCommand.RECORD_PAGE
        pilot.complete()
        pilot.press("Practice")
        pilot.wait_until_enabled("Practise this")

    def test_resumed_practice_draft_is_scored(self, open_at: OpenAt, service: FakeRecordings) -> None:
        service.leave_draft(SECOND.task_id)
        practice = FakePractice()
        pilot = open_practice(open_at, practice)
        pilot.press_in(pilot.dialog(), "Resume")
        pilot.press("Record")
        record_practice(pilot)
        pilot.wait_for_text("Passed: 92%")
        assert pilot.status.state == "Recorded"
        assert not pilot.says("The episode is published.")
        assert [attempt.task_id for attempt in practice.attempts] == [SECOND.task_id]

    def test_simulated_emulator_is_started(self, open_window: OpenWindow, tmp_path: Path, device: FakeDevice) -> None:
        service = FakeRecordings(tmp_path, FakeDevice(serial="real-1"), simulated=device)
        pilot = open_window(service, Workplace(practice=FakePractice(agrees=None))).watching()
        pilot.press_in(pilot.dialog(), "I agree, start practice")
        pilot.wait_for_phase(Phase.RECORDING)
        assert pilot.controller.serial == device.serial
