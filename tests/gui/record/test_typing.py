"""Typing at the device's screen: letters go to the text box, and from there to the device as one step."""

from functools import partial

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from odyssey_recorder.gui.frame.keyboard import PAUSE_MS
from odyssey_recorder.model.action import SystemKey
from tests.fakes import FakeDevice
from tests.gui.pilot import NONE, Pilot
from tests.gui.record.screens import record_one_step

CTRL = Qt.KeyboardModifier.ControlModifier
FIELD = "class='android.widget.EditText' focused='true' text='milk and honey' bounds='[60,270][300,330]'"


def press_letter(pilot: Pilot, letter: str, time_ms: int) -> None:
    event = QKeyEvent(QEvent.Type.KeyPress, ord(letter.upper()), NONE, letter)
    event.setTimestamp(time_ms)
    QApplication.sendEvent(pilot.mirror, event)


def press_back(pilot: Pilot) -> None:
    QTest.keyClick(pilot.mirror, Qt.Key.Key_F2)


def focus() -> str:
    widget = QApplication.focusWidget()
    return "" if widget is None else widget.accessibleName()


@pytest.fixture
def recording(pilot: Pilot, device: FakeDevice) -> Pilot:
    """After a click into a text field of the device."""
    device.tree = f"<hierarchy><node {FIELD}/></hierarchy>"
    pilot.activate()
    record_one_step(pilot)
    return pilot


def test_text_typed_or_pasted_after_a_click_into_a_field_is_one_step(recording: Pilot, device: FakeDevice) -> None:
    box = recording.line("Text to type")
    QTest.keyClicks(recording.mirror, "m")
    assert focus() == "Text to type"
    QTest.keyClicks(box, "ilk and")
    QTest.keyClick(box, Qt.Key.Key_Return)
    recording.wait_for_steps(2)
    assert (device.performed[1:], box.text(), focus()) == (["milk and"], "", "Device screen")

    QGuiApplication.clipboard().setText(" honey")
    QTest.keyClick(recording.mirror, Qt.Key.Key_V, CTRL)
    assert (box.text(), focus()) == (" honey", "Text to type")
    recording.mirror.setFocus()
    QTest.keyClick(recording.mirror, Qt.Key.Key_Return)
    recording.wait_for_steps(3)
    assert device.performed[1:] == ["milk and", " honey"]


def test_keys_pressed_too_early_are_shown_as_dropped(recording: Pilot, device: FakeDevice) -> None:
    box = recording.line("Text to type")
    at = recording.spot(180, 300)
    QCursor.setPos(recording.mirror.mapToGlobal(at))
    recording.press("Pause")
    recording.mirror.setFocus()
    before = recording.mirror.grab().toImage().pixelColor(at)
    for press in (partial(press_letter, letter="m", time_ms=1000), press_back):
        recording.status.show_hint("")
        press(recording)
        assert recording.status.hint == "Not recorded: the recording is paused"
    assert recording.mirror.grab().toImage().pixelColor(at) != before, "no cross at the pointer"
    box.setText("tea")
    recording.status.show_hint("")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert recording.status.hint == "Not recorded: the recording is paused"
    assert (box.text(), len(device.performed)) == ("tea", 1)

    box.clear()
    recording.press("Pause")
    press_letter(recording, "i", 1000 + PAUSE_MS - 1)
    assert (box.text(), recording.status.hint) == ("", "Not recorded: the phone was still busy")
    press_letter(recording, "m", 1000 + 2 * PAUSE_MS)
    assert box.text() == "m"


def test_editing_keys_and_shortcuts_at_the_screen_do_what_they_say(recording: Pilot, device: FakeDevice) -> None:
    for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Return):
        recording.status.show_hint("")
        QTest.keyClick(recording.mirror, key)
        assert recording.status.hint == "Not recorded: use this key on the device's own keyboard"
    QTest.keyClick(recording.mirror, Qt.Key.Key_F3)
    recording.wait_for_steps(2)
    recording.mirror.viewport.show_scale(4.0)
    QTest.keyClick(recording.mirror, Qt.Key.Key_Space)  # held to move the enlarged screen
    assert recording.line("Text to type").text() == ""
    assert device.performed[1:] == [SystemKey.HOME]
