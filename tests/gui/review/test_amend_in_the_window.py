"""Fixing an episode from the page and undoing it, checked in the files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QRadioButton, QSpinBox, QWidget

from odyssey_recorder.dataset.amendment import DropSteps, NewInstruction
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.history_card import HistoryCard
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.selection.index import EpisodeIndex
from tests.dataset.published_episode import InDataset, recorded, store_of
from tests.gui.inspection import faults
from tests.gui.pilot import Pilot
from tests.gui.review.reviewer import OpenReviews, Reviewer

SCREENSHOTS, STEPS, _WORDS = QUESTIONS.values()
OpenAsRosa = Callable[[], Reviewer]
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


def annotation_file(there: InDataset) -> Path:
    return there.root / "annotations" / f"{there.episode_id}.json"


def find_nothing(evidence: EpisodeEvidence) -> EpisodeReport:
    return EpisodeReport(evidence.episode.episode_id)


@pytest.fixture
def there(tmp_path: Path) -> InDataset:
    return recorded(tmp_path)


@pytest.fixture
def open_as_rosa(there: InDataset, open_reviews: OpenReviews, tmp_path: Path) -> OpenAsRosa:
    """Opens the episode of someone else in the window."""

    def open_it() -> Reviewer:
        found = open_reviews(rosa(there, tmp_path / "checks.sqlite"))
        found.pilot.qtbot.waitUntil(lambda: len(found.listed) == 1)
        found.open(0)
        return found

    return open_it


@pytest.fixture
def reviewer(open_as_rosa: OpenAsRosa) -> Reviewer:
    return open_as_rosa()


def rosa(there: InDataset, checks: Path) -> ReviewService:
    return ReviewService(EpisodeIndex(there.root, None), Checker(checks, 1, judge=find_nothing), lambda: "Rosa")


def test_an_unreadable_episode_comes_back_as_it_was_kept(there: InDataset, open_as_rosa: OpenAsRosa) -> None:
    Versions(there.root).amend(there.episode_id, NewInstruction(instruction="Note: milk"))
    whole = there.annotation()
    assert whole is not None
    annotation_file(there).write_bytes(whole[:200])
    reviewer = open_as_rosa()
    assert "Reviews cannot be read" not in reviewer.heard(0)
    assert reviewer.listed[0].startswith("Cannot be read: ")
    for words in ("No step to show", "The file of this episode is damaged", "expected JSON"):
        assert reviewer.says(words)
    reviewer.pilot.qtbot.waitUntil(lambda: faults(reviewer.pilot.window) == [])
    decide(reviewer, Qt.Key.Key_R, "Repair")
    reviewer.wait_for_text("Step 1 of 5")
    assert there.annotation() == whole
    assert not reviewer.says("The file of this episode is damaged")


def test_an_episode_without_an_end_is_sent_back(there: InDataset, open_as_rosa: OpenAsRosa) -> None:
    tree = json.loads(there.annotation() or b"")
    tree |= {"steps": tree["steps"][:-1], "step_length": 4}
    annotation_file(there).write_text(json.dumps(tree))
    reviewer = open_as_rosa()
    assert reviewer.says("Step 1 of 4")
    assert reviewer.says("no step ends the episode")
    reviewer.key(Qt.Key.Key_R, ALT)
    dialog = reviewer.pilot.dialog()
    assert faults(dialog) == []
    dialog.findChildren(QCheckBox)[0].click()
    dialog.findChildren(QRadioButton)[0].click()
    assert not any(one.isEnabled() for one in dialog.findChildren(QAbstractButton) if one.text() == "Repair")
    dialog.reject()
    activate(reviewer.pilot)
    reviewer.look_at_all()
    reviewer.press("qas1zv")
    reviewer.wait_for_text("Sent back")


def activate(pilot: Pilot) -> None:
    pilot.window.activateWindow()
    pilot.qtbot.waitUntil(pilot.window.isActiveWindow)


def data(there: InDataset) -> dict[str, bytes]:
    return {name: content for name, content in there.files().items() if not name.startswith("reviews")}


def test_a_step_is_dropped_by_keys_and_comes_back_byte_for_byte(reviewer: Reviewer, there: InDataset) -> None:
    before = data(there)
    reviewer.key(Qt.Key.Key_Right)
    decide(reviewer, Qt.Key.Key_D, "Drop steps")
    reviewer.wait_for_text("Step 2 of 4")
    assert len(store_of(there).load(there.episode_id).steps) == 4
    reviewer.key(Qt.Key.Key_5, ALT)
    history = reviewer.pilot.find(HistoryCard)
    assert history.isVisible()
    assert "Step 2 dropped\nWhy: nothing was changed" in history.words[0]
    assert faults(reviewer.pilot.window) == []
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.pilot.qtbot.waitUntil(lambda: "Undone: Step 2 dropped" in history.words[0])
    assert data(there) == before
    assert reviewer.says("Step 2 of 5")


def test_all_fixes_are_whole_in_the_smallest_window(reviewer: Reviewer) -> None:
    window = reviewer.pilot.window
    window.resize(1100, 700)
    reviewer.key(Qt.Key.Key_3, ALT)
    for name in (
        "Edit instruction",
        "Edit apps",
        "Edit end",
        "Edit note",
        "Edit text",
        "Change press",
        "Draw box",
        "Drop steps",
        "End here",
    ):
        button = reviewer.pilot.named(QWidget, name)
        reviewer.pilot.qtbot.waitUntil(button.isVisible)
        assert button.visibleRegion().boundingRect() == button.rect(), f"{name} is cut"
    assert faults(window) == []


def test_steps_that_come_back_were_not_seen_and_those_behind_them_were(reviewer: Reviewer) -> None:
    reviewer.look_at_all()
    reviewer.wait_for_text("5 of 5 steps seen")
    reviewer.key(Qt.Key.Key_Home)
    reviewer.key(Qt.Key.Key_Right)
    decide(reviewer, Qt.Key.Key_D, "Drop steps")
    reviewer.wait_for_text("4 of 4 steps seen")
    assert unseen(reviewer) == []
    reviewer.key(Qt.Key.Key_Home)
    reviewer.press("qaz")
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.wait_for_text("4 of 5 steps seen")
    reviewer.wait_to_be_ready()
    assert unseen(reviewer) == [1]
    reviewer.press("r")
    assert reviewer.says("You have not seen step 2 yet.")


def test_an_answer_that_names_a_dropped_step_stays_and_says_so(reviewer: Reviewer) -> None:
    reviewer.key(Qt.Key.Key_Right)
    reviewer.press("w2.s3,")
    decide(reviewer, Qt.Key.Key_D, "Drop steps")
    reviewer.wait_for_text("Since you answered, step 2 changed.")
    assert reviewer.pilot.named(QSpinBox, f"Step: {SCREENSHOTS}").text() == "No single step"
    assert reviewer.pilot.named(QSpinBox, f"Step: {STEPS}").text() == "Step 2"


def test_what_another_window_fixed_is_not_fixed_again(reviewer: Reviewer, there: InDataset, tmp_path: Path) -> None:
    other = rosa(there, tmp_path / "other.sqlite")
    present = other.open(there.episode_id).revision

    reviewer.key(Qt.Key.Key_Right)
    decide(
        reviewer,
        Qt.Key.Key_D,
        "Drop steps",
        meanwhile=lambda: other.fix(there.episode_id, DropSteps(first=1, last=1), "stray", present),
    )
    reviewer.wait_for_text("Step 2 of 4")
    reviewer.wait_to_be_ready()
    assert reviewer.says("The episode was not changed.")
    assert len(store_of(there).load(there.episode_id).steps) == 4


def decide(reviewer: Reviewer, key: Qt.Key, button: str, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Open the dialog of Alt and a key, take the first reason and press a button."""
    reviewer.key(key, ALT)
    dialog = reviewer.pilot.dialog()
    assert faults(dialog) == []
    dialog.findChildren(QRadioButton)[0].click()
    meanwhile()
    reviewer.pilot.press_in(dialog, button)
    reviewer.pilot.wait_to_close(dialog)
    activate(reviewer.pilot)  # window systems do this themselves when a dialog closes


def unseen(reviewer: Reviewer) -> list[int]:
    return [step for step, words in enumerate(reviewer.pilot.rows_of("Steps")) if "not seen yet" in words]
