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
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.phone.phone_screen import PhoneScreen
from odyssey_recorder.gui.phone.phone_window import PhoneWindow
from odyssey_recorder.gui.record.viewport import FitScale
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.evdev import RAW_MAX, InputNode, RawEvent
from odyssey_recorder.simulator.evdev_names import ABS_MT_POSITION_X, ABS_MT_POSITION_Y, EV_ABS, EV_KEY
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.gui.pilot import WindowDriver

ROOT = Path(__file__).parents[3]
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
SHIFT, HOME, BACK, APPSELECT, POWER = 0x2A, 0x66, 0x9E, 0x244, 0x74


@dataclass
class Report:
    node: str
    events: list[RawEvent]

    def values(self, kind: int) -> dict[int, int]:
        return {event.code: event.value for event in self.events if event.type == kind}


class PhonePilot(WindowDriver):
    def __init__(self, qtbot: QtBot, profile: str) -> None:
        self.reports: list[Report] = []
        self.phone = Phone(profile_named(profile), animation=False)
        self.emulator = SimulatedEmulator(self.phone)
        self.emulator.start()
        self.emulator.guest.nodes.read(self._hear, lambda: None)
        super().__init__(qtbot, PhoneWindow(self.emulator))
        self.window.show()
        self.see_newest()

    def close(self) -> None:
        self.window.close()
        shiboken6.delete(self.window)
        self.emulator.stop()

    @property
    def screen(self) -> PhoneScreen:
        return self.find(PhoneScreen)

    def see(self, happened: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(happened)

    def see_newest(self) -> None:
        self.see(lambda: self.screen.frame_number == self.phone.screen().number)

    @property
    def fit(self) -> FitScale:
        fit = self.screen.fit()
        assert fit is not None
        return fit

    def spot(self, x: int, y: int) -> QPoint:
        return self.fit.point_of(Pixel(x, y)).toPoint()

    def told_keys(self) -> list[tuple[int, int]]:
        return [pair for report in self.reports if report.node == "qwerty2" for pair in report.values(EV_KEY).items()]

    def places(self) -> list[tuple[int | None, int | None]]:
        """The positions of each touch report; None for an axis that kept its value."""
        touches = [report.values(EV_ABS) for report in self.reports if "touch" in report.node]
        return [(axes.get(ABS_MT_POSITION_X), axes.get(ABS_MT_POSITION_Y)) for axes in touches]

    def _hear(self, node: InputNode, events: object) -> None:
        assert isinstance(events, list)
        self.reports.append(Report(node.name, events))


OpenPhone = Callable[[str], PhonePilot]


@pytest.fixture
def open_phone(qtbot: QtBot) -> Iterator[OpenPhone]:
    pilots: list[PhonePilot] = []

    def open_on(profile: str) -> PhonePilot:
        pilots.append(PhonePilot(qtbot, profile))
        return pilots[-1]

    yield open_on
    for pilot in pilots:
        pilot.close()


@pytest.fixture
def pilot(open_phone: OpenPhone) -> PhonePilot:
    return open_phone("small_phone")


def middle_of(phone: Phone, text: str) -> tuple[int, int]:
    nodes = [phone.view_hierarchy(all_windows=True)]
    while nodes:
        node = nodes.pop()
        if node.text == text:
            return (node.bounds.left + node.bounds.right) // 2, (node.bounds.top + node.bounds.bottom) // 2
        nodes += node.children
    raise AssertionError(f"{text!r} is not on the screen")


# Mouse.


def test_what_is_clicked_opens_and_getevent_tells_of_it(pilot: PhonePilot) -> None:
    QTest.mouseClick(pilot.screen, LEFT, NONE, pilot.spot(*middle_of(pilot.phone, "Notes")))

    pilot.see(lambda: "note" in pilot.phone.state().package)
    pilot.see_newest()
    assert {report.node for report in pilot.reports} == {"virtio_input_multi_touch_1"}


def test_a_finger_is_on_the_panel_where_it_is_on_the_screenshot(pilot: PhonePilot) -> None:
    for rotation in range(4):
        pilot.phone.set_rotation(rotation)
        pilot.see_newest()
        pilot.reports.clear()
        spot = pilot.spot(300, 200)
        shown = pilot.fit.nearest_pixel(spot.toPointF())

        QTest.mouseClick(pilot.screen, LEFT, NONE, spot)
        pilot.see(lambda: len(pilot.reports) >= 2)

        x_raw, y_raw = pilot.places()[0]
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


def test_the_outer_panel_of_a_folded_phone_feels_the_finger(open_phone: OpenPhone) -> None:
    pilot = open_phone("pixel_fold")
    pilot.press("Fold")
    pilot.wait_for_text("1080x2092")
    wide = pilot.window.width()

    QTest.mouseClick(pilot.screen, LEFT, NONE, pilot.spot(500, 1500))

    pilot.see(lambda: bool(pilot.reports))
    assert pilot.reports[0].node == "virtio_input_multi_touch_7"
    pilot.press("Unfold")
    pilot.wait_for_text("2208x1840")
    assert pilot.window.width() > wide


def test_with_ctrl_a_second_finger_mirrors_the_first(pilot: PhonePilot) -> None:
    QTest.mousePress(pilot.screen, LEFT, CTRL, pilot.spot(180, 320))
    QTest.mouseMove(pilot.screen, pilot.spot(90, 160))
    QTest.mouseRelease(pilot.screen, LEFT, CTRL, pilot.spot(90, 160))

    node = pilot.emulator.guest.touch_screen()
    pilot.see(lambda: len(pilot.reports) >= 6 and not node.contacts())
    slots = [report.values(EV_ABS) for report in pilot.reports[:2]]
    x, y = ([slot[axis] for slot in slots] for axis in (ABS_MT_POSITION_X, ABS_MT_POSITION_Y))
    assert sum(x) == pytest.approx(RAW_MAX, abs=100)
    assert sum(y) == pytest.approx(RAW_MAX, abs=100)


def test_a_slow_phone_keeps_nobody_waiting_the_kernel_least_of_all_and_feels_all_in_order(pilot: PhonePilot) -> None:
    may_go_on = threading.Event()
    sleeper = threading.Thread(target=lambda: pilot.phone.with_input_methods(lambda _: may_go_on.wait(30)))
    sleeper.start()

    QTest.mousePress(pilot.screen, LEFT, NONE, pilot.spot(360, 900))
    for step in range(50):
        QTest.mouseMove(pilot.screen, pilot.spot(360, 900 - 10 * step))
    QTest.mouseRelease(pilot.screen, LEFT, NONE, pilot.spot(360, 400))
    node = pilot.emulator.guest.touch_screen()
    pilot.see(lambda: len(pilot.reports) > 2 and not node.contacts())
    assert sleeper.is_alive(), "a click is one by the kernel's stamps though the phone has not felt it yet"
    may_go_on.set()
    sleeper.join()

    down_the_screen = [y for _, y in pilot.places() if y is not None]
    assert down_the_screen == sorted(down_the_screen, reverse=True)


# Keyboard and tools.


def test_what_is_typed_goes_through_the_keyboard_node_into_the_field(pilot: PhonePilot) -> None:
    QTest.mouseClick(pilot.screen, LEFT, NONE, pilot.spot(*middle_of(pilot.phone, "Search apps")))
    pilot.see(lambda: pilot.phone.state().keyboard_shown)

    QTest.keyClicks(pilot.screen, "Nox")
    QTest.keyClick(pilot.screen, Qt.Key.Key_Backspace)

    pilot.see(lambda: len(pilot.told_keys()) == 10)
    told = pilot.told_keys()
    down = [code for code, value in told if value]
    assert down == [SHIFT, 0x31, 0x18, 0x2D, 0x0E]
    assert middle_of(pilot.phone, "No")


def test_a_letter_without_a_key_is_refused_in_words(pilot: PhonePilot) -> None:
    typed = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Eacute, NONE, "é")  # QTest types only what is on a US keyboard
    QApplication.sendEvent(pilot.screen, typed)
    pilot.wait_for_text("The keyboard has no key for 'é'.")
    assert pilot.reports == []


def test_a_tool_and_its_keys_press_the_same_key_of_the_phone(pilot: PhonePilot) -> None:
    for tool, keys, code in (
        ("Home", Qt.Key.Key_H, HOME),
        ("Back", Qt.Key.Key_Backspace, BACK),
        ("Overview", Qt.Key.Key_O, APPSELECT),
        ("Power", Qt.Key.Key_P, POWER),
    ):
        pilot.reports.clear()
        pilot.press(tool)
        QTest.keyClick(pilot.screen, keys, CTRL)
        pilot.see(lambda: len(pilot.told_keys()) == 4)
        assert pilot.told_keys() == [(code, 1), (code, 0)] * 2, tool
    pilot.reports.clear()
    QTest.mouseClick(pilot.screen, RIGHT, NONE, pilot.spot(300, 300))
    pilot.see(lambda: pilot.told_keys() == [(BACK, 1), (BACK, 0)])


def test_the_window_turns_with_the_phone(pilot: PhonePilot) -> None:
    upright = pilot.window.size()
    pilot.press("Turn left")
    pilot.wait_for_text("1280x720")
    assert pilot.phone.state().rotation == 1
    assert pilot.window.width() > upright.width()

    pilot.press("Turn right")
    pilot.press("Turn right")
    pilot.see(lambda: pilot.phone.state().rotation == 3)


# Screen.


def test_the_window_says_that_the_phone_is_simulated_and_only_a_foldable_can_be_folded(pilot: PhonePilot) -> None:
    assert pilot.window.windowTitle() == f"Simulated Small Phone · {pilot.emulator.serial}"
    assert pilot.says("Simulated Small Phone · 720x1280")
    buttons = pilot.window.findChildren(QAbstractButton)
    assert not {"Fold", "Unfold"} & {button.accessibleName() for button in buttons}
    assert all("Ctrl+" in button.toolTip() for button in buttons)


def test_the_screenshot_is_not_scaled_twice(pilot: PhonePilot) -> None:
    fit = pilot.fit
    frame = pilot.phone.screen()
    whole = QImage(frame.rgba, frame.width, frame.height, frame.width * 4, QImage.Format.Format_RGBX8888)
    aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    expected = whole.convertToFormat(QImage.Format.Format_RGB32).scaled(fit.area.size().toSize(), aspect, smooth)

    shown = pilot.screen.grab(QRectF(fit.area).toRect()).toImage().convertToFormat(QImage.Format.Format_RGB32)

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
