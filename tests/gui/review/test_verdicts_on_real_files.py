"""Verdicts given in the window and stored in the dataset's files."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QRadioButton

from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.workplace import Workplace, load_pages
from odyssey_recorder.quality.finding import Severity
from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.gui.pilot import Pilot
from tests.gui.review.reviewer import Reviewer
from tests.test_review_service import Checks, Place

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """One episode, not drawn into the sample."""
    place = Place(tmp_path / "dataset", Checks())
    place.record()
    place.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    return place


@pytest.fixture
def sit_down(open_at: Callable[[Workplace], Pilot], place: Place) -> Callable[[str], Reviewer]:

    def sit_down(name: str) -> Reviewer:
        load_pages()
        pilot = open_at(Workplace(review=lambda: place.service(name)))
        pilot.press("Review")
        pilot.window.activateWindow()
        pilot.qtbot.waitUntil(pilot.window.isActiveWindow)
        reviewer = Reviewer(pilot)
        pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 1)
        pilot.qtbot.waitUntil(lambda: "Not checked yet" not in reviewer.heard(0))
        return reviewer

    return sit_down


@pytest.mark.parametrize(
    ("keys", "decision", "told"),
    [
        ("qazr", Decision.ACCEPT, "Accepted: "),
        ("qs1zv", Decision.SEND_BACK, "Sent back; it was recorded for no task of a list, so tell ann yourself: "),
        ("w5az", Decision.REJECT, "Rejected, and moved to the trash: "),
    ],
)
def test_a_decision_is_kept_by_the_name_of_the_reviewer(
    place: Place, sit_down: Callable[[str], Reviewer], keys: str, decision: Decision, told: str
) -> None:
    reviewer = sit_down("Bea")
    [judged] = reviewer.ids
    reviewer.open(0)
    reviewer.look_at_all()
    reviewer.press(keys)
    if decision is Decision.REJECT:
        QTest.keyClick(reviewer.pilot.window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    reviewer.wait_to_read(told)
    reviewer.wait_to_read("Nothing waits for you.")
    [kept] = place.reviews.read(judged).verdicts
    assert (kept.by, kept.decision) == ("Bea", decision)
    assert place.annotation(judged).exists() is (decision is not Decision.REJECT)


def test_who_recorded_them_finds_nothing_to_do(place: Place, open_at: Callable[[Workplace], Pilot]) -> None:
    load_pages()
    pilot = open_at(Workplace(review=lambda: place.service("Ann")))
    pilot.press("Review")
    pilot.qtbot.waitUntil(lambda: pilot.says("0 for you · 0 of 1 episode"))
    assert pilot.says("Nothing waits for you.")


def test_what_has_a_warning_is_judged_by_a_second_one_who_sees_nothing_of_the_first(
    place: Place, sit_down: Callable[[str], Reviewer]
) -> None:
    place.checks.found = {path.stem: Severity.WARNING for path in (place.root / "annotations").glob("*.json")}
    reviewer = sit_down("Bea")
    reviewer.open(0)
    reviewer.look_at_all()
    reviewer.press("qaxr")
    reviewer.press("1v")
    reviewer.wait_to_read("Kept; a second reviewer judges it too (has warnings): ")
    second = sit_down("Cem")
    second.pilot.qtbot.waitUntil(lambda: "Second review" in second.heard(0))
    second.open(0)
    second.wait_to_read("Second review. You do not see what the first reviewer said.")
    assert not second.pilot.says("Bea")


def test_an_error_that_the_checks_found_is_no_ground_to_accept(
    place: Place, sit_down: Callable[[str], Reviewer]
) -> None:
    place.checks.found = {path.stem: Severity.ERROR for path in (place.root / "annotations").glob("*.json")}
    reviewer = sit_down("Bea")
    reviewer.open(0)
    reviewer.look_at_all()
    reviewer.press("qazr")
    reviewer.wait_to_read("With an error an episode is not accepted")
    assert place.reviews.read(reviewer.ids[0]).entries == ()


def test_a_fix_is_made_and_accepted_by_keys(place: Place, sit_down: Callable[[str], Reviewer]) -> None:
    reviewer = sit_down("Bea")
    reviewer.open(0)
    fixed = reviewer.ids[0]
    reviewer.look_at_all()
    QTest.keyClick(reviewer.pilot.window, Qt.Key.Key_Home)
    reviewer.press("qazf")
    reviewer.wait_to_read("You have fixed nothing in this episode")
    reviewer.wait_to_be_ready()
    QTest.keyClick(reviewer.pilot.window, Qt.Key.Key_D, ALT)
    dialog = reviewer.pilot.dialog()
    dialog.findChildren(QRadioButton)[0].click()
    reviewer.pilot.press_in(dialog, "Drop")
    reviewer.wait_to_read("4 of 4 steps seen")
    reviewer.pilot.window.activateWindow()  # window systems do this themselves when a dialog closes
    reviewer.pilot.qtbot.waitUntil(reviewer.pilot.window.isActiveWindow)
    reviewer.wait_to_be_ready()
    assert [reviewer.chosen(question) for question in QUESTIONS.values()] == ["Pass", "Pass", "Pass"]
    reviewer.press("f")
    reviewer.wait_to_read("Accepted: ")
    assert place.reviews.read(fixed).verdicts[0].decision is Decision.FIX_AND_ACCEPT
