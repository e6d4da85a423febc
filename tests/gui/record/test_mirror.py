"""The mirror turns the mouse into strokes in pixels of the shown frame."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.mouse_contact import WHEEL_LENGTH, wheel_stroke
from odyssey_recorder.gui.screen.canvas import Overlay, OverlayOpacity
from odyssey_recorder.gui.screen.viewport import ZOOMS
from odyssey_recorder.model.action import Scroll, SystemKey
from odyssey_recorder.model.geometry import Pixel, Size
from tests.gui.pilot import LEFT, NONE
from tests.gui.record.screens import fit_of, frame

PHONE = Size(1080, 2340)
RIGHT, MIDDLE = Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
CTRL = Qt.KeyboardModifier.ControlModifier
RULES = TouchRules.for_density(420)


class Signals:
    """What a mirror emitted: `events` has frame numbers, strokes, cancellations and keys."""

    def __init__(self, mirror: MirrorView) -> None:
        self.events: list[object] = []
        self.positions: list[Pixel | None] = []  # where the finger came down or moved; None for the wheel
        mirror.touch_began.connect(lambda number, _: self.events.append(number))
        mirror.touch_began.connect(lambda _, at: self.positions.append(at))
        mirror.finger_moved.connect(self.positions.append)
        mirror.stroke_made.connect(self.events.append)
        mirror.touch_cancelled.connect(lambda: self.events.append("cancelled"))
        mirror.key_asked.connect(self.events.append)

    @property
    def stroke(self) -> TouchStroke:
        """The only one, after the number of the frame that it began on."""
        _, stroke = self.events
        assert isinstance(stroke, TouchStroke)
        return stroke


@pytest.fixture
def mirror(qtbot: QtBot) -> MirrorView:
    view = MirrorView()
    qtbot.addWidget(view)
    view.resize(450, 900)
    view.set_rules(RULES)
    view.show_frame(frame(PHONE))
    view.set_overlay(None)
    view.show()
    return view


@pytest.fixture
def received(mirror: MirrorView) -> Signals:
    return Signals(mirror)


def spot(mirror: MirrorView, x: int, y: int) -> QPoint:
    return fit_of(mirror).point_of(Pixel(x, y)).toPoint()


def pixel(mirror: MirrorView, point: QPoint) -> Pixel:
    found = fit_of(mirror).pixel_at(QPointF(point))
    assert found is not None
    return found


def turn_wheel(
    mirror: MirrorView, at: QPoint, delta: QPoint, keys: Qt.KeyboardModifier = NONE, *, time_ms: int = 0
) -> None:
    event = QWheelEvent(
        QPointF(at), QPointF(mirror.mapToGlobal(at)), QPoint(), delta, Qt.MouseButton.NoButton, keys,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    event.setTimestamp(time_ms)
    QApplication.sendEvent(mirror, event)


def send_mouse_event(mirror: MirrorView, kind: QEvent.Type, time_ms: int) -> None:
    at = QPointF(spot(mirror, 500, 900))
    buttons = LEFT if kind is QEvent.Type.MouseButtonPress else Qt.MouseButton.NoButton
    event = QMouseEvent(kind, at, mirror.mapToGlobal(at), LEFT, buttons, NONE)
    event.setTimestamp(time_ms)
    QApplication.sendEvent(mirror, event)


def test_delayed_events_keep_their_own_times(mirror: MirrorView, received: Signals, qtbot: QtBot) -> None:
    send_mouse_event(mirror, QEvent.Type.MouseButtonPress, 5000)
    qtbot.waitUntil(lambda: mirror.gesture.startswith("Long press"))
    with qtbot.waitSignal(mirror.gesture_made, check_params_cb=lambda text: text.startswith("Click")):
        send_mouse_event(mirror, QEvent.Type.MouseButtonRelease, 5080)
    assert mirror.gesture == ""
    send_mouse_event(mirror, QEvent.Type.MouseButtonPress, 6000)
    send_mouse_event(mirror, QEvent.Type.MouseButtonRelease, 6500)
    strokes = [event for event in received.events if isinstance(event, TouchStroke)]
    assert [stroke.duration_us for stroke in strokes] == [80_000, 500_000]


def test_drag_keeps_its_path_and_times(mirror: MirrorView, received: Signals) -> None:
    path = [spot(mirror, 500, y) for y in range(1800, 700, -100)]
    QTest.mousePress(mirror, LEFT, NONE, path[0])
    for at in path[1:]:
        QTest.mouseMove(mirror, at)
    assert mirror.gesture.startswith("Scroll")
    QTest.mouseRelease(mirror, LEFT, NONE, path[-1])
    stroke = received.stroke
    assert [sample.at for sample in stroke.samples] == received.positions == [pixel(mirror, at) for at in path]
    times = [sample.time_us for sample in stroke.samples]
    assert times[0] == 0
    assert times == sorted(times)
    assert stroke.duration_us >= times[-1]
    assert isinstance(recognize(stroke, RULES, PHONE), Scroll)


def test_drag_stops_at_the_edge_and_click_outside_is_ignored(mirror: MirrorView, received: Signals) -> None:
    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 500, 200))
    QTest.mouseMove(mirror, QPoint(mirror.width() // 2, -500))
    QTest.mouseRelease(mirror, LEFT, NONE, QPoint(mirror.width() // 2, -500))
    assert received.stroke.end.y == 0
    mirror.resize(900, 400)
    QTest.mouseClick(mirror, LEFT, NONE, QPoint(3, 200))
    assert len(received.events) == 2


def test_wheel_burst_is_one_scroll(mirror: MirrorView, received: Signals, qtbot: QtBot) -> None:
    at = spot(mirror, 500, 1500)
    with qtbot.waitSignal(mirror.stroke_made):
        for _ in range(5):
            turn_wheel(mirror, at, QPoint(0, -120))
    assert (received.events[0], received.positions) == (1, [None])
    assert received.stroke.start == pixel(mirror, at)
    assert received.stroke.end.y < received.stroke.start.y
    assert isinstance(recognize(received.stroke, RULES, PHONE), Scroll)


def test_wheel_turned_back_cancels_the_touch(mirror: MirrorView, received: Signals, qtbot: QtBot) -> None:
    at = spot(mirror, 500, 1500)
    with qtbot.waitSignal(mirror.touch_cancelled):
        turn_wheel(mirror, at, QPoint(0, -120))
        turn_wheel(mirror, at, QPoint(0, 120))
    assert received.events == [1, "cancelled"]


def test_slow_spin_is_one_scroll_without_a_refusal(mirror: MirrorView, received: Signals, qtbot: QtBot) -> None:
    missed: list[None] = []
    mirror.missed.connect(lambda: missed.append(None))
    at, down = spot(mirror, 500, 1500), QPoint(0, -120)
    with qtbot.waitSignal(mirror.stroke_made):
        turn_wheel(mirror, at, down, time_ms=1000)
    mirror.set_overlay(Overlay("Sending…"))
    turn_wheel(mirror, at, down, time_ms=1500)
    mirror.set_overlay(None)
    turn_wheel(mirror, at, down, time_ms=2000)
    assert (len(received.events), missed) == (2, [])

    mirror.set_overlay(Overlay("Sending…"))
    turn_wheel(mirror, at, -down, time_ms=2400)  # a slow spin back came too early
    assert len(missed) == 1
    mirror.set_overlay(None)
    turn_wheel(mirror, at, -down, time_ms=2900)
    assert (len(received.events), len(missed)) == (2, 1)
    with qtbot.waitSignal(mirror.stroke_made):
        turn_wheel(mirror, at, -down, time_ms=3500)


def test_right_button_is_back_and_middle_button_is_home(mirror: MirrorView, received: Signals) -> None:
    QTest.mouseClick(mirror, RIGHT, NONE, spot(mirror, 500, 900))
    QTest.mouseClick(mirror, MIDDLE, NONE, spot(mirror, 500, 900))
    assert received.events == [SystemKey.BACK, SystemKey.HOME]


def test_interrupted_touch_is_cancelled(mirror: MirrorView, received: Signals) -> None:
    interruptions: tuple[Callable[[], object], ...] = (
        lambda: QTest.keyClick(mirror, Qt.Key.Key_Escape),
        lambda: mirror.set_overlay(Overlay("The device is gone", OverlayOpacity.HEAVY)),
    )
    for interrupt in interruptions:
        received.events.clear()
        QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 500, 900))
        interrupt()
        QTest.mouseRelease(mirror, LEFT, NONE, spot(mirror, 500, 900))
        assert received.events == [1, "cancelled"]


@pytest.mark.parametrize("opacity", OverlayOpacity)
def test_overlay_blocks_input(mirror: MirrorView, received: Signals, opacity: OverlayOpacity) -> None:
    mirror.set_overlay(Overlay("Settling…", opacity))
    at = spot(mirror, 500, 900)
    missed = QSignalSpy(mirror.missed)
    for button in (LEFT, RIGHT, MIDDLE):
        QTest.mouseClick(mirror, button, NONE, at)
    turn_wheel(mirror, at, QPoint(0, -120))
    assert missed.count() == 4
    assert not mirror.is_touched
    assert received.events == []


def test_frame_under_a_finger_changes_only_if_followed(mirror: MirrorView) -> None:
    at = spot(mirror, 500, 900)
    QTest.mousePress(mirror, LEFT, NONE, at)
    mirror.show_frame(frame(PHONE, number=2))
    assert mirror.frame_number == 1
    mirror.let_follow()
    mirror.show_frame(frame(PHONE, number=3))
    assert mirror.frame_number == 3
    mirror.show_frame(frame(PHONE.turned(), number=4))
    QTest.mouseMove(mirror, spot(mirror, 500, 400))
    assert mirror.frame_number == 3
    QTest.mouseRelease(mirror, LEFT, NONE, spot(mirror, 500, 400))
    assert mirror.frame_number == 4
    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 900, 500))
    mirror.show_frame(frame(PHONE.turned(), number=5))
    assert mirror.frame_number == 4


def test_ctrl_wheel_zooms_around_the_pointer(mirror: MirrorView, received: Signals, qtbot: QtBot) -> None:
    at = spot(mirror, 500, 1500)
    before = pixel(mirror, at)
    for _ in range(4):
        turn_wheel(mirror, at, QPoint(0, 120), CTRL)
    assert mirror.viewport.scale == ZOOMS[3]
    after = pixel(mirror, at)
    assert max(abs(after.x - before.x), abs(after.y - before.y)) <= 3
    assert received.events == []
    with qtbot.waitSignal(mirror.stroke_made):
        turn_wheel(mirror, at, QPoint(0, -120))
    assert mirror.viewport.scale == ZOOMS[3]
    assert received.positions == [None]


def test_zoom_needs_a_whole_notch_and_no_finger(mirror: MirrorView, received: Signals) -> None:
    at = spot(mirror, 500, 1500)
    QTest.mousePress(mirror, LEFT, NONE, at)
    turn_wheel(mirror, at, QPoint(0, 120), CTRL)
    assert mirror.viewport.scale is None
    QTest.mouseRelease(mirror, LEFT, NONE, at)
    assert len(received.events) == 2
    turn_wheel(mirror, at, QPoint(0, 60), CTRL)
    assert mirror.viewport.scale is None
    turn_wheel(mirror, at, QPoint(0, 60), CTRL)
    assert mirror.viewport.scale == ZOOMS[0]


def test_alt_drag_and_arrow_key_pan_only_when_zoomed(mirror: MirrorView, received: Signals) -> None:
    alt = Qt.KeyboardModifier.AltModifier
    QTest.mouseClick(mirror, LEFT, alt, spot(mirror, 500, 900))
    assert len(received.events) == 2
    received.events.clear()
    mirror.viewport.show_scale(1.0)
    before = spot(mirror, 500, 1170)
    QTest.mousePress(mirror, LEFT, alt, QPoint(200, 400))
    QTest.mouseMove(mirror, QPoint(150, 340))
    QTest.mouseRelease(mirror, LEFT, alt, QPoint(150, 340))
    assert spot(mirror, 500, 1170) - before == QPoint(-50, -60)
    QTest.keyClick(mirror, Qt.Key.Key_Right)
    assert spot(mirror, 500, 1170).x() < before.x() - 50
    assert received.events == []


def test_space_drag_pans_until_space_is_released(mirror: MirrorView, received: Signals) -> None:
    mirror.viewport.show_scale(1.0)
    before = spot(mirror, 500, 1170)
    QTest.keyPress(mirror, Qt.Key.Key_Space)
    QTest.mousePress(mirror, LEFT, NONE, QPoint(200, 400))
    QTest.mouseMove(mirror, QPoint(260, 420))
    QTest.mouseRelease(mirror, LEFT, NONE, QPoint(260, 420))
    QTest.keyRelease(mirror, Qt.Key.Key_Space)
    assert spot(mirror, 500, 1170) - before == QPoint(60, 20)
    assert received.events == []
    QTest.mouseClick(mirror, LEFT, NONE, QPoint(200, 400))
    assert len(received.events) == 2


def test_magnifier_follows_the_pointer_and_lets_clicks_through(mirror: MirrorView, received: Signals) -> None:
    at = spot(mirror, 500, 900)
    mirror.set_magnifying(True)
    QTest.mouseMove(mirror, at)
    assert mirror.magnified == pixel(mirror, at)
    QTest.mouseClick(mirror, LEFT, NONE, at)
    assert received.positions == [pixel(mirror, at)]
    mirror.set_magnifying(False)
    assert mirror.magnified is None


@pytest.mark.parametrize(
    ("right", "down", "end"),
    [(0, 120, Pixel(700, 1500 - round(2340 * WHEEL_LENGTH))), (120, 0, Pixel(700 - round(1080 * WHEEL_LENGTH), 1500))],
)
def test_wheel_stroke_moves_against_the_wheel(right: int, down: int, end: Pixel) -> None:
    stroke = wheel_stroke(Pixel(700, 1500), PHONE, right=right, down=down)
    assert (stroke.start, stroke.end) == (Pixel(700, 1500), end)


@pytest.mark.parametrize("y", [0, 30, 2339])
@pytest.mark.parametrize("down", [-5000, -120, -1, 120])
def test_wheel_stroke_near_an_edge_keeps_its_length(y: int, down: int) -> None:
    stroke = wheel_stroke(Pixel(500, y), PHONE, right=0, down=down)
    assert abs(stroke.end.y - stroke.start.y) == round(2340 * WHEEL_LENGTH)
    assert {234 <= sample.at.y <= 2106 for sample in stroke.samples} == {True}
