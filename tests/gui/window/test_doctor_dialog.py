"""The doctor dialog: findings, their repairs, and the report."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.window.doctor_dialog import DoctorDialog
from tests.gui.fakes import FINDINGS, FakeDoctor
from tests.gui.pilot import OpenAt, Pilot, button_in


@pytest.fixture
def doctor() -> FakeDoctor:
    return FakeDoctor()


@pytest.fixture
def pilot(open_at: OpenAt, doctor: FakeDoctor) -> Pilot:
    return open_at(Workplace(doctor=doctor)).watching()


def open_doctor(pilot: Pilot) -> DoctorDialog:
    pilot.press("Doctor")
    dialog = pilot.dialog()
    assert isinstance(dialog, DoctorDialog)
    return dialog


def test_findings_and_fixes_are_shown_and_copied(pilot: Pilot) -> None:
    QTest.keyClick(pilot.window, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    pilot.wait_for_text("1 missing, 1 warning.")
    assert pilot.says("Odyssey Recorder: 0.4.0")
    assert pilot.says("adb: <b>none<")  # as text
    assert pilot.says("Set ODYSSEY_ADB.")
    pilot.press_in(pilot.dialog(), "Copy command")
    assert QGuiApplication.clipboard().text() == "sdkmanager emulator"
    pilot.press_in(pilot.dialog(), "Copy report")
    assert "Run: sdkmanager emulator" in QGuiApplication.clipboard().text()


def test_progress_is_shown_and_can_be_cancelled(pilot: Pilot, doctor: FakeDoctor) -> None:
    doctor.may_end.clear()
    dialog = open_doctor(pilot)
    pilot.wait_for_text("Looking at the window…")
    assert not button_in(dialog, "Check again").isEnabled()
    pilot.press_in(dialog, "Cancel")
    pilot.wait_for_text("Stopped before all checks had run.")
    assert button_in(dialog, "Check again").isEnabled()


def test_report_is_saved_or_failure_explained(pilot: Pilot, tmp_path: Path) -> None:
    dialog = open_doctor(pilot)
    pilot.wait_for_text("1 missing")
    (tmp_path / "a_file").touch()
    pilot.press_in(dialog, "Save report…")
    pilot.choose_file(tmp_path / "a_file" / "report.txt")
    pilot.wait_for_text("a_file")
    pilot.press_in(dialog, "Save report…")
    pilot.choose_file(tmp_path / "report.txt")
    pilot.wait_for_text("The report is saved.")
    assert "Set ODYSSEY_ADB." in (tmp_path / "report.txt").read_text()


def test_checks_run_again_at_each_opening(pilot: Pilot, doctor: FakeDoctor) -> None:
    dialog = open_doctor(pilot)
    pilot.wait_for_text("1 missing")
    dialog.accept()
    doctor.findings = FINDINGS[:1]
    open_doctor(pilot)
    pilot.wait_for_text("No problems found.")
