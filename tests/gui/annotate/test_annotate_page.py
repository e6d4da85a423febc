"""The Annotate page, driven by its keys, on real files."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.annotation.reviewing import Shares, TextReviewing, decided_on
from odyssey_recorder.annotation.semantics import SemanticsStore, TextDecision
from odyssey_recorder.gui.annotate.annotate_page import AnnotatePage
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.evidence import EpisodeEvidence
from tests.annotation.phone_dataset import look_around
from tests.annotation.suggested import suggest
from tests.annotation.texts import remember
from tests.gui.pilot import WidgetPilot

EPISODE, OTHER = "1111111111111111", "2222222222222222"
KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


class Desk(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path, shares: Shares) -> None:
        super().__init__(qtbot, background)
        self.root = root
        self.page = AnnotatePage(
            TextReviewing(root, Checker(None).evidence, lambda: "Ann", shares), background, self.commands
        )
        self.show_widget(self.page)
        self.page.enter()

    def open(self) -> None:
        self.qtbot.waitUntil(lambda: len(self.rows_of("Episodes with texts")) == 1)
        self.press("Next episode")
        self.wait_for_text("Step 1 of 4")

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def write(self, words: str) -> None:
        self.key(KEY.Key_F2)
        self.field.setPlainText(words)
        self.key(KEY.Key_Return)

    @property
    def field(self) -> QPlainTextEdit:
        return next(one for one in self.window.findChildren(QPlainTextEdit) if one.isVisible())

    @property
    def decisions(self) -> list[tuple[str, str]]:
        kept = SemanticsStore(self.root).read(EPISODE).entries
        return [(one.decision, one.words) for one in kept if isinstance(one, TextDecision)]

    def wait_for(self, *decisions: str) -> None:
        self.qtbot.waitUntil(lambda: [one for one, _ in self.decisions] == list(decisions))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    suggest(tmp_path, look_around(tmp_path, EPISODE, 3), wrong_each=2)
    return tmp_path


@pytest.fixture
def desk(qtbot: QtBot, background: Background, root: Path) -> Desk:
    made = Desk(qtbot, background, root, Shares(0, 0))
    made.open()
    return made


def test_enter_accepts_and_goes_on_and_undo_takes_it_back(desk: Desk) -> None:
    desk.key(KEY.Key_Return)
    desk.wait_for("accept")
    desk.wait_for_text("Accepted by Ann")
    desk.write("A screen that I describe.")
    desk.wait_for("accept", "edit")
    desk.wait_for_text("A screen that I describe.")
    desk.wait_for_text("Written by Ann")
    desk.key(KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    desk.wait_for("accept", "edit", "withdraw")


def test_contradicted_texts_are_found_and_supported_ones_accepted_together(desk: Desk) -> None:
    desk.key(KEY.Key_N)
    desk.wait_for_text("Step 2 of 4")
    assert desk.says("Recycle bin")
    desk.key(KEY.Key_Return, SHIFT)
    desk.wait_for_text("of this episode.")
    desk.qtbot.waitUntil(lambda: bool(desk.decisions))
    assert all("Recycle bin" not in words and kind == "accept" for kind, words in desk.decisions)


def test_a_text_that_was_not_saved_is_kept(desk: Desk) -> None:
    path = desk.root / "semantics" / f"{EPISODE}.json"
    whole = path.read_bytes()
    path.write_text("{")
    desk.write("Worth keeping.")
    desk.wait_for_text("was not saved")
    assert desk.says(path.name)
    assert desk.field.toPlainText() == "Worth keeping."
    path.write_bytes(whole)
    desk.key(KEY.Key_Return)
    desk.wait_for("edit")


def test_blind_steps_hide_every_suggestion_until_the_person_has_written(
    qtbot: QtBot, background: Background, root: Path
) -> None:
    desk = Desk(qtbot, background, root, Shares(blind=1, planted=0))
    desk.open()
    told = " ".join(one.text() for one in desk.window.findChildren(QLabel) if one.isVisible())
    assert all(one.words not in told for one in SemanticsStore(root).read(EPISODE).entries if hasattr(one, "words"))
    desk.write("Tap something.")
    desk.wait_for("edit")
    desk.wait_for_text("I am going on to")


def test_planted_texts_are_named_after_the_decision(qtbot: QtBot, background: Background, root: Path) -> None:
    desk = Desk(qtbot, background, root, Shares(blind=0, planted=1))
    desk.open()
    desk.key(KEY.Key_Return)
    desk.wait_for_text("That text was wrong on purpose")
    assert desk.says("You did not notice.")
    assert desk.decisions == []


def test_a_memory_is_accepted_edited_and_rejected_with_the_same_keys(
    qtbot: QtBot, background: Background, root: Path
) -> None:
    remember(root, EPISODE)
    desk = Desk(qtbot, background, root, Shares(0, 0))
    desk.open()
    for _ in range(5):
        desk.commands[Command.NEXT_TEXT].trigger()
    desk.wait_for_text("screen_info of step 0.")
    desk.key(KEY.Key_Return)
    desk.wait_for("accept")
    desk.write("")
    desk.wait_for("accept", "edit")
    desk.commands[Command.PREVIOUS_TEXT_STEP].trigger()
    desk.wait_for_text("Nothing of this screen is needed later.")
    desk.commands[Command.NEXT_TEXT_STEP].trigger()
    desk.wait_for_text("Step 2 of 4")
    for _ in range(4):
        desk.commands[Command.NEXT_TEXT].trigger()
    desk.key(KEY.Key_Delete)
    desk.wait_for("accept", "edit", "reject")
    assert desk.decisions == [
        ("accept", "screen_info of step 0."),
        ("edit", ""),
        ("reject", "action_result of step 1."),
    ]
    desk.key(KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    desk.wait_for("accept", "edit", "reject", "withdraw")


def test_a_memory_is_hidden_until_the_instruction_of_its_step_is_written_blind(root: Path) -> None:
    remember(root, EPISODE)
    texts = TextReviewing(root, Checker(None).evidence, lambda: "Ann", Shares(blind=1, planted=0))
    first, *others = texts.open(EPISODE).steps[1]
    assert (first.is_blind, len(others), {one.words for one in others}) == (True, 6, {""})
    texts.save(EPISODE, decided_on(first, "Ann", "edit", "Tap it.", 1.0))
    assert "core of step 1." in [one.words for one in texts.open(EPISODE).steps[1]]


def test_an_empty_dataset_and_one_without_texts_say_what_to_do(
    qtbot: QtBot, background: Background, tmp_path: Path
) -> None:
    (tmp_path / "annotations").mkdir()
    desk = Desk(qtbot, background, tmp_path, Shares())
    desk.wait_for_text("No episodes yet.")
    look_around(tmp_path, EPISODE, 2)
    desk.press("Refresh")
    desk.wait_for_text("Choose “Write texts…” to have a model write them")


def test_a_damaged_file_is_named(qtbot: QtBot, background: Background, root: Path) -> None:
    path = root / "semantics" / f"{EPISODE}.json"
    path.write_text("[]")
    desk = Desk(qtbot, background, root, Shares())
    qtbot.waitUntil(lambda: "Cannot be read" in "".join(desk.rows_of("Episodes with texts")))
    QTest.keyClick(desk.named(QWidget, "Episodes with texts"), KEY.Key_Down)
    desk.key(KEY.Key_Return)
    desk.wait_for_text(path.name)


def test_closing_asks_about_text_that_is_not_saved_and_waits_for_decisions(desk: Desk) -> None:
    closed: list[bool] = []

    def close() -> None:
        assert not desk.page.asks_before_closing(close)
        closed.append(True)

    assert not desk.page.asks_before_closing(close)
    desk.key(KEY.Key_Return)
    assert desk.page.asks_before_closing(close)
    desk.qtbot.waitUntil(lambda: closed == [True])
    assert [kind for kind, _ in desk.decisions] == ["accept"]
    desk.key(KEY.Key_F2)
    assert not desk.page.asks_before_closing(close)
    desk.field.setPlainText("Worth keeping.")
    for _ in range(2):
        assert desk.page.asks_before_closing(close)
        desk.press_in(desk.dialog(), "Cancel")
        desk.qtbot.waitUntil(lambda: not desk.is_asked)
        assert desk.field.toPlainText() == "Worth keeping."
    assert desk.page.asks_before_closing(close)
    desk.press_in(desk.dialog(), "Close")
    assert closed == [True, True]


def test_only_changed_episodes_are_checked_again(root: Path) -> None:
    checker, checked = Checker(None), list[Path]()

    def evidence(path: Path) -> EpisodeEvidence:
        checked.append(path)
        return checker.evidence(path)

    suggest(root, look_around(root, OTHER, 2))
    texts = TextReviewing(root, evidence, lambda: "Ann", Shares(0, 0))
    rows = [[row.episode_id for row in some] for some in texts.rows()]
    assert (rows, len(checked)) == ([[], [EPISODE], [OTHER]], 2)
    assert [[row.episode_id for row in some] for some in texts.rows()] == [[EPISODE, OTHER]]
    path = root / "semantics" / f"{OTHER}.json"
    path.write_text("[]")
    assert [[row.problem != "" for row in some] for some in texts.rows()] == [[False, False], [True]]
    assert len(checked) == 2


def test_nothing_is_decided_on_an_episode_that_is_not_shown_yet(desk: Desk) -> None:
    suggest(desk.root, look_around(desk.root, OTHER, 2))
    desk.press("Refresh")
    desk.qtbot.waitUntil(lambda: len(desk.rows_of("Episodes with texts")) == 2)
    desk.press("Next episode")
    desk.commands[Command.REJECT_TEXT].trigger()
    desk.wait_for_text("Step 1 of 3")
    assert not any(isinstance(one, TextDecision) for one in SemanticsStore(desk.root).read(OTHER).entries)
