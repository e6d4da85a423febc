"""The simulated emulator's own window: input there shows in getevent and on the screen."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.phone.phone_screen import PhoneScreen
from odyssey_recorder.gui.phone.phone_window import PhoneWindow
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.evdev import RAW_MAX, InputNode, RawEvent
from odyssey_recorder.simulator.evdev_names import ABS_MT_POSITION_X, ABS_MT_POSITION_Y, EV_ABS, EV_KEY
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named

ROOT = Path(__file__).parents[3]
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
SHIFT, HOME, BACK, APPSELECT, POWER = 0x2A, 0x66, 0x9E, 0x244, 0x74


@dataclass
class Report:
    node: str
    changes: list[tuple[int, int, int]]


class Person:
    def __init__(self, qtbot: QtBot, profile: str) -> None:
        self.qtbot = qtbot
        self.reports: list[Report] = []
        self.phone = Phone(profile_named(profile), animation=False)
        self.emulator = SimulatedEmulator(self.phone)
        self.emulator.start()
        self.emulator.guest.nodes.read(self._hear, lambda: None)
        self.window = PhoneWindow(self.emulator)
        self.window.show()
        self.see_newest()

    def close(self) -> None:
        self.window.close()
        shiboken6.delete(self.window)
        self.emulator.stop()

    @property
    def screen(self) -> PhoneScreen:
        found = self.window.findChild(PhoneScreen)
        assert found is not None
        return found

    def see(self, happened: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(happened, timeout=10_000)

    def see_newest(self) -> None:
        self.see(lambda: self.screen.frame_number == self.phone.screen().number)

    def says(self, words: str) -> bool:
        return any(words in label.text() for label in self.window.findChildren(QLabel))

    def spot(self, x: int, y: int) -> QPoint:
        fit = self.screen.fit()
        assert fit is not None
        return fit.point_of(Pixel(x, y)).toPoint()

    def pixel(self, spot: QPoint) -> Pixel:
        fit = self.screen.fit()
        assert fit is not None
        return fit.nearest_pixel(spot.toPointF())

    def tool(self, name: str) -> QAbstractButton:
        return next(one for one in self.window.findChildren(QAbstractButton) if one.accessibleName() == name)

    def press_tool(self, name: str) -> None:
        QTest.mouseClick(self.tool(name), LEFT)

    def told_keys(self) -> list[tuple[int, int]]:
        changes = [change for report in self.reports if report.node == "qwerty2" for change in report.changes]
        return [(code, value) for kind, code, value in changes if kind == EV_KEY]

    def places(self) -> list[tuple[int | None, int | None]]:
        """The positions of each touch report; None for an axis that kept its value."""
        touches = [dict(_axes(report)) for report in self.reports if "touch" in report.node]
        return [(axes.get(ABS_MT_POSITION_X), axes.get(ABS_MT_POSITION_Y)) for axes in touches]

    def _hear(self, node: InputNode, events: object) -> None:
        assert isinstance(events, list)
        self.reports.append(Report(node.name, [_change(event) for event in events]))


def _change(event: RawEvent) -> tuple[int, int, int]:
    return event.type, event.code, event.value


def _axes(report: Report) -> Iterator[tuple[int, int]]:
    return ((code, value) for kind, code, value in report.changes if kind == EV_ABS)


MakePerson = Callable[[str], Person]


@pytest.fixture
def at_window(qtbot: QtBot) -> Iterator[MakePerson]:
    people: list[Person] = []

    def sit_down(profile: str) -> Person:
        people.append(Person(qtbot, profile))
        return people[-1]

    yield sit_down
    for person in people:
        person.close()


@pytest.fixture
def person(at_window: MakePerson) -> Person:
    return at_window("small_phone")


def middle_of(phone: Phone, text: str) -> tuple[int, int]:
    nodes = [phone.view_hierarchy(all_windows=True)]
    while nodes:
        node = nodes.pop()
        if node.text == text:
            return (node.bounds.left + node.bounds.right) // 2, (node.bounds.top + node.bounds.bottom) // 2
        nodes += node.children
    raise AssertionError(f"{text!r} is not on the screen")


# Mouse.


def test_what_is_clicked_opens_and_getevent_tells_of_it(person: Person) -> None:
    QTest.mouseClick(person.screen, LEFT, NONE, person.spot(*middle_of(person.phone, "Notes")))

    person.see(lambda: "note" in person.phone.state().package)
    person.see_newest()
    assert {report.node for report in person.reports} == {"virtio_input_multi_touch_1"}


@pytest.mark.parametrize("rotation", range(4))
def test_a_finger_is_on_the_panel_where_it_is_on_the_picture(person: Person, rotation: int) -> None:
    person.phone.set_rotation(rotation)
    person.see_newest()
    spot = person.spot(300, 200)
    shown = person.pixel(spot)

    QTest.mousePress(person.screen, LEFT, NONE, spot)
    person.see(lambda: bool(person.places()))
    QTest.mouseRelease(person.screen, LEFT, NONE, spot)

    ((x_raw, y_raw), *_) = person.places()
    assert x_raw is not None
    assert y_raw is not None
    on_panel = Pixel(round(x_raw * 720 / (RAW_MAX + 1)), round(y_raw * 1280 / (RAW_MAX + 1)))
    expected = {
        0: shown,
        1: Pixel(720 - shown.y, shown.x),
        2: Pixel(720 - shown.x, 1280 - shown.y),
        3: Pixel(shown.y, 1280 - shown.x),
    }
    assert on_panel == expected[rotation]


def test_the_outer_panel_of_a_folded_phone_feels_the_finger(at_window: MakePerson) -> None:
    person = at_window("pixel_fold")
    person.press_tool("Fold")
    person.see(lambda: person.says("1080x2092"))
    wide = person.window.width()

    QTest.mouseClick(person.screen, LEFT, NONE, person.spot(500, 1500))

    person.see(lambda: bool(person.reports))
    assert person.reports[0].node == "virtio_input_multi_touch_7"
    person.press_tool("Unfold")
    person.see(lambda: person.says("2208x1840"))
    assert person.window.width() > wide


def test_with_ctrl_a_second_finger_mirrors_the_first(person: Person) -> None:
    QTest.mousePress(person.screen, LEFT, CTRL, person.spot(180, 320))
    QTest.mouseMove(person.screen, person.spot(90, 160))
    QTest.mouseRelease(person.screen, LEFT, CTRL, person.spot(90, 160))

    node = person.emulator.guest.touch_screen()
    person.see(lambda: len(person.reports) >= 6 and not node.contacts())
    first = person.reports[0].changes, person.reports[1].changes
    slots = [{code: value for _, code, value in changes} for changes in first]
    x, y = ([slot[axis] for slot in slots] for axis in (ABS_MT_POSITION_X, ABS_MT_POSITION_Y))
    assert sum(x) == pytest.approx(RAW_MAX, abs=100)
    assert sum(y) == pytest.approx(RAW_MAX, abs=100)


def test_a_slow_phone_keeps_nobody_waiting_the_kernel_least_of_all_and_feels_all_in_order(person: Person) -> None:
    may_go_on = threading.Event()
    sleeper = threading.Thread(target=lambda: person.phone.with_input_methods(lambda _: may_go_on.wait(30)))
    sleeper.start()

    QTest.mousePress(person.screen, LEFT, NONE, person.spot(360, 900))
    for step in range(50):
        QTest.mouseMove(person.screen, person.spot(360, 900 - 10 * step))
    QTest.mouseRelease(person.screen, LEFT, NONE, person.spot(360, 400))
    node = person.emulator.guest.touch_screen()
    person.see(lambda: len(person.reports) > 2 and not node.contacts())
    assert sleeper.is_alive(), "a click is one by the kernel's stamps though the phone has not felt it yet"
    may_go_on.set()
    sleeper.join()

    down_the_screen = [y for _, y in person.places() if y is not None]
    assert down_the_screen == sorted(down_the_screen, reverse=True)


def test_the_right_button_is_back(person: Person) -> None:
    QTest.mouseClick(person.screen, RIGHT, NONE, person.spot(300, 300))
    person.see(lambda: person.told_keys() == [(BACK, 1), (BACK, 0)])


# Keyboard and tools.


def test_what_is_typed_goes_through_the_keyboard_node_into_the_field(person: Person) -> None:
    QTest.mouseClick(person.screen, LEFT, NONE, person.spot(*middle_of(person.phone, "Search apps")))
    person.see(lambda: person.phone.state().keyboard_shown)

    QTest.keyClicks(person.screen, "Nox")
    QTest.keyClick(person.screen, Qt.Key.Key_Backspace)

    person.see(lambda: len(person.told_keys()) == 10)
    told = person.told_keys()
    down = [code for code, value in told if value]
    assert down == [SHIFT, 0x31, 0x18, 0x2D, 0x0E]
    assert middle_of(person.phone, "No")


def test_a_letter_without_a_key_is_refused_in_words(person: Person) -> None:
    typed = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Eacute, NONE, "é")  # QTest types only what is on a US keyboard
    QApplication.sendEvent(person.screen, typed)
    person.see(lambda: person.says("The keyboard has no key for 'é'."))
    assert person.reports == []


@pytest.mark.parametrize(
    ("tool", "keys", "code"),
    [
        ("Home", Qt.Key.Key_H, HOME),
        ("Back", Qt.Key.Key_Backspace, BACK),
        ("Overview", Qt.Key.Key_O, APPSELECT),
        ("Power", Qt.Key.Key_P, POWER),
    ],
)
def test_a_tool_and_its_keys_press_the_same_key_of_the_phone(
    person: Person, tool: str, keys: Qt.Key, code: int
) -> None:
    person.press_tool(tool)
    person.see(lambda: person.told_keys() == [(code, 1), (code, 0)])
    QTest.keyClick(person.screen, keys, CTRL)
    person.see(lambda: person.told_keys() == [(code, 1), (code, 0)] * 2)


def test_the_window_turns_with_the_phone(person: Person) -> None:
    upright = person.window.size()
    person.press_tool("Turn left")
    person.see(lambda: person.says("1280x720"))
    assert person.phone.state().rotation == 1
    assert person.window.width() > upright.width()

    person.press_tool("Turn right")
    person.press_tool("Turn right")
    person.see(lambda: person.phone.state().rotation == 3)


def test_only_a_foldable_can_be_folded(person: Person) -> None:
    buttons = person.window.findChildren(QAbstractButton)
    assert not {"Fold", "Unfold"} & {button.accessibleName() for button in buttons}
    assert all("Ctrl+" in button.toolTip() for button in buttons)


# Screen.


def test_the_window_says_that_the_phone_is_simulated(person: Person) -> None:
    assert person.window.windowTitle() == f"Simulated Small Phone · {person.emulator.serial}"
    assert person.says("Simulated Small Phone · 720x1280")


def test_the_picture_is_not_scaled_twice(person: Person) -> None:
    fit = person.screen.fit()
    assert fit is not None
    frame = person.phone.screen()
    whole = QImage(frame.rgba, frame.width, frame.height, frame.width * 4, QImage.Format.Format_RGBX8888)
    aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    expected = whole.convertToFormat(QImage.Format.Format_RGB32).scaled(fit.area.size().toSize(), aspect, smooth)

    shown = person.screen.grab(QRectF(fit.area).toRect()).toImage().convertToFormat(QImage.Format.Format_RGB32)

    inside = shown.rect().adjusted(1, 1, -1, -1)  # without the border line
    assert shown.copy(inside) == expected.copy(inside)


# Program.


@pytest.mark.parametrize("end", ["SIGINT", "SIGTERM", "whoever started it goes"])
def test_the_program_with_a_window_ends_as_the_one_without(tmp_path: Path, end: str) -> None:
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "USERPROFILE": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path), "ANDROID_ADB_SERVER_PORT": "1",
    }  # fmt: skip
    words = ["-m", "odyssey_recorder", "simulate", "--window", "--profile", "small_phone", "--console-port", "0"]
    with subprocess.Popen(
        [sys.executable, *words, "--until-stdin-ends"],
        env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        assert program.stdout is not None
        assert any(line.startswith("Stop it with Ctrl-C") for line in program.stdout)
        if end.startswith("SIG"):
            program.send_signal(getattr(signal, end))
            program.wait(20)
        out, _ = program.communicate(timeout=20)  # closes its standard input
    assert out.endswith("has stopped.\n")
    assert program.returncode == 0
