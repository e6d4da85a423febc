"""Retiring, duplicates and redaction on the Dataset page, on real files."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QListView, QPushButton, QTableView, QWidget

from odyssey_recorder.curation.redaction import read_redaction
from odyssey_recorder.curation.retired import read_retired
from odyssey_recorder.gui.dataset.redacting import RedactDialog, RedactingViewer
from odyssey_recorder.gui.dataset.retiring import DuplicatesDialog
from odyssey_recorder.gui.review.box_form import BoxCanvas
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.selection.index import EpisodeIndex
from tests.gui.inspection import faults
from tests.gui.pilot import OpenAt, Pilot
from tests.quality.folders import FIRST, SECOND, THIRD, write_dataset

IDS = [FIRST, SECOND, THIRD]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "dataset", *IDS)
    return tmp_path / "dataset"


class Reader:
    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.table = pilot.wait_for(QTableView, "Episodes")

    def wait_for(self, count: int) -> None:
        self.pilot.qtbot.waitUntil(lambda: self.table.model().rowCount() == count)

    def retire_two(self) -> None:
        self.wait_for(3)
        self.table.selectRow(0)
        QTest.keyClick(self.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        self.pilot.press("Retire")
        dialog = self.pilot.dialog()
        assert self.pilot.says("Retire 2 episodes?")
        named = [one for one in IDS if self.pilot.says(f"{one}: Write {one}")]
        assert len(named) == 2, "with their instructions"
        self.pilot.named(QLineEdit, "Another reason").setFocus()
        QTest.keyClicks(self.pilot.named(QLineEdit, "Another reason"), "blurred")
        assert not faults(dialog)
        self.pilot.press_in(dialog, "Retire")


@pytest.fixture
def reader(open_at: OpenAt, root: Path) -> Reader:
    pilot = open_at(Workplace(dataset=lambda: EpisodeIndex(root, None)))
    pilot.press("Dataset")
    return Reader(pilot)


def test_selected_episodes_are_retired_with_a_reason_and_it_is_undone(reader: Reader, root: Path) -> None:
    reader.retire_two()
    reader.pilot.wait_for_text("2 episodes retired.")
    reader.wait_for(1)
    assert {one.reason for one in read_retired(root).values()} == {"blurred"}
    assert reader.pilot.says("1 episode")
    reader.pilot.press_in(reader.pilot.window, "Undo")
    reader.wait_for(3)
    assert read_retired(root) == {}


def test_selected_episodes_are_sent_to_review_and_it_is_undone(reader: Reader, root: Path) -> None:
    def requested() -> list[str]:
        return [one for one in IDS if ReviewStore(root).read(one).requests]

    reader.wait_for(3)
    reader.table.selectRow(0)
    QTest.keyClick(reader.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    reader.pilot.press("Send to review")
    dialog = reader.pilot.dialog()
    assert reader.pilot.says("Send 2 episodes to review?")
    assert not faults(dialog)
    reader.pilot.named(QAbstractButton, "Looks wrong").click()
    reader.pilot.press_in(dialog, "Send to review")
    reader.pilot.wait_for_text("2 episodes sent to review, 0 left out.")
    assert len(requested()) == 2
    assert {one.why for one in ReviewStore(root).read(requested()[0]).requests} == {"Looks wrong"}
    reader.pilot.press_in(reader.pilot.window, "Undo")
    reader.pilot.qtbot.waitUntil(lambda: requested() == [])


def test_retired_episodes_are_listed_on_demand_and_restored(reader: Reader, root: Path) -> None:
    reader.retire_two()
    reader.wait_for(1)
    line = reader.pilot.named(QLineEdit, "Filter episodes")
    QTest.keyClicks(line, "is:retired")
    QTest.keyClick(line, Qt.Key.Key_Return)
    reader.wait_for(2)
    reader.table.selectAll()
    reader.pilot.press("Restore")
    reader.pilot.press_in(reader.pilot.dialog(), "Restore")
    reader.wait_for(0)
    assert read_retired(root) == {}
    reader.pilot.press_in(reader.pilot.window, "Undo")
    reader.wait_for(2)
    assert {one.reason for one in read_retired(root).values()} == {"blurred"}, "as it was, with its reason"


def test_duplicates_are_grouped_and_the_others_retired_for_the_best(reader: Reader, root: Path) -> None:
    for one in (SECOND, THIRD):
        path = root / f"annotations/{one}.json"
        path.write_text(path.read_text().replace(f"Write {one}", f"Write {FIRST}"))
    reader.wait_for(3)
    reader.pilot.press("Find duplicates")
    dialog = reader.pilot.window.findChild(DuplicatesDialog)
    assert dialog is not None
    reader.pilot.wait_for_text("1 group of episodes")
    table = reader.pilot.named(QTableView, "Duplicates")
    model = table.model()
    told = [[str(model.index(row, at).data()) for at in (1, 2)] for row in range(model.rowCount())]
    assert told == [["keep: lowest id", FIRST], ["retire", SECOND], ["retire", THIRD]]
    assert not faults(dialog)
    table.selectRow(1)
    reader.pilot.press_in(dialog, "Retire others…")
    reader.pilot.wait_for_text("Retire 2 episodes?")
    reader.pilot.press_in(reader.pilot.dialog(), "Retire")
    reader.wait_for(1)
    assert {one: made.superseded_by for one, made in read_retired(root).items()} == {SECOND: FIRST, THIRD: FIRST}


def test_a_box_is_drawn_shown_and_removed_and_the_screenshot_stays(reader: Reader, root: Path) -> None:
    reader.wait_for(3)
    reader.table.selectRow(2)
    before = (root / f"screenshots/{FIRST}_0.png").read_bytes()
    steps = reader.pilot.named(QListView, "Steps of the episode")
    reader.pilot.qtbot.waitUntil(lambda: steps.model().rowCount() == 3)
    reader.pilot.wait_for_text(FIRST)
    steps.setCurrentIndex(steps.model().index(0, 0))
    QTest.keyClick(steps, Qt.Key.Key_Space)
    viewer = reader.pilot.find(RedactingViewer)
    reader.pilot.press_in(viewer, "Redact…")
    dialog = reader.pilot.find(RedactDialog)
    canvas = reader.pilot.named(BoxCanvas, "Screenshot with the box")
    reader.pilot.qtbot.waitUntil(lambda: bool(canvas.accessibleDescription()))
    ok = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Redact")
    assert not ok.isEnabled(), "nothing is drawn"
    QTest.keyClick(canvas, Qt.Key.Key_Up)
    assert not faults(dialog)
    QTest.mouseClick(ok, Qt.MouseButton.LeftButton)
    reader.pilot.wait_for_text("Blacked out in exports")
    found = read_redaction(root, FIRST)
    assert found is not None
    assert [(one.step, one.box) for one in found.boxes] == [(0, (36, 107, 72, 131))]
    middle = viewer.grab().toImage().pixelColor(viewer.mapFromGlobal(_centre(viewer)))
    assert middle.name() == "#000000"

    reader.pilot.press_in(viewer, "Remove boxes")
    reader.pilot.qtbot.waitUntil(lambda: read_redaction(root, FIRST) is None)
    reader.pilot.qtbot.waitUntil(lambda: not reader.pilot.says("Blacked out in exports"))
    assert (root / f"screenshots/{FIRST}_0.png").read_bytes() == before


def _centre(viewer: RedactingViewer) -> QPoint:
    canvas = next(one for one in viewer.findChildren(QWidget) if one.accessibleName() == "Screenshot of the step")
    return canvas.mapToGlobal(canvas.rect().center())
