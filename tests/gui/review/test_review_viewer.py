"""The viewer: steps, their screenshots before and after, and their texts."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListView, QMainWindow, QScrollArea
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command, Commands
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
from tests.gui.review.opened import draw_picture, draw_pictures, open_review, proof_of, reviewed, step_record

LAST = len(ALL_KINDS) - 1
OTHER = "0006223132449497"


class Looker:
    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.window = QMainWindow()
        self.background = Background(self.window)
        self.commands = Commands(self.window)
        self.viewer = ReviewViewer(self.background, self.commands)
        self.painted: list[int] = []
        self.viewer.step_painted.connect(self.painted.append)
        self.window.setCentralWidget(self.viewer)
        self.window.resize(900, 800)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        view, strip = self.viewer.findChild(BeforeAfterView), self.viewer.findChild(QListView)
        assert view is not None
        assert strip is not None
        self.view, self.strip = view, strip

    def show(self, review: OpenedReview) -> None:
        self.painted.clear()
        self.viewer.show_review(review)
        self.wait_for(0)

    def wait_for(self, step: int) -> None:
        self.qtbot.waitUntil(lambda: self.painted[-1:] == [step])

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.window, key, modifier)

    def says(self, words: str) -> bool:
        labels = self.viewer.findChildren(QLabel)
        return any(words in label.text() for label in labels if not label.isHidden())

    def spoken(self, step: int) -> str:
        return str(self.strip.model().index(step, 0).data(Qt.ItemDataRole.AccessibleTextRole))

    def thumbnail(self, step: int) -> QImage | None:
        picture = self.strip.model().index(step, 0).data(VALUE).image
        return picture if isinstance(picture, QImage) else None

    def seen(self) -> QImage:
        return self.view.grab().toImage()

    def colour(self, across: float, down: float) -> QColor:
        seen = self.seen()
        return seen.pixelColor(round(across * seen.width()), round(down * seen.height()))


@pytest.fixture
def looker(qtbot: QtBot) -> Iterator[Looker]:
    made = Looker(qtbot)
    yield made
    made.background.close()
    made.window.close()
    made.window.deleteLater()


@pytest.fixture
def review(tmp_path: Path) -> OpenedReview:
    return open_review(tmp_path)


def has_mark(picture: QImage) -> bool:
    places = ((x, y) for x in range(picture.width()) for y in range(picture.height()))
    return any(picture.pixelColor(x, y) == MARK for x, y in places)


def test_an_episode_begins_at_its_first_step(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    assert looker.viewer.current_step == 0
    assert looker.says("Step 0 of 8 · CLICK 719, 762")
    assert looker.says("There is no proof of this picture.")
    assert looker.view.shown == "Before step 0: a picture of 72x128. After it: a picture of 72x128"


def test_keys_lead_from_step_to_step_and_not_beyond_the_ends(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    changes: list[int] = []
    looker.viewer.step_changed.connect(changes.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Period, Qt.Key.Key_Comma, Qt.Key.Key_End):
        looker.press(key)
    looker.press(Qt.Key.Key_Right)
    looker.press(Qt.Key.Key_Home)
    assert changes == [1, 2, 1, LAST, 0]


def test_the_steps_that_were_looked_at_are_known(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    looker.viewer.go_to_step(3)
    assert looker.viewer.seen_steps == {0, 3}
    assert "not looked at yet" in looker.spoken(2)
    assert "not looked at yet" not in looker.spoken(3)


def test_a_click_in_the_filmstrip_chooses_a_step(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    place = looker.strip.visualRect(looker.strip.model().index(2, 0)).center()
    QTest.mouseClick(looker.strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert looker.viewer.current_step == 2
    assert looker.strip.currentIndex().row() == 2


def test_every_step_gets_its_picture_with_the_action_on_it(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    looker.qtbot.waitUntil(lambda: all(looker.thumbnail(step) is not None for step in range(LAST + 1)))
    first = looker.thumbnail(0)
    assert first is not None
    assert has_mark(first)


def test_the_large_view_shows_before_and_after(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    looker.viewer.go_to_step(4)
    looker.wait_for(4)
    assert (looker.colour(0.25, 0.9).red(), looker.colour(0.75, 0.9).red()) == (60 + 15 * 4, 60 + 15 * 5)


def test_after_the_last_step_there_is_no_picture_and_that_is_said(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    looker.press(Qt.Key.Key_End)
    looker.wait_for(LAST)
    assert looker.view.shown.endswith("After it: the episode ends with this step")


def test_one_picture_can_be_had_alone_and_larger(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    before = looker.view.viewport.actual_scale
    looker.press(Qt.Key.Key_B)
    assert looker.view.shown == "Step 0: a picture of 72x128"
    alone = looker.view.viewport.actual_scale
    assert before is not None
    assert alone is not None
    assert alone >= before
    looker.viewer.home.setFocus()
    QTest.keyClick(looker.strip, Qt.Key.Key_Space)
    assert looker.view.shown.startswith("Before step 0")


def test_both_pictures_are_zoomed_together_and_the_next_step_is_looked_at_alike(
    looker: Looker, review: OpenedReview
) -> None:
    looker.show(review)
    looker.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert looker.view.viewport.scale == 1.0
    assert looker.says("100 %")
    turn_wheel(looker.view, looker.view.rect().center() + QPoint(200, 0))
    assert looker.view.viewport.scale == 1.5
    looker.press(Qt.Key.Key_Right)
    looker.wait_for(1)
    assert looker.view.viewport.scale == 1.5
    looker.press(Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert looker.view.viewport.scale is None


def turn_wheel(view: BeforeAfterView, at: QPoint) -> None:
    """One notch with Control held."""
    event = QWheelEvent(
        QPointF(at), QPointF(view.mapToGlobal(at)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_a_drag_moves_what_is_larger_than_its_place(looker: Looker, tmp_path: Path) -> None:
    review = open_review(tmp_path, Click(Point(5, 5)), Complete())
    for step in (0, 1):
        draw_picture(tmp_path / screenshot_name(ID, step), Size(1080, 2400), shade=200, top=100)
    looker.show(review)
    looker.commands[Command.REVIEW_PIXELS].trigger()
    before = looker.view.viewport.zoom
    middle = looker.view.rect().center() - QPoint(150, 0)
    QTest.mousePress(looker.view, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(looker.view, middle + QPoint(-40, -60))
    QTest.mouseRelease(looker.view, Qt.MouseButton.LeftButton, pos=middle + QPoint(-40, -60))
    after = looker.view.viewport.zoom
    assert after.down == pytest.approx(before.down + 60 / 2400)
    assert after.across == pytest.approx(before.across + 40 / 1080)


def test_what_changed_is_outlined_on_demand_and_counted(looker: Looker, review: OpenedReview, tmp_path: Path) -> None:
    draw_picture(tmp_path / screenshot_name(ID, 1), Size(72, 128), shade=60, top=100)
    looker.show(review)
    looker.press(Qt.Key.Key_H)
    looker.qtbot.waitUntil(lambda: looker.says("differs in 2 places"))
    assert looker.view.shown.endswith("2 places differ")
    looker.press(Qt.Key.Key_H)
    assert not looker.says("differs in")


def test_two_pictures_that_are_the_same_are_said_to_be(looker: Looker, review: OpenedReview, tmp_path: Path) -> None:
    draw_picture(tmp_path / screenshot_name(ID, 1), Size(72, 128), shade=60, top=0)
    looker.show(review)
    looker.press(Qt.Key.Key_H)
    looker.qtbot.waitUntil(lambda: looker.says("shows the same"))


def test_a_picture_of_another_size_is_compared_in_words(looker: Looker, review: OpenedReview, tmp_path: Path) -> None:
    draw_picture(tmp_path / screenshot_name(ID, 1), Size(128, 72), shade=60, top=0)
    looker.show(review)
    looker.press(Qt.Key.Key_H)
    assert looker.says("of another size: 128x72")


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def no_png(path: Path) -> None:
    """A valid image, but not a PNG."""
    Image.new("RGB", (72, 128)).save(path, format="BMP")


@pytest.mark.parametrize(
    ("damage", "words"),
    [(Path.unlink, f"{ID}_1.png is missing"), (cut_short, "cannot be read"), (no_png, "cannot be read")],
)
def test_a_picture_that_is_broken_is_shown_as_such(
    looker: Looker, review: OpenedReview, damage: Callable[[Path], object], words: str
) -> None:
    damage(review.opened.files.screenshot(1))
    looker.show(review)
    assert words in looker.view.shown
    looker.press(Qt.Key.Key_Right)
    looker.wait_for(1)
    assert looker.view.shown.startswith("Before step 1: The picture")
    looker.qtbot.waitUntil(lambda: looker.thumbnail(1) is not None)
    assert "no picture" in looker.spoken(1)


def test_pictures_of_an_episode_that_was_left_are_dropped(looker: Looker, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = open_review(tmp_path)
    other = open_review(tmp_path / "other", Click(Point(1, 1)), Complete(), episode_id=OTHER)
    for step in (0, 1):
        draw_picture(tmp_path / "other" / screenshot_name(OTHER, step), Size(128, 72), shade=250, top=0)
    seen: list[str] = []
    looker.viewer.step_painted.connect(lambda _step: seen.append(looker.view.shown))
    for _ in range(5):
        looker.viewer.show_review(first)
        looker.viewer.go_to_step(3)
        looker.viewer.show_review(other)
    looker.qtbot.waitUntil(
        lambda: looker.view.shown == "Before step 0: a picture of 128x72. After it: a picture of 128x72"
    )
    looker.qtbot.waitUntil(lambda: looker.thumbnail(1) is not None)
    assert {words for words in seen if "step 0" in words} == {looker.view.shown}
    assert looker.colour(0.25, 0.5).red() == 250
    assert looker.strip.model().rowCount() == 2
    assert looker.viewer.seen_steps == {0}


def test_an_episode_that_was_fixed_stays_at_its_step(looker: Looker, tmp_path: Path) -> None:
    looker.show(open_review(tmp_path))
    looker.viewer.go_to_step(4)
    looker.viewer.show_review(open_review(tmp_path, *ALL_KINDS[:3], Complete()))
    assert looker.viewer.current_step == 3
    assert looker.says("Step 3 of 4 · COMPLETE")


def test_findings_are_marked_at_their_steps(looker: Looker, tmp_path: Path) -> None:
    found = [Finding("IMG07", Severity.WARNING, None, ID, 2, "Nothing changed.", "Look.")]
    looker.show(open_review(tmp_path, findings=found))
    assert "warning IMG07" in looker.spoken(2)
    assert "warning" not in looker.spoken(1)


def test_a_replay_puts_badges_on_the_steps_until_they_are_cleared(looker: Looker, review: OpenedReview) -> None:
    looker.show(review)
    without = looker.strip.grab().toImage()
    looker.viewer.show_replay_step(1, "drift")
    assert "replay: drift" in looker.spoken(1)
    assert looker.strip.grab().toImage() != without
    looker.viewer.clear_replay()
    assert "replay" not in looker.spoken(1)
    looker.viewer.show_replay_step(99, "match")
    assert looker.strip.model().rowCount() == LAST + 1


def test_what_the_proof_says_stands_beside_the_step(looker: Looker, tmp_path: Path) -> None:
    hostile = "<b>bold</b> <img src='file:///etc/passwd'>"
    record = step_record(note=hostile, flags=(Flag(FlagCode.OTHER, ("no effect",)),))
    looker.show(open_review(tmp_path, proof=proof_of(record)))
    assert looker.says(f"Note: {hostile}")
    assert looker.says("Flagged: no effect")
    assert looker.says("held back until a second picture showed the same")
    formats = {label.textFormat() for label in looker.viewer.findChildren(QLabel) if label.text()}
    assert formats == {Qt.TextFormat.PlainText}


def test_words_stand_where_they_leave_the_pictures_larger(looker: Looker, tmp_path: Path) -> None:
    words = looker.viewer.findChild(QScrollArea)
    assert words is not None
    looker.show(open_review(tmp_path))
    looker.qtbot.waitUntil(lambda: words.x() > looker.view.x())
    wide = replace(episode(Click(Point(1, 1)), Complete()), device=DeviceInfo("Wide", Size(1280, 720)))
    draw_pictures(tmp_path, wide, Size(128, 72))
    looker.show(reviewed(tmp_path, wide))
    looker.qtbot.waitUntil(lambda: words.y() > looker.view.y())


def test_the_element_that_was_touched_is_outlined(looker: Looker, tmp_path: Path) -> None:
    looker.show(open_review(tmp_path / "."))
    without = looker.seen()
    looker.show(open_review(tmp_path, proof=proof_of(step_record(bbox=(30, 80, 60, 110)))))
    looker.qtbot.waitUntil(lambda: looker.seen() != without)
