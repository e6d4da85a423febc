"""Fixing an episode from the page and undoing it, checked in the files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QRadioButton, QSpinBox, QWidget

from odyssey_recorder.dataset.amendment import DropSteps, NewInstruction
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.history_card import HistoryCard
from odyssey_recorder.gui.step_strip import StepStrip
from odyssey_recorder.gui.workplace import Workplace, load_pages
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.review_service import ReviewService
from tests.dataset.published_episode import InDataset, recorded, store_of
from tests.gui.inspection import faults
from tests.gui.pilot import Pilot
from tests.gui.review.reviewer import Reviewer

PICTURES, STEPS, _WORDS = QUESTIONS.values()
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


def find_nothing(evidence: EpisodeEvidence) -> EpisodeReport:
    return EpisodeReport(evidence.episode.episode_id)


@pytest.fixture
def there(tmp_path: Path) -> InDataset:
    return recorded(tmp_path)


@pytest.fixture
def reviewer(there: InDataset, open_at: Callable[[Workplace], Pilot], tmp_path: Path) -> Reviewer:
    """Rosa, with someone else's episode open."""
    load_pages()
    service = ReviewService(there.root, Checker(tmp_path / "checks.sqlite", 1, judge=find_nothing), lambda: "Rosa")
    pilot = open_at(Workplace(review=lambda: service))
    pilot.press("Review")
    activate(pilot)
    found = Reviewer(pilot)
    pilot.qtbot.waitUntil(lambda: len(found.listed) == 1, timeout=10_000)
    found.open(0)
    return found


def open_damaged(there: InDataset, open_at: Callable[[Workplace], Pilot], tmp_path: Path, data: bytes) -> Reviewer:
    (there.root / "annotations" / f"{there.episode_id}.json").write_bytes(data)
    load_pages()
    service = ReviewService(there.root, Checker(tmp_path / "checks.sqlite", 1, judge=find_nothing), lambda: "Rosa")
    pilot = open_at(Workplace(review=lambda: service))
    pilot.press("Review")
    activate(pilot)
    found = Reviewer(pilot)
    pilot.qtbot.waitUntil(lambda: len(found.listed) == 1, timeout=10_000)
    found.open(0)
    return found


def test_an_unreadable_episode_says_why_and_comes_back_from_its_kept_version(
    there: InDataset, open_at: Callable[[Workplace], Pilot], tmp_path: Path
) -> None:
    Versions(there.root).amend(there.episode_id, NewInstruction(instruction="Note: milk"))
    whole = there.annotation()
    assert whole is not None
    reviewer = open_damaged(there, open_at, tmp_path, whole[:200])
    pilot = reviewer.pilot
    assert "Its reviews cannot be read" not in reviewer.heard(0)
    assert reviewer.listed[0].startswith("Cannot be read: ")
    assert pilot.says("No step can be shown")
    assert pilot.says("The file of this episode is damaged")
    assert pilot.says("expected JSON")
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    key(reviewer, Qt.Key.Key_R, ALT)
    dialog = pilot.dialog()
    assert faults(dialog) == []
    dialog.findChildren(QRadioButton)[0].click()
    pilot.press_in(dialog, "Repair")
    pilot.qtbot.waitUntil(lambda: pilot.says("Step 0 of 5"), timeout=10_000)
    assert there.annotation() == whole
    assert not pilot.says("The file of this episode is damaged")


def test_an_episode_without_an_end_shows_its_steps_and_is_sent_back(
    there: InDataset, open_at: Callable[[Workplace], Pilot], tmp_path: Path
) -> None:
    tree = json.loads(there.annotation() or b"")
    tree |= {"steps": tree["steps"][:-1], "step_length": 4}
    reviewer = open_damaged(there, open_at, tmp_path, json.dumps(tree).encode())
    pilot = reviewer.pilot
    assert pilot.says("Step 0 of 4")
    assert pilot.says("no step ends the episode")
    key(reviewer, Qt.Key.Key_R, ALT)
    dialog = pilot.dialog()
    assert faults(dialog) == []
    dialog.findChildren(QCheckBox)[0].click()
    dialog.findChildren(QRadioButton)[0].click()
    assert not any(one.isEnabled() for one in dialog.findChildren(QAbstractButton) if one.text() == "Repair")
    dialog.reject()
    activate(pilot)
    reviewer.look_at_all()
    reviewer.press("qas1zv")
    pilot.qtbot.waitUntil(lambda: pilot.says("Sent back"), timeout=10_000)


def activate(pilot: Pilot) -> None:
    pilot.window.activateWindow()
    pilot.qtbot.waitUntil(pilot.window.isActiveWindow)


def key(reviewer: Reviewer, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(reviewer.pilot.window, key, modifier)


def steps(there: InDataset) -> int:
    return len(store_of(there).load(there.episode_id).steps)


def data(there: InDataset) -> dict[str, bytes]:
    return {name: content for name, content in there.files().items() if not name.startswith("reviews")}


def test_a_step_is_dropped_by_keys_and_comes_back_byte_for_byte(reviewer: Reviewer, there: InDataset) -> None:
    pilot, before = reviewer.pilot, data(there)
    key(reviewer, Qt.Key.Key_Right)
    key(reviewer, Qt.Key.Key_D, ALT)
    dialog = pilot.dialog()
    assert faults(dialog) == []
    dialog.findChildren(QRadioButton)[0].click()
    pilot.press_in(dialog, "Drop")
    pilot.qtbot.waitUntil(lambda: pilot.says("Step 1 of 4"), timeout=10_000)
    assert steps(there) == 4
    activate(pilot)  # window systems do this themselves when a dialog closes
    key(reviewer, Qt.Key.Key_5, ALT)
    history = pilot.find(HistoryCard)
    assert history.isVisible()
    assert "Step 1 dropped\nWhy: nothing was changed" in history.words[0]
    assert faults(pilot.window) == []
    key(reviewer, Qt.Key.Key_Z, CTRL)
    pilot.qtbot.waitUntil(lambda: "Taken back: Step 1 dropped" in history.words[0], timeout=10_000)
    assert data(there) == before
    assert pilot.says("Step 1 of 5")


def test_all_fixes_are_whole_in_the_smallest_window(reviewer: Reviewer) -> None:
    window = reviewer.pilot.window
    window.resize(1100, 700)
    key(reviewer, Qt.Key.Key_3, ALT)
    names = ("Instruction", "Apps", "End's words", "Note", "Text", "Press", "Box", "Drop", "End here")
    for name in names:
        button = reviewer.pilot.named(QWidget, name)
        reviewer.pilot.qtbot.waitUntil(button.isVisible)
        assert button.visibleRegion().boundingRect() == button.rect(), f"{name} is cut"
    assert faults(window) == []


def test_steps_that_come_back_were_not_seen_and_those_behind_them_were(reviewer: Reviewer) -> None:
    pilot = reviewer.pilot
    reviewer.look_at_all()
    pilot.qtbot.waitUntil(lambda: pilot.says("5 of 5 steps seen"))
    key(reviewer, Qt.Key.Key_Home)
    key(reviewer, Qt.Key.Key_Right)
    drop(reviewer)
    pilot.qtbot.waitUntil(lambda: pilot.says("4 of 4 steps seen"), timeout=10_000)
    assert unseen(reviewer) == []
    key(reviewer, Qt.Key.Key_Home)
    reviewer.press("qaz")
    key(reviewer, Qt.Key.Key_Z, CTRL)
    pilot.qtbot.waitUntil(lambda: pilot.says("4 of 5 steps seen"), timeout=10_000)
    reviewer.wait_to_be_ready()
    assert unseen(reviewer) == [1]
    reviewer.press("r")
    assert pilot.says("You have not seen step 1 yet.")


def test_an_answer_that_names_a_dropped_step_stays_and_says_so(reviewer: Reviewer) -> None:
    pilot = reviewer.pilot
    key(reviewer, Qt.Key.Key_Right)
    reviewer.press("w2")
    reviewer.press(".")
    reviewer.press("s3")
    key(reviewer, Qt.Key.Key_Left)
    drop(reviewer)
    pilot.qtbot.waitUntil(
        lambda: pilot.says("You named step 1, which is not there any more as it was."), timeout=10_000
    )
    assert pilot.named(QSpinBox, f"Step: {PICTURES}").text() == "No one step"
    assert pilot.named(QSpinBox, f"Step: {STEPS}").text() == "Step 1"


def test_what_was_fixed_in_another_window_is_not_fixed_again(
    reviewer: Reviewer, there: InDataset, tmp_path: Path
) -> None:
    pilot = reviewer.pilot
    key(reviewer, Qt.Key.Key_Right)
    key(reviewer, Qt.Key.Key_D, ALT)
    dialog = pilot.dialog()
    dialog.findChildren(QRadioButton)[0].click()
    other = ReviewService(there.root, Checker(tmp_path / "other.sqlite", 1, judge=find_nothing), lambda: "Rosa")
    other.fix(there.episode_id, DropSteps(first=1, last=1), "stray", other.open(there.episode_id).revision)
    pilot.press_in(dialog, "Drop")
    pilot.qtbot.waitUntil(lambda: pilot.says("Step 1 of 4"), timeout=10_000)
    reviewer.wait_to_be_ready()
    assert pilot.says("The episode was not changed.")
    assert steps(there) == 4


def drop(reviewer: Reviewer) -> None:
    key(reviewer, Qt.Key.Key_D, ALT)
    dialog = reviewer.pilot.dialog()
    dialog.findChildren(QRadioButton)[0].click()
    reviewer.pilot.press_in(dialog, "Drop")
    reviewer.pilot.qtbot.waitUntil(lambda: not dialog.isVisible())
    activate(reviewer.pilot)  # window systems do this themselves when a dialog closes


def unseen(reviewer: Reviewer) -> list[int]:
    film = reviewer.pilot.named(StepStrip, "Steps").model()
    spoken = [str(film.index(step, 0).data(Qt.ItemDataRole.AccessibleTextRole)) for step in range(film.rowCount())]
    return [step for step, words in enumerate(spoken) if "not looked at yet" in words]
