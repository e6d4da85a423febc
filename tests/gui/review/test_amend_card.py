"""Which fixes a step allows, and what each dialog asks, says and returns."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QLineEdit, QPlainTextEdit, QRadioButton, QSpinBox
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset.amendment import (
    Amendment,
    DropSteps,
    DropTail,
    NewApps,
    NewBox,
    NewEnd,
    NewInstruction,
    NewNote,
    NewPress,
    NewText,
)
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import EpisodeSummary, open_episode
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.parts import Choice
from odyssey_recorder.gui.review.amend_card import FIXES, AmendCard
from odyssey_recorder.gui.review.box_form import BoxCanvas
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.quality.reviewing.status import ReviewerRole
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewRow
from tests.dataset.drafts import png
from tests.dataset.published_episode import InDataset, recorded, released
from tests.gui.inspection import faults
from tests.gui.pilot import W, WidgetPilot

CLICK, TYPE, LONG, KEY, END = range(5)
EVERYWHERE = {Command.FIX_INSTRUCTION, Command.FIX_APPS, Command.FIX_END, Command.FIX_NOTE}
INSIDE = EVERYWHERE | {Command.DROP_STEPS, Command.END_HERE}


def opened(there: InDataset, turn: ReviewerRole | None = ReviewerRole.FIRST) -> OpenedReview:
    row = ReviewRow(EpisodeSummary(there.episode_id, annotator="ann"), role=turn)
    found = open_episode(there.root / annotation_path(there.episode_id))
    return OpenedReview(row, found, EpisodeReport(there.episode_id), (), "0" * 64)


OpenFixer = Callable[[OpenedReview], "Fixer"]


class Fixer(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, review: OpenedReview) -> None:
        super().__init__(qtbot, background)
        self.card = AmendCard(background, self.commands)
        self.show_widget(self.card, 340, 240)
        self.card.show_review(review)
        self.asked: list[tuple[Amendment, str]] = []
        self.card.fix_asked.connect(lambda amendment, why: self.asked.append((amendment, why)))

    @property
    def offered(self) -> set[Command]:
        return {command for command in FIXES if self.commands[command].isEnabled()}

    def begin(self, command: Command, step: int) -> QDialog:
        self.card.show_step(step)
        self.commands[command].trigger()
        return self.dialogs[0]

    @property
    def dialogs(self) -> list[QDialog]:
        return [dialog for dialog in self.window.findChildren(QDialog) if dialog.isVisible()]

    def field(self, kind: type[W], name: str) -> W:
        [found] = [one for one in self.dialogs[0].findChildren(kind) if one.accessibleName() == name]
        return found

    def number(self, name: str) -> QSpinBox:
        return self.field(QSpinBox, name)

    def canvas(self) -> BoxCanvas:
        found = self.field(BoxCanvas, "Screenshot with the box")
        self.qtbot.waitUntil(lambda: bool(found.accessibleDescription()))
        return found

    def write(self, words: str) -> None:
        """Replace the text of the first field."""
        focused = self.dialogs[0].focusWidget()
        assert isinstance(focused, QLineEdit | QPlainTextEdit)
        focused.selectAll()
        QTest.keyClicks(focused, words) if words else QTest.keyClick(focused, Qt.Key.Key_Delete)

    @property
    def answer(self) -> QAbstractButton:
        return next(one for one in self.dialogs[0].findChildren(QAbstractButton) if one.property("kind") == "primary")

    def give_a_reason(self) -> None:
        self.dialogs[0].findChildren(QRadioButton)[0].click()

    def finish(self, reason: str) -> None:
        [choice] = [one for one in self.dialogs[0].findChildren(QRadioButton) if one.accessibleName() == reason]
        choice.click()
        QTest.mouseClick(self.answer, Qt.MouseButton.LeftButton)


@pytest.fixture
def fixer(qtbot: QtBot, background: Background) -> OpenFixer:
    return lambda review: Fixer(qtbot, background, review)


@pytest.fixture
def there(tmp_path: Path) -> InDataset:
    return recorded(tmp_path)


@pytest.fixture
def own(there: InDataset, fixer: OpenFixer) -> Fixer:
    return fixer(opened(there))


# Offers.


def test_each_step_is_offered_what_can_be_fixed_in_it(own: Fixer, there: InDataset) -> None:
    for step, offered in (
        (CLICK, INSIDE | {Command.FIX_PRESS, Command.FIX_BOX}),
        (TYPE, INSIDE | {Command.FIX_TEXT}),
        (LONG, INSIDE | {Command.FIX_PRESS, Command.FIX_BOX}),
        (KEY, INSIDE),
        (END, EVERYWHERE),
    ):
        own.card.show_step(step)
        assert own.offered == offered, step
    own.card.clear()
    assert own.offered == set()
    own.card.show_review(opened(there, turn=None))
    assert own.offered == set()
    told = [label.text() for label in own.window.findChildren(QLabel) if label.isVisible()]
    assert told == ["You can only fix episodes that you may review."]


def test_without_a_provenance_there_is_no_note_to_fix(tmp_path: Path, fixer: OpenFixer) -> None:
    assert Command.FIX_NOTE not in fixer(opened(released(tmp_path))).offered


def test_a_dialog_goes_when_the_episode_is_another_one_now(own: Fixer, there: InDataset) -> None:
    review = opened(there)
    own.begin(Command.DROP_STEPS, CLICK)
    own.card.show_review(review)
    assert own.dialogs, "the same episode as before"
    own.card.show_review(replace(review, revision="1" * 64))
    assert own.dialogs == []
    assert own.asked == []


def test_all_controls_are_named_and_whole(own: Fixer) -> None:
    assert faults(own.window) == []
    for command, step in (
        (Command.FIX_INSTRUCTION, CLICK),
        (Command.FIX_APPS, CLICK),
        (Command.FIX_BOX, CLICK),
        (Command.DROP_STEPS, CLICK),
        (Command.FIX_PRESS, CLICK),
        (Command.FIX_TEXT, TYPE),
        (Command.END_HERE, TYPE),
    ):
        dialog = own.begin(command, step)
        assert faults(dialog) == []
        assert dialog.width() <= 1060
        assert dialog.height() <= 640
        dialog.reject()


# Texts.


@pytest.mark.parametrize(
    ("command", "reason", "amendment"),
    [
        (Command.FIX_INSTRUCTION, "a misspelling", NewInstruction(instruction="other words")),
        (Command.FIX_END, "the reason is not given", NewEnd(words="other words")),
        (Command.FIX_NOTE, "it is not true", NewNote(step=TYPE, note="other words")),
        (Command.FIX_TEXT, "a slip of the keyboard", NewText(step=TYPE, text="other words")),
    ],
)
def test_other_words_and_why_make_a_fix(own: Fixer, command: Command, reason: str, amendment: Amendment) -> None:
    own.begin(command, TYPE)
    assert not own.answer.isEnabled(), "nothing is changed yet"
    own.write("other words")
    assert not own.answer.isEnabled(), "nobody said why"
    own.finish(reason)
    assert own.asked == [(amendment, reason)]
    assert own.dialogs == []


def test_words_that_are_not_allowed_are_refused_while_they_are_written(own: Fixer) -> None:
    own.begin(Command.FIX_INSTRUCTION, CLICK)
    own.give_a_reason()
    own.field(QPlainTextEdit, "Instruction").setFocus()
    own.write("")
    assert not own.answer.isEnabled()
    own.write(" ")
    assert own.says("The instruction is empty. Enter the task.")
    assert not own.answer.isEnabled()
    own.write("Write it down.")
    assert own.answer.isEnabled()


def test_other_apps_and_another_category_make_a_fix_once_there_are_enough_apps(own: Fixer) -> None:
    own.begin(Command.FIX_APPS, CLICK)
    category = own.field(Choice, "Category")
    own.write("Shop")
    QTest.keyClick(own.dialogs[0].focusWidget(), Qt.Key.Key_Return)
    QTest.keyClicks(own.dialogs[0].focusWidget(), " Gift  notes ")
    category.choose("Multi_Apps")
    own.give_a_reason()
    assert own.says("Multi_Apps asks for 3 or more different apps, and there are 2")
    assert not own.answer.isEnabled()
    category.choose("Web_Shopping")
    own.finish("another category fits")
    assert own.asked == [
        (NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Gift notes")), "another category fits")
    ]


def test_an_episode_of_a_category_that_is_none_of_the_six_is_given_one(there: InDataset, fixer: OpenFixer) -> None:
    path = there.root / "annotations" / f"{there.episode_id}.json"
    said = json.loads(path.read_text())
    said["task_info"] |= {"category": "Cooking", "app": ["Shop", "Notes"]}
    path.write_text(json.dumps(said))
    one = fixer(opened(there))
    one.begin(Command.FIX_APPS, CLICK)
    category = one.field(Choice, "Category")
    assert (category.value, one.answer.isEnabled()) == ("", False)
    category.choose("Web_Shopping")
    one.finish("another category fits")
    assert one.asked == [(NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Notes")), "another category fits")]


def test_a_reason_of_ones_own_counts_too(own: Fixer) -> None:
    own.begin(Command.FIX_END, END)
    own.write("found it")
    own_words = own.field(QLineEdit, "Another reason")
    QTest.keyClicks(own_words, "the note was cut")
    QTest.keyClick(own_words, Qt.Key.Key_Return)
    assert own.asked == [(NewEnd(words="found it"), "the note was cut")]


# Actions.


def test_the_kind_of_press_is_changed_with_the_stroke_before_ones_eyes(own: Fixer) -> None:
    own.begin(Command.FIX_PRESS, CLICK)
    assert own.says("Make step 1 a LONG_PRESS?")
    assert own.says("The finger was down for 0.08 s")
    own.finish("a slip of the finger")
    own.begin(Command.FIX_PRESS, LONG)
    assert own.says("Make step 3 a CLICK?")
    own.finish("a slip of the finger")
    assert [amendment for amendment, _ in own.asked] == [
        NewPress(step=CLICK, long=True),
        NewPress(step=LONG, long=False),
    ]


# Steps.


def test_who_changes_an_action_is_told_which_texts_go_with_it(tmp_path: Path, fixer: OpenFixer) -> None:
    one = fixer(opened(released(tmp_path)))
    one.begin(Command.FIX_PRESS, LONG)
    assert one.says("Removed because no longer valid: intention of step 3")


@pytest.mark.parametrize(
    ("last", "picture", "join"),
    [
        (TYPE, png(200), "step 2 and of step 3 differ in 100% of their pixels, so the sequence would jump"),
        (LONG, png(20), "step 2 and of step 4 differ in 0% of their pixels, so the sequence continues without a jump"),
        (TYPE, b"no picture", "The screens of step 2 and of step 3 cannot be compared."),
    ],
    ids=["a jump", "no jump", "no screenshot"],
)
def test_a_drop_tells_how_the_screens_join(
    own: Fixer, there: InDataset, last: int, screenshot: bytes, join: str
) -> None:
    (there.root / "screenshots" / f"{there.episode_id}_{last + 1}.png").write_bytes(screenshot)
    own.begin(Command.DROP_STEPS, TYPE)
    own.number("Last step to drop").setValue(last + 1)
    own.wait_for_text(join)


def test_steps_are_dropped_from_the_first_to_the_last_and_never_the_end(own: Fixer) -> None:
    own.begin(Command.DROP_STEPS, LONG)
    first, last = own.number("First step to drop"), own.number("Last step to drop")
    assert (first.value(), last.value(), last.maximum()) == (LONG + 1, LONG + 1, KEY + 1)
    assert own.says("4 steps are left. Step 4 becomes step 3, and so on.")
    first.setValue(KEY + 1)
    assert own.says("Enter the first step before the last.")
    assert not own.answer.isEnabled()
    first.setValue(TYPE + 1)
    last.setValue(KEY + 1)
    assert own.says("2 steps are left.")
    own.finish("it does not belong to the task")
    assert own.asked == [(DropSteps(first=TYPE, last=KEY), "it does not belong to the task")]


def test_who_ends_the_episode_earlier_is_told_what_goes(own: Fixer) -> None:
    own.begin(Command.END_HERE, TYPE)
    assert own.says("Steps 3 to 5 are removed. Step 2 keeps its screenshot and becomes COMPLETE, with “done”")
    own.finish("the task was already done here")
    assert own.asked == [(DropTail(at=TYPE), "the task was already done here")]


# Boxes.


def test_a_box_is_drawn_on_the_screenshot_and_seen_there(box: Fixer) -> None:
    canvas = box.canvas()
    drag(canvas, Pixel(10, 20), Pixel(50, 80))
    edge = canvas.place_of(Pixel(20, 20)).toPoint()
    assert max(redness(canvas.grab().toImage(), edge + QPoint(0, off)) for off in range(-6, 7)) > 100
    box.finish("no box is known")
    assert box.asked == [(NewBox(step=CLICK, box=(10, 20, 51, 81)), "no box is known")]


def test_the_arrow_keys_move_the_box_and_its_edges(box: Fixer) -> None:
    canvas = box.canvas()
    left, top, right, bottom = box_of(box)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    QTest.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert box_of(box) == (left + 1, top + 10, right + 1, bottom + 10)
    QTest.keyClick(canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert box_of(box) == (left + 1, top + 10, right, bottom + 10)
    assert f"from {left + 1}, {top + 10} to {right}" in canvas.accessibleDescription()


def test_a_corner_is_dragged_and_the_middle_moves_all(box: Fixer) -> None:
    canvas = box.canvas()
    left, top, right, bottom = box_of(box)
    drag(canvas, Pixel(right - 1, bottom - 1), Pixel(60, 100))
    assert box_of(box) == (left, top, 61, 101)
    drag(canvas, Pixel(50, 85), Pixel(72, 128))
    assert box_of(box)[2:] == (72, 128), "no further than the screenshot reaches"


def test_a_box_that_is_as_before_or_beside_the_touched_place_is_refused_at_once(box: Fixer) -> None:
    box.canvas()
    box.give_a_reason()
    assert box.says("No box yet. Draw one around the element.")
    assert not box.answer.isEnabled()
    box.number("Left edge of the box").setValue(38)
    assert box.says("does not contain the touched point 36, 64")
    assert not box.answer.isEnabled()
    box.number("Left edge of the box").setValue(20)
    assert box.answer.isEnabled()


def test_on_a_screenshot_that_cannot_be_opened_no_box_is_drawn(own: Fixer, there: InDataset) -> None:
    (there.root / "screenshots" / f"{there.episode_id}_0.png").write_bytes(b"no picture")
    own.begin(Command.FIX_BOX, CLICK)
    canvas = own.field(BoxCanvas, "Screenshot with the box")
    own.qtbot.waitUntil(lambda: "cannot be read" in canvas.accessibleDescription())
    assert not own.number("Left edge of the box").isEnabled()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert not own.answer.isEnabled()


@pytest.fixture
def box(own: Fixer) -> Fixer:
    """With the dialog for the box of the click open."""
    own.begin(Command.FIX_BOX, CLICK)
    return own


def box_of(one: Fixer) -> tuple[int, ...]:
    return tuple(one.number(f"{edge} edge of the box").value() for edge in ("Left", "Top", "Right", "Bottom"))


def drag(canvas: BoxCanvas, start: Pixel, end: Pixel) -> None:
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(canvas, left, pos=canvas.place_of(start).toPoint())
    QTest.mouseMove(canvas, canvas.place_of(end).toPoint())
    QTest.mouseRelease(canvas, left, pos=canvas.place_of(end).toPoint())


def redness(image: QImage, at: QPoint) -> int:
    colour = image.pixelColor(at)
    return colour.red() - colour.green()
