"""Tables and lists: rows, order, filters, and what survives changed rows."""

from collections.abc import Callable, Sequence

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QListView
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.kit.table import VALUE, TableColumn, TableModel, change_steadily

Word = tuple[str, int]
ROW_PX = 20


def table(*, steady: bool = False) -> TableModel[Word]:
    """One row per word, which is its key, with a number."""
    columns = (
        TableColumn[Word]("Word", lambda row: row[0]),
        TableColumn[Word]("Number", lambda row: str(row[1]), order=lambda row: row[1], is_number=True),
    )
    criteria = {"word": lambda row, wanted: wanted in row[0], "least": lambda row, wanted: row[1] >= wanted}
    return TableModel(columns, lambda row: row[0], criteria, steady=steady)


def rows(names: str) -> list[Word]:
    return [(name, len(names)) for name in names]


def shown(model: TableModel[Word]) -> str:
    return "".join(str(model.index(row, 0).data()) for row in range(model.rowCount()))


@pytest.mark.parametrize("steady", [False, True], ids=["plain", "steady"])
def test_model_meets_qts_requirements(qtmodeltester: ModelTester, steady: bool) -> None:
    model = table(steady=steady)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]
    for names in ("abc", "abcd", "xabcyd", "bd", "db", "", "q"):
        model.show(rows(names))
        assert shown(model) == names
        assert [model.place(name) for name in names] == list(range(len(names)))


def test_selection_survives_changed_rows(qtbot: QtBot) -> None:
    model, view = table(steady=True), QListView()
    qtbot.addWidget(view)
    view.setModel(model)
    model.show(rows("abcde"))
    for row in (1, 3):
        view.selectionModel().select(model.index(row, 0), QItemSelectionModel.SelectionFlag.Select)
    model.show(rows("xbycdz"))
    assert sorted(index.row() for index in view.selectedIndexes()) == [1, 4]


@pytest.mark.parametrize("steady", [False, True], ids=["plain", "steady"])
def test_only_changed_row_is_signalled(steady: bool) -> None:
    model = table(steady=steady)
    model.show(rows("abc"))
    signals: list[object] = []
    model.dataChanged.connect(lambda first, last, _roles: signals.append((first.row(), last.row())))
    model.modelReset.connect(lambda: signals.append("reset"))
    model.change([("b", 9)])
    model.change([("b", 9)])
    assert signals == [(1, 1)]
    assert model.at(1) == ("b", 9)
    assert model.index(1, 1).data(VALUE) == ("b", 9)


def test_filters_combine_and_empty_ones_are_ignored() -> None:
    model = table()
    model.show([("one", 1), ("two", 2), ("three", 3)])
    model.narrow(word="t", least=3)
    assert (shown(model), model.filter) == ("three", {"word": "t", "least": 3})
    model.change([("thirty", 30)], gone=["three"])
    assert shown(model) == "thirty"
    model.narrow(word="", least=0)
    assert (shown(model), model.filter) == ("onetwothirty", {})


def test_rows_are_sorted_with_pinned_ones_first() -> None:
    model = table()
    model.show([("pin", 5), ("b", 10), ("A", 2), ("c", 2)])
    model.sort(0)
    assert shown(model) == "Abcpin"
    model.pin(lambda row: row[0] == "pin")
    model.sort(1, Qt.SortOrder.DescendingOrder)
    assert shown(model) == "pinbAc"
    model.narrow(word="c")
    assert shown(model) == "pinc"
    model.narrow()
    model.sort(-1)
    assert shown(model) == "pinbAc"


def test_columns_define_headers_and_cells() -> None:
    model = table()
    model.show([("one", 1)])
    heads = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert heads == ["Word", "Number"]
    cell: QModelIndex = model.index(0, 1)
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "1"
    assert cell.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert not model.flags(cell) & Qt.ItemFlag.ItemIsEditable


NUMBERS = [(str(number), number) for number in range(100)]


@pytest.mark.parametrize(
    ("scrolled", "change", "top"),
    [
        (10, lambda model: model.show([("new", 0), *NUMBERS]), 11),
        (10, lambda model: model.show(NUMBERS[5:]), 5),
        (10, lambda model: model.show(NUMBERS[::-1]), 89),
        (0, lambda model: model.show([("new", 0), *NUMBERS]), 0),
        (10, lambda model: model.show(NUMBERS[11:]), 10),
    ],
    ids=["inserted above", "removed above", "reversed", "at the top", "first visible removed"],
)
def test_visible_rows_stay_in_place(
    qtbot: QtBot, scrolled: int, change: Callable[[TableModel[Word]], object], top: int
) -> None:
    model, view = table(), QListView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.setUniformItemSizes(True)
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    view.setGridSize(view.gridSize().__class__(50, ROW_PX))
    view.resize(100, 10 * ROW_PX)
    model.show(NUMBERS)
    view.show()
    view.doItemsLayout()
    view.verticalScrollBar().setValue(scrolled * ROW_PX + 7 * bool(scrolled))
    change_steadily(view, model, ROW_PX, lambda: change(model))
    assert view.verticalScrollBar().value() == top * ROW_PX + 7 * bool(scrolled)


def test_scattered_changes_reset_the_model() -> None:
    model = table(steady=True)
    resets: list[Sequence[Word]] = []
    model.modelReset.connect(lambda: resets.append(model.rows))
    model.show(NUMBERS)
    model.show(NUMBERS[::2])
    assert (len(resets), model.rowCount()) == (2, 50)
