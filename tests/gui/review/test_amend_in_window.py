"""Fixing an episode from the page and undoing it, checked in the files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QRadioButton, QSpinBox, QWidget

from odyssey_recorder.annotation.alternatives import read_alternatives
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.amendment import DropSteps, NewInstruction
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_published
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.history_card import HistoryCard
from odyssey_recorder.gui.screen.box_canvas import BoxCanvas
from odyssey_recorder.model.action import describe
from odyssey_recorder.model.geometry import Box
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.review import ReviewService
from tests.dataset.published_episode import PublishedEpisode, store_of
from tests.gui.inspection import faults
from tests.gui.pilot import button_in
from tests.gui.review.reviewer import OpenReviews, Reviewer
from tests.review.review_dataset import FakeChecks

SCREENSHOTS, STEPS, _INSTRUCTION = QUESTIONS.values()
OpenAsRosa = Callable[[], Reviewer]
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def open_as_rosa(published: PublishedEpisode, open_reviews: OpenReviews, tmp_path: Path) -> OpenAsRosa:
    """Opens the episode, recorded by someone else, in the window."""

    def open_episode() -> Reviewer:
        reviewer = open_reviews(service_of_rosa(published, tmp_path / "checks.sqlite"))
        reviewer.pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 1)
        reviewer.open(0)
        return reviewer

    return open_episode


@pytest.fixture
def reviewer(open_as_rosa: OpenAsRosa) -> Reviewer:
    return open_as_rosa()


def service_of_rosa(published: PublishedEpisode, checks: Path) -> ReviewService:
    return ReviewService(EpisodeIndex(published.root, None), Checker(checks, 1, judge=FakeChecks()), lambda: "Rosa")


def test_unreadable_episode_is_repaired_from_its_last_version(
    published: PublishedEpisode, open_as_rosa: OpenAsRosa
) -> None:
    Versions(published.root).amend(published.episode_id, NewInstruction(instruction="Note: milk"))
    content = published.annotation()
    assert content is not None
    (published.root / annotation_path(published.episode_id)).write_bytes(content[:200])
    reviewer = open_as_rosa()
    assert "Reviews cannot be read" not in reviewer.row_text(0)
    assert reviewer.listed[0].startswith("Cannot be read: ")
    for text in ("No step to show", "The file of this episode is damaged", "expected JSON"):
        assert reviewer.says(text)
    reviewer.pilot.qtbot.waitUntil(lambda: faults(reviewer.pilot.window) == [])
    decide(reviewer, Qt.Key.Key_R, "Repair")
    reviewer.wait_for_text("Step 1 of 5")
    assert published.annotation() == content
    assert not reviewer.says("The file of this episode is damaged")


def test_episode_without_an_end_can_be_sent_back(published: PublishedEpisode, open_as_rosa: OpenAsRosa) -> None:
    tree = json.loads(published.annotation() or b"")
    tree |= {"steps": tree["steps"][:-1], "step_length": 4}
    (published.root / annotation_path(published.episode_id)).write_text(json.dumps(tree))
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
    reviewer.pilot.activate()
    reviewer.look_at_all()
    reviewer.press("qas1zv")
    reviewer.wait_for_text("Sent back. It has no task in the queue, so tell ann yourself: ")


def test_another_action_is_accepted_at_a_step_and_withdrawn(reviewer: Reviewer, published: PublishedEpisode) -> None:
    before = dataset_files(published)

    def also_right(action: str, *boxes: Box) -> None:
        reviewer.key(Qt.Key.Key_O, ALT)
        dialog = reviewer.pilot.dialog()
        choice = dialog.findChildren(QComboBox)[0]
        choice.setCurrentIndex(choice.findText(action))
        for box in boxes:
            dialog.findChildren(BoxCanvas)[0].drawn.emit(box)
        assert faults(dialog) == []
        dialog.findChildren(QRadioButton)[0].click()
        reviewer.pilot.qtbot.waitUntil(button_in(dialog, "Accept").isEnabled)
        reviewer.pilot.press_in(dialog, "Accept")
        reviewer.pilot.wait_to_close(dialog)
        reviewer.pilot.activate()

    def accepted() -> list[str]:
        found = open_published(published.root / annotation_path(published.episode_id))
        return [describe(one.action) for one in read_alternatives(published.root, found).get(0, ())]

    also_right("Back")
    reviewer.wait_for_text("Also right (Rosa): Press Back")
    reviewer.wait_to_be_ready()
    also_right("Click in the box", Box(0, 0, 36, 64))
    reviewer.pilot.qtbot.waitUntil(lambda: len(accepted()) == 2)
    assert accepted() == ["BACK", "CLICK 250, 250"]
    assert dataset_files(published) == before | {
        one: text for one, text in published.files().items() if "semantics" in one
    }
    reviewer.wait_to_be_ready()
    also_right("None: take back the accepted actions")
    reviewer.pilot.qtbot.waitUntil(lambda: accepted() == [])


def dataset_files(published: PublishedEpisode) -> dict[str, bytes]:
    return {name: content for name, content in published.files().items() if not name.startswith("reviews")}


def test_undo_restores_a_dropped_step_byte_for_byte(reviewer: Reviewer, published: PublishedEpisode) -> None:
    before = dataset_files(published)
    reviewer.key(Qt.Key.Key_Right)
    decide(reviewer, Qt.Key.Key_D, "Drop steps")
    reviewer.wait_for_text("Step 2 of 4")
    assert len(store_of(published).load(published.episode_id).steps) == 4
    reviewer.key(Qt.Key.Key_5, ALT)
    assert reviewer.pilot.find(HistoryCard).isVisible()
    assert reviewer.says("Step 2 dropped\nWhy: nothing was changed")
    assert faults(reviewer.pilot.window) == []
    reviewer.key(Qt.Key.Key_Z, CTRL)
    reviewer.wait_for_text("Undone: Step 2 dropped")
    assert dataset_files(published) == before
    assert reviewer.says("Step 2 of 5")


def test_fix_buttons_fit_the_smallest_window(reviewer: Reviewer) -> None:
    window = reviewer.pilot.window
    window.resize(1100, 700)
    reviewer.key(Qt.Key.Key_3, ALT)
    for name in (
        "Edit instruction", "Edit apps", "Edit end", "Edit note", "Edit text", "Change press", "Draw box", "Drop steps",
        "End here",
    ):  # fmt: skip
        button = reviewer.pilot.named(QWidget, name)
        reviewer.pilot.qtbot.waitUntil(button.isVisible)
        assert button.visibleRegion().boundingRect() == button.rect(), f"{name} is cut"
    assert faults(window) == []


def test_only_restored_steps_count_as_not_seen(reviewer: Reviewer) -> None:
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


def test_fixed_episode_is_accepted_with_its_answers(reviewer: Reviewer, published: PublishedEpisode) -> None:
    reviewer.look_at_all()
    reviewer.key(Qt.Key.Key_Home)
    reviewer.press("qazf")
    reviewer.wait_for_text("You have not fixed anything in this episode")
    reviewer.wait_to_be_ready()
    decide(reviewer, Qt.Key.Key_D, "Drop steps")
    reviewer.wait_for_text("4 of 4 steps seen")
    reviewer.wait_to_be_ready()
    assert reviewer.answers == ["Pass", "Pass", "Pass"]
    reviewer.press("f")
    reviewer.wait_for_text("Saved. ")
    [verdict] = ReviewStore(published.root).read(published.episode_id).verdicts
    assert verdict.decision is Decision.FIX_AND_ACCEPT


def test_answer_naming_a_dropped_step_says_it_changed(reviewer: Reviewer) -> None:
    reviewer.key(Qt.Key.Key_Right)
    reviewer.press("w2.s3,")
    decide(reviewer, Qt.Key.Key_D, "Drop steps")
    reviewer.wait_for_text("Since you answered, step 2 changed.")
    assert reviewer.pilot.named(QSpinBox, f"Step: {SCREENSHOTS}").text() == "No single step"
    assert reviewer.pilot.named(QSpinBox, f"Step: {STEPS}").text() == "Step 2"


def test_fix_is_not_applied_after_a_concurrent_fix(
    reviewer: Reviewer, published: PublishedEpisode, tmp_path: Path
) -> None:
    other = service_of_rosa(published, tmp_path / "other.sqlite")
    revision = other.open(published.episode_id).revision
    reviewer.key(Qt.Key.Key_Right)
    decide(
        reviewer,
        Qt.Key.Key_D,
        "Drop steps",
        meanwhile=lambda: other.fix(published.episode_id, DropSteps(first=1, last=1), "stray", revision),
    )
    reviewer.wait_for_text("Step 2 of 4")
    reviewer.wait_to_be_ready()
    assert reviewer.says("The episode was not changed.")
    assert len(store_of(published).load(published.episode_id).steps) == 4


def decide(reviewer: Reviewer, key: Qt.Key, button: str, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Open the dialog of Alt and a key, take the first reason and press a button."""
    reviewer.key(key, ALT)
    dialog = reviewer.pilot.dialog()
    assert faults(dialog) == []
    dialog.findChildren(QRadioButton)[0].click()
    meanwhile()
    reviewer.pilot.press_in(dialog, button)
    reviewer.pilot.wait_to_close(dialog)
    reviewer.pilot.activate()


def unseen(reviewer: Reviewer) -> list[int]:
    return [step for step, text in enumerate(reviewer.pilot.rows_of("Steps")) if "not seen yet" in text]
