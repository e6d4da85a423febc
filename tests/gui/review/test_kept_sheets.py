"""Unsubmitted answers survive closing the window and a crash."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from odyssey_recorder.gui.window_state import KeptFile
from tests.gui.review.bench_review import BenchReviewing
from tests.gui.review.reviewer import OpenReviews, Reviewer

SitDown = Callable[[BenchReviewing], Reviewer]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "reviews.json"


@pytest.fixture
def bench(tmp_path: Path) -> BenchReviewing:
    bench = BenchReviewing(tmp_path / "dataset")
    bench.record("Set an alarm")
    bench.record("Buy shoes")
    return bench


@pytest.fixture
def sit_down(open_reviews: OpenReviews, file: Path) -> SitDown:
    """Opens the first episode in a window that keeps unsubmitted answers."""

    def sit_down(bench: BenchReviewing) -> Reviewer:
        reviewer = open_reviews(bench, KeptFile(file))
        reviewer.open(0)
        return reviewer

    return sit_down


def fill_in(reviewer: Reviewer) -> None:
    """Two answers, one with reason, step and comment; a note; two of three steps seen."""
    reviewer.press(".qs3t")
    QTest.keyClicks(reviewer.pilot.window.focusWidget(), "wrong app")
    QTest.keyClick(reviewer.pilot.window.focusWidget(), Qt.Key.Key_Return)
    reviewer.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(note(reviewer), "look again")


def note(reviewer: Reviewer) -> QPlainTextEdit:
    return reviewer.pilot.named(QPlainTextEdit, "Note on the verdict")


def kept(file: Path) -> list[dict[str, object]]:
    return json.loads(file.read_text())["sheets"] if file.exists() else []


def test_what_was_filled_in_is_there_again(bench: BenchReviewing, sit_down: SitDown, file: Path) -> None:
    first = sit_down(bench)
    fill_in(first)
    first.pilot.qtbot.waitUntil(lambda: bool(kept(file)) and bool(kept(file)[0]["judgements"]))
    first.pilot.window.close()
    second = sit_down(bench)
    assert second.answers == ["Pass", "Fail", ""]
    assert second.says("Fail: steps do not belong to the task, step 2, wrong app")
    assert note(second).toPlainText() == "look again"
    assert second.says("2 of 3 steps seen")
    assert ["not seen yet" in words for words in second.pilot.rows_of("Steps")] == [False, False, True]
    assert kept(file)[0]["seconds"] != 0


def test_nothing_is_kept_of_what_was_submitted(bench: BenchReviewing, sit_down: SitDown, file: Path) -> None:
    first = sit_down(bench)
    first.look_at_all()
    first.press("qazr")
    first.wait_for_open("Buy shoes")
    first.press("q")
    first.pilot.window.close()
    assert [sheet["episode"] for sheet in kept(file)] == [bench.ballots[0][0][:-1] + "2"]


def test_of_a_changed_episode_only_the_note_is_kept(bench: BenchReviewing, sit_down: SitDown) -> None:
    first = sit_down(bench)
    fill_in(first)
    first.pilot.window.close()
    bench.rewrite(bench.opened[0], "Set two alarms")
    second = sit_down(bench)
    assert second.answers == ["", "", ""]
    assert second.says("Your answers were for an earlier version")
    assert note(second).toPlainText() == "look again"
    assert second.says("1 of 3 steps seen")


def test_each_dataset_has_its_own_sheets(bench: BenchReviewing, sit_down: SitDown, tmp_path: Path, file: Path) -> None:
    first = sit_down(bench)
    first.press("q")
    first.pilot.window.close()
    other = BenchReviewing(tmp_path / "other")
    other.record("Set an alarm")
    second = sit_down(other)
    assert second.answers == ["", "", ""]
    second.press("a")
    second.pilot.window.close()
    assert len(kept(file)) == 2
    third = sit_down(bench)
    assert third.answers == ["Pass", "", ""]


def test_a_sheet_that_cannot_be_read_is_left_out_and_the_others_are_not(
    bench: BenchReviewing, sit_down: SitDown, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = sit_down(bench)
    first.press("q")
    first.pilot.window.close()
    whole = kept(file)[0]
    wrong = [{**whole, "seconds": seconds} for seconds in (-1, 1e300)]
    file.write_text(json.dumps({"version": 1, "sheets": ["x", *wrong, {**whole, "seen": [10**30]}, whole]}))
    second = sit_down(bench)
    assert second.answers == ["Pass", "", ""]
    told = {record.getMessage().rpartition(": ")[2] for record in caplog.records}
    assert told == {"all of it", "seconds", "seen"}
    second.pilot.window.close()
    caplog.clear()
