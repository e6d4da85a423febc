"""The Annotate page, driven by its keys, on real files."""

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Self

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.annotation.reviewing import Shares, TextReviewing, decided_on
from odyssey_recorder.annotation.semantics import SemanticsStore, TextDecision
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.gui.annotate.annotate_page import AnnotatePage
from odyssey_recorder.gui.annotate.commands import AnnotateCommand
from odyssey_recorder.gui.frame.background import Background
from tests.annotation.phone_dataset import look_around
from tests.annotation.suggestions import suggest
from tests.annotation.texts import remember
from tests.gui.pilot import WidgetPilot, texts_in

EPISODE, OTHER = "1111111111111111", "2222222222222222"
KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


class AnnotatePilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path, shares: Shares) -> None:
        super().__init__(qtbot, background)
        self.root = root
        texts = TextReviewing(root, Checker(None).evidence, lambda: "Ann", shares)
        self.page = AnnotatePage(texts, background, self.commands)
        self.show_widget(self.page)
        self.page.enter()

    def open_episode(self) -> Self:
        self.qtbot.waitUntil(lambda: len(self.rows_of("Episodes with texts")) == 1)
        self.press("Next episode")
        self.wait_for_text("Step 1 of 4")
        return self

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def write(self, text: str) -> None:
        self.key(KEY.Key_F2)
        self.field.setPlainText(text)
        self.key(KEY.Key_Return)

    @property
    def field(self) -> QPlainTextEdit:
        return next(one for one in self.window.findChildren(QPlainTextEdit) if one.isVisible())

    @property
    def decisions(self) -> list[tuple[str, str]]:
        entries = SemanticsStore(self.root).read(EPISODE).entries
        return [(one.decision, one.words) for one in entries if isinstance(one, TextDecision)]

    def wait_for_decisions(self, *decisions: str) -> None:
        self.qtbot.waitUntil(lambda: [one for one, _ in self.decisions] == list(decisions))


OpenPage = Callable[[Shares], AnnotatePilot]


@pytest.fixture(scope="module")
def suggested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be changed."""
    folder = tmp_path_factory.mktemp("suggested")
    suggest(folder, look_around(folder, EPISODE, 3), wrong_each=2)
    return folder


@pytest.fixture
def root(suggested: Path, tmp_path: Path) -> Path:
    return copytree(suggested, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def open_page(qtbot: QtBot, background: Background, root: Path) -> OpenPage:
    return lambda shares: AnnotatePilot(qtbot, background, root, shares)


@pytest.fixture
def pilot(open_page: OpenPage) -> AnnotatePilot:
    return open_page(Shares(0, 0)).open_episode()


def test_keys_accept_edit_and_undo(pilot: AnnotatePilot) -> None:
    pilot.key(KEY.Key_Return)
    pilot.wait_for_decisions("accept")
    pilot.wait_for_text("Accepted by Ann")
    pilot.write("A screen that I describe.")
    pilot.wait_for_decisions("accept", "edit")
    pilot.wait_for_text("A screen that I describe.")
    pilot.wait_for_text("Written by Ann")
    pilot.key(KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    pilot.wait_for_decisions("accept", "edit", "withdraw")


def test_supported_texts_are_accepted_but_not_contradicted_ones(pilot: AnnotatePilot) -> None:
    pilot.key(KEY.Key_N)
    pilot.wait_for_text("Step 2 of 4")
    assert pilot.says("Recycle bin")
    pilot.key(KEY.Key_Return, SHIFT)
    pilot.wait_for_text("of this episode.")
    pilot.qtbot.waitUntil(lambda: bool(pilot.decisions))
    assert all("Recycle bin" not in text and decision == "accept" for decision, text in pilot.decisions)


def test_text_that_was_not_saved_stays_in_its_field(pilot: AnnotatePilot) -> None:
    path = pilot.root / "semantics" / f"{EPISODE}.json"
    intact = path.read_bytes()
    path.write_text("{")
    pilot.write("Worth keeping.")
    pilot.wait_for_text("was not saved")
    assert pilot.says(path.name)
    assert pilot.field.toPlainText() == "Worth keeping."
    path.write_bytes(intact)
    pilot.key(KEY.Key_Return)
    pilot.wait_for_decisions("edit")


def test_blind_step_shows_no_suggestion(open_page: OpenPage, root: Path) -> None:
    pilot = open_page(Shares(blind=1, planted=0)).open_episode()
    visible = " ".join(texts_in(pilot.window))
    assert all(one.words not in visible for one in SemanticsStore(root).read(EPISODE).entries if hasattr(one, "words"))
    pilot.write("Tap something.")
    pilot.wait_for_decisions("edit")
    pilot.wait_for_text("I am going on to")


def test_planted_text_is_revealed_after_the_decision(open_page: OpenPage) -> None:
    pilot = open_page(Shares(blind=0, planted=1)).open_episode()
    pilot.key(KEY.Key_Return)
    pilot.wait_for_text("That text was wrong on purpose")
    assert pilot.says("You did not notice.")
    assert pilot.decisions == []


def test_memory_is_decided_with_the_same_keys(open_page: OpenPage, root: Path) -> None:
    remember(root, EPISODE)
    pilot = open_page(Shares(0, 0)).open_episode()
    for _ in range(5):
        pilot.commands[AnnotateCommand.NEXT_TEXT].trigger()
    pilot.wait_for_text("screen_info of step 0.")
    pilot.key(KEY.Key_Return)
    pilot.wait_for_decisions("accept")
    pilot.write("")
    pilot.wait_for_decisions("accept", "edit")
    pilot.commands[AnnotateCommand.PREVIOUS_TEXT_STEP].trigger()
    pilot.wait_for_text("Nothing of this screen is needed later.")
    pilot.commands[AnnotateCommand.NEXT_TEXT_STEP].trigger()
    pilot.wait_for_text("Step 2 of 4")
    for _ in range(4):
        pilot.commands[AnnotateCommand.NEXT_TEXT].trigger()
    pilot.key(KEY.Key_Delete)
    pilot.wait_for_decisions("accept", "edit", "reject")
    assert pilot.decisions == [
        ("accept", "screen_info of step 0."),
        ("edit", ""),
        ("reject", "action_result of step 1."),
    ]
    pilot.key(KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    pilot.wait_for_decisions("accept", "edit", "reject", "withdraw")


def test_blind_step_hides_its_memory_until_written(root: Path) -> None:
    remember(root, EPISODE)
    texts = TextReviewing(root, Checker(None).evidence, lambda: "Ann", Shares(blind=1, planted=0))
    first, *others = texts.open(EPISODE).steps[1]
    assert (first.is_blind, len(others), {one.words for one in others}) == (True, 7, {""})
    texts.save(EPISODE, decided_on(first, "Ann", "edit", "Tap it.", 1.0))
    assert "core of step 1." in [one.words for one in texts.open(EPISODE).steps[1]]


def test_dataset_without_texts_explains_what_to_do(qtbot: QtBot, background: Background, tmp_path: Path) -> None:
    (tmp_path / "annotations").mkdir()
    pilot = AnnotatePilot(qtbot, background, tmp_path, Shares())
    pilot.wait_for_text("No episodes yet.")
    look_around(tmp_path, EPISODE, 2)
    pilot.press("Refresh")
    pilot.wait_for_text("Choose “Write texts…” to have a model write them")


def test_damaged_file_is_named(open_page: OpenPage, root: Path) -> None:
    path = root / "semantics" / f"{EPISODE}.json"
    path.write_text("[]")
    pilot = open_page(Shares())
    pilot.qtbot.waitUntil(lambda: "Cannot be read" in "".join(pilot.rows_of("Episodes with texts")))
    QTest.keyClick(pilot.named(QWidget, "Episodes with texts"), KEY.Key_Down)
    pilot.key(KEY.Key_Return)
    pilot.wait_for_text(path.name)


def test_closing_asks_about_unsaved_text_and_waits_for_decisions(pilot: AnnotatePilot) -> None:
    closed: list[bool] = []

    def close() -> None:
        assert not pilot.page.asks_before_closing(close)
        closed.append(True)

    assert not pilot.page.asks_before_closing(close)
    pilot.key(KEY.Key_Return)
    assert pilot.page.asks_before_closing(close)
    pilot.qtbot.waitUntil(lambda: closed == [True])
    assert [decision for decision, _ in pilot.decisions] == ["accept"]
    pilot.key(KEY.Key_F2)
    assert not pilot.page.asks_before_closing(close)
    pilot.field.setPlainText("Worth keeping.")
    for _ in range(2):
        assert pilot.page.asks_before_closing(close)
        pilot.press_in(pilot.dialog(), "Cancel")
        pilot.qtbot.waitUntil(lambda: not pilot.is_asked)
        assert pilot.field.toPlainText() == "Worth keeping."
    assert pilot.page.asks_before_closing(close)
    pilot.press_in(pilot.dialog(), "Close")
    assert closed == [True, True]


def test_only_changed_episodes_are_checked_again(root: Path) -> None:
    checker, checked = Checker(None), list[Path]()

    def evidence(path: Path) -> EpisodeEvidence:
        checked.append(path)
        return checker.evidence(path)

    suggest(root, look_around(root, OTHER, 2))
    texts = TextReviewing(root, evidence, lambda: "Ann", Shares(0, 0))
    rows = [[row.episode_id for row in batch] for batch in texts.rows()]
    assert (rows, len(checked)) == ([[], [EPISODE], [OTHER]], 2)
    assert [[row.episode_id for row in batch] for batch in texts.rows()] == [[EPISODE, OTHER]]
    path = root / "semantics" / f"{OTHER}.json"
    path.write_text("[]")
    assert [[row.problem != "" for row in batch] for batch in texts.rows()] == [[False, False], [True]]
    assert len(checked) == 2


def test_episode_cannot_be_decided_before_it_is_shown(pilot: AnnotatePilot) -> None:
    suggest(pilot.root, look_around(pilot.root, OTHER, 2))
    pilot.press("Refresh")
    pilot.qtbot.waitUntil(lambda: len(pilot.rows_of("Episodes with texts")) == 2)
    pilot.press("Next episode")
    pilot.commands[AnnotateCommand.REJECT_TEXT].trigger()
    pilot.wait_for_text("Step 1 of 3")
    assert not any(isinstance(one, TextDecision) for one in SemanticsStore(pilot.root).read(OTHER).entries)
