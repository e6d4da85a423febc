"""The viewer: steps, their screenshots before and after, and their texts."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListView, QScrollArea
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.review.before_after import BeforeAfterView
from odyssey_recorder.gui.review.review_viewer import ReviewViewer
from odyssey_recorder.gui.table import VALUE
from odyssey_recorder.gui.theme import MARK
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import DeviceInfo, screenshot_name
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.quality.finding import Finding, Severity
from odyssey_recorder.quality.reviewing.views import OpenedReview
from tests.episodes import ALL_KINDS, ID, episode
from tests.gui.pilot import WidgetPilot
from tests.gui.review.opened import draw_screenshot, draw_screenshots, open_review, provenance_of, reviewed, step_record

LAST = len(ALL_KINDS) - 1
OTHER = "0006223132449497"


class ViewerPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        self.viewer = ReviewViewer(background, self.commands)
        self.painted: list[int] = []
        self.viewer.step_painted.connect(self.painted.append)
        self.show_widget(self.viewer, 900, 800)
        self.view, self.strip = self.find(BeforeAfterView), self.find(QListView)

    def show(self, review: OpenedReview) -> None:
        self.painted.clear()
        self.viewer.show_review(review)
        self.wait_for(0)

    def wait_for(self, step: int) -> None:
        self.qtbot.waitUntil(lambda: self.painted[-1:] == [step])

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.window, key, modifier)

    def spoken(self, step: int) -> str:
        return str(self.strip.model().index(step, 0).data(Qt.ItemDataRole.AccessibleTextRole))

    def thumbnail(self, step: int) -> QImage | None:
        screenshot = self.strip.model().index(step, 0).data(VALUE).image
        return screenshot if isinstance(screenshot, QImage) else None

    def seen(self) -> QImage:
        return self.view.grab().toImage()

    def colour(self, across: float, down: float) -> QColor:
        seen = self.seen()
        return seen.pixelColor(round(across * seen.width()), round(down * seen.height()))


@pytest.fixture
def pilot(qtbot: QtBot, background: Background) -> ViewerPilot:
    return ViewerPilot(qtbot, background)


@pytest.fixture
def review(tmp_path: Path) -> OpenedReview:
    return open_review(tmp_path)


def has_mark(screenshot: QImage) -> bool:
    places = ((x, y) for x in range(screenshot.width()) for y in range(screenshot.height()))
    return any(screenshot.pixelColor(x, y) == MARK for x, y in places)


def test_keys_and_clicks_lead_from_step_to_step(pilot: ViewerPilot, review: OpenedReview) -> None:
    pilot.show(review)
    assert pilot.viewer.current_step == 0
    assert pilot.says("Step 1 of 8 · Click")
    assert pilot.says("No provenance for this screenshot.")
    assert pilot.view.shown == "Before step 1: a screenshot of 72x128. After step 1: a screenshot of 72x128"
    changes: list[int] = []
    pilot.viewer.step_changed.connect(changes.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Period, Qt.Key.Key_Comma, Qt.Key.Key_End):
        pilot.key(key)
    pilot.wait_for(LAST)
    assert pilot.view.shown.endswith(": this is the last step")
    pilot.key(Qt.Key.Key_Right)
    pilot.key(Qt.Key.Key_Home)
    place = pilot.strip.visualRect(pilot.strip.model().index(3, 0)).center()
    QTest.mouseClick(pilot.strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert changes == [1, 2, 1, LAST, 0, 3]
    assert pilot.strip.currentIndex().row() == 3
    assert pilot.viewer.seen_steps == {0, 1, 2, 3, LAST}
    assert "not seen yet" in pilot.spoken(4)
    assert "not seen yet" not in pilot.spoken(3)


def test_every_step_gets_its_screenshot_with_its_action(pilot: ViewerPilot, review: OpenedReview) -> None:
    pilot.show(review)
    pilot.qtbot.waitUntil(lambda: all(pilot.thumbnail(step) is not None for step in range(LAST + 1)))
    first = pilot.thumbnail(0)
    assert first is not None
    assert has_mark(first)
    pilot.viewer.go_to_step(4)
    pilot.wait_for(4)
    assert (pilot.colour(0.25, 0.97).red(), pilot.colour(0.75, 0.97).red()) == (60 + 15 * 4, 60 + 15 * 5)


def test_one_screenshot_can_be_had_alone_and_larger(pilot: ViewerPilot, review: OpenedReview) -> None:
    pilot.show(review)
    before = pilot.view.viewport.actual_scale
    pilot.key(Qt.Key.Key_B)
    assert pilot.view.shown == "Step 1: a screenshot of 72x128"
    alone = pilot.view.viewport.actual_scale
    assert before is not None
    assert alone is not None
    assert alone >= before
    pilot.key(Qt.Key.Key_B)
    assert pilot.view.shown.startswith("Before step 1")


def test_both_screenshots_are_zoomed_together_and_the_next_alike(pilot: ViewerPilot, review: OpenedReview) -> None:
    pilot.show(review)
    pilot.key(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert pilot.view.viewport.scale == 1.0
    assert pilot.says("100%")
    turn_wheel(pilot.view, pilot.view.rect().center() + QPoint(200, 0))
    assert pilot.view.viewport.scale == 1.5
    pilot.key(Qt.Key.Key_Right)
    pilot.wait_for(1)
    assert pilot.view.viewport.scale == 1.5
    pilot.key(Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert pilot.view.viewport.scale is None


def turn_wheel(view: BeforeAfterView, at: QPoint) -> None:
    """One notch with Control held."""
    event = QWheelEvent(
        QPointF(at), QPointF(view.mapToGlobal(at)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_a_drag_moves_what_is_larger_than_its_place(pilot: ViewerPilot, tmp_path: Path) -> None:
    review = open_review(tmp_path, Click(Point(5, 5)), Complete())
    for step in (0, 1):
        draw_screenshot(tmp_path / screenshot_name(ID, step), Size(1080, 2400), shade=200, top=100)
    pilot.show(review)
    pilot.commands[Command.REVIEW_PIXELS].trigger()
    before = pilot.view.viewport.zoom
    middle = pilot.view.rect().center() - QPoint(150, 0)
    QTest.mousePress(pilot.view, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(pilot.view, middle + QPoint(-40, -60))
    QTest.mouseRelease(pilot.view, Qt.MouseButton.LeftButton, pos=middle + QPoint(-40, -60))
    after = pilot.view.viewport.zoom
    assert after.down == pytest.approx(before.down + 60 / 2400)
    assert after.across == pytest.approx(before.across + 40 / 1080)


@pytest.mark.parametrize(
    ("size", "top", "said"),
    [
        (Size(72, 128), 100, "has 2 differences"),
        (Size(72, 128), 0, "is identical"),
        (Size(128, 72), 0, "has a different size: 128x72"),
    ],
)
def test_what_changed_is_outlined_on_demand_and_counted(
    pilot: ViewerPilot, review: OpenedReview, size: Size, top: int, said: str
) -> None:
    draw_screenshot(review.opened.files.screenshot(1), size, shade=60, top=top)
    pilot.show(review)
    pilot.key(Qt.Key.Key_H)
    pilot.wait_for_text(said)
    assert pilot.view.shown.endswith("2 places differ") is ("2 places" in said)
    pilot.key(Qt.Key.Key_H)
    assert not pilot.says(said)


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def no_png(path: Path) -> None:
    """A valid image, but not a PNG."""
    Image.new("RGB", (72, 128)).save(path, format="BMP")


@pytest.mark.parametrize(
    ("damage", "words"),
    [(Path.unlink, f"{ID}_1.png is missing"), (cut_short, "cannot be read"), (no_png, "cannot be read")],
)
def test_a_screenshot_that_is_broken_is_shown_as_such(
    pilot: ViewerPilot, review: OpenedReview, damage: Callable[[Path], object], words: str
) -> None:
    damage(review.opened.files.screenshot(1))
    pilot.show(review)
    assert words in pilot.view.shown
    pilot.key(Qt.Key.Key_Right)
    pilot.wait_for(1)
    assert pilot.view.shown.startswith("Before step 2: The screenshot")
    pilot.qtbot.waitUntil(lambda: pilot.thumbnail(1) is not None)
    assert "no screenshot" in pilot.spoken(1)


def test_screenshots_of_an_episode_that_was_left_are_dropped(pilot: ViewerPilot, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = open_review(tmp_path)
    other = open_review(tmp_path / "other", Click(Point(1, 1)), Complete(), episode_id=OTHER)
    for step in (0, 1):
        draw_screenshot(tmp_path / "other" / screenshot_name(OTHER, step), Size(128, 72), shade=250, top=0)
    seen: list[str] = []
    pilot.viewer.step_painted.connect(lambda _step: seen.append(pilot.view.shown))
    for _ in range(5):
        pilot.viewer.show_review(first)
        pilot.viewer.go_to_step(3)
        pilot.viewer.show_review(other)
    pilot.qtbot.waitUntil(
        lambda: pilot.view.shown == "Before step 1: a screenshot of 128x72. After step 1: a screenshot of 128x72"
    )
    pilot.qtbot.waitUntil(lambda: pilot.thumbnail(1) is not None)
    pilot.qtbot.waitUntil(lambda: pilot.view.shown in seen)
    assert {words for words in seen if "step 1" in words} == {pilot.view.shown}
    assert pilot.colour(0.25, 0.5).red() == 250
    assert pilot.strip.model().rowCount() == 2
    assert pilot.viewer.seen_steps == {0}


def test_an_episode_that_was_fixed_stays_at_its_step(pilot: ViewerPilot, tmp_path: Path) -> None:
    pilot.show(open_review(tmp_path))
    pilot.viewer.go_to_step(4)
    pilot.viewer.show_review(open_review(tmp_path, *ALL_KINDS[:3], Complete()))
    assert pilot.viewer.current_step == 3
    assert pilot.says("Step 4 of 4 · Complete")


def test_findings_are_marked_at_their_steps(pilot: ViewerPilot, tmp_path: Path) -> None:
    found = [Finding("IMG07", Severity.WARNING, None, ID, 2, "Nothing changed.", "Look.")]
    pilot.show(open_review(tmp_path, findings=found))
    assert "warning IMG07" in pilot.spoken(2)
    assert "warning" not in pilot.spoken(1)


def test_a_replay_puts_badges_on_the_steps_until_they_are_cleared(pilot: ViewerPilot, review: OpenedReview) -> None:
    pilot.show(review)
    without = pilot.strip.grab().toImage()
    pilot.viewer.show_replay_step(1, "drift")
    assert "replay: drift" in pilot.spoken(1)
    assert pilot.strip.grab().toImage() != without
    pilot.viewer.clear_replay()
    assert "replay" not in pilot.spoken(1)
    pilot.viewer.show_replay_step(99, "match")
    assert pilot.strip.model().rowCount() == LAST + 1


def test_what_the_provenance_says_stands_beside_the_step(pilot: ViewerPilot, tmp_path: Path) -> None:
    hostile = "<b>bold</b> <img src='file:///etc/passwd'>"
    record = step_record(note=hostile, flags=(Flag(FlagCode.OTHER, ("no effect",)),))
    pilot.show(open_review(tmp_path, proof=provenance_of(record)))
    assert pilot.says(f"Note: {hostile}")
    assert pilot.says("Flagged: no effect")
    assert pilot.says("the action waited until a second frame showed the same")
    formats = {label.textFormat() for label in pilot.viewer.findChildren(QLabel) if label.text()}
    assert formats == {Qt.TextFormat.PlainText}


def test_words_stand_where_they_leave_the_screenshots_larger(pilot: ViewerPilot, tmp_path: Path) -> None:
    words = pilot.find(QScrollArea)
    pilot.show(open_review(tmp_path))
    pilot.qtbot.waitUntil(lambda: words.x() > pilot.view.x())
    wide = replace(episode(Click(Point(1, 1)), Complete()), device=DeviceInfo("Wide", Size(1280, 720)))
    draw_screenshots(tmp_path, wide, Size(128, 72))
    pilot.show(reviewed(tmp_path, wide))
    pilot.qtbot.waitUntil(lambda: words.y() > pilot.view.y())


def test_the_element_that_was_touched_is_outlined(pilot: ViewerPilot, tmp_path: Path) -> None:
    pilot.show(open_review(tmp_path / "."))
    without = pilot.seen()
    pilot.show(open_review(tmp_path, proof=provenance_of(step_record(bbox=(30, 80, 60, 110)))))
    pilot.qtbot.waitUntil(lambda: pilot.seen() != without)


def test_the_texts_of_the_shown_step_and_their_states_are_told(pilot: ViewerPilot, tmp_path: Path) -> None:
    lines = [f"Description (suggested): <b>{number}</b>" for number in range(LAST + 1)]
    pilot.show(replace(open_review(tmp_path), texts=tuple(lines)))
    assert pilot.says(lines[0])
    pilot.key(Qt.Key.Key_Right)
    pilot.wait_for(1)
    assert pilot.says(lines[1])
    assert not pilot.says(lines[0])
    (tmp_path / "other").mkdir()
    other = open_review(tmp_path / "other", Click(Point(1, 1)), Complete(), episode_id=OTHER)
    pilot.show(replace(other, texts=("The texts cannot be read: a/b.json is damaged.",)))
    assert pilot.says("a/b.json is damaged.")
