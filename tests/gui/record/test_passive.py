"""Passive mode: the annotator works in the emulator's own window."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QRadioButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.record.text_question_card import TextQuestionCard
from odyssey_recorder.model.action import Complete, Press, SystemKey, Type
from odyssey_recorder.recording.view import RecordedStep, TextQuestion
from tests.fakes import FakeDevice
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import LEFT, OpenWindow, Pilot, button_in, texts_in
from tests.gui.record.screens import child_of, screenshot_in


def choose_mode(pilot: Pilot, label: str) -> None:
    (choice,) = [one for one in pilot.window.findChildren(QRadioButton) if label in one.text().replace("&", "")]
    choice.click()


def choose_passive(pilot: Pilot) -> None:
    choose_mode(pilot, "In the emulator's own window")
    pilot.wait_for_text("checks passed.")


def record_passively(pilot: Pilot) -> None:
    choose_passive(pilot)
    pilot.write_task()
    pilot.press("Start recording")
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Listening", timeout=60_000)


@pytest.fixture
def ready_device(device: FakeDevice) -> FakeDevice:
    """A device that meets every requirement of passive mode."""
    device.streams = True
    device.settings[("secure", "show_ime_with_hard_keyboard")] = "1"
    device.settings[("global", "hide_error_dialogs")] = "1"
    for scale in ("window_animation_scale", "transition_animation_scale", "animator_duration_scale"):
        device.settings[("global", scale)] = "0"
    return device


def test_requirements_are_met_one_by_one_or_all_at_once(pilot: Pilot, ready_device: FakeDevice) -> None:
    navigation = "secure", "navigation_mode"
    ready_device.settings[navigation] = "2"
    choose_passive(pilot)
    assert pilot.says("Navigation: by gestures")
    pilot.press("Copy the command for Navigation")
    assert shlex.split(QGuiApplication.clipboard().text())[:4] == ["/sdk/adb", "-s", "fake-1", "shell"]
    pilot.press("Fix Navigation")
    pilot.qtbot.waitUntil(lambda: not pilot.says("Navigation: by gestures"))
    assert ready_device.settings[navigation] == "0"
    pilot.wait_for_text("checks passed.")

    ready_device.settings[navigation] = "2"
    ready_device.settings[("global", "stay_on_while_plugged_in")] = "0"
    pilot.press("Check again")
    pilot.wait_for_text("Navigation: by gestures")
    fix_all = button_in(pilot.window, "Fix all")
    assert fix_all.isVisible()
    fix_all.click()
    pilot.qtbot.waitUntil(lambda: not pilot.says("Navigation: by gestures") and pilot.says("checks passed."))
    assert not fix_all.isVisible()
    assert ready_device.settings[navigation] == "0"
    choose_mode(pilot, "In this window")
    assert not pilot.says("checks passed.")


def test_passive_mode_needs_a_touch_screen(pilot: Pilot, device: FakeDevice) -> None:
    device.nodes = ()
    pilot.write_task()
    choose_mode(pilot, "In the emulator's own window")
    pilot.wait_for_text("Touch screen: no input device reports touches")
    assert not pilot.is_enabled("Start recording")
    choose_mode(pilot, "In this window")
    assert pilot.is_enabled("Start recording")


def test_unreachable_device_is_reported(pilot: Pilot, device: FakeDevice) -> None:
    device.disconnect()
    choose_mode(pilot, "In the emulator's own window")
    pilot.wait_for_text("fake-1 is gone")


def test_only_input_on_the_device_is_recorded(pilot: Pilot, service: FakeRecordings, ready_device: FakeDevice) -> None:
    record_passively(pilot)
    assert not pilot.mirror.takes_input
    assert not pilot.line("Text to type").isVisible()
    ready_device.press_key("KEY_HOME")
    ready_device.show(1)
    pilot.qtbot.waitUntil(lambda: pilot.steps == ["Press Home"], timeout=60_000)
    pilot.click(180, 300)
    QTest.keyClicks(pilot.mirror, "abc")
    assert pilot.line("Text to type").text() == ""
    pilot.complete()
    assert [step.action for step in service.episode.steps] == [Press(SystemKey.HOME), Complete("")]
    assert ready_device.performed == []
    pilot.press("Record another")
    pilot.wait_for_phase(Phase.WATCHING)
    assert pilot.says("checks passed.")


def test_draft_keeps_its_mode(
    open_window: OpenWindow, pilot: Pilot, ready_device: FakeDevice, service: FakeRecordings
) -> None:
    record_passively(pilot)
    ready_device.press_key("KEY_HOME")
    pilot.qtbot.waitUntil(lambda: pilot.steps == ["Press Home"], timeout=60_000)
    pilot.window.close()
    pilot = open_window(service).watching()
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Listening", timeout=60_000)
    assert pilot.steps == ["Press Home"]
    pilot.stop()
    assert pilot.says("Before you start")


@pytest.fixture
def steps(tmp_path: Path) -> list[RecordedStep]:
    path = screenshot_in(tmp_path)
    return [RecordedStep(number, Type("?"), path, "the text was not read") for number in range(2)]


@pytest.fixture
def card(qtbot: QtBot, background: Background) -> TextQuestionCard:
    card = TextQuestionCard(background)
    qtbot.addWidget(card)
    return card


def test_unread_text_is_asked_for(card: TextQuestionCard, steps: list[RecordedStep], qtbot: QtBot) -> None:
    card.show_question(TextQuestion(1, "helo"), steps)
    assert card.isVisible()
    assert child_of(card, QLineEdit).text() == "helo"
    child_of(card, QLineEdit).clear()
    assert not button_in(card, "Save").isEnabled()
    QTest.keyClicks(child_of(card, QLineEdit), "hello")
    with qtbot.waitSignal(card.answered) as answered:
        QTest.mouseClick(button_in(card, "Save"), LEFT)
    assert answered.args == [1, "hello"]
    card.show_question(None, steps)
    assert not card.isVisible()


def test_field_on_the_next_screenshot_is_shown_large(card: TextQuestionCard, tmp_path: Path, qtbot: QtBot) -> None:
    screenshot, tree, white = tmp_path / "1.png", tmp_path / "1.xml", (255, 255, 255)
    image = Image.new("RGB", (1080, 2400), white)
    image.paste((200, 0, 0), (140, 2000, 940, 2100))
    image.save(screenshot)
    tree.write_text(
        "<hierarchy><node class='android.widget.EditText' focused='true' bounds='[140,2000][940,2100]'/></hierarchy>"
    )
    next_step = RecordedStep(1, Type(""), screenshot, "", tree=tree)
    steps = [RecordedStep(0, Type("?"), tmp_path, ""), next_step]
    card.show_question(TextQuestion(0, "", screenshot=screenshot), steps[:1])
    picture = next(label for label in card.findChildren(QLabel) if label.minimumHeight() >= 150)

    def red_share() -> float:
        """Of the picture's middle row."""
        image = picture.pixmap().toImage()
        row = [image.pixelColor(x, image.height() // 2).green() for x in range(image.width())]
        return sum(green < 128 for green in row) / max(1, len(row))

    qtbot.waitUntil(lambda: not picture.pixmap().isNull())
    whole = picture.pixmap().deviceIndependentSize()
    card.show_question(None, steps)
    card.show_question(TextQuestion(0, "", screenshot=screenshot), steps)
    qtbot.waitUntil(lambda: red_share() > 0.9)
    assert picture.pixmap().deviceIndependentSize().width() > 2 * whole.width()


def test_doubted_answer_can_be_corrected_or_saved(card: TextQuestionCard, steps: list[RecordedStep]) -> None:
    asked = TextQuestion(0, "", screenshot=steps[1].screenshot)
    card.show_question(asked, steps)
    QTest.keyClicks(child_of(card, QLineEdit), "hello")
    QTest.mouseClick(button_in(card, "Save"), LEFT)
    card.show_question(replace(asked, guess="hello", shown="helo"), steps)
    assert "The field shows “helo”, not “hello”. Correct the text, or save it as it is." in texts_in(card)
    assert child_of(card, QLineEdit).text() == "hello"
    assert button_in(card, "Save anyway").isVisible()
    card.show_question(TextQuestion(1, ""), steps)
    assert button_in(card, "Save").isVisible()
    assert not any("The field shows" in text for text in texts_in(card))


def test_postponed_question_returns_with_its_text(card: TextQuestionCard, steps: list[RecordedStep]) -> None:
    question = TextQuestion(0, "")
    line = child_of(card, QLineEdit)
    card.show_question(question, steps)
    QTest.keyClicks(line, "half")
    QTest.mouseClick(button_in(card, "Answer later"), LEFT)
    card.show_question(question, steps)
    assert not line.isVisible()
    QTest.mouseClick(button_in(card, "Answer…"), LEFT)
    assert (line.isVisible(), line.text()) == (True, "half")
    assert card.window().focusWidget() is line
    QTest.mouseClick(button_in(card, "Answer later"), LEFT)
    card.show_question(TextQuestion(1, "next"), steps)
    assert (line.isVisible(), line.text()) == (True, "next")
