"""Making, starting, checking and repairing devices, with controls found by their accessible names."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QListView, QProgressBar
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.inventory import InventoryDevice
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.devices.devices_page import DevicesPage
from odyssey_recorder.gui.keyboard import Keyboard
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.workplace import Workplace
from tests.gui.fakes import FakeInventory, FakeRecordings
from tests.gui.pilot import OpenAt, WidgetPilot

SERIAL = "emulator-5554"


class PagePilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, inventory: FakeInventory) -> None:
        super().__init__(qtbot, background)
        self.inventory = inventory
        self.page = DevicesPage(inventory, background, self.commands)
        Keyboard(self.window, lambda: self.page, self.commands[Command.HELP])
        self.show_widget(self.page)
        self.page.enter()
        self.wait(lambda: bool(self.rows) or inventory.listing_failure is not None)

    @property
    def rows(self) -> list[str]:
        return self.rows_of("Devices")

    @property
    def offered(self) -> set[str]:
        buttons = self.page.findChildren(QAbstractButton)
        return {one.text() for one in buttons if one.isVisible() and one.isEnabled() and one.text()}

    def choose(self, name: str) -> None:
        devices = self.named(QListView, "Devices")
        wanted = next(row for row, words in enumerate(self.rows) if words.startswith(f"{name}:"))
        while devices.currentIndex().row() != wanted:
            below = devices.currentIndex().row() < wanted
            QTest.keyClick(devices, Qt.Key.Key_Down if below else Qt.Key.Key_Up)

    def wait(self, happened: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(happened, timeout=10_000)

    def wait_until_done(self, what: str) -> None:
        self.wait(lambda: what in self.inventory.done)


@pytest.fixture
def inventory() -> FakeInventory:
    return FakeInventory()


@pytest.fixture
def open_page(qtbot: QtBot, background: Background) -> Iterator[Callable[[FakeInventory], PagePilot]]:
    pilots: list[PagePilot] = []

    def open_on(inventory: FakeInventory) -> PagePilot:
        pilots.append(PagePilot(qtbot, background, inventory))
        return pilots[-1]

    yield open_on
    for pilot in pilots:
        pilot.inventory.go_on()
        pilot.page.close_down()


OpenPage = Callable[[FakeInventory], PagePilot]


# List.


def test_the_six_are_listed_and_strangers_say_what_to_do(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.make("small_phone")
    inventory.run("pixel_fold")
    inventory.other_devices = (InventoryDevice("R5CT90", "SM S911B", serial="R5CT90", state="unauthorized"),)
    pilot = open_page(inventory)

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
    assert "Stop" not in pilot.offered


def test_where_adb_cannot_be_asked_that_is_said(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.listing_failure = DeviceError("The adb server cannot be reached. Run `adb start-server`.")
    pilot = open_page(inventory)
    pilot.wait(lambda: pilot.says("Run `adb start-server`"))

    inventory.listing_failure = None
    pilot.press("Refresh")
    pilot.wait(lambda: bool(pilot.rows))
    assert not pilot.says("Run `adb start-server`")


def test_a_device_that_is_lost_is_told_at_once(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page(inventory)
    pilot.wait(lambda: pilot.says("OK: "))
    inventory.lose(SERIAL)
    pilot.press("Check again")

    sooner_than_by_looking_around_ms = 2000
    pilot.qtbot.waitUntil(
        lambda: pilot.says(f"Pixel 7 Pro ({SERIAL}) is gone."), timeout=sooner_than_by_looking_around_ms
    )
    assert "Pixel 7 Pro: Stopped" in pilot.rows
    assert "Start" in pilot.offered
    inventory.run("pixel_7_pro")
    pilot.press("Refresh")
    pilot.wait(lambda: not pilot.says("is gone."))


def test_the_list_is_looked_after_only_while_the_page_is_shown(open_page: OpenPage, inventory: FakeInventory) -> None:
    pilot = open_page(inventory)
    pilot.page.hide()
    pilot.wait_until_done("let go")


# The SDK.


def test_what_the_sdk_lacks_is_named_with_the_command_to_copy(open_page: OpenPage, inventory: FakeInventory) -> None:
    command = 'sdkmanager "emulator"'
    inventory.missing = (PreflightFinding("emulator", "no emulator in /sdk", f"Run: {command}", True, command),)
    pilot = open_page(inventory)

    assert pilot.says("emulator: no emulator in /")
    pilot.press("Copy the command for emulator")
    assert QGuiApplication.clipboard().text() == command
    assert "Create" not in pilot.offered
    pilot.press("Start simulated")
    pilot.wait(lambda: "Medium Phone: Simulated · emulator-5580" in pilot.rows)


def test_what_was_missing_and_is_there_now_goes(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.missing = (PreflightFinding("emulator", "no emulator", "Run: sdkmanager", True, "sdkmanager"),)
    pilot = open_page(inventory)
    pilot.button_named("Copy the command for emulator").setFocus()

    inventory.missing = ()
    pilot.commands[Command.DEVICES_LOOK].trigger()
    pilot.wait(lambda: not pilot.says("emulator: no emulator"))
    assert QApplication.focusWidget() is pilot.named(QListView, "Devices")
    assert "Create" in pilot.offered


# Making, starting, stopping.


def test_a_device_is_made_started_and_stopped(open_page: OpenPage, inventory: FakeInventory) -> None:
    pilot = open_page(inventory)
    pilot.choose("Pixel Tablet")
    assert pilot.offered >= {"Create", "Start simulated"}
    pilot.press("Create")
    pilot.wait(lambda: "Pixel Tablet: Stopped" in pilot.rows)

    assert pilot.offered >= {"Start", "Cold boot", "Reset…"}
    assert "Create" not in pilot.offered
    pilot.press("Cold boot")
    pilot.wait(lambda: f"Pixel Tablet: Running · {SERIAL}" in pilot.rows)
    assert inventory.done[:2] == ["create pixel_tablet", "cold boot Pixel_Tablet"]
    pilot.wait(lambda: "Stop" in pilot.offered)
    pilot.press("Stop")
    pilot.wait(lambda: "Pixel Tablet: Stopped" in pilot.rows)
    assert not pilot.says("is gone")


def test_a_start_shows_how_far_it_is_and_can_be_cancelled(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.make("pixel_7_pro")
    inventory.held = True
    pilot = open_page(inventory)
    pilot.choose("Pixel 7 Pro")
    pilot.press("Start")

    pilot.wait(lambda: "Pixel 7 Pro: Preparing the device for recording" in pilot.rows)
    bar = pilot.named(QProgressBar, "Progress of: Starting Pixel 7 Pro")
    assert bar.isVisible()
    assert "Start" not in pilot.offered
    pilot.choose("Pixel 8 Pro")
    assert not bar.isVisible()

    pilot.choose("Pixel 7 Pro")
    pilot.press("Cancel")
    pilot.wait(lambda: "Pixel 7 Pro: Stopped" in pilot.rows)
    assert not pilot.says("failed")


def test_a_start_that_fails_says_why_until_that_is_dismissed(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.make("pixel_7_pro")
    inventory.failure = DeviceError("The emulator ended with exit code 1: no room on the disk. Free some space.")
    pilot = open_page(inventory)
    pilot.choose("Pixel 7 Pro")
    pilot.press("Start")
    pilot.wait_for_text("Free some space.")
    dismiss = [one for one in pilot.page.findChildren(QAbstractButton) if one.text() == "Dismiss" and one.isVisible()]
    dismiss[0].click()
    pilot.wait(lambda: not pilot.says("Free some space."))


def test_a_reset_asks_first_and_says_what_is_lost(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page(inventory)
    pilot.press("Reset")
    dialog = pilot.dialog()
    assert pilot.says("all its apps, accounts, files and snapshots")
    dialog.reject()
    assert inventory.done == []

    pilot.press("Reset")
    QTest.keyClick(pilot.dialog(), Qt.Key.Key_Return)
    pilot.wait_until_done("reset Pixel_7_Pro")


def test_a_configuration_that_is_not_the_profiles_is_amended(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.problems = ("Its keyboard is no, the profile's yes.",)
    inventory.make("pixel_7_pro")
    pilot = open_page(inventory)
    pilot.choose("Pixel 7 Pro")
    assert pilot.says("Its keyboard is no")

    pilot.press("Fix the configuration")
    pilot.wait(lambda: not pilot.says("Its keyboard is no"))
    assert inventory.done == ["amend Pixel_7_Pro"]


# A running device.


def test_a_fold_is_folded_opened_and_turned(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_fold")
    pilot = open_page(inventory)
    pilot.press("Fold")
    pilot.wait(lambda: pilot.says("folded"))
    assert pilot.says("1080x2092 at 420 dpi")

    pilot.press("Unfold")
    pilot.wait(lambda: pilot.says("open"))
    QTest.keyClick(pilot.named(QListView, "Devices"), Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    pilot.wait(lambda: pilot.says("90°"))


def test_a_phone_does_not_fold_and_rests_while_recorded(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page(inventory)
    pilot.wait(lambda: pilot.says("OK: "))
    assert pilot.offered >= {"Record on it", "Rotate", "Stop", "Fix"}
    assert not pilot.offered & {"Fold", "Unfold", "Start", "Create", "Cold boot"}
    pilot.page.show_recording(SERIAL)
    assert pilot.says("An episode is being recorded on this device")
    assert not pilot.offered & {"Stop", "Rotate", "Reset…", "Record on it", "Fix", "Save"}

    pilot.page.show_recording("")
    assert pilot.offered >= {"Stop", "Rotate", "Fix"}


def test_a_finding_is_mended_by_its_button_or_in_a_second_try(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro").settings["secure", "navigation_mode"] = "2"
    pilot = open_page(inventory)
    pilot.wait(lambda: pilot.says("Navigation: by gestures"))
    inventory.failure = DeviceError(f"{SERIAL} refused: no permission.")
    pilot.press("Fix Navigation")
    pilot.wait(lambda: pilot.says("no permission"))
    pilot.wait(lambda: pilot.is_enabled("Fix Navigation"))

    inventory.failure = None
    pilot.press("Fix Navigation")
    pilot.wait(lambda: not pilot.says("Navigation: by gestures"))
    assert inventory.done == ["fix Navigation", "fix Navigation"]
    pilot.wait(lambda: pilot.says("Navigation,"))


def test_snapshots_are_saved_loaded_and_deleted_by_name(open_page: OpenPage, inventory: FakeInventory) -> None:
    inventory.run("pixel_7_pro")
    pilot = open_page(inventory)
    pilot.wait(lambda: pilot.says("OK: "))
    assert not pilot.offered & {"Save", "Load", "Delete"}
    field = pilot.line("Name of the new snapshot")
    QTest.keyClicks(field, "clean / home")
    assert field.text() == "cleanhome"
    QTest.keyClick(field, Qt.Key.Key_Return)
    names = pilot.named(QListView, "Snapshots")
    pilot.wait(lambda: names.model().rowCount() == 1 and "Load" in pilot.offered)

    pilot.button_named("Load").setFocus()
    pilot.press("Load")
    assert QApplication.focusWidget() is pilot.named(QListView, "Devices")
    pilot.wait_until_done("load cleanhome")
    pilot.wait(lambda: "Delete" in pilot.offered)
    pilot.press("Delete")
    pilot.wait(lambda: names.model().rowCount() == 0)


# In the window.


def test_the_way_leads_from_devices_to_recording(
    open_at: OpenAt, service: FakeRecordings, inventory: FakeInventory
) -> None:
    service.connected_devices.append(inventory.run("small_phone"))
    pilot = open_at(Workplace(inventory=lambda: inventory))
    pilot.press("Devices")
    pilot.wait_for_text("720x1280 at 320 dpi")
    pilot.press("Record on it")

    pilot.wait_for_phase(Phase.WATCHING)
    assert (pilot.controller.serial, pilot.window.page) == (SERIAL, Command.RECORD_PAGE)
