"""Choosing a device, and the advice if none can be used."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.recording_service import RecordingService
from tests.fakes import FakeDevice
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import Pilot

OpenWindow = Callable[[RecordingService], Pilot]


@pytest.fixture
def two(tmp_path: Path) -> FakeRecordings:
    return FakeRecordings(tmp_path, FakeDevice(serial="emulator-5554"), FakeDevice(serial="fold-5556"))


def test_of_two_devices_none_is_chosen_for_the_annotator(open_window: OpenWindow, two: FakeRecordings) -> None:
    pilot = open_window(two)
    box = pilot.named(QComboBox, "Device")
    pilot.qtbot.waitUntil(lambda: box.count() == 3)
    assert box.currentText() == "Choose a device"
    assert pilot.controller.phase is Phase.NO_DEVICE


def test_another_device_can_be_chosen_until_the_recording_begins(open_window: OpenWindow, two: FakeRecordings) -> None:
    pilot = open_window(two)
    box = pilot.named(QComboBox, "Device")
    pilot.qtbot.waitUntil(lambda: box.count() == 3)
    for serial in ("emulator-5554", "fold-5556"):
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert pilot.controller.serial == serial
        pilot.wait_for_phase(Phase.WATCHING)
    pilot.start()
    assert not box.isEnabled()


@pytest.mark.parametrize(
    ("state", "words"),
    [("offline", "does not answer"), ("unauthorized", "Allow USB debugging"), ("recovery", "it is recovery")],
)
def test_a_device_that_cannot_be_used_says_why(open_window: OpenWindow, tmp_path: Path, state: str, words: str) -> None:
    service = FakeRecordings(tmp_path, FakeDevice(serial="emulator-5554"))
    service.states["emulator-5554"] = state
    pilot = open_window(service)
    pilot.qtbot.waitUntil(lambda: pilot.says(words))
    assert pilot.controller.phase is Phase.NO_DEVICE


def test_a_device_that_cannot_be_reached_is_told_once_and_can_be_tried_again(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    service = FakeRecordings(tmp_path, FakeDevice(serial="emulator-5554"))
    pilot = open_window(service)
    service.failure = DeviceError("adb does not answer: restart it with adb start-server.")
    told: list[str] = []
    pilot.controller.failed.connect(told.append)
    pilot.controller.choose_device("emulator-5554")
    pilot.wait_for_phase(Phase.NO_DEVICE)
    pilot.qtbot.waitUntil(lambda: pilot.says("restart it with adb start-server"))
    assert len(told) == 1

    service.failure = None
    pilot.controller.choose_device("emulator-5554")
    pilot.wait_for_phase(Phase.WATCHING)


def test_a_device_that_appears_later_is_found_and_used(open_window: OpenWindow, tmp_path: Path) -> None:
    service = FakeRecordings(tmp_path)
    pilot = open_window(service)
    pilot.qtbot.waitUntil(lambda: pilot.says("No device."))
    assert not pilot.named(QAbstractButton, "Start the simulated emulator").isVisible()
    service.devices_there.append(FakeDevice(serial="emulator-5554"))
    pilot.press("Look again")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.named(QComboBox, "Device").currentText() == "emulator-5554"
