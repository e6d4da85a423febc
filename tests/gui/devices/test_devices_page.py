"""Making, starting, checking and repairing devices, with controls found by their accessible names."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QListView, QProgressBar
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.inventory import InventoryDevice
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device_check.found import CheckLine, DeviceReport, Outcome
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.devices import check_dialog
from odyssey_recorder.gui.devices.commands import DevicesCommand
from odyssey_recorder.gui.devices.devices_page import DevicesPage
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.keyboard import Keyboard
from tests.gui.fakes import FakeInventory, FakeRecordings
from tests.gui.pilot import OpenAt, WidgetPilot

SERIAL = "emulator-5554"


class DevicesPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, inventory: FakeInventory) -> None:
        super().__init__(qtbot, background)
        self.inventory = inventory
        self.page = DevicesPage(inventory, background, self.commands, inventory.check)
        Keyboard(self.window, lambda: self.page, self.commands[CommonCommand.HELP])
        self.show_widget(self.page)
        self.page.enter()
        self.wait(lambda: bool(self.rows) or inventory.listing_failure is not None)

    @property
    def rows(self) -> list[str]:
        return self.rows_of("Devices")

    @property
    def enabled_buttons(self) -> set[str]:
        buttons = self.page.findChildren(QAbstractButton)
        return {one.text() for one in buttons if one.isVisible() and one.isEnabled() and one.text()}

    def choose(self, name: str) -> None:
        devices = self.named(QListView, "Devices")
        wanted = next(row for row, text in enumerate(self.rows) if text.startswith(f"{name}:"))
        while devices.currentIndex().row() != wanted:
            below = devices.currentIndex().row() < wanted
            QTest.keyClick(devices, Qt.Key.Key_Down if below else Qt.Key.Key_Up)

    def stop_delivery(self) -> None:
        self.inventory.may_finish.set()
        self.page.close_down()
        super().stop_delivery()

    def wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=60_000)


OpenPage = Callable[[], DevicesPilot]


@pytest.fixture
def inventory() -> FakeInventory:
    return FakeInventory()


@pytest.fixture
def open_page(qtbot: QtBot, background: Background, inventory: FakeInventory) -> OpenPage:
    return lambda: DevicesPilot(qtbot, background, inventory)


def test_profiles_and_other_devices_are_listed(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.make("small_phone")
    inventory.run("pixel_fold")
    inventory.other_devices = (InventoryDevice("R5CT90", "SM S911B", serial="R5CT90", state="unauthorized"),)
    pilot = open_page()
    assert pilot.rows == [
        "Medium Phone: Not created yet",
        "Pixel 7 Pro: Not created yet",
        "Pixel 8 Pro: Not created yet",
        f"Pixel Fold: Running · {SERIAL}",
        "Pixel Tablet: Not created yet",
        "Small Phone: Stopped",
        "SM S911B: R5CT90 is unauthorized",
    ]
    assert pilot.says("Pixel Fold"), "it runs"
    pilot.wait(lambda: pilot.says("2208x1840 at 420 dpi"))
    pilot.wait(lambda: pilot.says("15 (API 35)"))
    assert pilot.says("open")
    pilot.choose("SM S911B")
    assert pilot.says("Allow USB debugging")
    assert "Stop" not in pilot.enabled_buttons


def test_adb_failure_is_shown_until_refreshed(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.listing_failure = DeviceError("The adb server cannot be reached. Run `adb start-server`.")
    pilot = open_page()
    pilot.wait(lambda: pilot.says("Run `adb start-server`"))
    inventory.listing_failure = None
    pilot.press("Refresh")
    pilot.wait(lambda: bool(pilot.rows))
    assert not pilot.says("Run `adb start-server`")


def test_lost_device_is_reported_at_once(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page()
    pilot.wait(lambda: pilot.says("checks passed."))
    inventory.lose(SERIAL)
    pilot.press("Check again")
    before_next_listing_ms = 2000
    pilot.qtbot.waitUntil(lambda: pilot.says(f"Pixel 7 Pro ({SERIAL}) is gone."), timeout=before_next_listing_ms)
    assert "Pixel 7 Pro: Stopped" in pilot.rows
    assert "Start" in pilot.enabled_buttons
    inventory.run("pixel_7_pro")
    pilot.press("Refresh")
    pilot.wait(lambda: not pilot.says("is gone."))


def test_hidden_page_stops_watching_devices(open_page: OpenPage, inventory: FakeInventory) -> None:
    pilot = open_page()
    pilot.page.hide()
    pilot.wait(lambda: "let go" in inventory.done)


def test_missing_sdk_part_is_shown_until_it_is_installed(open_page: OpenPage, inventory: FakeInventory) -> None:
    command = 'sdkmanager "emulator"'
    inventory.missing = (PreflightFinding("emulator", "no emulator in /sdk", f"Run: {command}", True, command),)
    pilot = open_page()
    assert pilot.says("emulator: no emulator in /")
    pilot.press("Copy the command for emulator")
    assert QGuiApplication.clipboard().text() == command
    assert "Create" not in pilot.enabled_buttons
    pilot.press("Start simulated")
    pilot.wait(lambda: "Medium Phone: Simulated · emulator-5580" in pilot.rows)
    pilot.choose("Pixel 7 Pro")
    pilot.button_named("Copy the command for emulator").setFocus()
    inventory.missing = ()
    pilot.commands[DevicesCommand.DEVICES_LOOK].trigger()
    pilot.wait(lambda: not pilot.says("emulator: no emulator"))
    assert QApplication.focusWidget() is pilot.named(QListView, "Devices")
    assert "Create" in pilot.enabled_buttons


def test_device_is_created_started_and_stopped(open_page: OpenPage, inventory: FakeInventory) -> None:
    pilot = open_page()
    pilot.choose("Pixel Tablet")
    assert pilot.enabled_buttons >= {"Create", "Start simulated"}
    pilot.press("Create")
    pilot.wait(lambda: "Pixel Tablet: Stopped" in pilot.rows)
    assert pilot.enabled_buttons >= {"Start", "Cold boot", "Reset…"}
    assert "Create" not in pilot.enabled_buttons
    pilot.press("Cold boot")
    pilot.wait(lambda: f"Pixel Tablet: Running · {SERIAL}" in pilot.rows)
    assert inventory.done[:2] == ["create pixel_tablet", "cold boot Pixel_Tablet"]
    pilot.wait(lambda: "Stop" in pilot.enabled_buttons)
    pilot.press("Stop")
    pilot.wait(lambda: "Pixel Tablet: Stopped" in pilot.rows)
    assert not pilot.says("is gone")


def test_start_shows_progress_and_can_be_cancelled(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.make("pixel_7_pro")
    inventory.may_finish.clear()
    pilot = open_page()
    pilot.choose("Pixel 7 Pro")
    pilot.press("Start")
    pilot.wait(lambda: "Pixel 7 Pro: Preparing the device for recording" in pilot.rows)
    bar = pilot.named(QProgressBar, "Progress of: Starting Pixel 7 Pro")
    assert bar.isVisible()
    assert "Start" not in pilot.enabled_buttons
    pilot.choose("Pixel 8 Pro")
    assert not bar.isVisible()
    pilot.choose("Pixel 7 Pro")
    pilot.press("Cancel")
    pilot.wait(lambda: "Pixel 7 Pro: Stopped" in pilot.rows)
    assert not pilot.says("failed")


def test_failed_start_is_explained_until_dismissed(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.make("pixel_7_pro")
    inventory.failure = DeviceError("The emulator ended with exit code 1: no room on the disk. Free some space.")
    pilot = open_page()
    pilot.choose("Pixel 7 Pro")
    pilot.press("Start")
    pilot.wait_for_text("Free some space.")
    dismiss = [one for one in pilot.page.findChildren(QAbstractButton) if one.text() == "Dismiss" and one.isVisible()]
    dismiss[0].click()
    pilot.wait(lambda: not pilot.says("Free some space."))


def test_reset_asks_first_and_lists_what_is_lost(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page()
    pilot.press("Reset")
    dialog = pilot.dialog()
    assert pilot.says("all its apps, accounts, files and snapshots")
    dialog.reject()
    assert inventory.done == []
    pilot.press("Reset")
    QTest.keyClick(pilot.dialog(), Qt.Key.Key_Return)
    pilot.wait(lambda: "reset Pixel_7_Pro" in inventory.done)


def test_configuration_that_differs_from_its_profile_is_fixed(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.problems = ("Its keyboard is no, the profile's yes.",)
    inventory.make("pixel_7_pro")
    pilot = open_page()
    pilot.choose("Pixel 7 Pro")
    assert pilot.says("Its keyboard is no")
    pilot.press("Fix the configuration")
    pilot.wait(lambda: not pilot.says("Its keyboard is no"))
    assert inventory.done == ["amend Pixel_7_Pro"]


def test_foldable_is_folded_unfolded_and_rotated(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_fold")
    pilot = open_page()
    pilot.press("Fold")
    pilot.wait(lambda: pilot.says("folded"))
    assert pilot.says("1080x2092 at 420 dpi")
    pilot.press("Unfold")
    pilot.wait(lambda: pilot.says("open"))
    QTest.keyClick(pilot.named(QListView, "Devices"), Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    pilot.wait(lambda: pilot.says("90°"))


def test_emulator_of_another_vendor_is_stopped_and_turned_in_its_own_window(
    open_page: OpenPage, inventory: FakeInventory
) -> None:
    inventory.run("pixel_fold").keeps_snapshots = False
    pilot = open_page()
    pilot.wait_for_text("cannot be stopped or turned from here. Do that in its own window.")
    assert not pilot.enabled_buttons & {"Stop", "Rotate", "Fold", "Unfold"}
    assert "Record on it" in pilot.enabled_buttons
    said = [label for label in pilot.page.findChildren(QLabel) if "no snapshots" in label.text() and label.isVisible()]
    assert len(said) == 1


def test_recorded_device_cannot_be_changed(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page()
    pilot.wait(lambda: pilot.says("checks passed."))
    assert pilot.enabled_buttons >= {"Record on it", "Rotate", "Stop", "Fix"}
    assert not pilot.enabled_buttons & {"Fold", "Unfold", "Start", "Create", "Cold boot"}
    pilot.page.show_recording(SERIAL)
    assert pilot.says("An episode is being recorded on this device")
    assert not pilot.enabled_buttons & {"Stop", "Rotate", "Reset…", "Record on it", "Fix", "Save"}
    pilot.page.show_recording("")
    assert pilot.enabled_buttons >= {"Stop", "Rotate", "Fix"}


def test_failed_repair_can_be_tried_again(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro").settings["secure", "navigation_mode"] = "2"
    pilot = open_page()
    pilot.wait(lambda: pilot.says("Navigation: by gestures"))
    inventory.failure = DeviceError(f"{SERIAL} refused: no permission.")
    pilot.press("Fix Navigation")
    pilot.wait(lambda: pilot.says("no permission"))
    pilot.wait(lambda: pilot.is_enabled("Fix Navigation"))
    inventory.failure = None
    pilot.press("Fix Navigation")
    pilot.wait(lambda: not pilot.says("Navigation: by gestures"))
    assert inventory.done == ["fix Navigation", "fix Navigation"]
    pilot.wait(lambda: pilot.says("checks passed."))


def test_snapshots_are_saved_loaded_and_deleted(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page()
    pilot.wait(lambda: pilot.says("checks passed."))
    assert not pilot.enabled_buttons & {"Save", "Load", "Delete"}
    field = pilot.line("Name of the new snapshot")
    QTest.keyClicks(field, "clean / home")
    assert field.text() == "cleanhome"
    QTest.keyClick(field, Qt.Key.Key_Return)
    names = pilot.named(QListView, "Snapshots")
    pilot.wait(lambda: names.model().rowCount() == 1 and "Load" in pilot.enabled_buttons)
    pilot.button_named("Load").setFocus()
    pilot.press("Load")
    assert QApplication.focusWidget() is pilot.named(QListView, "Devices")
    pilot.wait(lambda: "load cleanhome" in inventory.done)
    pilot.wait(lambda: "Delete" in pilot.enabled_buttons)
    pilot.press("Delete")
    pilot.wait(lambda: names.model().rowCount() == 0)


def test_device_is_recorded_from_its_page(open_at: OpenAt, service: FakeRecordings, inventory: FakeInventory) -> None:
    service.connected_devices.append(inventory.run("small_phone"))
    pilot = open_at(Workplace(inventory=lambda: inventory))
    pilot.press("Devices")
    pilot.wait_for_text("720x1280 at 320 dpi")
    pilot.press("Record on it")
    pilot.wait_for_phase(Phase.WATCHING)
    assert (pilot.controller.serial, pilot.window.page) == (SERIAL, CommonCommand.RECORD_PAGE)


def test_check_shows_progress_then_what_differs_first(
    open_page: OpenPage, inventory: FakeInventory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = CheckLine("Frames", Outcome.DIFFERENT, "a quarter turn off", "They are turned back.")
    inventory.report = DeviceReport({}, (CheckLine("Typing", Outcome.EXPECTED, "read back"), frames), 12)
    inventory.run("pixel_fold")
    inventory.may_finish.clear()
    pilot = open_page()
    pilot.wait(lambda: "Check this device" in pilot.enabled_buttons)
    pilot.press("Check this device")
    pilot.wait(lambda: pilot.says("Typing, 1 of 2"))
    assert pilot.named(QProgressBar, "Progress of: Checking Pixel Fold").isVisible()
    assert "Check again" not in pilot.enabled_buttons, "the device is being checked"
    inventory.may_finish.set()
    pilot.wait(lambda: pilot.says("1 as expected, 1 different, 0 not possible here."))
    shown = [label.text() for label in pilot.page.findChildren(QLabel) if label.text() in _RESULTS]
    assert shown == ["Frames: a quarter turn off", "Typing: read back"]
    report = tmp_path / "report.html"
    monkeypatch.setattr(check_dialog, "ask_where_to_save", lambda _, __, ___, save: save(report))
    [save] = [one for one in pilot.page.findChildren(QAbstractButton) if one.text() == "Save report…"]
    QTest.mouseClick(save, Qt.MouseButton.LeftButton)
    pilot.wait(lambda: pilot.says("The report is saved."))
    assert "They are turned back." in report.read_text("utf-8")


_RESULTS = {"Frames: a quarter turn off", "Typing: read back"}


def test_check_can_be_cancelled(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_fold")
    inventory.may_finish.clear()
    pilot = open_page()
    pilot.wait(lambda: "Check this device" in pilot.enabled_buttons)
    pilot.press("Check this device")
    pilot.wait(lambda: pilot.says("Typing, 1 of 2"))
    pilot.press("Cancel")
    pilot.wait(lambda: "Check this device" in pilot.enabled_buttons)
    assert not pilot.page.findChildren(check_dialog.CheckDialog)
