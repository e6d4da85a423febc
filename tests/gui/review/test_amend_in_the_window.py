"""A reviewer fixes an episode from the page, by keys, and takes it back: the files say so."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QRadioButton, QWidget

from odyssey_recorder.gui.review.history_card import HistoryCard
from odyssey_recorder.gui.workplace import Workplace, load_pages
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.review_desk import ReviewDesk
from tests.dataset.published_episode import InDataset, recorded, store_of
from tests.gui.inspection import faults
from tests.gui.pilot import Pilot
from tests.gui.review.reviewer import Reviewer

ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


def find_nothing(evidence: EpisodeEvidence) -> EpisodeReport:
    return EpisodeReport(evidence.episode.episode_id)


@pytest.fixture
def there(tmp_path: Path) -> InDataset:
    return recorded(tmp_path)


@pytest.fixture
def reviewer(there: InDataset, open_at: Callable[[Workplace], Pilot], tmp_path: Path) -> Reviewer:
    """Rosa, with the episode open that somebody else has recorded."""
    load_pages()
    desk = ReviewDesk(there.root, Checker(tmp_path / "checks.sqlite", 1, judge=find_nothing), lambda: "Rosa")
    pilot = open_at(Workplace(review=lambda: desk))
    pilot.press("Review")
    activate(pilot)
    found = Reviewer(pilot)
    pilot.qtbot.waitUntil(lambda: len(found.listed) == 1, timeout=10_000)
    found.open(0)
    return found


def activate(pilot: Pilot) -> None:
    pilot.window.activateWindow()
    pilot.qtbot.waitUntil(pilot.window.isActiveWindow)


def key(reviewer: Reviewer, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(reviewer.pilot.window, key, modifier)


def steps(there: InDataset) -> int:
    return len(store_of(there).load(there.episode_id).steps)


def data(there: InDataset) -> dict[str, bytes]:
    """The files of the dataset without those of its reviews."""
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
    activate(pilot)  # which window systems do by themselves when a dialog closes
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
    names = ("Instruction", "End's words", "Note", "Text", "Press", "Box", "Drop", "End here")
    for name in names:
        button = reviewer.pilot.named(QWidget, name)
        reviewer.pilot.qtbot.waitUntil(button.isVisible)
        assert button.visibleRegion().boundingRect() == button.rect(), f"{name} is cut"
    assert faults(window) == []
