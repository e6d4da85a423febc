"""The mirror turns the mouse into strokes in pixels of the shown frame."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.mirror_canvas import Overlay, OverlayOpacity
from odyssey_recorder.gui.record.viewport import ZOOMS
from odyssey_recorder.model.action import Click, LongPress, Scroll, SystemKey
from odyssey_recorder.model.geometry import Pixel, Size

PHONE = Size(1080, 2340)
SCREENS = [Size(720, 1280), Size(1440, 3120), Size(2208, 1840), Size(2560, 1600)]
LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
NONE = Qt.KeyboardModifier.NoModifier
RULES = TouchRules.for_density(420)
LONG_PRESS_MS = RULES.long_press_us // 1000


@dataclass
class Ears:
    heard: list[object] = field(default_factory=list)
    places: list[Pixel | None] = field(default_factory=list)
    """Where the finger came down or moved; None for the wheel."""

    def listen(self, mirror: MirrorView) -> None:
        mirror.touch_began.connect(lambda number, _: self.heard.append(number))
        mirror.touch_began.connect(lambda _, at: self.places.append(at))
        mirror.finger_moved.connect(self.places.append)
        mirror.stroke_made.connect(self.heard.append)
        mirror.touch_cancelled.connect(lambda: self.heard.append("cancelled"))
        mirror.key_asked.connect(self.heard.append)


def frame(size: Size, number: int = 1, colour: tuple[int, int, int] = (10, 120, 200)) -> Frame:
    now = time.monotonic_ns()
    return Frame(number, size, bytes((*colour, 255)) * (size.width * size.height), now, now, "test")


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
def mirror(qtbot: QtBot, ears: Ears) -> MirrorView:
    view = MirrorView()
    qtbot.addWidget(view)
    view.resize(450, 900)
    view.set_rules(RULES)
    view.show_frame(frame(PHONE))
    view.set_overlay(None)
    view.show()
    ears.listen(view)
    return view


def spot(mirror: MirrorView, x: int, y: int) -> QPoint:
    fit = mirror.fit()
    assert fit is not None
    return fit.point_of(Pixel(x, y)).toPoint()


def pixel(mirror: MirrorView, point: QPoint) -> Pixel:
    fit = mirror.fit()
    assert fit is not None
    found = fit.pixel_at(QPointF(point))
    assert found is not None
    return found


def turn_wheel(mirror: MirrorView, at: QPoint, delta: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    event = QWheelEvent(
        QPointF(at), QPointF(mirror.mapToGlobal(at)), QPoint(), delta, Qt.MouseButton.NoButton, keys,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(mirror, event)


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_a_click_is_a_stroke_at_the_pixel_under_the_mouse(mirror: MirrorView, ears: Ears, screen: Size) -> None:
    mirror.show_frame(frame(screen, number=7))
    at = spot(mirror, screen.width // 3, screen.height // 4)

    QTest.mouseClick(mirror, LEFT, NONE, at)

    number, stroke = ears.heard
    assert number == 7
    assert isinstance(stroke, TouchStroke)
    assert [sample.at for sample in stroke.samples] == [pixel(mirror, at)]
    assert isinstance(recognize(stroke, RULES, screen), Click)


def test_a_press_that_is_held_becomes_a_long_press_and_says_so(mirror: MirrorView, ears: Ears, qtbot: QtBot) -> None:
    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 500, 900))
    assert mirror.gesture.startswith("CLICK")
    qtbot.waitUntil(lambda: mirror.gesture.startswith("LONG_PRESS"))
    QTest.mouseRelease(mirror, LEFT, NONE, spot(mirror, 500, 900), LONG_PRESS_MS)

    _, stroke = ears.heard
    assert isinstance(stroke, TouchStroke)
    assert isinstance(recognize(stroke, RULES, PHONE), LongPress)
    assert mirror.gesture == ""


def stamped(mirror: MirrorView, kind: QEvent.Type, stamp_ms: int) -> None:
    at = QPointF(spot(mirror, 500, 900))
    buttons = LEFT if kind is QEvent.Type.MouseButtonPress else Qt.MouseButton.NoButton
    event = QMouseEvent(kind, at, mirror.mapToGlobal(at), LEFT, buttons, NONE)
    event.setTimestamp(stamp_ms)
    QApplication.sendEvent(mirror, event)


def test_the_events_own_time_tells_a_click_from_a_long_press_however_late_they_come(
    mirror: MirrorView, ears: Ears, qtbot: QtBot
) -> None:
    stamped(mirror, QEvent.Type.MouseButtonPress, 5000)
    qtbot.waitUntil(lambda: mirror.gesture.startswith("LONG_PRESS"))
    stamped(mirror, QEvent.Type.MouseButtonRelease, 5080)
    assert mirror.sent.startswith("CLICK")
    stamped(mirror, QEvent.Type.MouseButtonPress, 6000)
    stamped(mirror, QEvent.Type.MouseButtonRelease, 6500)

    strokes = [heard for heard in ears.heard if isinstance(heard, TouchStroke)]
    assert [stroke.duration_us for stroke in strokes] == [80_000, 500_000]


def test_a_drag_keeps_its_whole_trajectory_and_its_times(mirror: MirrorView, ears: Ears) -> None:
    way = [spot(mirror, 500, y) for y in range(1800, 700, -100)]
    QTest.mousePress(mirror, LEFT, NONE, way[0])
    for at in way[1:]:
        QTest.mouseMove(mirror, at)
    assert mirror.gesture.startswith("SCROLL")
    QTest.mouseRelease(mirror, LEFT, NONE, way[-1])

    _, stroke = ears.heard
    assert isinstance(stroke, TouchStroke)
    assert [sample.at for sample in stroke.samples] == [pixel(mirror, at) for at in way]
    assert ears.places == [pixel(mirror, at) for at in way]
    times = [sample.time_us for sample in stroke.samples]
    assert times[0] == 0
    assert times == sorted(times)
    assert stroke.duration_us >= times[-1]
    assert isinstance(recognize(stroke, RULES, PHONE), Scroll)


def test_a_drag_beyond_the_edge_stays_on_the_picture(mirror: MirrorView, ears: Ears) -> None:
    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 500, 200))
    QTest.mouseMove(mirror, QPoint(mirror.width() // 2, -500))
    QTest.mouseRelease(mirror, LEFT, NONE, QPoint(mirror.width() // 2, -500))

    _, stroke = ears.heard
    assert isinstance(stroke, TouchStroke)
    assert stroke.end.y == 0


def test_a_burst_of_the_wheel_is_one_scroll_at_the_pointer(mirror: MirrorView, ears: Ears, qtbot: QtBot) -> None:
    at = spot(mirror, 500, 1500)
    with qtbot.waitSignal(mirror.stroke_made):
        for _ in range(5):
            turn_wheel(mirror, at, QPoint(0, -120))

    number, stroke = ears.heard
    assert number == 1
    assert ears.places == [None]
    assert isinstance(stroke, TouchStroke)
    assert stroke.start == pixel(mirror, at)
    assert stroke.end.y < stroke.start.y
    assert isinstance(recognize(stroke, RULES, PHONE), Scroll)


def test_a_wheel_turned_back_is_no_gesture(mirror: MirrorView, ears: Ears, qtbot: QtBot) -> None:
    at = spot(mirror, 500, 1500)
    with qtbot.waitSignal(mirror.touch_cancelled):
        turn_wheel(mirror, at, QPoint(0, -120))
        turn_wheel(mirror, at, QPoint(0, 120))
    assert ears.heard == [1, "cancelled"]


def test_the_right_button_is_back_and_the_middle_one_is_home(mirror: MirrorView, ears: Ears) -> None:
    QTest.mouseClick(mirror, RIGHT, NONE, spot(mirror, 500, 900))
    QTest.mouseClick(mirror, MIDDLE, NONE, spot(mirror, 500, 900))
    assert ears.heard == [SystemKey.BACK, SystemKey.HOME]


@pytest.mark.parametrize(
    "take_away",
    [
        lambda mirror: QTest.keyClick(mirror, Qt.Key.Key_Escape),
        lambda mirror: mirror.set_overlay(Overlay("The device is gone", OverlayOpacity.HEAVY)),
    ],
    ids=["Esc", "overlay"],
)
def test_a_finger_that_is_taken_away_makes_no_stroke(
    mirror: MirrorView, ears: Ears, take_away: Callable[[MirrorView], object]
) -> None:
    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 500, 900))
    take_away(mirror)
    QTest.mouseRelease(mirror, LEFT, NONE, spot(mirror, 500, 900))
    assert ears.heard == [1, "cancelled"]


@pytest.mark.parametrize("weight", OverlayOpacity)
def test_a_veiled_mirror_takes_no_input(mirror: MirrorView, ears: Ears, qtbot: QtBot, weight: OverlayOpacity) -> None:
    mirror.set_overlay(Overlay("Settling…", weight))
    at = spot(mirror, 500, 900)
    for button in (LEFT, RIGHT, MIDDLE):
        QTest.mouseClick(mirror, button, NONE, at)
    turn_wheel(mirror, at, QPoint(0, -120))
    qtbot.waitUntil(lambda: not mirror.is_touched)
    assert ears.heard == []


def test_a_click_beside_the_picture_is_nothing(mirror: MirrorView, ears: Ears) -> None:
    mirror.resize(900, 400)
    QTest.mouseClick(mirror, LEFT, NONE, QPoint(3, 200))
    assert ears.heard == []


def test_the_frame_under_the_finger_stays_until_the_finger_lifts(mirror: MirrorView) -> None:
    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 500, 900))
    mirror.show_frame(frame(PHONE, number=2))
    assert mirror.frame_number == 1
    QTest.mouseRelease(mirror, LEFT, NONE, spot(mirror, 500, 900))
    assert mirror.frame_number == 2


def test_where_the_device_follows_the_finger_the_picture_goes_on_under_it(mirror: MirrorView, ears: Ears) -> None:
    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 500, 900))
    mirror.let_follow()
    mirror.show_frame(frame(PHONE, number=2))
    assert mirror.frame_number == 2

    mirror.show_frame(frame(PHONE.turned(), number=3))
    QTest.mouseMove(mirror, spot(mirror, 500, 400))
    assert mirror.frame_number == 2
    QTest.mouseRelease(mirror, LEFT, NONE, spot(mirror, 500, 400))
    assert mirror.frame_number == 3

    QTest.mousePress(mirror, LEFT, NONE, spot(mirror, 900, 500))
    mirror.show_frame(frame(PHONE.turned(), number=4))
    assert mirror.frame_number == 3


def test_a_frame_of_another_orientation_is_fitted_anew(mirror: MirrorView) -> None:
    mirror.show_frame(frame(PHONE.turned(), number=2))
    fit = mirror.fit()
    assert fit is not None
    assert fit.area.width() > fit.area.height()


def test_control_and_the_wheel_zoom_around_the_pointer_and_plain_wheel_still_scrolls(
    mirror: MirrorView, ears: Ears, qtbot: QtBot
) -> None:
    at = spot(mirror, 500, 1500)
    before = pixel(mirror, at)
    for _ in range(4):
        turn_wheel(mirror, at, QPoint(0, 120), Qt.KeyboardModifier.ControlModifier)
    assert mirror.viewport.scale == ZOOMS[3]
    after = pixel(mirror, at)
    assert abs(after.x - before.x) <= 3
    assert abs(after.y - before.y) <= 3
    assert ears.heard == []

    with qtbot.waitSignal(mirror.stroke_made):
        turn_wheel(mirror, at, QPoint(0, -120))
    assert mirror.viewport.scale == ZOOMS[3]
    assert ears.places == [None]


def test_half_a_notch_of_the_wheel_is_no_zoom_yet(mirror: MirrorView) -> None:
    at = spot(mirror, 500, 1500)
    turn_wheel(mirror, at, QPoint(0, 60), Qt.KeyboardModifier.ControlModifier)
    assert mirror.viewport.scale is None
    turn_wheel(mirror, at, QPoint(0, 60), Qt.KeyboardModifier.ControlModifier)
    assert mirror.viewport.scale == ZOOMS[0]


def test_the_wheel_does_not_zoom_under_a_finger(mirror: MirrorView, ears: Ears) -> None:
    at = spot(mirror, 500, 900)
    QTest.mousePress(mirror, LEFT, NONE, at)
    turn_wheel(mirror, at, QPoint(0, 120), Qt.KeyboardModifier.ControlModifier)
    assert mirror.viewport.scale is None
    QTest.mouseRelease(mirror, LEFT, NONE, at)
    assert len(ears.heard) == 2


def test_a_drag_with_alt_moves_the_picture_and_the_device_sees_nothing(mirror: MirrorView, ears: Ears) -> None:
    mirror.viewport.show_scale(1.0)
    before = spot(mirror, 500, 1170)
    alt = Qt.KeyboardModifier.AltModifier
    QTest.mousePress(mirror, LEFT, alt, QPoint(200, 400))
    QTest.mouseMove(mirror, QPoint(150, 340))
    QTest.mouseRelease(mirror, LEFT, alt, QPoint(150, 340))
    assert spot(mirror, 500, 1170) - before == QPoint(-50, -60)
    assert ears.heard == []


def test_a_drag_with_space_moves_the_picture_until_space_is_let_go(mirror: MirrorView, ears: Ears) -> None:
    mirror.viewport.show_scale(1.0)
    before = spot(mirror, 500, 1170)
    QTest.keyPress(mirror, Qt.Key.Key_Space)
    QTest.mousePress(mirror, LEFT, NONE, QPoint(200, 400))
    QTest.mouseMove(mirror, QPoint(260, 420))
    QTest.mouseRelease(mirror, LEFT, NONE, QPoint(260, 420))
    QTest.keyRelease(mirror, Qt.Key.Key_Space)
    assert spot(mirror, 500, 1170) - before == QPoint(60, 20)
    assert ears.heard == []

    QTest.mouseClick(mirror, LEFT, NONE, QPoint(200, 400))
    assert len(ears.heard) == 2


def test_arrow_keys_move_a_picture_that_is_larger_than_the_mirror(mirror: MirrorView) -> None:
    mirror.viewport.show_scale(1.0)
    before = spot(mirror, 500, 1170)
    QTest.keyClick(mirror, Qt.Key.Key_Right)
    assert spot(mirror, 500, 1170).x() < before.x()


def test_where_the_whole_picture_is_seen_a_drag_with_alt_is_a_gesture(mirror: MirrorView, ears: Ears) -> None:
    QTest.mouseClick(mirror, LEFT, Qt.KeyboardModifier.AltModifier, spot(mirror, 500, 900))
    assert len(ears.heard) == 2


def test_the_magnifier_follows_the_pointer_and_lets_the_mouse_through(mirror: MirrorView, ears: Ears) -> None:
    at = spot(mirror, 500, 900)
    mirror.set_magnifying(True)
    QTest.mouseMove(mirror, at)
    assert mirror.magnified == pixel(mirror, at)
    QTest.mouseClick(mirror, LEFT, NONE, at)
    assert ears.places == [pixel(mirror, at)]
    mirror.set_magnifying(False)
    assert mirror.magnified is None


def test_the_device_s_colours_are_shown_at_every_zoom(mirror: MirrorView) -> None:
    mirror.show_frame(frame(PHONE, number=2, colour=(10, 200, 60)))
    assert mirror.grab().toImage().pixelColor(mirror.rect().center()) == QColor(10, 200, 60)
    for scale in ZOOMS:
        mirror.viewport.show_scale(scale)
        assert mirror.grab().toImage().pixelColor(mirror.rect().center()) == QColor(10, 200, 60)
