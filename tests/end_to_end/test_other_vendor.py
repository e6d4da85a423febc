"""An emulator of another vendor: Android 9, adb only, no console. It is examined, recorded and practised on."""

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.avd import SdkEnvironment, VirtualDevices
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.inventory import DeviceInventory
from odyssey_recorder.doctor import Doctor, Level
from odyssey_recorder.gui.devices.commands import DevicesCommand
from odyssey_recorder.gui.devices.device_card import advice, offers
from odyssey_recorder.model.action import Click, Complete, Press, SystemKey, Type
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.flag import FlagCode
from odyssey_recorder.model.geometry import Box, Rotation
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.services.practice import PracticeService
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.settings import read_settings
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import OTHER_VENDOR
from tests.cli import wait_until
from tests.dataset.drafts import store_in
from tests.end_to_end.emulator_bench import label_positions
from tests.end_to_end.journal_checks import published
from tests.end_to_end.recording_setup import PATIENCE_S, TASK, RecordingSetup, kinds_of
from tests.end_to_end.test_passive_mode import flags_of
from tests.recording.recording_bench import Annotator
from tests.simulator.person import Person

SETTINGS, NOTES = "com.android.settings", "com.odyssey.notes"
NAVIGATION_DOUBTS = {FlagCode.AREAS_CHANGED, FlagCode.AREAS_UNKNOWN, FlagCode.UNSURE_PRESS, FlagCode.OTHER_EFFECT}


@dataclass(frozen=True)
class VendorSetup(RecordingSetup):
    """A person's fingers reach the device through its own window, so that `getevent` sees them."""

    def tap(self, label: str) -> None:
        at = label_positions(self.emulator.phone, label)[0]
        for pressed in (True, False):
            self.emulator.guest.window_touch(at.x, at.y, pressed=pressed)


@pytest.fixture
def setup(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[VendorSetup]:
    journal = tmp_path / "journal.jsonl"
    phone = Phone(OTHER_VENDOR, animation=False, journal=journal).without_notices()
    with SimulatedEmulator(phone, adb_server_port=adb_server.port) as emulator:
        connector = DeviceConnector(AdbServer(port=adb_server.port), console_token=tmp_path / "token")
        wait_until(lambda: any(one.serial == emulator.serial and one.is_ready for one in connector.devices()))
        service = RecordingService(connector, store_in(tmp_path), "ann")
        with closing(connector.connect(emulator.serial)) as device:
            yield VendorSetup(emulator, service, device, device, journal)


def test_app_in_front_bars_and_keyboard_are_known(setup: VendorSetup) -> None:
    setup.emulator.phone.start_activity(NOTES)
    person = Person(setup.emulator.phone)
    person.tap("New note")
    person.tap("Title")
    state, truth = setup.device.screen_state(), setup.emulator.phone.state()
    assert (state.package, state.activity) == (NOTES, truth.activity)
    assert (state.rotation, state.posture, state.keyboard_shown) == (Rotation.R0, "", True)
    assert state.status_bar_px == truth.status_bar.bottom
    bar, keys = truth.navigation_bar, truth.keyboard
    assert state.navigation_bar == Box(bar.left, bar.top, bar.right, bar.bottom)
    assert keys is not None
    assert state.keyboard == Box(keys.left, keys.top, keys.right, keys.bottom)


def test_touches_in_its_window_become_steps(setup: VendorSetup) -> None:
    with setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, SETTINGS)
        setup.tap_in_window(recorder, "Display", "Overview", "Back", "Home")
        episode, provenance = setup.finish(recorder)
    actions = [step.action for step in episode.steps[:-1]]
    assert isinstance(actions[0], Click)
    assert actions[1:] == [Press(SystemKey.RECENT), Press(SystemKey.BACK), Press(SystemKey.HOME)]
    apps = [step.screen.package for step in provenance.steps if step.screen is not None]
    assert apps == [SETTINGS, SETTINGS, "com.android.launcher3", SETTINGS, "com.android.launcher3"]
    assert not {flag.code for flag in flags_of(provenance.steps)} & NAVIGATION_DOUBTS
    assert annotator.notices == []


def test_text_typed_on_its_screen_is_read(setup: VendorSetup) -> None:
    with setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, NOTES)
        setup.tap_in_window(recorder, "New note", "Title")
        setup.type_on_screen("oslo")
        setup.await_keys(recorder, 4)
        setup.tap("Back")
        setup.await_steps(recorder, 4)
        episode, provenance = setup.finish(recorder)
    assert kinds_of(episode) == [Click, Click, Type, Press, Complete]
    assert episode.steps[2].action == Type("oslo")
    assert not {flag.code for flag in flags_of(provenance.steps)} & {FlagCode.TEXT_UNREAD, FlagCode.WRONG_TEXT}
    assert annotator.notices == []


def test_practice_begins_on_a_clean_home_screen(setup: VendorSetup, tmp_path: Path) -> None:
    store = store_in(tmp_path / "practice")
    practice = PracticeService("ann", ProfileStore(tmp_path / "annotators"), store, wanted=2)
    for app in (SETTINGS, NOTES):
        setup.emulator.phone.start_activity(app)
    service = replace(setup.service, practice=practice)
    recorder = service.begin(setup.device, Assignment(TASK, "01", is_practice=True), Annotator())
    recorder.start()
    recorder.wait_for(lambda view: view.frame_number is not None, PATIENCE_S)
    recorder.complete()
    recorder.wait_for(lambda view: view.published is not None, PATIENCE_S)
    recorder.join()
    assert [task.package for task in setup.emulator.phone.tasks() if not task.is_home] == []
    _, provenance = published(store, recorder.episode_id)
    assert provenance.origin.start.kind == "clean_home"


def test_doctor_says_once_that_it_keeps_no_snapshots(
    setup: VendorSetup, adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(adb_server.port))
    steps: list[str] = []
    doctor = Doctor(partial(read_settings, dataset=tmp_path), on_screen=False)
    found = doctor.examine(lambda _, words: steps.append(words), lambda: len(steps) == 2)
    about = [one for one in found if setup.emulator.serial in one.found]
    assert about[0].found == f"{setup.emulator.serial}: ready, screenshots by screencap"
    assert not [one for one in about if one.level is Level.MISSING]
    [said] = [one for one in about if "snapshot" in (one.found + one.fix).lower()]
    assert (said.found, said.level) == (f"{setup.emulator.serial}, Snapshots: not kept", Level.NOTE)
    assert said.fix.startswith("Only emulators of the Android SDK on this computer keep snapshots.")


def test_devices_page_examines_it_and_offers_what_works(setup: VendorSetup, tmp_path: Path) -> None:
    server, connector = setup.service.connector.server, setup.service.connector
    environment = SdkEnvironment(tmp_path / "avd", (), tmp_path / "logs", tmp_path / "token", dict(os.environ))
    virtual = VirtualDevices(None, server, environment, connector.connect)
    inventory = DeviceInventory(virtual, connector.devices, lambda _: setup.device.properties(), connector.connect)
    [member] = [one for one in inventory.listing().members if one.serial == setup.emulator.serial]
    try:
        details = inventory.examine(member.serial)
    finally:
        inventory.disconnect_device()
    assert (details.screen.package, details.capture_path, details.snapshots) == (
        "com.android.launcher3", "screencap", None
    )  # fmt: skip
    assert details.properties.release_version == "9"
    assert offers(member, details, can_simulate=True) == {DevicesCommand.DEVICE_RECORD}
    assert "in its own window" in advice(member, details, can_simulate=True, lacks_sdk=False)
