"""The coverage view: its cells, the gaps, and generating tasks for one."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import qGray
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QSpinBox, QTableView

from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.parts import CheckBox
from odyssey_recorder.gui.table import VALUE
from odyssey_recorder.gui.tasks.generate_dialog import GenerateDialog
from odyssey_recorder.gui.tasks.tally import (
    ENOUGH,
    MOST_MISSING,
    NOTHING,
    SOME_MISSING,
    BoardModel,
    Legend,
    TallyList,
    TallyRow,
    tally_level,
    tally_words,
)
from odyssey_recorder.task.generation.coverage import Cell, Coverage, Tally
from tests.gui.pilot import LEFT, NONE
from tests.gui.tasks.bench_lead import LeadBench

BOARD = Coverage(
    {
        Cell("Multi_Apps", "pixel_fold", "Notes"): Tally(open=3.0, recorded=4.0, wanted=12.0),
        Cell("Multi_Apps", "pixel_fold", "Video"): Tally(open=0.5, wanted=12.0),
        Cell("Multi_Apps", "small_phone", "Notes"): Tally(open=24.0, wanted=12.0),
    },
    (Cell("Multi_Apps", "pixel_fold", "Video"), Cell("Multi_Apps", "pixel_fold", "Notes")),
)


def test_a_place_says_in_words_what_there_is_of_what_is_wanted() -> None:
    model = BoardModel()
    model.show_coverage(BOARD)
    place = model.cell_index("Multi_Apps", "pixel_fold")
    assert place.data() == "7 of 24"
    assert place.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "Multi Apps on Pixel Fold: 7 of 24 available, 4 of them recorded; 17 missing."
    )
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Small Phone"
    assert not model.cell_index("Multi_Apps", "nowhere").isValid()


@pytest.mark.parametrize(
    ("there", "wanted", "words", "level"),
    [
        (0.0, 0.1, "0 of 1", NOTHING),
        (0.1, 0.1, "1 of 1", ENOUGH),
        (0.4, 12.0, "0 of 12", NOTHING),
        (5.0, 12.0, "5 of 12", MOST_MISSING),
        (6.0, 12.0, "6 of 12", SOME_MISSING),
        (5.2, 5.6, "6 of 6", ENOUGH),
        (24.0, 12.0, "24 of 12", ENOUGH),
        (2.0, 0.0, "2 of 0", ENOUGH),
        (1234.0, 2000.0, "1,234 of 2,000", SOME_MISSING),
    ],
)
def test_a_cell_counts_whole_tasks_and_its_colour_says_how_much_is_missing(
    there: float, wanted: float, words: str, level: str
) -> None:
    tally = Tally(open=there, wanted=wanted)
    assert (tally_words(tally), tally_level(tally)) == (words, level)


def test_the_darker_a_cell_the_more_is_missing_also_without_colour(lead: LeadBench) -> None:
    board = opened(lead)
    greys = {}
    for row in range(6):
        for column in range(6):
            index = board.model().index(row, column)
            level = tally_level(index.data(VALUE))
            spot = board.visualRect(index).topLeft() + QPoint(8, 8)
            greys[level] = qGray(board.viewport().grab().toImage().pixel(spot))
    assert greys[NOTHING] < greys[ENOUGH] - 60
    assert lead.find(Legend).accessibleName().startswith("Nothing yet, less than half, half or more, enough.")


def test_the_category_that_lacks_most_comes_first_with_a_button_for_all_devices() -> None:
    model = BoardModel()
    tallies = {Cell("General_Tool", "pixel_fold", "Clock"): Tally(wanted=3.0, recorded=3.0), **BOARD.tallies}
    model.show_coverage(Coverage(tallies, ()))
    assert [model.headerData(row, Qt.Orientation.Vertical) for row in range(2)] == ["Multi Apps", "General Tool"]
    assert model.headerData(2, Qt.Orientation.Horizontal) == "All devices"
    assert [model.index(row, 2).data() for row in range(2)] == ["Generate 17…", "Generate…"]
    assert model.cell(model.index(0, 2)) == ("Multi_Apps", "")
    spoken = model.index(0, 2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Multi Apps on all devices: 19 of 36 available, 4 of them recorded; 17 missing."


@pytest.mark.parametrize(("tally", "is_filled"), [(Tally(open=0.1), False), (Tally(open=2.0), True)])
def test_the_bar_of_0_of_0_is_empty(lead: LeadBench, tally: Tally, is_filled: bool) -> None:
    opened(lead)
    rows = lead.named(TallyList, "Largest gaps")
    rows.show_rows([TallyRow(Cell("Multi_Apps", "pixel_fold", "Notes"), "Notes", tally)])
    image = rows.viewport().grab().toImage()
    colours = {image.pixelColor(x, 30).blue() - image.pixelColor(x, 30).red() for x in range(40, 60)}
    assert (max(colours) > 20) is is_filled


def on_board(lead: LeadBench) -> QTableView:
    return lead.named(QTableView, "Coverage of categories and devices")


def opened(lead: LeadBench) -> QTableView:
    """The board of the simulated emulator's apps, with four tasks generated for all devices."""
    lead.prepared(4)
    lead.enter(Command.SHOW_COVERAGE)
    lead.wait_for(lambda: on_board(lead).model().rowCount() == 6)
    return on_board(lead)


def test_the_board_has_every_category_and_device_and_the_emptiest_places_are_turned_to(lead: LeadBench) -> None:
    board = opened(lead)
    assert (board.model().rowCount(), board.model().columnCount()) == (6, 7)
    emptiest = lead.service.coverage("simulated_phone").emptiest
    assert lead.named(TallyList, "Largest gaps").cell == emptiest[0]
    assert board.currentIndex().data() == "0 of 1"
    lead.use(Command.NEXT_GAP)
    assert lead.named(TallyList, "Largest gaps").cell == emptiest[1]
    assert lead.named(TallyList, "Kinds of app in this cell").cell == emptiest[1]


def test_one_click_and_return_fill_a_place_with_tasks_for_it_alone(lead: LeadBench) -> None:
    board = opened(lead)
    web = [board.model().headerData(row, Qt.Orientation.Vertical) for row in range(6)].index("Web Shopping")
    QTest.mouseClick(board.viewport(), LEFT, NONE, board.visualRect(board.model().index(web, 2)).center())
    dialog = lead.dialog_of(GenerateDialog)
    ticked = [tick.text() for tick in dialog.findChildren(CheckBox) if tick.isChecked() and tick.text()[0] != "&"]
    assert ticked == ["Web Shopping"]
    boxes = {box.accessibleName(): box.currentText() for box in dialog.findChildren(QComboBox)}
    assert boxes["For the device"] == "Pixel 8 Pro"
    assert dialog.findChildren(QSpinBox)[0].value() == 1
    dialog.findChildren(QSpinBox)[0].setValue(2)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    lead.wait_for(lambda: len(lead.service.board().tasks) == 6)
    made = [task.listed for task in lead.service.board().tasks][-2:]
    assert {(task.task.category, task.devices) for task in made} == {("Web_Shopping", ("pixel_8_pro",))}
    lead.wait_for_text("2 tasks generated.")
    assert board.isVisible()  # the next gap comes first


def test_return_on_the_button_of_a_row_asks_for_a_category_on_all_devices(lead: LeadBench) -> None:
    board = opened(lead)
    board.setCurrentIndex(board.model().index(0, 6))
    board.setFocus()
    QTest.keyClick(board, Qt.Key.Key_Return)
    dialog = lead.dialog_of(GenerateDialog)
    assert {box.accessibleName(): box.currentText() for box in dialog.findChildren(QComboBox)}["For the device"] == (
        "All devices in turn"
    )
    lead.press_in(dialog, "Cancel")
    assert len(lead.service.board().tasks) == 4


def test_a_class_of_apps_is_filled_with_tasks_that_need_one(lead: LeadBench) -> None:
    opened(lead)
    gap = lead.named(TallyList, "Largest gaps").cell
    assert gap is not None
    lead.use(Command.FILL_GAP)
    dialog = lead.dialog_of(GenerateDialog)
    boxes = {box.accessibleName(): box.currentText() for box in dialog.findChildren(QComboBox)}
    assert boxes["With kind of app"] == gap.app_class
    lead.press_in(dialog, "Generate")
    lead.wait_for(lambda: len(lead.service.board().tasks) == 5)
    catalogue = lead.service.library().catalogues["simulated_phone"]
    classes = {catalogue.class_of(app) for app in lead.service.board().tasks[-1].listed.task.apps}
    assert gap.app_class in classes
