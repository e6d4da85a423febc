"""The coverage view: its cells, the gaps, and generating tasks for one."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import qGray
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.kit.parts import CheckBox
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.coverage_table import (
    ENOUGH,
    MOST_MISSING,
    NOTHING,
    SOME_MISSING,
    CoverageList,
    CoverageModel,
    Legend,
    TallyRow,
    board_view,
    tally_level,
    tally_text,
)
from odyssey_recorder.gui.tasks.generate_dialog import GenerateDialog
from odyssey_recorder.tasks.generation.coverage import Cell, Coverage, Tally
from tests.gui.item_views import click_row
from tests.gui.tasks.lead_driver import LeadDriver


@pytest.fixture
def board(lead: LeadDriver) -> QTableView:
    """Of the simulated emulator's apps, with four tasks generated for all devices."""
    lead.generate(4)
    lead.open_view(TasksCommand.SHOW_COVERAGE)
    board = lead.named(QTableView, "Coverage of categories and devices")
    lead.wait_for(lambda: board.model().rowCount() == 6)
    return board


@pytest.mark.parametrize(
    ("available", "wanted", "text", "level"),
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
def test_cell_counts_whole_tasks(available: float, wanted: float, text: str, level: str) -> None:
    tally = Tally(open=available, wanted=wanted)
    assert (tally_text(tally), tally_level(tally)) == (text, level)


def test_cells_get_darker_the_more_is_missing(qtbot: QtBot) -> None:
    model = CoverageModel()
    board = board_view(model)
    qtbot.addWidget(board)
    devices = ("small_phone", "pixel_7_pro", "pixel_8_pro", "pixel_fold")
    cells = [Cell("Multi_Apps", device, "Notes") for device in devices]
    tallies = {cell: Tally(open=float(count), wanted=3.0) for count, cell in enumerate(cells)}
    model.show_coverage(Coverage(tallies, ()))
    board.resize(800, 200)
    image = board.viewport().grab().toImage()
    corners = [board.visualRect(model.cell_index(cell.category, cell.device)).topLeft() for cell in cells]
    greys = [qGray(image.pixel(corner + QPoint(8, 8))) for corner in corners]
    assert greys == sorted(set(greys))
    assert greys[0] < greys[-1] - 60
    assert Legend().accessibleName().startswith("Nothing yet, less than half, half or more, enough.")


def test_board_compares_available_with_wanted_tasks_most_lacking_first() -> None:
    model = CoverageModel()
    tallies = {
        Cell("General_Tool", "pixel_fold", "Clock"): Tally(wanted=3.0, recorded=3.0),
        Cell("Multi_Apps", "pixel_fold", "Notes"): Tally(open=3.0, recorded=4.0, wanted=12.0),
        Cell("Multi_Apps", "pixel_fold", "Video"): Tally(open=0.5, wanted=12.0),
        Cell("Multi_Apps", "small_phone", "Notes"): Tally(open=24.0, wanted=12.0),
    }
    model.show_coverage(Coverage(tallies, ()))
    assert [model.headerData(row, Qt.Orientation.Vertical) for row in range(2)] == ["Multi Apps", "General Tool"]
    across = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(3)]
    assert across == ["Pixel Fold", "Small Phone", "All devices"]
    cell = model.cell_index("Multi_Apps", "pixel_fold")
    assert cell.data() == "7 of 24"
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "Multi Apps on Pixel Fold: 7 of 24 available, 4 of them recorded; 17 missing."
    )
    assert not model.cell_index("Multi_Apps", "nowhere").isValid()
    assert [model.index(row, 2).data() for row in range(2)] == ["Generate 17…", "Generate…"]
    assert model.cell(model.index(0, 2)) == ("Multi_Apps", "")
    accessible = model.index(0, 2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert accessible == "Multi Apps on all devices: 19 of 36 available, 4 of them recorded; 17 missing."


@pytest.mark.parametrize(("tally", "is_filled"), [(Tally(open=0.1), False), (Tally(open=2.0), True)])
def test_bar_of_0_of_0_is_empty(qtbot: QtBot, tally: Tally, is_filled: bool) -> None:
    rows = CoverageList("Largest gaps")
    qtbot.addWidget(rows)
    rows.show_rows([TallyRow(Cell("Multi_Apps", "pixel_fold", "Notes"), "Notes", tally)])
    image = rows.viewport().grab().toImage()
    colours = {image.pixelColor(x, 30).blue() - image.pixelColor(x, 30).red() for x in range(40, 60)}
    assert (max(colours) > 20) is is_filled


def test_next_gap_is_shown_and_filled(lead: LeadDriver, board: QTableView) -> None:
    emptiest = lead.service.coverage("simulated_phone").emptiest
    assert lead.named(CoverageList, "Largest gaps").cell == emptiest[0]
    assert board.currentIndex().data() == "0 of 1"
    lead.use(TasksCommand.NEXT_GAP)
    gap = lead.named(CoverageList, "Largest gaps").cell
    assert gap == lead.named(CoverageList, "Kinds of app in this cell").cell == emptiest[1]
    lead.use(TasksCommand.FILL_GAP)
    dialog = lead.dialog_of(GenerateDialog)
    assert lead.choice("With kind of app").currentText() == gap.app_class
    lead.press_in(dialog, "Generate")
    lead.wait_for(lambda: len(lead.service.board().tasks) == 5)
    catalogue = lead.service.library().catalogues["simulated_phone"]
    classes = {catalogue.class_of(app) for app in lead.service.board().tasks[-1].listed.task.apps}
    assert gap.app_class in classes


def test_row_button_and_cell_generate_tasks(lead: LeadDriver, board: QTableView) -> None:
    assert (board.model().rowCount(), board.model().columnCount()) == (6, 7)
    board.setCurrentIndex(board.model().index(0, 6))
    board.setFocus()
    QTest.keyClick(board, Qt.Key.Key_Return)
    dialog = lead.dialog_of(GenerateDialog)
    assert lead.choice("For the device").currentText() == "All devices in turn"
    lead.press_in(dialog, "Cancel")
    assert len(lead.service.board().tasks) == 4

    web = [board.model().headerData(row, Qt.Orientation.Vertical) for row in range(6)].index("Web Shopping")
    click_row(board, web, column=2)
    dialog = lead.dialog_of(GenerateDialog)
    ticked = [tick.text() for tick in dialog.findChildren(CheckBox) if tick.isChecked() and tick.text()[0] != "&"]
    assert ticked == ["Web Shopping"]
    assert lead.choice("For the device").currentText() == "Pixel 8 Pro"
    assert dialog.findChildren(QSpinBox)[0].value() == 1
    dialog.findChildren(QSpinBox)[0].setValue(2)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    lead.wait_for(lambda: len(lead.service.board().tasks) == 6)
    generated = [task.listed for task in lead.service.board().tasks][-2:]
    assert {(task.task.category, task.devices) for task in generated} == {("Web_Shopping", ("pixel_8_pro",))}
    lead.wait_for_text("2 tasks generated.")
    assert board.isVisible()  # the next gap comes first
