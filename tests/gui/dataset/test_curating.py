"""Retiring, duplicates and redaction on the Dataset page, on real files."""

from functools import partial
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QListView, QTableView, QWidget

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.curation.redaction import read_redaction
from odyssey_recorder.curation.retired import read_retired
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.dataset.facet_pane import FacetPane
from odyssey_recorder.gui.dataset.redacting import RedactDialog, RedactingViewer
from odyssey_recorder.gui.dataset.retiring import DuplicatesDialog
from odyssey_recorder.gui.screen.box_canvas import BoxCanvas
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.services.review_files import trashed_episodes
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.checking.verdicts import judgements
from tests.gui.dataset.page_driver import DatasetDriver
from tests.gui.inspection import faults
from tests.gui.item_views import row_texts
from tests.gui.pilot import OpenAt, button_in

IDS = [FIRST, SECOND, THIRD]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "dataset", *IDS)
    return tmp_path / "dataset"


@pytest.fixture
def who() -> list[str]:
    """The name of the person at the window."""
    return ["Rosa"]


@pytest.fixture
def page(open_at: OpenAt, root: Path, tmp_path: Path, who: list[str]) -> DatasetDriver:
    """With the three episodes listed."""
    dataset = partial(EpisodeIndex, root, tmp_path / "index")
    pilot = open_at(
        Workplace(dataset=dataset, review=lambda: ReviewService(dataset(), Checker(None, 1), lambda: who[0]))
    )
    pilot.press("Dataset")
    page = DatasetDriver(pilot)
    page.wait_for_count(3)
    return page


def test_list_is_level_with_the_facets(page: DatasetDriver) -> None:
    tops = [part.mapTo(page.pilot.window, QPoint()).y() for part in (page.filter_line, page.pilot.find(FacetPane))]
    assert tops[0] == tops[1], "nothing is above it while there is no message"


def select_two(page: DatasetDriver) -> None:
    page.table.selectRow(0)
    QTest.keyClick(page.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)


def retire_two(page: DatasetDriver) -> None:
    select_two(page)
    page.pilot.press("Retire")
    dialog = page.pilot.dialog()
    assert page.pilot.says("Retire 2 episodes?")
    listed = [one for one in IDS if page.pilot.says(f"{one}: Write {one}")]
    assert len(listed) == 2, "with their instructions"
    reason = page.pilot.line("Another reason")
    reason.setFocus()
    QTest.keyClicks(reason, "blurred")
    assert not faults(dialog)
    page.pilot.press_in(dialog, "Retire")
    page.wait_for_count(1)


def test_retiring_needs_a_reason_and_can_be_undone(page: DatasetDriver, root: Path) -> None:
    retire_two(page)
    page.pilot.wait_for_text("2 episodes retired.")
    assert not page.pilot.says("2 selected")
    assert {one.reason for one in read_retired(root).values()} == {"blurred"}
    assert page.pilot.says("1 episode")
    page.pilot.press_in(page.pilot.window, "Undo")
    page.wait_for_count(3)
    assert read_retired(root) == {}


def test_sending_to_review_can_be_undone(page: DatasetDriver, root: Path) -> None:
    def requested() -> list[str]:
        return [one for one in IDS if ReviewStore(root).read(one).requests]

    select_two(page)
    page.pilot.press("Send to review")
    dialog = page.pilot.dialog()
    assert page.pilot.says("Send 2 episodes to review?")
    assert not faults(dialog)
    page.pilot.named(QAbstractButton, "Looks wrong").click()
    page.pilot.press_in(dialog, "Send to review")
    page.pilot.wait_for_text("2 episodes sent to review, 0 left out.")
    assert len(requested()) == 2
    assert {one.why for one in ReviewStore(root).read(requested()[0]).requests} == {"Looks wrong"}
    page.pilot.press_in(page.pilot.window, "Undo")
    page.pilot.qtbot.waitUntil(lambda: requested() == [])


def test_own_episodes_are_withdrawn_and_restored(page: DatasetDriver, root: Path, who: list[str]) -> None:
    who[0] = "Ada"
    select_two(page)
    page.pilot.press("Withdraw")
    dialog = page.pilot.dialog()
    assert not faults(dialog)
    page.pilot.named(QAbstractButton, "Recorded by mistake").click()
    page.pilot.press_in(dialog, "Withdraw")
    page.wait_for_count(1)
    page.pilot.wait_for_text("2 episodes moved to the trash.")
    page.pilot.press_in(page.pilot.window, "Undo")
    page.wait_for_count(3)
    select_two(page)
    page.pilot.press("Withdraw")
    page.pilot.named(QAbstractButton, "A step is wrong").click()
    page.pilot.press_in(page.pilot.dialog(), "Withdraw")
    page.wait_for_count(1)
    page.pilot.press("Trash")
    trash = page.pilot.dialog()
    table = page.pilot.named(QTableView, "Trash")
    assert [row[1:3] for row in row_texts(table)] == [["Ada", "A step is wrong"]] * 2
    assert not faults(trash)
    table.selectAll()
    page.pilot.press_in(trash, "Restore")
    page.pilot.wait_for_text("2 episodes restored, to be reviewed again.")
    page.wait_for_count(3)
    assert trashed_episodes(root) == []


def test_lead_plants_a_control_with_a_defect_and_removes_it(page: DatasetDriver, root: Path) -> None:
    for reviewer in ("Bea", "Cleo"):
        service = ReviewService(EpisodeIndex(root, None), Checker(None, 1), partial(str, reviewer))
        for episode_id in IDS:
            service.judge(episode_id, Decision.ACCEPT, judgements("ppp"))
    select_two(page)
    page.pilot.press("Controls")
    dialog = page.pilot.dialog()
    assert page.pilot.says("No control episodes yet")
    assert not faults(dialog)
    page.pilot.named(QComboBox, "Added episodes are shown to reviewers").setCurrentIndex(2)
    page.pilot.press_in(dialog, "Add 2 selected episodes")
    page.pilot.wait_for_text("2 control episodes added, 0 left out.")
    page.pilot.press("Controls")
    dialog = page.pilot.dialog()
    table = page.pilot.named(QTableView, "Control episodes")
    assert [row[:3] for row in row_texts(table)] == [["A step is left out", "Rosa", "0"]] * 2
    assert not faults(dialog)
    table.selectRow(0)
    page.pilot.press_in(dialog, "Remove")
    page.pilot.wait_for_text("1 control episode removed.")


def test_retired_episodes_can_be_listed_and_restored(page: DatasetDriver, root: Path) -> None:
    retire_two(page)
    page.type_filter("is:retired")
    page.wait_for_count(2)
    page.table.selectAll()
    page.pilot.press("Restore")
    page.pilot.press_in(page.pilot.dialog(), "Restore")
    page.wait_for_count(0)
    assert read_retired(root) == {}
    assert not any(map(page.pilot.is_enabled, ("Retire", "Restore", "Send to review", "Withdraw"))), "nothing is listed"
    page.pilot.press_in(page.pilot.window, "Undo")
    page.wait_for_count(2)
    assert {one.reason for one in read_retired(root).values()} == {"blurred"}, "as it was, with its reason"


def test_duplicates_are_grouped_and_all_but_the_best_retired(page: DatasetDriver, root: Path) -> None:
    for one in (SECOND, THIRD):
        path = root / f"annotations/{one}.json"
        path.write_text(path.read_text().replace(f"Write {one}", f"Write {FIRST}"))
    page.pilot.press("Find duplicates")
    dialog = page.pilot.find(DuplicatesDialog)
    page.pilot.wait_for_text("1 group of possible duplicates")
    table = page.pilot.named(QTableView, "Duplicates")
    listed = [row[1:3] for row in row_texts(table)]
    assert listed == [["keep: lowest id", FIRST], ["retire", SECOND], ["retire", THIRD]]
    assert not faults(dialog)
    table.selectRow(1)
    page.pilot.press_in(dialog, "Retire the rest…")
    page.pilot.wait_for_text("Retire 2 episodes?")
    page.pilot.press_in(page.pilot.dialog(), "Retire")
    page.wait_for_count(1)
    assert {one: retired.superseded_by for one, retired in read_retired(root).items()} == {SECOND: FIRST, THIRD: FIRST}


def test_search_for_duplicates_can_be_stopped(page: DatasetDriver, root: Path) -> None:
    def check_until_cancelled(progress: Progress, cancelled: Cancelled) -> list[EpisodeReport]:
        progress(0.5, "2 of 4 episodes")
        while not cancelled():
            Event().wait(0.01)
        raise CancelledError("The check was cancelled.")

    background = page.pilot.controller.background
    dialog = DuplicatesDialog(EpisodeIndex(root, None), check_until_cancelled, background, page.pilot.window)
    dialog.open()
    page.pilot.wait_for_text("2 of 4 episodes")
    assert not faults(dialog)
    page.pilot.press_in(dialog, "Cancel")
    page.pilot.wait_for_text("The search did not finish")

    page.pilot.choice("Find duplicates by").setCurrentIndex(1)
    page.pilot.wait_for_text("2 of 4 episodes")
    dialog.reject()
    page.pilot.qtbot.waitUntil(lambda: not background.jobs)


def test_redaction_is_shown_and_removed_without_changing_files(page: DatasetDriver, root: Path) -> None:
    page.table.selectRow(2)
    before = (root / f"screenshots/{FIRST}_0.png").read_bytes()
    steps = page.pilot.named(QListView, "Steps of the episode")
    page.pilot.qtbot.waitUntil(lambda: steps.model().rowCount() == 3)
    page.pilot.wait_for_text(FIRST)
    steps.setCurrentIndex(steps.model().index(0, 0))
    QTest.keyClick(steps, Qt.Key.Key_Space)
    viewer = page.pilot.find(RedactingViewer)
    page.pilot.press_in(viewer, "Redact…")
    dialog = page.pilot.find(RedactDialog)
    canvas = page.pilot.named(BoxCanvas, "Screenshot with the box")
    page.pilot.qtbot.waitUntil(lambda: bool(canvas.accessibleDescription()))
    redact = button_in(dialog, "Redact")
    assert not redact.isEnabled(), "nothing is drawn"
    QTest.keyClick(canvas, Qt.Key.Key_Up)
    assert not faults(dialog)
    page.pilot.press_in(dialog, "Redact")
    page.pilot.wait_for_text("Blacked out in exports")
    found = read_redaction(root, FIRST)
    assert found is not None
    assert [(one.step, one.box) for one in found.boxes] == [(0, (36, 107, 72, 131))]
    screenshot = page.pilot.named(QWidget, "Screenshot of the step")
    centre = screenshot.mapTo(viewer, screenshot.rect().center())
    assert viewer.grab().toImage().pixelColor(centre).name() == "#000000"

    page.pilot.press_in(viewer, "Remove boxes")
    page.pilot.qtbot.waitUntil(lambda: read_redaction(root, FIRST) is None)
    page.pilot.qtbot.waitUntil(lambda: not page.pilot.says("Blacked out in exports"))
    assert (root / f"screenshots/{FIRST}_0.png").read_bytes() == before
