"""The history is shown newest first, and the newest fix can be undone."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
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
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.dataset.opened import EpisodeSummary, OpenedEpisode
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.review.history_card import HistoryCard, amendment_words
from odyssey_recorder.model.episode import Category
from odyssey_recorder.quality.finding import Criterion, EpisodeReport
from odyssey_recorder.quality.reviewing.review import (
    Decision,
    Entry,
    Fix,
    Judgement,
    Move,
    Rating,
    ReplayEvidence,
    Verdict,
)
from odyssey_recorder.quality.reviewing.status import ReviewerRole
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewRow
from tests.episodes import ID, episode
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot

BEGAN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
NOWHERE = Path("nowhere")
DROP = DropSteps(first=2, last=3)
WORDS = NewInstruction(instruction="Write bread down.")


def signed(number: int) -> dict[str, object]:
    return {"id": f"{number:032x}", "at": BEGAN + timedelta(minutes=number), "by": "Karl"}


def fix(
    number: int, amendment: Amendment | None, *, undoes: int | None = None, why: str = "they changed nothing"
) -> Fix:
    undone = "" if undoes is None else f"{undoes:032x}"
    return Fix.model_validate(
        signed(number) | {"amendment": amendment, "why": why, "before": "a", "after": "b", "undoes": undone}
    )


def when(number: int) -> str:
    return f"{(BEGAN + timedelta(minutes=number)).astimezone():%Y-%m-%d %H:%M}"


class Bench(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        self.card = HistoryCard(self.commands)
        self.show_widget(self.card, 330, 300)
        self.undone: list[bool] = []
        self.card.undo_asked.connect(lambda: self.undone.append(True))

    def show(self, *entries: Entry, turn: ReviewerRole | None = ReviewerRole.FIRST) -> None:
        made = OpenedEpisode(episode(), EpisodeFiles(NOWHERE / "a.json", ID))
        row = ReviewRow(EpisodeSummary(ID), role=turn)
        self.card.show_review(OpenedReview(row, made, EpisodeReport(ID), entries, "0" * 64))

    @property
    def may_undo(self) -> bool:
        return self.commands[Command.UNDO_FIX].isEnabled()


@pytest.fixture
def bench(qtbot: QtBot, background: Background) -> Bench:
    return Bench(qtbot, background)


def test_who_did_what_when_and_why_is_told_the_newest_first(bench: Bench) -> None:
    passed = [Judgement(criterion=one, answer=Rating.PASS) for one in Criterion]
    verdict = Verdict.model_validate(
        signed(0) | {"by": "Rosa", "decision": Decision.SEND_BACK, "judgements": passed, "revision": "x", "note": "odd"}
    )
    replay = ReplayEvidence.model_validate(
        signed(2)
        | {"revision": "x", "serial": "emulator-5554", "outcome": "failed", "steps": [], "problem": "It stopped."}
    )
    move = Move.model_validate(signed(3) | {"to": "annotator", "why": "a step is missing"})
    bench.show(verdict, fix(1, DROP), replay, move)
    assert bench.card.words == [
        f"{when(3)} · Karl\nThe episode was sent back to the annotator\nWhy: a step is missing",
        f"{when(2)} · Karl\nReplayed on emulator-5554: failed\nIt stopped.",
        f"{when(1)} · Karl\nSteps 3 to 4 dropped\nWhy: they changed nothing",
        f"{when(0)} · Rosa: send back\nThe screenshots: pass\nThe steps: pass\nThe instruction: pass\n“odd”",
    ]


def test_a_fix_that_was_taken_back_is_told_as_such_and_the_one_before_is_the_newest(bench: Bench) -> None:
    bench.show(fix(0, WORDS, why="a misspelling"), fix(1, DROP), fix(2, None, undoes=1, why="taken back"))
    assert bench.card.words == [
        f"{when(2)} · Karl\nUndone: Steps 3 to 4 dropped\nWhy: taken back",
        f"{when(1)} · Karl\nSteps 3 to 4 dropped (undone later)\nWhy: they changed nothing",
        f"{when(0)} · Karl\nInstruction: “Write bread down.”\nWhy: a misspelling",
    ]
    assert bench.may_undo
    bench.commands[Command.UNDO_FIX].trigger()
    assert bench.undone == [True]
    bench.show(fix(1, DROP), fix(2, None, undoes=1))
    assert not bench.may_undo


def test_nothing_is_taken_back_without_a_history_or_by_who_may_not_judge(bench: Bench) -> None:
    bench.show()
    assert bench.card.words == ["No history yet."]
    assert not bench.may_undo
    bench.show(fix(0, DROP), turn=None)
    assert not bench.may_undo
    bench.show(fix(0, DROP))
    bench.card.clear()
    assert not bench.may_undo


def test_a_taking_back_whose_fix_is_not_known_is_told_all_the_same(bench: Bench) -> None:
    bench.show(fix(2, None, undoes=1, why=""))
    assert bench.card.words == [f"{when(2)} · Karl\nA fix was undone"]


def test_long_words_are_whole_in_a_narrow_card(bench: Bench) -> None:
    bench.show(*(fix(number, NewText(step=1, text="a_very/long.name" * 12)) for number in range(3)))
    assert faults(bench.window) == []


@pytest.mark.parametrize(
    ("amendment", "words"),
    [
        (NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Notes")), "Apps: Shop, Notes (Web_Shopping)"),
        (NewEnd(words=""), "Final note: no text"),
        (NewNote(step=3, note="odd"), "Note of step 4: “odd”"),
        (NewPress(step=3, long=True), "Step 4 is a LONG_PRESS"),
        (NewPress(step=3, long=False), "Step 4 is a CLICK"),
        (NewText(step=3, text="milk"), "Text of step 4: “milk”"),
        (NewBox(step=3, box=(1, 2, 3, 4)), "Box of step 4: 1, 2 to 3, 4"),
        (DropSteps(first=2, last=2), "Step 3 dropped"),
        (DropTail(at=4), "Ended at step 5"),
    ],
)
def test_each_amendment_has_its_words(amendment: Amendment, words: str) -> None:
    assert amendment_words(amendment) == words


def test_a_fix_tells_which_texts_went_with_it(bench: Bench) -> None:
    removed = {"intention": (2,), "context": (3, 4, 5)}
    bench.show(fix(1, NewText(step=2, text="oat")).model_copy(update={"removed": removed}))
    assert "Removed because no longer valid: intention of step 3, context of 3 steps" in bench.card.words[0]
