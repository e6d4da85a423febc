"""The model of the step list, and its thumbnails."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.table import VALUE
from odyssey_recorder.gui.kit.theme import MARK
from odyssey_recorder.gui.record.step_list import THUMBNAIL, NotedSteps, StepList
from odyssey_recorder.gui.screen.action_painter import paint_action, paint_label
from odyssey_recorder.gui.screen.step_strip import StepThumbnails, render_step, wrapped
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.geometry import Box, Point
from odyssey_recorder.recording.view import RecordedStep
from tests.gui.record.screens import screenshot_in

HOME = Press(SystemKey.HOME)
ACTIONS: list[Action] = [
    Click(Point(500, 500)),
    LongPress(Point(500, 500)),
    Scroll(Point(500, 800), Point(500, 200), (Point(500, 800), Point(510, 500), Point(500, 200))),
    Type("hello"),
    *map(Press, SystemKey),
    Complete(),
    Impossible("payment"),
]


@pytest.fixture
def screenshot(tmp_path: Path) -> Path:
    return screenshot_in(tmp_path)


class StepRows:
    def __init__(self, background: Background) -> None:
        self.notes: list[tuple[int, str]] = []
        self.model = NotedSteps()
        self.model.note_written.connect(lambda key, note: self.notes.append((key, note)))
        self.show_steps = StepThumbnails(background, self.model, THUMBNAIL).show_steps

    def at(self, row: int) -> QModelIndex:
        return self.model.index(row, 0)


@pytest.fixture
def steps(background: Background) -> StepRows:
    return StepRows(background)


def test_step_has_its_flag_and_note_in_row_and_tooltip(steps: StepRows, screenshot: Path) -> None:
    steps.show_steps([RecordedStep(0, HOME, screenshot, "")])
    steps.show_steps([RecordedStep(0, HOME, screenshot, "nothing changed on the screen", note="<b>slow</b> here")])
    index = steps.at(0)
    assert index.data(VALUE).flag == "nothing changed on the screen"
    assert index.data(Qt.ItemDataRole.EditRole) == "<b>slow</b> here"
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "Step 1: Press Home nothing changed on the screen <b>slow</b> here"
    )
    tip = str(index.data(Qt.ItemDataRole.ToolTipRole))
    assert "Nothing changed on the screen" in tip
    assert "&lt;b&gt;slow&lt;/b&gt; here" in tip
    steps.show_steps([RecordedStep(0, Type("<b>long</b>"), screenshot, "")])
    assert "&lt;b&gt;long&lt;/b&gt;" in str(steps.at(0).data(Qt.ItemDataRole.ToolTipRole))


def test_touched_element_is_outlined(qtbot: QtBot, screenshot: Path) -> None:
    plain, _ = render_step(RecordedStep(0, HOME, screenshot, ""), THUMBNAIL)
    outlined, _ = render_step(RecordedStep(0, HOME, screenshot, "", Box(72, 128, 360, 640)), THUMBNAIL)
    width, height = plain.width(), plain.height()
    pixels = [(x, y) for x in range(width) for y in range(height)]
    changed = [(x, y) for x, y in pixels if plain.pixelColor(x, y) != outlined.pixelColor(x, y)]
    across, down = {x for x, _ in changed}, {y for _, y in changed}
    edges = min(across) / width, max(across) / width, min(down) / height, max(down) / height
    assert edges == pytest.approx((0.1, 0.5, 0.1, 0.5), abs=0.02)


def test_thumbnail_is_loaded_in_the_background(steps: StepRows, screenshot: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(steps.model.dataChanged):
        steps.show_steps([RecordedStep(0, HOME, screenshot, "")])
    thumbnail = steps.at(0).data(VALUE).image
    assert isinstance(thumbnail, QImage)
    assert thumbnail.deviceIndependentSize().toSize().height() == THUMBNAIL.height()


def test_every_action_is_drawn_on_its_thumbnail(qtbot: QtBot, screenshot: Path) -> None:
    for action in ACTIONS:
        image, _ = render_step(RecordedStep(0, action, screenshot, ""), THUMBNAIL)
        colours = set(memoryview(bytes(image.constBits())).cast("I"))
        assert image.pixelColor(1, 1) == QColor(20, 90, 160)
        assert len(colours) > 10, action
    image, _ = render_step(RecordedStep(0, LongPress(Point(250, 750)), screenshot, ""), THUMBNAIL)
    assert image.pixelColor(round(image.width() * 0.25), round(image.height() * 0.75)) == MARK


def test_long_text_is_wrapped_and_elided(qtbot: QtBot) -> None:
    metrics = QFontMetrics(QFont())
    text = "one two three four five six seven eight nine ten"
    lines = wrapped(text, metrics, metrics.horizontalAdvance("one two three four"), 2)
    assert len(lines) == 2
    assert lines[0].startswith("one two")
    assert lines[1].endswith("…")
    assert wrapped("one", metrics, 500, 3) == ["one"]


def test_edited_note_is_emitted_with_the_key_of_its_step(steps: StepRows, screenshot: Path) -> None:
    steps.show_steps([RecordedStep(0, HOME, screenshot, "", key=7, note="old")])
    assert steps.model.setData(steps.at(0), "  a new\nnote ")
    assert not steps.model.setData(steps.at(0), "old")
    assert steps.notes == [(7, "a new note")]
    assert steps.at(0).data(Qt.ItemDataRole.EditRole) == "old"


def test_long_step_text_fits_into_its_row(steps: StepRows, screenshot: Path) -> None:
    flag = "nothing changed on the screen, the screen was still moving"
    for step in (
        RecordedStep(0, Type("some words that are typed by hand " * 4), screenshot, flag, note="a long note " * 9),
        RecordedStep(0, Scroll(Point(500, 800), Point(500, 200), (Point(500, 800), Point(500, 200))), screenshot, flag),
        RecordedStep(0, HOME, screenshot, "", note="short"),
    ):
        steps.show_steps([step])
        image = drawn_row(steps, 0)
        last_line = {image.pixelColor(x, image.height() - 1).name() for x in range(image.width())}
        assert last_line == {"#ffffff"}


def drawn_row(steps: StepRows, number: int) -> QImage:
    view, option = StepList(steps.model), QStyleOptionViewItem()
    delegate = view.itemDelegate()
    option.rect = QRect(0, 0, 268, delegate.sizeHint(option, steps.at(number)).height())
    option.state |= QStyle.StateFlag.State_Selected
    image = QImage(option.rect.size(), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    delegate.paint(painter, option, steps.at(number))
    painter.end()
    return image


@pytest.mark.parametrize("mark", [lambda p, a: paint_action(p, HOME, a), lambda p, a: paint_label(p, "Press Home", a)])
def test_marks_do_not_cover_the_navigation_bar(mark: Callable[[QPainter, QRectF], None]) -> None:
    image = QImage(180, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    mark(painter, QRectF(image.rect()))
    painter.end()
    dark = [y for y in range(image.height()) if image.pixelColor(90, y).lightness() < 128]
    assert dark
    assert max(dark) < 400 * 0.92
