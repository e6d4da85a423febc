"""The list of prepared tasks: filters, and changes while it is in use."""

import pytest
from PySide6.QtCore import Qt

from odyssey_recorder.gui.kit.table import TableModel
from odyssey_recorder.gui.tasks.prepared_table import (
    APPROVED,
    REJECTED,
    TO_APPROVE,
    WITH_FAULTS,
    PreparedRow,
    about,
    counted,
    found,
    prepared_row,
    prepared_table,
)
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.text_origin import Equivalence, TextOrigin, Writer
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import QueuedTask, Status
from tests.tasks.origins import BY_MODEL, FAULTY, PHRASED


def prepared(
    task_id: str, text: TextOrigin | None = PHRASED, status: Status = Status.TO_APPROVE, category: str = "Multi_Apps"
) -> QueuedTask:
    info = TaskInfo(category, ("Clock",), "Do {item}", f"Do {task_id}", f"Please do {task_id}.")
    return QueuedTask(ListedTask(task_id, info, template="do", text=text), status)


def table_of(*tasks: QueuedTask, **filters: str) -> TableModel[PreparedRow]:
    table = prepared_table()
    table.narrow(**filters)
    table.show(map(prepared_row, tasks))
    return table


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        ({"stage": TO_APPROVE}, ["plain", "faulty", "shop"]),
        ({"stage": WITH_FAULTS}, ["faulty"]),
        ({"stage": APPROVED}, ["done"]),
        ({"stage": REJECTED}, ["out"]),
        ({"writer": "Model"}, ["faulty"]),
        ({"category": "Web_Shopping"}, ["shop"]),
        ({"text": "do done"}, ["done"]),
        ({"writer": "Model", "text": "plain"}, []),
    ],
)
def test_filters_are_combined(filters: dict[str, str], shown: list[str]) -> None:
    table = table_of(
        prepared("plain"),
        prepared("faulty", FAULTY),
        prepared("shop", category="Web_Shopping"),
        prepared("done", status=Status.UNDER_WAY),
        prepared("out", status=Status.REJECTED),
        **filters,
    )
    stages, writers, _ = counted(table.all.values())
    assert [row.task_id for row in table.rows] == shown
    assert (stages[TO_APPROVE], writers["Phrasing"]) == (3, 4)


@pytest.mark.parametrize(
    ("origin", "writer", "faults"),
    [
        (PHRASED, "Phrasing", "Not checked"),
        (BY_MODEL, "Model", "No faults found by rules and model"),
        (FAULTY, "Model", "3 faults"),
        (
            TextOrigin(Writer.MODEL, edited_by="Ada", equivalence=Equivalence()),
            "Person",
            "No faults found by the rules",
        ),
        (TextOrigin(equivalence=Equivalence(task_entails_instruction=False)), "Template", "1 fault"),
        (None, "Person", "Not checked"),
    ],
)
def test_row_shows_author_and_faults(origin: TextOrigin | None, writer: str, faults: str) -> None:
    row = prepared_row(prepared("a", origin))
    assert about(row) == f"{writer} · Multi Apps · To approve"
    assert found(row) == faults
    table = table_of(prepared("a", origin))
    accessible = table.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert accessible == f"Please do a. {about(row)}. {faults}"
