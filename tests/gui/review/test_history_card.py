"""The history is shown newest first, and the newest fix can be undone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset import amendment as fixes
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.history_card import HistoryCard, amendment_text
from odyssey_recorder.model.episode import Category
from odyssey_recorder.review.review import Decision, Entry, Fix, Move, ReplayEvidence
from odyssey_recorder.review.status import ReviewerRole
from tests.checking.verdicts import verdict
from tests.episodes import episode
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot
from tests.gui.review.opened_reviews import opened_review

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
DROP = fixes.DropSteps(first=2, last=3)
NEW_INSTRUCTION = fixes.NewInstruction(instruction="Write bread down.")


def entry_fields(number: int) -> dict[str, object]:
    return {"id": f"{number:032x}", "at": START + timedelta(minutes=number), "by": "Karl"}


def fix(
    number: int, amendment: fixes.Amendment | None, *, undoes: int | None = None, why: str = "they changed nothing"
) -> Fix:
    undone = "" if undoes is None else f"{undoes:032x}"
    return Fix.model_validate(
        entry_fields(number) | {"amendment": amendment, "why": why, "before": "a", "after": "b", "undoes": undone}
    )


def when(number: int) -> str:
    return f"{(START + timedelta(minutes=number)).astimezone():%Y-%m-%d %H:%M}"


class CardDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        self.card = HistoryCard(self.commands)
        self.show_widget(self.card, 330, 300)

    def show(self, *entries: Entry, role: ReviewerRole | None = ReviewerRole.FIRST) -> None:
        review = opened_review(Path("nowhere"), episode(), entries=entries)
        self.card.show_review(replace(review, row=replace(review.row, role=role)))

    @property
    def entries(self) -> list[str]:
        return [label.text() for label in self.named(QScrollArea, "History").findChildren(QLabel)]

    @property
    def can_undo(self) -> bool:
        return self.commands[ReviewCommand.UNDO_FIX].isEnabled()


@pytest.fixture
def driver(qtbot: QtBot, background: Background) -> CardDriver:
    return CardDriver(qtbot, background)


def test_history_is_shown_newest_first(driver: CardDriver) -> None:
    passed = verdict("Rosa", "ppp", Decision.SEND_BACK).model_copy(update={"at": START, "note": "odd"})
    replay = ReplayEvidence.model_validate(
        entry_fields(2)
        | {"revision": "x", "serial": "emulator-5554", "outcome": "failed", "steps": [], "problem": "It stopped."}
    )
    move = Move.model_validate(entry_fields(3) | {"to": "annotator", "why": "a step is missing"})
    driver.show(passed, fix(1, DROP), replay, move)
    assert driver.entries == [
        f"{when(3)} · Karl\nThe episode was sent back to the annotator\nWhy: a step is missing",
        f"{when(2)} · Karl\nReplayed on emulator-5554: failed\nIt stopped.",
        f"{when(1)} · Karl\nSteps 3 to 4 dropped\nWhy: they changed nothing",
        f"{when(0)} · Rosa: send back\nThe screenshots: pass\nThe steps: pass\nThe instruction: pass\n“odd”",
    ]


def test_undone_fix_is_marked_and_the_one_before_can_be_undone(driver: CardDriver) -> None:
    driver.show(fix(0, NEW_INSTRUCTION, why="a misspelling"), fix(1, DROP), fix(2, None, undoes=1, why="a mistake"))
    assert driver.entries == [
        f"{when(2)} · Karl\nUndone: Steps 3 to 4 dropped\nWhy: a mistake",
        f"{when(1)} · Karl\nSteps 3 to 4 dropped (undone later)\nWhy: they changed nothing",
        f"{when(0)} · Karl\nInstruction: “Write bread down.”\nWhy: a misspelling",
    ]
    assert driver.can_undo
    with driver.qtbot.waitSignal(driver.card.undo_requested):
        driver.commands[ReviewCommand.UNDO_FIX].trigger()
    driver.show(fix(1, DROP), fix(2, None, undoes=1))
    assert not driver.can_undo


def test_undo_needs_a_fix_and_a_reviewer(driver: CardDriver) -> None:
    driver.show()
    assert driver.entries == ["No history yet."]
    assert not driver.can_undo
    driver.show(fix(0, DROP), role=None)
    assert not driver.can_undo
    driver.show(fix(0, DROP))
    driver.card.clear()
    assert not driver.can_undo


def test_undo_of_an_unknown_fix_is_listed(driver: CardDriver) -> None:
    driver.show(fix(2, None, undoes=1, why=""))
    assert driver.entries == [f"{when(2)} · Karl\nA fix was undone"]


def test_long_text_fits_a_narrow_card(driver: CardDriver) -> None:
    driver.show(*(fix(number, fixes.NewText(step=1, text="a_very/long.name" * 12)) for number in range(3)))
    assert faults(driver.window) == []


@pytest.mark.parametrize(
    ("amendment", "text"),
    [
        (fixes.NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Notes")), "Apps: Shop, Notes (Web_Shopping)"),
        (fixes.NewEnd(words=""), "Final note: no text"),
        (fixes.NewNote(step=3, note="odd"), "Note of step 4: “odd”"),
        (fixes.NewPress(step=3, long=True), "Step 4 is a LONG_PRESS"),
        (fixes.NewPress(step=3, long=False), "Step 4 is a CLICK"),
        (fixes.NewText(step=3, text="milk"), "Text of step 4: “milk”"),
        (fixes.NewBox(step=3, box=(1, 2, 3, 4)), "Box of step 4: 1, 2 to 3, 4"),
        (fixes.DropSteps(first=2, last=2), "Step 3 dropped"),
        (fixes.DropTail(at=4), "Ended at step 5"),
    ],
)
def test_amendments_are_described(amendment: fixes.Amendment, text: str) -> None:
    assert amendment_text(amendment) == text


def test_fix_lists_removed_texts(driver: CardDriver) -> None:
    removed = {"intention": (2,), "context": (3, 4, 5)}
    driver.show(fix(1, fixes.NewText(step=2, text="oat")).model_copy(update={"removed": removed}))
    assert "Removed because no longer valid: intention of step 3, context of 3 steps" in driver.entries[0]
