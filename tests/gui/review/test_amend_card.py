"""Which fixes a step allows, and what each dialog asks, says and returns."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QRadioButton,
    QSpinBox,
    QWidget,
)
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
from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.dataset.published import PublishedEpisodes
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command, Commands
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

CLICK, TYPE, LONG, KEY, END = range(5)
EVERYWHERE = {Command.FIX_INSTRUCTION, Command.FIX_APPS, Command.FIX_END, Command.FIX_NOTE}
INSIDE = EVERYWHERE | {Command.DROP_STEPS, Command.END_HERE}


def opened(there: InDataset, turn: ReviewerRole | None = ReviewerRole.FIRST) -> OpenedReview:
    row = ReviewRow(EpisodeSummary(there.episode_id, annotator="ann"), role=turn)
    found = PublishedEpisodes(there.root).open(there.episode_id)
    return OpenedReview(row, found, EpisodeReport(there.episode_id), (), "0" * 64)


class Fixer:
    def __init__(self, qtbot: QtBot, window: QMainWindow, commands: Commands, card: AmendCard) -> None:
        self.qtbot = qtbot
        self.window = window
        self.commands = commands
        self.card = card
        self.asked: list[tuple[Amendment, str]] = []
        card.fix_asked.connect(lambda amendment, why: self.asked.append((amendment, why)))

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

    def says(self, words: str) -> bool:
        shown = [label.text() for label in self.dialogs[0].findChildren(QLabel) if label.isVisible()]
        return any(words in text.replace("\u200b", "") for text in shown)

    def field(self, kind: type[QWidget], name: str) -> QWidget:
        [found] = [one for one in self.dialogs[0].findChildren(kind) if one.accessibleName() == name]
        return found

    def number(self, name: str) -> QSpinBox:
        found = self.field(QSpinBox, name)
        assert isinstance(found, QSpinBox)
        return found

    def canvas(self) -> BoxCanvas:
        found = self.field(BoxCanvas, "Picture with the box")
        assert isinstance(found, BoxCanvas)
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

    def finish(self, reason: str) -> None:
        [choice] = [one for one in self.dialogs[0].findChildren(QRadioButton) if one.text() == reason]
        choice.click()
        QTest.mouseClick(self.answer, Qt.MouseButton.LeftButton)


@pytest.fixture
def fixer(qtbot: QtBot) -> Iterator[Callable[[OpenedReview], Fixer]]:
    backgrounds: list[Background] = []

    def begin(review: OpenedReview) -> Fixer:
        window, background = QMainWindow(), Background()
        qtbot.addWidget(window)
        backgrounds.append(background)
        commands = Commands(window)
        card = AmendCard(background, commands)
        window.setCentralWidget(card)
        window.resize(340, 240)
        window.show()
        card.show_review(review)
        return Fixer(qtbot, window, commands, card)

    yield begin
    for one in backgrounds:
        one.close()


@pytest.fixture
def own(tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]) -> Fixer:
    return fixer(opened(recorded(tmp_path)))


# Offers.


@pytest.mark.parametrize(
    ("step", "offered"),
    [
        (CLICK, INSIDE | {Command.FIX_PRESS, Command.FIX_BOX}),
        (TYPE, INSIDE | {Command.FIX_TEXT}),
        (LONG, INSIDE | {Command.FIX_PRESS, Command.FIX_BOX}),
        (KEY, INSIDE),
        (END, EVERYWHERE),
    ],
)
def test_each_step_is_offered_what_can_be_fixed_in_it(own: Fixer, step: int, offered: set[Command]) -> None:
    own.card.show_step(step)
    assert own.offered == offered


def test_without_a_proof_there_is_no_note_to_fix(tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]) -> None:
    assert Command.FIX_NOTE not in fixer(opened(released(tmp_path))).offered


def test_who_may_not_judge_may_not_fix_and_is_told_so(tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]) -> None:
    one = fixer(opened(recorded(tmp_path), turn=None))
    assert one.offered == set()
    assert [label.text() for label in one.window.findChildren(QLabel) if label.isVisible()] == [
        "You can fix only what you may judge."
    ]


def test_nothing_is_offered_when_no_episode_is_open(own: Fixer) -> None:
    own.card.clear()
    assert own.offered == set()


def test_a_dialog_goes_when_the_episode_is_another_one_now(own: Fixer, tmp_path: Path) -> None:
    review = opened(InDataset(tmp_path / "dataset", next((tmp_path / "dataset" / "annotations").iterdir()).stem))
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
    ("command", "step", "reason", "amendment"),
    [
        (Command.FIX_INSTRUCTION, CLICK, "a misspelling", NewInstruction(instruction="other words")),
        (Command.FIX_END, CLICK, "the reason is not given", NewEnd(words="other words")),
        (Command.FIX_NOTE, TYPE, "it is not true", NewNote(step=TYPE, note="other words")),
        (Command.FIX_TEXT, TYPE, "a slip of the keyboard", NewText(step=TYPE, text="other words")),
    ],
)
def test_other_words_and_why_make_a_fix(
    own: Fixer, command: Command, step: int, reason: str, amendment: Amendment
) -> None:
    own.begin(command, step)
    assert not own.answer.isEnabled(), "nothing is changed yet"
    own.write("other words")
    assert not own.answer.isEnabled(), "nobody said why"
    own.finish(reason)
    assert own.asked == [(amendment, reason)]
    assert own.dialogs == []


def test_words_that_are_not_allowed_are_refused_while_they_are_written(own: Fixer) -> None:
    dialog = own.begin(Command.FIX_INSTRUCTION, CLICK)
    dialog.findChildren(QRadioButton)[0].click()
    own.field(QPlainTextEdit, "Instruction").setFocus()
    own.write("")
    assert not own.answer.isEnabled()
    own.write(" ")
    assert own.says("An instruction needs words")
    assert not own.answer.isEnabled()
    own.write("Write it down.")
    assert own.answer.isEnabled()


def test_other_apps_and_another_category_make_a_fix_once_there_are_enough_apps(own: Fixer) -> None:
    own.begin(Command.FIX_APPS, CLICK)
    category = own.field(Choice, "Category")
    assert isinstance(category, Choice)
    own.write("Shop")
    QTest.keyClick(own.dialogs[0].focusWidget(), Qt.Key.Key_Return)
    QTest.keyClicks(own.dialogs[0].focusWidget(), " Gift  notes ")
    category.choose("Multi_Apps")
    own.dialogs[0].findChildren(QRadioButton)[0].click()
    assert own.says("Multi_Apps asks for 3 or more different apps, and there are 2")
    assert not own.answer.isEnabled()
    category.choose("Web_Shopping")
    own.finish("another category fits")
    assert own.asked == [
        (NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Gift notes")), "another category fits")
    ]


def test_an_episode_of_a_category_that_is_none_of_the_six_is_given_one(
    tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]
) -> None:
    there = recorded(tmp_path)
    path = there.root / "annotations" / f"{there.episode_id}.json"
    said = json.loads(path.read_text())
    said["task_info"] |= {"category": "Cooking", "app": ["Shop", "Notes"]}
    path.write_text(json.dumps(said))
    one = fixer(opened(there))
    one.begin(Command.FIX_APPS, CLICK)
    category = one.field(Choice, "Category")
    assert isinstance(category, Choice)
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
    assert own.says("Make step 0 a LONG_PRESS?")
    assert own.says("The finger was down for 0.08 s")
    own.finish("a slip of the finger")
    own.begin(Command.FIX_PRESS, LONG)
    assert own.says("Make step 2 a CLICK?")
    own.finish("a slip of the finger")
    assert [amendment for amendment, _ in own.asked] == [
        NewPress(step=CLICK, long=True),
        NewPress(step=LONG, long=False),
    ]


# Steps.


def test_who_changes_an_action_is_told_which_texts_go_with_it(
    tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]
) -> None:
    one = fixer(opened(released(tmp_path)))
    one.begin(Command.FIX_PRESS, LONG)
    assert one.says("No longer right, so removed: intention of step 2")


def test_who_drops_a_step_is_told_how_the_screens_join(tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]) -> None:
    there = recorded(tmp_path)
    (there.root / "screenshots" / f"{there.episode_id}_2.png").write_bytes(png(200))
    one = fixer(opened(there))
    one.begin(Command.DROP_STEPS, TYPE)
    assert one.says("4 steps are left. Step 2 becomes step 1, and so on.")
    one.qtbot.waitUntil(
        lambda: one.says("The screens of step 1 and of step 2 differ in 100 % of their pixels: the sequence would jump")
    )
    one.finish("nothing was changed")
    assert one.asked == [(DropSteps(first=TYPE, last=TYPE), "nothing was changed")]


def test_screens_that_show_the_same_join_without_a_jump(tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]) -> None:
    there = recorded(tmp_path)
    (there.root / "screenshots" / f"{there.episode_id}_3.png").write_bytes(png(20))
    one = fixer(opened(there))
    one.begin(Command.DROP_STEPS, TYPE)
    one.number("Last step to drop").setValue(LONG)
    one.qtbot.waitUntil(
        lambda: one.says("step 1 and of step 3 differ in 0 % of their pixels: the sequence goes on where it was")
    )


def test_screens_that_cannot_be_read_are_not_compared(tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]) -> None:
    there = recorded(tmp_path)
    (there.root / "screenshots" / f"{there.episode_id}_1.png").unlink()
    one = fixer(opened(there))
    one.begin(Command.DROP_STEPS, CLICK)
    one.qtbot.waitUntil(lambda: one.says("The screens of step 0 and of step 1 cannot be compared."))


def test_steps_are_dropped_from_the_first_to_the_last_and_never_the_end(own: Fixer) -> None:
    own.begin(Command.DROP_STEPS, LONG)
    first, last = own.number("First step to drop"), own.number("Last step to drop")
    assert (first.value(), last.value(), last.maximum()) == (LONG, LONG, KEY)
    first.setValue(KEY)
    assert own.says("name the first before the last")
    assert not own.answer.isEnabled()
    first.setValue(TYPE)
    last.setValue(KEY)
    assert own.says("2 steps are left.")
    own.finish("it does not belong to the task")
    assert [amendment for amendment, _ in own.asked] == [DropSteps(first=TYPE, last=KEY)]


def test_who_ends_the_episode_earlier_is_told_what_goes(own: Fixer) -> None:
    own.begin(Command.END_HERE, TYPE)
    assert own.says("Steps 2 to 4 go. The picture of step 1 becomes that of COMPLETE, with “done”")
    own.finish("the task was done here already")
    assert own.asked == [(DropTail(at=TYPE), "the task was done here already")]


# Boxes.


def test_a_box_is_drawn_on_the_picture(own: Fixer) -> None:
    own.begin(Command.FIX_BOX, CLICK)
    canvas = own.canvas()
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(canvas, left, pos=canvas.place_of(Pixel(10, 20)).toPoint())
    QTest.mouseMove(canvas, canvas.place_of(Pixel(50, 80)).toPoint())
    QTest.mouseRelease(canvas, left, pos=canvas.place_of(Pixel(50, 80)).toPoint())
    own.finish("no box is known")
    assert own.asked == [(NewBox(step=CLICK, box=(10, 20, 51, 81)), "no box is known")]


def test_the_arrow_keys_move_the_box_and_its_edges(own: Fixer) -> None:
    own.begin(Command.FIX_BOX, CLICK)
    canvas = own.canvas()
    before = box_of(own)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    QTest.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert box_of(own) == (before[0] + 1, before[1] + 10, before[2] + 1, before[3] + 10)
    QTest.keyClick(canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert box_of(own) == (before[0] + 1, before[1] + 10, before[2], before[3] + 10)
    assert f"from {before[0] + 1}, {before[1] + 10} to {before[2]}" in canvas.accessibleDescription()


def test_a_corner_is_dragged_and_the_middle_moves_all(own: Fixer) -> None:
    own.begin(Command.FIX_BOX, CLICK)
    canvas = own.canvas()
    left, top, right, bottom = box_of(own)
    drag(canvas, Pixel(right - 1, bottom - 1), Pixel(60, 100))
    assert box_of(own) == (left, top, 61, 101)
    drag(canvas, Pixel(50, 85), Pixel(72, 128))
    assert box_of(own)[2:] == (72, 128), "no further than the picture reaches"


def test_a_box_beside_the_touched_place_is_refused_at_once(own: Fixer) -> None:
    dialog = own.begin(Command.FIX_BOX, CLICK)
    own.canvas()
    dialog.findChildren(QRadioButton)[0].click()
    own.number("Left edge of the box").setValue(38)
    assert own.says("does not hold the place that was touched, 36, 64")
    assert not own.answer.isEnabled()
    own.number("Left edge of the box").setValue(20)
    assert own.answer.isEnabled()


def test_a_box_that_nobody_has_changed_is_no_fix(own: Fixer) -> None:
    dialog = own.begin(Command.FIX_BOX, CLICK)
    own.canvas()
    dialog.findChildren(QRadioButton)[0].click()
    assert own.says("No box is known yet: draw it around the element.")
    assert not own.answer.isEnabled()


def test_on_a_picture_that_cannot_be_opened_no_box_is_drawn(
    tmp_path: Path, fixer: Callable[[OpenedReview], Fixer]
) -> None:
    there = recorded(tmp_path)
    (there.root / "screenshots" / f"{there.episode_id}_0.png").write_bytes(b"no picture")
    one = fixer(opened(there))
    one.begin(Command.FIX_BOX, CLICK)
    canvas = one.field(BoxCanvas, "Picture with the box")
    assert isinstance(canvas, BoxCanvas)
    one.qtbot.waitUntil(lambda: "cannot be read" in canvas.accessibleDescription())
    assert not one.number("Left edge of the box").isEnabled()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert not one.answer.isEnabled()


def test_the_box_is_to_be_seen_on_the_picture(own: Fixer) -> None:
    own.begin(Command.FIX_BOX, CLICK)
    canvas = own.canvas()
    left, top, right, _ = box_of(own)
    edge = canvas.place_of(Pixel(left + (right - left) // 4, top)).toPoint()
    reddest = max(redness(canvas.grab().toImage(), edge + QPoint(0, off)) for off in range(-6, 7))
    assert reddest > 100


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
