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

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.table import VALUE
from odyssey_recorder.gui.kit.theme import MARK
from odyssey_recorder.gui.review.before_after import BeforeAfterView
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.review_viewer import ReviewViewer
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import DeviceInfo, screenshot_name
from odyssey_recorder.model.finding import Finding, Severity
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.review.views import OpenedReview
from tests.episodes import ALL_KINDS, ID, episode
from tests.gui.item_views import click_row
from tests.gui.pilot import WidgetPilot
from tests.gui.review.opened_reviews import (
    draw_screenshot,
    draw_screenshots,
    open_review,
    opened_review,
    provenance_of,
    step_record,
)

LAST = len(ALL_KINDS) - 1
OTHER = "0006223132449497"


class ViewerDriver(WidgetPilot):
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

    def thumbnail(self, step: int) -> QImage | None:
        screenshot = self.strip.model().index(step, 0).data(VALUE).image
        return screenshot if isinstance(screenshot, QImage) else None

    def image(self) -> QImage:
        return self.view.grab().toImage()

    def colour(self, across: float, down: float) -> QColor:
        image = self.image()
        return image.pixelColor(round(across * image.width()), round(down * image.height()))


@pytest.fixture
def driver(qtbot: QtBot, background: Background) -> ViewerDriver:
    return ViewerDriver(qtbot, background)


@pytest.fixture
def review(tmp_path: Path) -> OpenedReview:
    return open_review(tmp_path)


def test_keys_and_clicks_move_between_steps(driver: ViewerDriver, review: OpenedReview) -> None:
    driver.show(review)
    assert driver.viewer.current_step == 0
    assert driver.says("Step 1 of 8 · Click")
    assert driver.says("This screenshot has no recording log.")
    assert (
        driver.view.accessibleDescription()
        == "Before step 1: a screenshot of 72x128. After step 1: a screenshot of 72x128"
    )
    changes: list[int] = []
    driver.viewer.step_changed.connect(changes.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Period, Qt.Key.Key_Comma, Qt.Key.Key_End):
        driver.key(key)
    driver.wait_for(LAST)
    assert driver.view.accessibleDescription().endswith(": this is the last step")
    driver.key(Qt.Key.Key_Right)
    driver.key(Qt.Key.Key_Home)
    click_row(driver.strip, 3)
    assert changes == [1, 2, 1, LAST, 0, 3]
    assert driver.strip.currentIndex().row() == 3
    assert driver.viewer.seen_steps == {0, 1, 2, 3, LAST}
    assert "not seen yet" in driver.rows_of("Steps")[4]
    assert "not seen yet" not in driver.rows_of("Steps")[3]


def test_each_step_shows_its_screenshot_and_action(driver: ViewerDriver, review: OpenedReview) -> None:
    driver.show(review)
    driver.qtbot.waitUntil(lambda: all(driver.thumbnail(step) is not None for step in range(LAST + 1)))
    first = driver.thumbnail(0)
    assert first is not None
    pixels = ((x, y) for x in range(first.width()) for y in range(first.height()))
    assert any(first.pixelColor(x, y) == MARK for x, y in pixels)
    driver.viewer.go_to_step(4)
    driver.wait_for(4)
    assert (driver.colour(0.25, 0.97).red(), driver.colour(0.75, 0.97).red()) == (60 + 15 * 4, 60 + 15 * 5)


def test_single_screenshot_is_shown_larger(driver: ViewerDriver, review: OpenedReview) -> None:
    driver.show(review)
    before = driver.view.viewport.actual_scale
    driver.key(Qt.Key.Key_B)
    assert driver.view.accessibleDescription() == "Step 1: a screenshot of 72x128"
    single = driver.view.viewport.actual_scale
    assert before is not None
    assert single is not None
    assert single >= before
    driver.key(Qt.Key.Key_B)
    assert driver.view.accessibleDescription().startswith("Before step 1")


def test_zoom_applies_to_both_screenshots_and_later_steps(driver: ViewerDriver, review: OpenedReview) -> None:
    driver.show(review)
    driver.key(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert driver.view.viewport.scale == 1.0
    assert driver.says("100%")
    turn_wheel(driver.view, driver.view.rect().center() + QPoint(200, 0))
    assert driver.view.viewport.scale == 1.5
    driver.key(Qt.Key.Key_Right)
    driver.wait_for(1)
    assert driver.view.viewport.scale == 1.5
    driver.key(Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert driver.view.viewport.scale is None


def turn_wheel(view: BeforeAfterView, at: QPoint) -> None:
    """One notch with Control held."""
    event = QWheelEvent(
        QPointF(at), QPointF(view.mapToGlobal(at)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_drag_pans_a_large_screenshot(driver: ViewerDriver, tmp_path: Path) -> None:
    review = open_review(tmp_path, Click(Point(5, 5)), Complete())
    for step in (0, 1):
        draw_screenshot(tmp_path / screenshot_name(ID, step), Size(1080, 2400), shade=200, top=100)
    driver.show(review)
    driver.commands[ReviewCommand.REVIEW_PIXELS].trigger()
    before = driver.view.viewport.zoom
    middle = driver.view.rect().center() - QPoint(150, 0)
    QTest.mousePress(driver.view, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(driver.view, middle + QPoint(-40, -60))
    QTest.mouseRelease(driver.view, Qt.MouseButton.LeftButton, pos=middle + QPoint(-40, -60))
    after = driver.view.viewport.zoom
    assert after.down == pytest.approx(before.down + 60 / 2400)
    assert after.across == pytest.approx(before.across + 40 / 1080)


@pytest.mark.parametrize(
    ("size", "top", "text"),
    [
        (Size(72, 128), 100, "has 2 differences"),
        (Size(72, 128), 0, "is identical"),
        (Size(128, 72), 0, "has a different size: 128x72"),
    ],
)
def test_differences_are_outlined_and_counted_on_demand(
    driver: ViewerDriver, review: OpenedReview, size: Size, top: int, text: str
) -> None:
    draw_screenshot(review.opened.files.screenshot(1), size, shade=60, top=top)
    driver.show(review)
    driver.key(Qt.Key.Key_H)
    driver.wait_for_text(text)
    assert driver.view.accessibleDescription().endswith("2 places differ") is ("2 places" in text)
    driver.key(Qt.Key.Key_H)
    assert not driver.says(text)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def replace_by_bmp(path: Path) -> None:
    Image.new("RGB", (72, 128)).save(path, format="BMP")


@pytest.mark.parametrize(
    ("damage", "text"),
    [(Path.unlink, f"{ID}_1.png is missing"), (truncate, "cannot be read"), (replace_by_bmp, "cannot be read")],
)
def test_damaged_screenshot_is_reported(
    driver: ViewerDriver, review: OpenedReview, damage: Callable[[Path], object], text: str
) -> None:
    damage(review.opened.files.screenshot(1))
    driver.show(review)
    assert text in driver.view.accessibleDescription()
    driver.key(Qt.Key.Key_Right)
    driver.wait_for(1)
    assert driver.view.accessibleDescription().startswith("Before step 2: The screenshot")
    driver.qtbot.waitUntil(lambda: driver.thumbnail(1) is not None)
    assert "no screenshot" in driver.rows_of("Steps")[1]


def test_late_screenshots_of_another_episode_are_dropped(driver: ViewerDriver, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = open_review(tmp_path)
    other = open_review(tmp_path / "other", Click(Point(1, 1)), Complete(), episode_id=OTHER)
    for step in (0, 1):
        draw_screenshot(tmp_path / "other" / screenshot_name(OTHER, step), Size(128, 72), shade=250, top=0)
    painted: list[str] = []
    driver.viewer.step_painted.connect(lambda _step: painted.append(driver.view.accessibleDescription()))
    for _ in range(5):
        driver.viewer.show_review(first)
        driver.viewer.go_to_step(3)
        driver.viewer.show_review(other)
    driver.qtbot.waitUntil(
        lambda: (
            driver.view.accessibleDescription()
            == "Before step 1: a screenshot of 128x72. After step 1: a screenshot of 128x72"
        )
    )
    driver.qtbot.waitUntil(lambda: driver.thumbnail(1) is not None)
    driver.qtbot.waitUntil(lambda: driver.view.accessibleDescription() in painted)
    assert {text for text in painted if "step 1" in text} == {driver.view.accessibleDescription()}
    assert driver.colour(0.25, 0.5).red() == 250
    assert driver.strip.model().rowCount() == 2
    assert driver.viewer.seen_steps == {0}


def test_fixed_episode_stays_at_its_step(driver: ViewerDriver, tmp_path: Path) -> None:
    driver.show(open_review(tmp_path))
    driver.viewer.go_to_step(4)
    driver.viewer.show_review(open_review(tmp_path, *ALL_KINDS[:3], Complete()))
    assert driver.viewer.current_step == 3
    assert driver.says("Step 4 of 4 · Complete")


def test_findings_are_marked_at_their_steps(driver: ViewerDriver, tmp_path: Path) -> None:
    found = [Finding("IMG07", Severity.WARNING, None, ID, 2, "Nothing changed.", "Look.")]
    driver.show(open_review(tmp_path, findings=found))
    assert "warning IMG07" in driver.rows_of("Steps")[2]
    assert "warning" not in driver.rows_of("Steps")[1]


def test_replay_badges_are_shown_until_cleared(driver: ViewerDriver, review: OpenedReview) -> None:
    driver.show(review)
    without = driver.strip.grab().toImage()
    driver.viewer.show_replay_step(1, "drift")
    assert "replay: drift" in driver.rows_of("Steps")[1]
    assert driver.strip.grab().toImage() != without
    driver.viewer.clear_replay()
    assert "replay" not in driver.rows_of("Steps")[1]
    driver.viewer.show_replay_step(99, "match")
    assert driver.strip.model().rowCount() == LAST + 1


def test_provenance_is_shown_as_plain_text(driver: ViewerDriver, tmp_path: Path) -> None:
    hostile = "<b>bold</b> <img src='file:///etc/passwd'>"
    record = step_record(note=hostile, flags=(Flag(FlagCode.OTHER, ("no effect",)),))
    driver.show(open_review(tmp_path, provenance=provenance_of(record)))
    assert driver.says(f"Note: {hostile}")
    assert driver.says("Flagged: no effect")
    assert driver.says("a second one confirmed it before the action was sent")
    formats = {label.textFormat() for label in driver.viewer.findChildren(QLabel) if label.text()}
    assert formats == {Qt.TextFormat.PlainText}


def test_text_is_placed_where_screenshots_stay_larger(driver: ViewerDriver, tmp_path: Path) -> None:
    text_area = driver.find(QScrollArea)
    driver.show(open_review(tmp_path))
    driver.qtbot.waitUntil(lambda: text_area.x() > driver.view.x())
    wide = replace(episode(Click(Point(1, 1)), Complete()), device=DeviceInfo("Wide", Size(1280, 720)))
    draw_screenshots(tmp_path, wide, Size(128, 72))
    driver.show(opened_review(tmp_path, wide))
    driver.qtbot.waitUntil(lambda: text_area.y() > driver.view.y())


def test_touched_element_is_outlined(driver: ViewerDriver, tmp_path: Path) -> None:
    driver.show(open_review(tmp_path / "."))
    without = driver.image()
    driver.show(open_review(tmp_path, provenance=provenance_of(step_record(bbox=(30, 80, 60, 110)))))
    driver.qtbot.waitUntil(lambda: driver.image() != without)


def test_texts_of_the_shown_step_are_displayed(driver: ViewerDriver, tmp_path: Path) -> None:
    lines = [f"Description (suggested): <b>{number}</b>" for number in range(LAST + 1)]
    driver.show(replace(open_review(tmp_path), texts=tuple(lines)))
    assert driver.says(lines[0])
    driver.key(Qt.Key.Key_Right)
    driver.wait_for(1)
    assert driver.says(lines[1])
    assert not driver.says(lines[0])
    (tmp_path / "other").mkdir()
    other = open_review(tmp_path / "other", Click(Point(1, 1)), Complete(), episode_id=OTHER)
    driver.show(replace(other, texts=("The texts cannot be read: a/b.json is damaged.",)))
    assert driver.says("a/b.json is damaged.")
