"""Which fixes a step allows, and what each dialog shows and returns."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialog, QLineEdit, QPlainTextEdit, QRadioButton, QSpinBox
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset import amendment as fixes
from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_episode
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.kit.parts import Choice
from odyssey_recorder.gui.review.amend_card import FIXES, AmendCard
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.screen.box_canvas import BoxCanvas
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.review.status import ReviewerRole
from odyssey_recorder.review.views import OpenedReview, ReviewRow
from tests.dataset.drafts import png
from tests.dataset.published_episode import PublishedEpisode, released
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot, texts_in

CLICK, TYPE, LONG, KEY, END = range(5)
ALWAYS = {
    ReviewCommand.FIX_INSTRUCTION, ReviewCommand.FIX_APPS, ReviewCommand.FIX_END, ReviewCommand.FIX_NOTE,
    ReviewCommand.ALSO_RIGHT,
}  # fmt: skip
BEFORE_END = ALWAYS | {ReviewCommand.DROP_STEPS, ReviewCommand.END_HERE}


def opened(published: PublishedEpisode, role: ReviewerRole | None = ReviewerRole.FIRST) -> OpenedReview:
    row = ReviewRow(EpisodeRow(published.episode_id, annotator="ann"), role=role)
    episode = open_episode(published.root / annotation_path(published.episode_id))
    return OpenedReview(row, episode, EpisodeReport(published.episode_id), (), "0" * 64)


class CardDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, review: OpenedReview) -> None:
        super().__init__(qtbot, background)
        self.card = AmendCard(background, self.commands)
        self.show_widget(self.card, 340, 240)
        self.card.show_review(review)
        self.requested: list[tuple[fixes.Amendment, str]] = []
        self.card.fix_requested.connect(lambda amendment, reason: self.requested.append((amendment, reason)))

    @property
    def offered(self) -> set[Command]:
        return {command for command in FIXES if self.commands[command].isEnabled()}

    def open_dialog(self, command: Command, step: int) -> QDialog:
        self.card.show_step(step)
        self.commands[command].trigger()
        return self.dialog()

    def number(self, name: str) -> QSpinBox:
        return self.named(QSpinBox, name)

    def replace_text(self, text: str) -> None:
        """In the focused field."""
        field = self.dialog().focusWidget()
        assert isinstance(field, QLineEdit | QPlainTextEdit)
        field.selectAll()
        QTest.keyClicks(field, text) if text else QTest.keyClick(field, Qt.Key.Key_Delete)

    @property
    def ok_button(self) -> QAbstractButton:
        return next(one for one in self.dialog().findChildren(QAbstractButton) if one.property("kind") == "primary")

    def choose_any_reason(self) -> None:
        self.dialog().findChildren(QRadioButton)[0].click()

    def finish(self, reason: str) -> None:
        self.named(QRadioButton, reason).click()
        QTest.mouseClick(self.ok_button, Qt.MouseButton.LeftButton)


@pytest.fixture
def driver(qtbot: QtBot, background: Background, published: PublishedEpisode) -> CardDriver:
    return CardDriver(qtbot, background, opened(published))


def test_offered_fixes_depend_on_the_step(driver: CardDriver, published: PublishedEpisode) -> None:
    press_fixes = {ReviewCommand.FIX_PRESS, ReviewCommand.FIX_BOX}
    offered = (
        BEFORE_END | press_fixes,
        BEFORE_END | {ReviewCommand.FIX_TEXT},
        BEFORE_END | press_fixes,
        BEFORE_END,
        ALWAYS,
    )
    for step, commands in enumerate(offered):
        driver.card.show_step(step)
        assert driver.offered == commands, step
    driver.card.clear()
    assert driver.offered == set()
    driver.card.show_review(opened(published, role=None))
    assert driver.offered == set()
    assert texts_in(driver.window) == ["You can only fix episodes that you may review."]


def test_note_cannot_be_fixed_without_provenance(driver: CardDriver, tmp_path: Path) -> None:
    driver.card.show_review(opened(released(tmp_path)))
    assert ReviewCommand.FIX_NOTE not in driver.offered


def test_dialog_closes_when_the_episode_changes(driver: CardDriver, published: PublishedEpisode) -> None:
    review = opened(published)
    driver.open_dialog(ReviewCommand.DROP_STEPS, CLICK)
    driver.card.show_review(review)
    assert driver.is_asked, "the same episode as before"
    driver.card.show_review(replace(review, revision="1" * 64))
    assert not driver.is_asked
    assert driver.requested == []


def test_dialogs_are_small_and_their_controls_have_names(driver: CardDriver) -> None:
    assert faults(driver.window) == []
    for command, step in (
        (ReviewCommand.FIX_INSTRUCTION, CLICK),
        (ReviewCommand.FIX_APPS, CLICK),
        (ReviewCommand.FIX_BOX, CLICK),
        (ReviewCommand.DROP_STEPS, CLICK),
        (ReviewCommand.FIX_PRESS, CLICK),
        (ReviewCommand.FIX_TEXT, TYPE),
        (ReviewCommand.END_HERE, TYPE),
    ):
        dialog = driver.open_dialog(command, step)
        assert faults(dialog) == []
        assert dialog.width() <= 1060
        assert dialog.height() <= 640
        dialog.reject()


@pytest.mark.parametrize(
    ("command", "reason", "amendment"),
    [
        (ReviewCommand.FIX_INSTRUCTION, "a misspelling", fixes.NewInstruction(instruction="new text")),
        (ReviewCommand.FIX_END, "the reason is not given", fixes.NewEnd(words="new text")),
        (ReviewCommand.FIX_NOTE, "it is not true", fixes.NewNote(step=TYPE, note="new text")),
        (ReviewCommand.FIX_TEXT, "a typing mistake", fixes.NewText(step=TYPE, text="new text")),
    ],
)
def test_fix_needs_a_new_text_and_a_reason(
    driver: CardDriver, command: Command, reason: str, amendment: fixes.Amendment
) -> None:
    driver.open_dialog(command, TYPE)
    assert not driver.ok_button.isEnabled(), "nothing is changed yet"
    driver.replace_text("new text")
    assert not driver.ok_button.isEnabled(), "no reason is given"
    driver.finish(reason)
    assert driver.requested == [(amendment, reason)]
    assert not driver.is_asked


def test_empty_instruction_is_rejected_while_typing(driver: CardDriver) -> None:
    driver.open_dialog(ReviewCommand.FIX_INSTRUCTION, CLICK)
    driver.choose_any_reason()
    driver.named(QPlainTextEdit, "Instruction").setFocus()
    driver.replace_text("")
    assert not driver.ok_button.isEnabled()
    driver.replace_text(" ")
    assert driver.says("The instruction is empty. Enter the task.")
    assert not driver.ok_button.isEnabled()
    driver.replace_text("Write it ddriver.")
    assert driver.ok_button.isEnabled()


def test_category_needs_enough_apps(driver: CardDriver) -> None:
    driver.open_dialog(ReviewCommand.FIX_APPS, CLICK)
    category = driver.named(Choice, "Category")
    driver.replace_text("Shop")
    QTest.keyClick(driver.dialog().focusWidget(), Qt.Key.Key_Return)
    QTest.keyClicks(driver.dialog().focusWidget(), " Gift  notes ")
    category.choose("Multi_Apps")
    driver.choose_any_reason()
    assert driver.says("Multi_Apps asks for 3 or more different apps, and there are 2")
    assert not driver.ok_button.isEnabled()
    category.choose("Web_Shopping")
    driver.finish("another category fits")
    assert driver.requested == [
        (fixes.NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Gift notes")), "another category fits")
    ]


def test_unknown_category_can_be_replaced(driver: CardDriver, published: PublishedEpisode) -> None:
    path = published.root / "annotations" / f"{published.episode_id}.json"
    tree = json.loads(path.read_text())
    tree["task_info"] |= {"category": "Cooking", "app": ["Shop", "Notes"]}
    path.write_text(json.dumps(tree))
    driver.card.show_review(opened(published))
    driver.open_dialog(ReviewCommand.FIX_APPS, CLICK)
    category = driver.named(Choice, "Category")
    assert (category.value, driver.ok_button.isEnabled()) == ("", False)
    category.choose("Web_Shopping")
    driver.finish("another category fits")
    assert driver.requested == [
        (fixes.NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Notes")), "another category fits")
    ]


def test_typed_reason_is_accepted(driver: CardDriver) -> None:
    driver.open_dialog(ReviewCommand.FIX_END, END)
    driver.replace_text("found it")
    reason = driver.line("Another reason")
    QTest.keyClicks(reason, "the note was cut")
    QTest.keyClick(reason, Qt.Key.Key_Return)
    assert driver.requested == [(fixes.NewEnd(words="found it"), "the note was cut")]


def test_kind_of_press_is_changed_and_its_duration_shown(driver: CardDriver) -> None:
    driver.open_dialog(ReviewCommand.FIX_PRESS, CLICK)
    assert driver.says("Change step 1 to a long press?")
    assert driver.says("The finger was down for 0.08 s")
    driver.finish("a slip of the finger")
    driver.open_dialog(ReviewCommand.FIX_PRESS, LONG)
    assert driver.says("Make step 3 a CLICK?")
    driver.finish("a slip of the finger")
    assert [amendment for amendment, _ in driver.requested] == [
        fixes.NewPress(step=CLICK, long=True),
        fixes.NewPress(step=LONG, long=False),
    ]


def test_changing_an_action_lists_the_texts_it_removes(driver: CardDriver, tmp_path: Path) -> None:
    driver.card.show_review(opened(released(tmp_path)))
    driver.open_dialog(ReviewCommand.FIX_PRESS, LONG)
    assert driver.says("Removed because no longer valid: intention of step 3")


@pytest.mark.parametrize(
    ("last", "screenshot", "join"),
    [
        (TYPE, png(200), "steps 2 and 3 differ in 100% of their pixels, so dropping the steps leaves a gap"),
        (LONG, png(20), "steps 2 and 4 differ in 0% of their pixels, so dropping the steps leaves no gap"),
        (TYPE, b"not an image", "Couldn't compare the screens of steps 2 and 3."),
    ],
    ids=["a jump", "no jump", "no screenshot"],
)
def test_dropping_steps_compares_the_adjoining_screens(
    driver: CardDriver, published: PublishedEpisode, last: int, screenshot: bytes, join: str
) -> None:
    (published.root / "screenshots" / f"{published.episode_id}_{last + 1}.png").write_bytes(screenshot)
    driver.open_dialog(ReviewCommand.DROP_STEPS, TYPE)
    driver.number("Last step to drop").setValue(last + 1)
    driver.wait_for_text(join)


def test_range_of_steps_is_dropped_but_never_the_last_step(driver: CardDriver) -> None:
    driver.open_dialog(ReviewCommand.DROP_STEPS, LONG)
    first, last = driver.number("First step to drop"), driver.number("Last step to drop")
    assert (first.value(), last.value(), last.maximum()) == (LONG + 1, LONG + 1, KEY + 1)
    assert driver.says("4 steps are left. Step 4 becomes step 3, and so on.")
    first.setValue(KEY + 1)
    assert driver.says("Enter the first step before the last.")
    assert not driver.ok_button.isEnabled()
    first.setValue(TYPE + 1)
    last.setValue(KEY + 1)
    assert driver.says("2 steps are left.")
    driver.finish("it does not belong to the task")
    assert driver.requested == [(fixes.DropSteps(first=TYPE, last=KEY), "it does not belong to the task")]


def test_ending_earlier_lists_the_removed_steps(driver: CardDriver) -> None:
    driver.open_dialog(ReviewCommand.END_HERE, TYPE)
    assert driver.says("Steps 3 to 5 are removed. Step 2 keeps its screenshot and becomes COMPLETE, with “done”")
    driver.finish("the task was already done here")
    assert driver.requested == [(fixes.DropTail(at=TYPE), "the task was already done here")]


def test_box_is_drawn_on_the_screenshot(driver: CardDriver, canvas: BoxCanvas) -> None:
    drag(canvas, Pixel(10, 20), Pixel(50, 80))
    image, edge = canvas.grab().toImage(), canvas.place_of(Pixel(20, 20)).toPoint()
    colours = [image.pixelColor(edge + QPoint(0, offset)) for offset in range(-6, 7)]
    assert max(colour.red() - colour.green() for colour in colours) > 100
    driver.finish("the box is missing")
    assert driver.requested == [(fixes.NewBox(step=CLICK, box=(10, 20, 51, 81)), "the box is missing")]


def test_arrow_keys_move_the_box_and_its_edges(driver: CardDriver, canvas: BoxCanvas) -> None:
    left, top, right, bottom = box_of(driver)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    QTest.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert box_of(driver) == (left + 1, top + 10, right + 1, bottom + 10)
    QTest.keyClick(canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert box_of(driver) == (left + 1, top + 10, right, bottom + 10)
    assert f"from {left + 1}, {top + 10} to {right}" in canvas.accessibleDescription()


def test_box_is_resized_and_moved_by_dragging(driver: CardDriver, canvas: BoxCanvas) -> None:
    left, top, right, bottom = box_of(driver)
    drag(canvas, Pixel(right - 1, bottom - 1), Pixel(60, 100))
    assert box_of(driver) == (left, top, 61, 101)
    drag(canvas, Pixel(50, 85), Pixel(72, 128))
    assert box_of(driver)[2:] == (72, 128), "no further than the screenshot reaches"


@pytest.mark.usefixtures("canvas")
def test_box_must_contain_the_touched_point(driver: CardDriver) -> None:
    driver.choose_any_reason()
    assert driver.says("No box yet. Draw one around the element.")
    assert not driver.ok_button.isEnabled()
    driver.number("Left edge of the box").setValue(38)
    assert driver.says("does not contain the touched point 36, 64")
    assert not driver.ok_button.isEnabled()
    driver.number("Left edge of the box").setValue(20)
    assert driver.ok_button.isEnabled()


def test_no_box_can_be_drawn_on_an_unreadable_screenshot(driver: CardDriver, published: PublishedEpisode) -> None:
    (published.root / "screenshots" / f"{published.episode_id}_0.png").write_bytes(b"not an image")
    driver.open_dialog(ReviewCommand.FIX_BOX, CLICK)
    canvas = driver.named(BoxCanvas, "Screenshot with the box")
    driver.qtbot.waitUntil(lambda: "cannot be read" in canvas.accessibleDescription())
    assert not driver.number("Left edge of the box").isEnabled()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert not driver.ok_button.isEnabled()


@pytest.fixture
def canvas(driver: CardDriver) -> BoxCanvas:
    """Of the open dialog for the box of the click."""
    driver.open_dialog(ReviewCommand.FIX_BOX, CLICK)
    canvas = driver.named(BoxCanvas, "Screenshot with the box")
    driver.qtbot.waitUntil(lambda: bool(canvas.accessibleDescription()))
    return canvas


def box_of(driver: CardDriver) -> tuple[int, ...]:
    return tuple(driver.number(f"{edge} edge of the box").value() for edge in ("Left", "Top", "Right", "Bottom"))


def drag(canvas: BoxCanvas, start: Pixel, end: Pixel) -> None:
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(canvas, left, pos=canvas.place_of(start).toPoint())
    QTest.mouseMove(canvas, canvas.place_of(end).toPoint())
    QTest.mouseRelease(canvas, left, pos=canvas.place_of(end).toPoint())
