"""Recording in the window, with an in-memory device, a real recorder and a real dataset folder."""

from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QPushButton, QRadioButton

from odyssey_recorder.dataset.draft import read_head
from odyssey_recorder.dataset.layout import episode_ids, screenshot_path
from odyssey_recorder.device.profile import profile_named
from odyssey_recorder.errors import DeviceError, DeviceTimeoutError, RecordingError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.frame.application import TextSize, use_text_size
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.record.device_column import Publication
from odyssey_recorder.gui.record.mirror_stage import WantedScreen
from odyssey_recorder.gui.record.recording_bar import RecordingBar
from odyssey_recorder.gui.record.sounds import Sound, Sounds
from odyssey_recorder.gui.record.status import ElidedLabel
from odyssey_recorder.gui.screen.canvas import Framing
from odyssey_recorder.model.action import Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.geometry import Box, Pixel, Size
from odyssey_recorder.recording.state import State
from tests.fakes import FakeDevice
from tests.gui.fakes import TASK, FakeInventory, FakeRecordings
from tests.gui.inspection import faults
from tests.gui.pilot import LEFT, NONE, OpenWindow, Pilot, button_in
from tests.gui.record.screens import choose_step, fit_of, record_one_step


def simulated(serial: str) -> FakeDevice:
    device = FakeDevice(serial=serial)
    device.avd_name = "Simulated_pixel_7_pro"
    return device


def test_whole_episode_is_recorded_and_published(pilot: Pilot, service: FakeRecordings, device: FakeDevice) -> None:
    pilot.start()
    pilot.click(180, 300)
    assert pilot.status.hint.startswith("Click")
    pilot.wait_for_steps(1)
    stroke = device.performed[0]
    assert isinstance(stroke, TouchStroke)
    assert stroke.start == pilot.fit.pixel_at(pilot.spot(180, 300).toPointF())
    pilot.drag_up(180, low=500, high=100)
    pilot.wait_for_steps(2)
    pilot.hold(100, 400)
    pilot.wait_for_steps(3)
    pilot.type_text("seven o'clock; $HOME")
    assert pilot.status.hint == "Type “seven o'clock; $HOME”"
    pilot.wait_for_steps(4)
    for number, name in enumerate(("Home", "Recent", "Back"), start=5):
        pilot.press(name)
        assert pilot.status.hint == f"Press {name}"
        pilot.wait_for_steps(number)
    pilot.complete("It is dark now")

    episode = service.episode
    actions = [step.action for step in episode.steps]
    assert [type(action) for action in actions[:3]] == [Click, Scroll, LongPress]
    keys = [Press(key) for key in (SystemKey.HOME, SystemKey.RECENT, SystemKey.BACK)]
    assert actions[3:] == [Type("seven o'clock; $HOME"), *keys, Complete("It is dark now")]
    assert (episode.task.instruction, episode.task.apps) == (TASK.instruction, TASK.apps)
    assert device.screen_at == list(range(7))
    for number in range(8):
        with Image.open(service.store.root / screenshot_path(episode.episode_id, number)) as image:
            assert image.convert("RGB").tobytes() == device.screenshot(number).tobytes()


def test_streaming_device_follows_the_finger(pilot: Pilot, service: FakeRecordings, device: FakeDevice) -> None:
    device.streams = True
    pilot.start()
    pilot.put_finger_down(180, 500)
    pilot.qtbot.waitUntil(lambda: len(device.finger) == 1)
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Touching")
    assert pilot.mirror.is_touched
    assert not pilot.is_enabled("Complete")
    QTest.mouseMove(pilot.mirror, pilot.spot(180, 300))
    pilot.qtbot.waitUntil(lambda: len(device.finger) == 2)
    QTest.mouseRelease(pilot.mirror, LEFT, NONE, pilot.spot(180, 100))
    pilot.wait_for_steps(1)
    pilot.complete()
    assert [finger.at is None for finger in device.finger] == [False, False, False, True]
    scroll = service.episode.steps[0].action
    assert isinstance(scroll, Scroll)
    assert len(scroll.path) == 3
    assert device.performed == []


def test_capture_path_and_its_change_are_shown(pilot: Pilot, device: FakeDevice) -> None:
    pilot.qtbot.waitUntil(lambda: pilot.status.capture_path == "screencap")
    device.streams = True
    pilot.start()
    pilot.qtbot.waitUntil(lambda: pilot.status.capture_path == "gRPC")
    device.streams = False
    pilot.wait_for_text("Screenshots now come from adb (screencap)")
    pilot.click(180, 300)
    pilot.wait_for_steps(1)


def test_sounds_are_off_unless_wanted(pilot: Pilot, device: FakeDevice) -> None:
    (sounds,) = pilot.window.findChildren(Sounds)
    heard: list[Sound] = []
    sounds.played.connect(heard.append)
    pilot.start()
    pilot.wait_for_state(State.READY)
    sounds.is_on, sounds.patience_s = True, 3600.0
    pilot.press("Home")
    pilot.wait_for_steps(1)
    assert heard == []
    sounds.patience_s = 0.0
    device.disconnect()
    pilot.wait_for_state(State.DEVICE_LOST)
    device.recover()
    pilot.qtbot.waitUntil(lambda: len(heard) == 2)
    pilot.wait_for_state(State.READY)
    pilot.complete()
    assert heard == [Sound.ERROR, Sound.READY, Sound.DONE]


def test_own_count_and_time_of_today_are_shown(pilot: Pilot) -> None:
    pilot.start()
    pilot.complete()
    pilot.wait_for_text("You today: 1 episode, under 1 min")


def test_published_episode_shows_its_path_and_offers_another(pilot: Pilot, service: FakeRecordings) -> None:
    objects_before = len(pilot.controller.findChildren(QObject))
    pilot.start()
    pilot.complete()
    texts = [one.text() for one in pilot.window.findChildren(QLabel) if one.isVisible() and "ublished" in one.text()]
    assert texts == ["The episode is published."]
    steps = pilot.named(QListView, "Steps")
    note_at = steps.visualRect(steps.currentIndex()).bottomRight() - QPoint(20, 12)
    QTest.mouseClick(steps.viewport(), LEFT, NONE, note_at)
    assert steps.findChildren(QLineEdit) == [], "no note can be written any more"

    (episode_id,) = sorted(episode_ids(service.store.root))
    assert pilot.says(episode_id)
    pilot.press("Copy path")
    file = str(service.store.root / "annotations" / f"{episode_id}.json")
    assert QGuiApplication.clipboard().text() == pilot.find(Publication).toolTip() == file

    pilot.line("Text to type").setText("left over")
    pilot.press("Record another")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.steps == []
    assert pilot.line("Text to type").text() == ""
    assert pilot.editor("Instruction").toPlainText() == ""
    pilot.qtbot.waitUntil(lambda: len(pilot.controller.findChildren(QObject)) == objects_before)
    pilot.start()
    pilot.complete()
    assert len(sorted(episode_ids(service.store.root))) == 2


def test_impossible_task_needs_a_reason(pilot: Pilot, service: FakeRecordings) -> None:
    pilot.start()
    pilot.press("Impossible")
    dialog = pilot.dialog()
    finish = button_in(dialog, "Publish")
    assert not finish.isEnabled()
    dialog.findChildren(QRadioButton)[0].click()
    assert finish.isEnabled()
    QTest.keyClicks(pilot.line("Another reason"), "the shop is closed")  # wins over the choice
    pilot.finish(dialog)
    assert service.episode.steps[-1].action == Impossible("the shop is closed")


@pytest.mark.usefixtures("clean_home")
@pytest.mark.parametrize("size", ["normal", pytest.param("large", marks=pytest.mark.soak), "extra large"])
def test_controls_fit_the_smallest_window(open_window: OpenWindow, tmp_path: Path, size: TextSize) -> None:
    use_text_size(size)
    pilot = open_window(FakeRecordings(tmp_path, FakeDevice(Size(300, 780))))
    pilot.window.resize(1100, 700)
    pilot.wait_for_phase(Phase.WATCHING)
    box = pilot.line("Text to type")
    assert box.fontMetrics().horizontalAdvance(box.placeholderText()) < box.width() - 30
    pilot.start()
    pilot.press("Home")
    pilot.wait_for_steps(1)
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    assert pilot.says("Switch the phone to dark mode") or pilot.named(ElidedLabel, "Instruction").isVisible()
    refusal = pilot.named(ElidedLabel, "What was recorded")
    for why in ("the screen was still changing", "use this key on the device's own keyboard"):
        pilot.status.show_hint(f"Not recorded: {why}", is_refusal=True)
        pilot.qtbot.waitUntil(lambda: " ".join(refusal.shown.split()) == refusal.words)
        assert refusal.fontMetrics().lineSpacing() * len(refusal.shown.splitlines()) <= refusal.height()


def test_only_system_keys_reach_the_device_before_recording(pilot: Pilot, device: FakeDevice) -> None:
    pilot.qtbot.waitUntil(lambda: pilot.mirror.frame_number is not None)
    pilot.click(180, 300)
    pilot.type_text("hello")
    assert not pilot.mirror.takes_input
    pilot.press("Home")
    pilot.qtbot.waitUntil(lambda: device.performed == [SystemKey.HOME])
    pilot.start()
    assert pilot.steps == []


def test_recording_needs_an_instruction_and_an_app(pilot: Pilot) -> None:
    start = pilot.button_named("Start recording")
    assert not start.isEnabled()
    assert pilot.says("Enter the instruction first.")
    pilot.editor("Instruction").setPlainText(TASK.instruction)
    assert pilot.says("Enter at least one app")
    assert not start.isEnabled()
    QTest.keyClicks(pilot.line("Apps"), "Settings")
    assert start.isEnabled()


def test_untypable_text_or_a_missing_field_keeps_the_text_in_the_box(pilot: Pilot, device: FakeDevice) -> None:
    pilot.start()
    box, mirror_at = pilot.line("Text to type"), pilot.mirror.geometry()
    box.setText("grüße")
    pilot.send_text()
    assert box.text() == "grüße"
    assert pilot.says("cannot be typed")
    assert (device.performed, pilot.mirror.geometry()) == ([], mirror_at)
    pilot.press("Dismiss")
    assert not pilot.says("cannot be typed")

    pilot.qtbot.waitUntil(lambda: pilot.views[-1].lacks_field)
    box.clear()
    QTest.keyClicks(box, "milk")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert pilot.status.hint.startswith("No text field is selected")
    assert (box.text(), device.performed) == ("milk", [])
    QTest.keyClick(box, Qt.Key.Key_Return)
    pilot.wait_for_steps(1)
    assert device.performed == ["milk"]


def test_wanted_screen_is_shown_until_the_device_shows_it(pilot: Pilot, device: FakeDevice) -> None:
    device.keeps_snapshots = False
    record_one_step(pilot)
    pilot.press("Undo last")
    pilot.wait_for_state(State.RESTORING)
    pilot.qtbot.waitUntil(lambda: pilot.find(WantedScreen).is_shown)
    assert pilot.says("Nothing is recorded until both screens match.")
    assert pilot.status.state == "Restoring"
    assert not pilot.is_enabled("Complete")

    done, seen = len(device.performed), len(pilot.views)
    pilot.click(180, 300)
    pilot.qtbot.waitUntil(lambda: len(device.performed) == done + 1)
    pilot.qtbot.waitUntil(lambda: State.INJECTING in {view.state for view in pilot.views[seen:]})
    pilot.wait_for_state(State.RESTORING)
    pilot.qtbot.waitUntil(lambda: pilot.mirror.takes_input)
    pilot.press("Back")
    pilot.qtbot.waitUntil(lambda: device.performed[-1] is SystemKey.BACK)
    assert pilot.steps == []

    device.show(0)
    pilot.wait_for_steps(0)
    assert not pilot.find(WantedScreen).isVisible()
    pilot.click(180, 300)
    pilot.wait_for_steps(1)


def test_undoing_many_steps_asks_first(pilot: Pilot, device: FakeDevice) -> None:
    device.keeps_snapshots = False
    pilot.start()
    for number in range(1, 6):
        pilot.press("Home")
        pilot.wait_for_steps(number)
    choose_step(pilot, 1)
    pilot.shortcut("Ctrl+Shift+U").trigger()
    pilot.press_in(pilot.dialog(), "Cancel")
    assert len(pilot.steps) == 5
    pilot.shortcut("Ctrl+Shift+U").trigger()
    pilot.press_in(pilot.dialog(), "Undo")
    pilot.wait_for_state(State.RESTORING)
    device.show(1)
    pilot.wait_for_steps(1)
    choose_step(pilot, 0)
    pilot.shortcut("Ctrl+Shift+U").trigger()
    pilot.wait_for_state(State.RESTORING)
    device.show(0)
    pilot.wait_for_steps(0)


def test_undone_step_is_redone_on_its_screen(pilot: Pilot, device: FakeDevice) -> None:
    record_one_step(pilot)
    assert not pilot.is_enabled("Redo")
    pilot.press("Undo last")
    pilot.wait_for_state(State.RESTORING)
    device.show(0)
    pilot.wait_for_steps(0)
    pilot.wait_until_enabled("Redo")
    pilot.shortcut("Ctrl+Shift+Z").trigger()
    assert pilot.status.hint == "Click"
    pilot.wait_for_steps(1)
    assert device.performed[0] == device.performed[1]
    assert not pilot.is_enabled("Redo")


def test_element_under_the_pointer_is_outlined_unless_switched_off(pilot: Pilot, device: FakeDevice) -> None:
    pilot.start()
    pilot.wait_for_state(State.READY)
    outline, mirror = pilot.mirror.outline, pilot.mirror
    QTest.mouseMove(mirror, pilot.spot(180, 300))
    pilot.qtbot.waitUntil(lambda: outline.box == Box(60, 270, 300, 330))
    QTest.mouseMove(mirror, pilot.spot(180, 300) + QPoint(1, 0))
    edge = fit_of(mirror).point_of(Pixel(60, 300))
    assert mirror.grab().toImage().pixelColor(edge.toPoint()).name() == Theme.current().accent.name()
    QTest.mouseMove(mirror, pilot.spot(180, 500))
    pilot.qtbot.waitUntil(lambda: outline.box is None)
    QTest.mouseMove(mirror, pilot.spot(180, 300))
    pilot.qtbot.waitUntil(lambda: outline.box is not None)
    pilot.put_finger_down(180, 300)
    assert outline.box is None, "a finger is down"
    QTest.mouseRelease(mirror, LEFT, NONE, pilot.spot(180, 300))
    pilot.wait_for_steps(1)
    outline.is_on = False
    pilot.press("Home")
    pilot.wait_for_steps(2)
    pilot.qtbot.waitUntil(lambda: pilot.views[-1].nodes != ())
    QTest.mouseMove(mirror, pilot.spot(180, 310))
    assert outline.box is None


def test_paused_recording_looks_different_and_ignores_input(pilot: Pilot, device: FakeDevice) -> None:
    bar = pilot.find(RecordingBar)
    assert (bar.framing, bar.words) == (Framing.PLAIN, "○  Live view")
    pilot.start()
    pilot.click(180, 300)
    assert pilot.status.hint.startswith("Click")
    pilot.wait_for_steps(1)
    assert (bar.framing, bar.words) == (Framing.RECORDING, "●  Recording 1 step")
    pilot.press("Pause")
    assert (bar.framing, bar.words) == (Framing.PAUSED, "▮▮  Paused 1 step")
    assert pilot.status.state == "Paused"
    assert not any((pilot.mirror.takes_input, pilot.is_enabled("Home"), pilot.is_enabled("Complete")))
    pilot.click(180, 300)
    assert pilot.status.hint == "Not recorded: the recording is paused"
    assert len(device.performed) == 1
    pilot.press("Pause")
    assert pilot.status.state == "Ready"
    pilot.click(180, 300)
    pilot.wait_for_steps(2)
    assert len(device.performed) == 2


def test_recording_continues_when_the_device_is_back(pilot: Pilot, device: FakeDevice, service: FakeRecordings) -> None:
    record_one_step(pilot)
    device.disconnect()
    pilot.wait_for_state(State.DEVICE_LOST)
    assert not pilot.mirror.takes_input
    assert pilot.status.state == "Device lost"
    assert "fake-1 is gone" in pilot.status.accessibleName()
    assert pilot.status.message == "", "the mirror shows it"
    assert not pilot.says("fake-1 is gone")
    assert not pilot.is_enabled("Pause")
    pilot.click(180, 300)
    device.recover()
    pilot.wait_for_steps(1)
    assert pilot.status.state == "Ready"
    assert pilot.is_enabled("Pause")
    pilot.press("Home")
    pilot.wait_for_steps(2)
    pilot.complete()
    assert len(service.episode.steps) == 3


def test_live_view_returns_after_a_lost_device(pilot: Pilot, device: FakeDevice) -> None:
    device.fail_with(DeviceTimeoutError("fake-1 did not answer within 5 s. Wait, or start it again."))
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Device lost")
    device.recover()
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Live view")
    assert pilot.controller.phase is Phase.WATCHING


def test_simulated_emulator_is_offered_without_a_device(tmp_path: Path, open_window: OpenWindow) -> None:
    pilot = open_window(FakeRecordings(tmp_path, simulated=FakeDevice(serial="emulator-6001")))
    pilot.wait_for_text("No device. Start an emulator, or the simulated one.")
    pilot.press("Start the simulated emulator")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.controller.serial == "emulator-6001"


def test_unusable_dataset_folder_is_reported(tmp_path: Path, open_window: OpenWindow, device: FakeDevice) -> None:
    (tmp_path / "dataset").write_text("a file in the place of the folder")
    pilot = open_window(FakeRecordings(tmp_path, device)).watching()
    pilot.write_task()
    pilot.press("Start recording")
    pilot.wait_for_text("dataset")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.is_enabled("Start recording")


def test_draft_of_a_closed_window_can_be_resumed(open_window: OpenWindow, pilot: Pilot, tmp_path: Path) -> None:
    pilot.start()
    pilot.press("Home")
    pilot.wait_for_steps(1)
    pilot.window.close()
    service = FakeRecordings(tmp_path, simulated("fake-2"))
    (draft,) = service.drafts()
    assert draft.steps == 1
    pilot = open_window(service).watching()
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.wait_for_state(State.RESTORING)
    pilot.qtbot.waitUntil(lambda: pilot.find(WantedScreen).is_shown)
    assert pilot.says("The device does not show the screen on which this recording was interrupted.")
    pilot.press("Screens match, continue")
    pilot.wait_for_steps(1)
    assert pilot.says(TASK.instruction)
    pilot.press("Back")
    pilot.wait_for_steps(2)
    pilot.complete()
    actions = [step.action for step in service.episode.steps]
    assert actions == [Press(SystemKey.HOME), Press(SystemKey.BACK), Complete("")]


def test_resume_chooses_or_starts_the_device_of_the_draft(open_window: OpenWindow, tmp_path: Path) -> None:
    """The simulated emulator ends with its window, and the next window starts it again."""
    FakeRecordings(tmp_path, simulated("emulator-5554")).leave_draft()
    other_kind = FakeDevice(Size(1080, 2400), serial="fold")
    service = FakeRecordings(tmp_path, other_kind, simulated=simulated("emulator-5600"))
    pilot = open_window(service).watching()
    assert pilot.controller.serial == "fold"
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.wait_for_state(State.READY)
    assert pilot.controller.serial == "emulator-5600"
    assert service.simulated_profile == "pixel_7_pro"
    pilot.stop()

    service.connected_devices.insert(1, simulated("emulator-5554"))
    pilot.controller.choose_device("fold")
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.press("Show drafts")
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.qtbot.waitUntil(lambda: pilot.controller.serial == "emulator-5554")  # the draft's own
    pilot.wait_for_phase(Phase.RECORDING)


def test_resume_starts_the_virtual_device_of_the_draft(tmp_path: Path) -> None:
    phone = FakeDevice(profile_named("pixel_7_pro").size, serial="emulator-5570")
    phone.avd_name = "Old_phone"
    FakeRecordings(tmp_path, phone).leave_draft()
    service, inventory = FakeRecordings(tmp_path), FakeInventory()
    object.__setattr__(service, "inventory", lambda: inventory)
    (draft,) = service.drafts()
    inventory.make("pixel_fold")
    with pytest.raises(RecordingError, match=r"This recording needs a Pixel 7 Pro \(1440x3120\)"):
        service.device_for(draft)
    inventory.make("pixel_7_pro")
    assert service.device_for(draft) == "emulator-5554"
    assert inventory.done == ["start Pixel_7_Pro"]


def test_resume_without_the_device_of_the_draft_names_it(open_window: OpenWindow, tmp_path: Path) -> None:
    FakeRecordings(tmp_path, simulated("emulator-5554")).leave_draft()
    looks_alike = FakeDevice(serial="fake-2")
    pilot = open_window(FakeRecordings(tmp_path, looks_alike)).watching()
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.wait_for_text("This recording needs a Simulated pixel 7 pro (360x640). Start one, then resume it.")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.controller.serial == "fake-2"


def test_uncertain_last_step_can_be_undone(open_window: OpenWindow, pilot: Pilot, tmp_path: Path) -> None:
    record_one_step(pilot)
    pilot.window.close()
    log = next(tmp_path.glob("**/steps.jsonl"))
    lines = log.read_text().splitlines()
    last = next(number for number, line in enumerate(lines) if line.startswith('{"kind":"step"'))
    log.write_text("\n".join([*lines[: last + 1], ""]))
    pilot = open_window(FakeRecordings(tmp_path, simulated("fake-2"))).watching()
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.wait_for_state(State.RESTORING)
    assert pilot.says("it is unknown whether the device received it")
    assert pilot.says("Before the last step")
    pilot.press("Undo last")
    pilot.wait_for_steps(0)


def test_stopped_recording_is_a_draft_that_can_be_deleted_and_restored(pilot: Pilot, service: FakeRecordings) -> None:
    objects_before = len(pilot.controller.findChildren(QObject))
    pilot.start()
    pilot.stop()
    pilot.qtbot.waitUntil(lambda: len(pilot.controller.findChildren(QObject)) == objects_before)
    drafts = pilot.button_named("Show drafts")
    pilot.qtbot.waitUntil(drafts.isVisible)
    pilot.press("Show drafts")
    pilot.press_in(pilot.dialog(), "Move to trash")
    restore = button_in(pilot.dialog(), "Move to trash")
    pilot.qtbot.waitUntil(lambda: restore.text() == "Restore")
    assert service.drafts() == []
    restore.click()
    pilot.qtbot.waitUntil(lambda: restore.text() == "Move to trash")
    assert len(service.drafts()) == 1
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.wait_for_phase(Phase.RECORDING)


def test_discarding_is_confirmed_but_never_by_return(pilot: Pilot, service: FakeRecordings) -> None:
    pilot.start()
    pilot.press("Discard")
    dialog = pilot.dialog()
    assert [one.text() for one in dialog.findChildren(QPushButton) if one.isDefault()] == ["Keep recording"]
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert (pilot.is_asked, pilot.controller.phase) == (False, Phase.RECORDING)
    pilot.press("Discard")
    pilot.press_in(pilot.dialog(), "Discard")
    pilot.wait_for_phase(Phase.WATCHING)
    assert (service.drafts(), sorted(episode_ids(service.store.root))) == ([], [])


def test_task_is_recorded_again_with_one_key(pilot: Pilot, service: FakeRecordings, tmp_path: Path) -> None:
    def begun_after(*earlier: str) -> str:
        """Wait for the one draft besides those in the trash."""
        pilot.qtbot.waitUntil(lambda: set(earlier) == {path.name[:16] for path in tmp_path.glob("drafts/trash/*")})
        pilot.qtbot.waitUntil(lambda: len([*tmp_path.glob("drafts/*/draft.json")]) == 1)
        pilot.wait_for_steps(0)
        return next(tmp_path.glob("drafts/*/draft.json")).parent.name

    objects_before = len(pilot.controller.findChildren(QObject))
    pilot.start()
    first = begun_after()
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    pilot.shortcut("Ctrl+Shift+N").trigger()
    second = begun_after(first)
    assert read_head(tmp_path / "drafts" / second).task_info.instruction == TASK.instruction
    for number in range(1, 5):
        pilot.press("Home")
        pilot.wait_for_steps(number)
    pilot.press("Record again")
    QTest.keyClick(pilot.dialog(), Qt.Key.Key_Escape)
    assert len(pilot.steps) == 4
    pilot.press("Record again")
    QTest.keyClick(pilot.dialog(), Qt.Key.Key_Return)
    third = begun_after(first, second)
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    pilot.complete()
    assert [*episode_ids(service.store.root)] == [third]
    pilot.press("Record another")
    pilot.qtbot.waitUntil(lambda: len(pilot.controller.findChildren(QObject)) == objects_before)


def test_annotator_chooses_between_two_devices(open_window: OpenWindow, tmp_path: Path) -> None:
    pilot = open_window(FakeRecordings(tmp_path, FakeDevice(serial="emulator-5554"), FakeDevice(serial="fold-5556")))
    box = pilot.choice("Device")
    pilot.qtbot.waitUntil(lambda: box.count() == 3)
    assert box.currentText() == "Choose a device"
    assert pilot.controller.phase is Phase.NO_DEVICE
    for serial in ("emulator-5554", "fold-5556"):
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert pilot.controller.serial == serial
        pilot.wait_for_phase(Phase.WATCHING)
    pilot.start()
    assert not box.isEnabled()


def test_devices_with_the_same_name_show_their_serials(open_window: OpenWindow, tmp_path: Path) -> None:
    devices = FakeDevice(serial="emulator-5554"), FakeDevice(serial="emulator-5556")
    for device in devices:
        device.name = "Pixel 8 Pro"
    service = FakeRecordings(tmp_path, *devices)
    service.states["emulator-5556"] = "offline"
    pilot = open_window(service)
    box = pilot.choice("Device")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.controller.label == box.currentText() == "Pixel 8 Pro (emulator-5554)"
    assert box.itemText(2) == "Pixel 8 Pro (emulator-5556) · offline"
    assert box.fontMetrics().horizontalAdvance(box.currentText()) < box.width() - 2 * box.height(), "none is cut short"


def test_unusable_device_shows_the_reason(open_window: OpenWindow, tmp_path: Path) -> None:
    service = FakeRecordings(tmp_path, FakeDevice(serial="emulator-5554"))
    service.states["emulator-5554"] = "offline"
    pilot = open_window(service)
    pilot.wait_for_text("does not respond")
    reasons = {"unauthorized": "Allow USB debugging", "recovery": "Start Android", "host": "adb reports: host."}
    for service.states["emulator-5554"], reason in reasons.items():
        pilot.press("Refresh")
        pilot.wait_for_text(reason)
    assert pilot.controller.phase is Phase.NO_DEVICE


def test_unreachable_device_is_reported_once_and_tried_again(open_window: OpenWindow, tmp_path: Path) -> None:
    service = FakeRecordings(tmp_path, FakeDevice(serial="emulator-5554"))
    pilot = open_window(service)
    service.failure = DeviceError("adb does not respond: restart it with adb start-server.")
    failures: list[str] = []
    pilot.controller.connecting_failed.connect(failures.append)
    pilot.controller.choose_device("emulator-5554")
    pilot.wait_for_phase(Phase.NO_DEVICE)
    pilot.wait_for_text("restart it with adb start-server")
    assert len(failures) == 1
    service.failure = None
    pilot.controller.choose_device("emulator-5554")
    pilot.wait_for_phase(Phase.WATCHING)
    assert not pilot.says("restart it with adb start-server")


def test_missing_device_is_explained_and_used_once_it_appears(open_window: OpenWindow, tmp_path: Path) -> None:
    service = FakeRecordings(tmp_path)
    pilot = open_window(service)
    pilot.wait_for_text("No device.")
    for name, reason in (("Start recording", "Choose a device first."), ("Back", "Choose or start a device first.")):
        button = pilot.button_named(name)
        assert not button.isEnabled()
        assert reason in button.toolTip()
    assert not pilot.button_named("Start the simulated emulator").isVisible()
    service.connected_devices.append(FakeDevice(serial="emulator-5554"))
    pilot.press("Refresh")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.choice("Device").currentText() == "emulator-5554"
