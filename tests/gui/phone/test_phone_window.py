"""The simulated emulator's own window: input there shows in getevent and on the screen."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.phone.phone_screen import PhoneScreen
from odyssey_recorder.gui.phone.phone_window import PhoneWindow
from odyssey_recorder.model.geometry import Pixel
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.evdev import RAW_MAX, InputNode, RawEvent
from odyssey_simulator.evdev_names import ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID, EV_ABS, EV_KEY
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.gui.pilot import LEFT, NONE, WindowDriver
from tests.gui.record.screens import fit_of

ROOT = Path(__file__).parents[3]
RIGHT, CTRL = Qt.MouseButton.RightButton, Qt.KeyboardModifier.ControlModifier
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
        self.phone = Phone(profile_named(profile), animation=False).without_notices()
        self.emulator = SimulatedEmulator(self.phone)
        self.emulator.start()
        self.emulator.guest.nodes.read(self._add_report, lambda: None)
        super().__init__(qtbot, PhoneWindow(self.emulator))
        self.window.show()
        self.wait_for_newest_frame()

    @property
    def screen(self) -> PhoneScreen:
        return self.find(PhoneScreen)

    def wait_for_newest_frame(self) -> None:
        self.qtbot.waitUntil(lambda: self.screen.frame_number == self.phone.screen().number)

    def spot(self, x: int, y: int) -> QPoint:
        return fit_of(self.screen).point_of(Pixel(x, y)).toPoint()

    def reported_keys(self) -> list[tuple[int, int]]:
        return [pair for report in self.reports if report.node == "qwerty2" for pair in report.values(EV_KEY).items()]

    def reported_positions(self) -> list[tuple[int | None, int | None]]:
        """The positions of each touch report; None for an axis that kept its value."""
        touches = [report.values(EV_ABS) for report in self.reports if "touch" in report.node]
        return [(axes.get(ABS_MT_POSITION_X), axes.get(ABS_MT_POSITION_Y)) for axes in touches]

    def _add_report(self, node: InputNode, events: object) -> None:
        assert isinstance(events, list)
        self.reports.append(Report(node.name, events))


@pytest.fixture
def profile() -> str:
    return "small_phone"


@pytest.fixture
def pilot(qtbot: QtBot, profile: str) -> Iterator[PhonePilot]:
    pilot = PhonePilot(qtbot, profile)
    yield pilot
    pilot.window.close()
    shiboken6.delete(pilot.window)
    pilot.emulator.stop()


def middle_of(phone: Phone, text: str) -> tuple[int, int]:
    nodes = [phone.view_hierarchy(all_windows=True)]
    while nodes:
        node = nodes.pop()
        if node.text == text:
            return (node.bounds.left + node.bounds.right) // 2, (node.bounds.top + node.bounds.bottom) // 2
        nodes += node.children
    raise AssertionError(f"{text!r} is not on the screen")


def test_click_opens_an_app_and_is_reported_by_getevent(pilot: PhonePilot) -> None:
    QTest.mouseClick(pilot.screen, LEFT, NONE, pilot.spot(*middle_of(pilot.phone, "Notes")))
    pilot.qtbot.waitUntil(lambda: "note" in pilot.phone.state().package)
    pilot.wait_for_newest_frame()
    assert {report.node for report in pilot.reports} == {"virtio_input_multi_touch_1"}


def test_touch_is_mapped_to_the_panel_in_every_rotation(pilot: PhonePilot) -> None:
    for rotation in range(4):
        pilot.phone.set_rotation(rotation)
        pilot.wait_for_newest_frame()
        pilot.reports.clear()
        spot = pilot.spot(300, 200)
        shown = fit_of(pilot.screen).nearest_pixel(spot.toPointF())
        QTest.mouseClick(pilot.screen, LEFT, NONE, spot)
        pilot.qtbot.waitUntil(lambda: len(pilot.reports) >= 2)
        x_raw, y_raw = pilot.reported_positions()[0]
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


def test_wheel_drags_the_screen_from_the_pointer(pilot: PhonePilot) -> None:
    spot = pilot.spot(300, 900).toPointF()
    wheel = QWheelEvent(
        spot, QPointF(pilot.screen.mapToGlobal(spot)), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(pilot.screen, wheel)
    shown = fit_of(pilot.screen).nearest_pixel(spot)
    pilot.qtbot.waitUntil(lambda: any(report.values(EV_ABS).get(ABS_MT_TRACKING_ID) == -1 for report in pilot.reports))
    positions = [y for _, y in pilot.reported_positions() if y is not None]
    assert positions[0] * 1280 / RAW_MAX == pytest.approx(shown.y, abs=1)
    assert (positions[0] - positions[-1]) * 1280 / RAW_MAX == pytest.approx(1280 / 9, abs=2)


@pytest.mark.parametrize("profile", ["pixel_fold"])
def test_folded_phone_reports_touches_on_its_outer_panel(pilot: PhonePilot) -> None:
    pilot.press("Fold")
    pilot.wait_for_text("1080x2092")
    wide = pilot.window.width()
    QTest.mouseClick(pilot.screen, LEFT, NONE, pilot.spot(500, 1500))
    pilot.qtbot.waitUntil(lambda: bool(pilot.reports))
    assert pilot.reports[0].node == "virtio_input_multi_touch_7"
    pilot.press("Unfold")
    pilot.wait_for_text("2208x1840")
    assert pilot.window.width() > wide


def test_ctrl_adds_a_mirrored_second_finger(pilot: PhonePilot) -> None:
    QTest.mousePress(pilot.screen, LEFT, CTRL, pilot.spot(180, 320))
    QTest.mouseMove(pilot.screen, pilot.spot(90, 160))
    QTest.mouseRelease(pilot.screen, LEFT, CTRL, pilot.spot(90, 160))
    node = pilot.emulator.guest.touch_screen()
    pilot.qtbot.waitUntil(lambda: len(pilot.reports) >= 6 and not node.contacts())
    slots = [report.values(EV_ABS) for report in pilot.reports[:2]]
    x, y = ([slot[axis] for slot in slots] for axis in (ABS_MT_POSITION_X, ABS_MT_POSITION_Y))
    assert sum(x) == pytest.approx(RAW_MAX, abs=100)
    assert sum(y) == pytest.approx(RAW_MAX, abs=100)


def test_busy_phone_does_not_delay_touch_reports(pilot: PhonePilot) -> None:
    may_continue = threading.Event()
    blocker = threading.Thread(target=lambda: pilot.phone.with_input_methods(lambda _: may_continue.wait(30)))
    blocker.start()
    QTest.mousePress(pilot.screen, LEFT, NONE, pilot.spot(360, 900))
    for step in range(50):
        QTest.mouseMove(pilot.screen, pilot.spot(360, 900 - 10 * step))
    QTest.mouseRelease(pilot.screen, LEFT, NONE, pilot.spot(360, 400))
    node = pilot.emulator.guest.touch_screen()
    pilot.qtbot.waitUntil(lambda: len(pilot.reports) > 2 and not node.contacts())
    assert blocker.is_alive(), "the kernel reports touches before the phone handles them"
    may_continue.set()
    blocker.join()
    heights = [y for _, y in pilot.reported_positions() if y is not None]
    assert heights == sorted(heights, reverse=True)


def test_typing_reaches_the_field_through_the_keyboard_node(pilot: PhonePilot) -> None:
    QTest.mouseClick(pilot.screen, LEFT, NONE, pilot.spot(*middle_of(pilot.phone, "Search apps")))
    pilot.qtbot.waitUntil(lambda: pilot.phone.state().keyboard_shown)
    QTest.keyClicks(pilot.screen, "Nox")
    QTest.keyClick(pilot.screen, Qt.Key.Key_Backspace)
    pilot.qtbot.waitUntil(lambda: len(pilot.reported_keys()) == 10)
    down = [code for code, value in pilot.reported_keys() if value]
    assert down == [SHIFT, 0x31, 0x18, 0x2D, 0x0E]
    assert middle_of(pilot.phone, "No")


def test_letter_without_a_key_is_rejected(pilot: PhonePilot) -> None:
    typed = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Eacute, NONE, "é")  # QTest types only what is on a US keyboard
    QApplication.sendEvent(pilot.screen, typed)
    pilot.wait_for_text("The keyboard has no key for 'é'.")
    assert pilot.reports == []


def test_tool_and_shortcut_press_the_same_key(pilot: PhonePilot) -> None:
    for tool, keys, code in (
        ("Home", Qt.Key.Key_H, HOME),
        ("Back", Qt.Key.Key_Backspace, BACK),
        ("Overview", Qt.Key.Key_O, APPSELECT),
        ("Power", Qt.Key.Key_P, POWER),
    ):
        pilot.reports.clear()
        pilot.press(tool)
        QTest.keyClick(pilot.screen, keys, CTRL)
        pilot.qtbot.waitUntil(lambda: len(pilot.reported_keys()) == 4)
        assert pilot.reported_keys() == [(code, 1), (code, 0)] * 2, tool
    pilot.reports.clear()
    QTest.mouseClick(pilot.screen, RIGHT, NONE, pilot.spot(300, 300))
    pilot.qtbot.waitUntil(lambda: pilot.reported_keys() == [(BACK, 1), (BACK, 0)])


def test_window_is_labelled_and_rotates_with_the_phone(pilot: PhonePilot) -> None:
    assert pilot.window.windowTitle() == f"Simulated Small Phone · {pilot.emulator.serial}"
    assert pilot.says("Simulated Small Phone · 720x1280")
    buttons = pilot.window.findChildren(QAbstractButton)
    assert not {"Fold", "Unfold"} & {button.accessibleName() for button in buttons}
    assert all("Ctrl+" in button.toolTip() for button in buttons)

    upright = pilot.window.size()
    pilot.press("Turn left")
    pilot.wait_for_text("1280x720")
    assert pilot.phone.state().rotation == 1
    assert pilot.window.width() > upright.width()
    pilot.press("Turn right")
    pilot.press("Turn right")
    pilot.qtbot.waitUntil(lambda: pilot.phone.state().rotation == 3)


def test_screenshot_is_scaled_only_once(pilot: PhonePilot) -> None:
    fit = fit_of(pilot.screen)
    frame = pilot.phone.screen()
    image = QImage(frame.rgba, frame.width, frame.height, frame.width * 4, QImage.Format.Format_RGBX8888)
    aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    expected = image.convertToFormat(QImage.Format.Format_RGB32).scaled(fit.area.size().toSize(), aspect, smooth)
    shown = pilot.screen.grab(QRectF(fit.area).toRect()).toImage().convertToFormat(QImage.Format.Format_RGB32)
    inside = shown.rect().adjusted(1, 1, -1, -1)  # without the border line
    assert shown.copy(inside) == expected.copy(inside)


@pytest.mark.parametrize("end", [pytest.param("SIGINT", marks=pytest.mark.soak), "SIGTERM", "parent closes stdin"])
def test_program_with_a_window_stops_cleanly(tmp_path: Path, end: str) -> None:
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "USERPROFILE": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path), "ANDROID_ADB_SERVER_PORT": "1",
    }  # fmt: skip
    arguments = ["-m", "odyssey_recorder", "simulate", "--window", "--profile", "small_phone", "--console-port", "0"]
    with subprocess.Popen(
        [sys.executable, *arguments, "--until-stdin-ends"],
        env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        assert program.stdout is not None
        assert any(line.startswith("Stop it with Ctrl-C") for line in program.stdout)
        if end.startswith("SIG"):
            program.send_signal(getattr(signal, end))
            program.wait(20)
        out, _ = program.communicate(timeout=60)  # closes its standard input
    assert out.endswith("has stopped.\n")
    assert program.returncode == 0
