"""Panels beside the middle of a page: hidden, resized, restored, and hidden when the middle needs their space."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QSplitterHandle
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.window.main_window import SMALLEST
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.notice import Notice
from tests.fakes import FakeDevice
from tests.gui.fakes import TASK, FakeRecordings
from tests.gui.pilot import LEFT, OpenWindow, Pilot, WidgetPilot

TABLET, FOLD, PHONE = Size(2560, 1600), Size(2208, 1840), Size(1080, 2340)


class PanelsPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, needs_px: int = 0) -> None:
        super().__init__(qtbot, background)
        self.left, self.middle, self.right = QLabel("Left"), QPushButton("Middle"), QLabel("Right")
        sides = {"left": (self.left, 200), "right": (self.right, 0.25)}
        self.panels = Panels("bench", self.commands, self.middle, sides, lambda _side, px: px >= needs_px)  # type: ignore[arg-type]
        self.show_widget(self.panels, 1000, 500)

    @property
    def open(self) -> str:
        return " ".join(part.text() for part in (self.left, self.right) if part.isVisible())

    def handle(self, side: str) -> QSplitterHandle:
        return self.named(QSplitterHandle, f"{side} panel")


@pytest.fixture
def bench(qtbot: QtBot, background: Background) -> PanelsPilot:
    return PanelsPilot(qtbot, background)


def test_hidden_panel_gives_its_space_to_the_middle(bench: PanelsPilot) -> None:
    before = bench.middle.width()
    bench.commands[CommonCommand.LEFT_PANEL].trigger()
    assert bench.open == "Right"
    assert bench.middle.width() == before + 200
    bench.commands[CommonCommand.RIGHT_PANEL].trigger()
    assert bench.open == ""
    bench.commands[CommonCommand.LEFT_PANEL].trigger()
    assert bench.open == "Left"
    assert bench.left.width() == 200


def test_click_on_handle_toggles_panel(bench: PanelsPilot) -> None:
    QTest.mouseClick(bench.handle("Right"), LEFT)
    assert bench.open == "Left"
    QTest.mouseClick(bench.handle("Right"), LEFT)
    assert bench.open == "Left Right"


def test_keyboard_resizes_and_hides_panel(bench: PanelsPilot) -> None:
    handle = bench.handle("Left")
    handle.setFocus(Qt.FocusReason.TabFocusReason)
    assert QApplication.focusWidget() is handle
    QTest.keyClick(handle, Qt.Key.Key_Right)
    assert bench.left.width() == 224
    bench.window.resize(900, 500)
    assert bench.left.width() == 224
    QTest.keyClick(handle, Qt.Key.Key_Space)
    assert bench.open == "Right"


def test_panel_is_hidden_and_reopened_by_dragging(bench: PanelsPilot) -> None:
    handle = bench.handle("Left")
    for x, expected in ((-300, "Right"), (200, "Left Right")):
        QTest.mousePress(handle, LEFT, pos=QPoint(2, 9))
        QTest.mouseMove(handle, QPoint(2 + x, 9))
        QTest.mouseRelease(handle, LEFT, pos=QPoint(2, 9))
        assert bench.open == expected


def test_narrow_window_hides_right_panel_first_unless_opened(qtbot: QtBot, background: Background) -> None:
    bench = PanelsPilot(qtbot, background, needs_px=500)
    assert bench.open == "Left Right"
    bench.window.resize(760, 500)
    assert bench.open == "Left"
    bench.window.resize(600, 500)
    assert bench.open == ""
    bench.commands[CommonCommand.RIGHT_PANEL].trigger()
    assert bench.open == "Right"
    bench.window.resize(1000, 500)
    assert bench.open == "Left Right"


def test_panel_state_is_restored_and_bad_values_ignored(bench: PanelsPilot) -> None:
    bench.panels.recall({"left": [310, None], "right": [0, False]})
    assert bench.left.width() == 310
    assert bench.open == "Left"
    assert bench.panels.kept == {"left": [310, None], "right": [0, False]}
    for invalid in (7, {"left": "wide"}, {"left": [-4, None]}, {"right": [1, "no"]}):
        bench.panels.recall(invalid)
    assert bench.panels.kept == {"left": [310, None], "right": [0, False]}


@pytest.mark.parametrize(
    ("size", "share"), [(TABLET, 0.3), (FOLD, 0.28), (PHONE, 0.2)], ids=["tablet", "fold", "phone"]
)
def test_mirror_has_enough_space_in_smallest_window(
    open_window: OpenWindow, tmp_path: Path, size: Size, share: float
) -> None:
    pilot = open_window(FakeRecordings(tmp_path, FakeDevice(size)))
    pilot.window.resize(SMALLEST)
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.start()
    assert pilot.fit.area.width() / size.width >= share
    assert pilot.says(TASK.instruction) or size == TABLET
    assert pilot.window.size() == SMALLEST


def test_instruction_moves_above_mirror_without_left_panel(pilot: Pilot) -> None:
    pilot.start()
    pilot.shortcut("Ctrl+B").trigger()
    pilot.qtbot.waitUntil(lambda: pilot.named(QPushButton, "Stop").isVisible())
    above = pilot.named(QLabel, "Instruction")
    assert above.isVisible()
    assert TASK.instruction in above.toolTip()


def test_message_is_visible_without_right_panel(pilot: Pilot) -> None:
    pilot.start()
    pilot.shortcut("Ctrl+Shift+B").trigger()
    pilot.controller.noticed.emit(Notice("Too early."))
    pilot.wait_for_text("Too early.")
    pilot.shortcut("Ctrl+B").trigger()
    pilot.wait_for_text("Too early.")
