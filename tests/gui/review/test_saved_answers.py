"""Unsubmitted answers survive closing the window and a crash."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from odyssey_recorder.gui.frame.window_state import KeptFile
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.gui.review.reviewer import OpenReviews, Reviewer

OpenPage = Callable[[FakeReviewing], Reviewer]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "reviews.json"


@pytest.fixture
def reviewing(tmp_path: Path) -> FakeReviewing:
    reviewing = FakeReviewing(tmp_path / "dataset")
    reviewing.record("Set an alarm")
    reviewing.record("Buy shoes")
    return reviewing


@pytest.fixture
def open_page(open_reviews: OpenReviews, file: Path) -> OpenPage:
    """Opens the first episode in a window that keeps unsubmitted answers."""

    def open_page(reviewing: FakeReviewing) -> Reviewer:
        reviewer = open_reviews(reviewing, KeptFile(file))
        reviewer.open(0)
        return reviewer

    return open_page


def fill_in(reviewer: Reviewer) -> None:
    """Two answers, one with reason, step and comment; a note; two of three steps seen."""
    reviewer.press(".qs3t")
    comment = reviewer.pilot.window.focusWidget()
    QTest.keyClicks(comment, "wrong app")
    QTest.keyClick(comment, Qt.Key.Key_Return)
    reviewer.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(note(reviewer), "look again")


def note(reviewer: Reviewer) -> QPlainTextEdit:
    return reviewer.pilot.editor("Note on the verdict")


def saved(file: Path) -> list[dict[str, object]]:
    return json.loads(file.read_text())["sheets"] if file.exists() else []


def test_answers_are_restored(reviewing: FakeReviewing, open_page: OpenPage, file: Path) -> None:
    first = open_page(reviewing)
    fill_in(first)
    first.pilot.qtbot.waitUntil(lambda: bool(saved(file)) and bool(saved(file)[0]["judgements"]))
    first.pilot.window.close()
    second = open_page(reviewing)
    assert second.answers == ["Pass", "Fail", ""]
    assert second.says("Fail: steps do not belong to the task, step 2, wrong app")
    assert note(second).toPlainText() == "look again"
    assert second.says("2 of 3 steps seen")
    assert ["not seen yet" in text for text in second.pilot.rows_of("Steps")] == [False, False, True]
    assert saved(file)[0]["seconds"] != 0


def test_submitted_answers_are_not_kept(reviewing: FakeReviewing, open_page: OpenPage, file: Path) -> None:
    first = open_page(reviewing)
    first.look_at_all()
    first.press("qazr")
    first.wait_for_open("Buy shoes")
    first.press("q")
    first.pilot.window.close()
    assert [sheet["episode"] for sheet in saved(file)] == [reviewing.submitted[0][0][:-1] + "2"]


def test_only_the_note_survives_a_changed_episode(reviewing: FakeReviewing, open_page: OpenPage) -> None:
    first = open_page(reviewing)
    fill_in(first)
    first.pilot.window.close()
    reviewing.change_instruction(reviewing.opened[0], "Set two alarms")
    second = open_page(reviewing)
    assert second.answers == ["", "", ""]
    assert second.says("Your answers were for an earlier version")
    assert note(second).toPlainText() == "look again"
    assert second.says("1 of 3 steps seen")


def test_answers_are_kept_by_dataset(reviewing: FakeReviewing, open_page: OpenPage, tmp_path: Path, file: Path) -> None:
    first = open_page(reviewing)
    first.press("q")
    first.pilot.window.close()
    other = FakeReviewing(tmp_path / "other")
    other.record("Set an alarm")
    second = open_page(other)
    assert second.answers == ["", "", ""]
    second.press("a")
    second.pilot.window.close()
    assert len(saved(file)) == 2


def test_unreadable_answers_are_skipped(
    reviewing: FakeReviewing, open_page: OpenPage, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = open_page(reviewing)
    first.press("q")
    first.pilot.window.close()
    valid = saved(file)[0]
    invalid = [{**valid, "seconds": seconds} for seconds in (-1, 1e300)]
    file.write_text(json.dumps({"version": 1, "sheets": ["x", *invalid, {**valid, "seen": [10**30]}, valid]}))
    second = open_page(reviewing)
    assert second.answers == ["Pass", "", ""]
    problems = {record.getMessage().rpartition(": ")[2] for record in caplog.records}
    assert problems == {"all of it", "seconds", "seen"}
    second.pilot.window.close()
    caplog.clear()
