"""The coverage view: its cells, the gaps, and generating tasks for one."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSpinBox, QTableView

from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.parts import CheckBox
from odyssey_recorder.gui.tasks.generate_dialog import GenerateDialog
from odyssey_recorder.gui.tasks.tally import BoardModel, TallyList, tally_number
from odyssey_recorder.task.generation.coverage import Cell, Coverage, Tally
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
    assert place.data() == "7.5 of 24"
    assert place.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "Multi Apps on Pixel Fold: 7.5 of 24 available, 4 of them recorded; 16 missing."
    )
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Small Phone"
    assert not model.cell_index("Multi_Apps", "nowhere").isValid()


@pytest.mark.parametrize(("count", "words"), [(0.0, "0"), (0.04, "0"), (0.25, "0.2"), (9.96, "10"), (1234.5, "1,234")])
def test_parts_of_tasks_are_told_where_they_matter(count: float, words: str) -> None:
    assert tally_number(count) == words


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
    assert (board.model().rowCount(), board.model().columnCount()) == (6, 6)
    emptiest = lead.service.coverage("simulated_phone").emptiest
    assert lead.named(TallyList, "Largest gaps").cell == emptiest[0]
    assert board.currentIndex().data() == "0 of 0.1"
    lead.use(Command.NEXT_GAP)
    assert lead.named(TallyList, "Largest gaps").cell == emptiest[1]
    assert lead.named(TallyList, "Kinds of app in this cell").cell == emptiest[1]


def test_a_place_is_filled_with_tasks_for_it_alone(lead: LeadBench) -> None:
    board = opened(lead)
    board.setCurrentIndex(board.model().index(5, 2))
    lead.use(Command.FILL_GAP)
    dialog = lead.dialog_of(GenerateDialog)
    ticked = [tick.text() for tick in dialog.findChildren(CheckBox) if tick.isChecked() and tick.text()[0] != "&"]
    assert ticked == ["Web Shopping"]
    boxes = {box.accessibleName(): box.currentText() for box in dialog.findChildren(QComboBox)}
    assert boxes["For the device"] == "Pixel 8 Pro"
    dialog.findChildren(QSpinBox)[0].setValue(2)
    lead.press_in(dialog, "Generate")
    lead.wait_for(lambda: len(lead.service.board().tasks) == 6)
    made = [task.listed for task in lead.service.board().tasks][-2:]
    assert {(task.task.category, task.devices) for task in made} == {("Web_Shopping", ("pixel_8_pro",))}


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
