"""The list of prepared tasks: what it is filtered by, and how it changes under whoever works in it."""

import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from odyssey_recorder.gui.tasks.prepared_rows import (
    APPROVED,
    REJECTED,
    TO_APPROVE,
    WITH_FAULTS,
    PreparedFilter,
    standing,
    with_words,
)
from odyssey_recorder.gui.tasks.prepared_table import PreparedTable, about, found
from odyssey_recorder.model.text_origin import Equivalence, TextOrigin, Writer
from odyssey_recorder.task.queue.board import QueuedTask, Status
from tests.gui.tasks.prepared import prepared, rows_of
from tests.task.origins import BY_MODEL, FAULTY, PHRASED

EVERYTHING = PreparedFilter(stage="")


def shown(table: PreparedTable) -> list[str]:
    return [row.task_id for row in table.shown(0, table.rowCount())]


def table_of(*tasks: QueuedTask, wanted: PreparedFilter = EVERYTHING) -> PreparedTable:
    table = PreparedTable()
    table.narrow(wanted)
    table.show(rows_of(*tasks))
    return table


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (PreparedFilter(), ["plain", "faulty", "shop"]),
        (PreparedFilter(WITH_FAULTS), ["faulty"]),
        (PreparedFilter(APPROVED), ["done"]),
        (PreparedFilter(REJECTED), ["out"]),
        (PreparedFilter("", "Model"), ["faulty"]),
        (PreparedFilter("", "", "Web_Shopping"), ["shop"]),
        (PreparedFilter("", "", "", "do done"), ["done"]),
        (PreparedFilter("", "Model", "", "plain"), []),
    ],
)
def test_a_filter_shows_what_is_all_of_it(wanted: PreparedFilter, left: list[str]) -> None:
    table = table_of(
        prepared("plain"),
        prepared("faulty", FAULTY),
        prepared("shop", category="Web_Shopping"),
        prepared("done", status=Status.UNDER_WAY),
        prepared("out", status=Status.REJECTED),
        wanted=wanted,
    )
    assert shown(table) == left
    assert (table.counts.stages[TO_APPROVE], table.counts.writers["Phrasing"]) == (3, 4)


@pytest.mark.parametrize(
    ("origin", "writer", "said"),
    [
        (PHRASED, "Phrasing", "Not checked"),
        (BY_MODEL, "Model", "No fault found, by rules and judge"),
        (FAULTY, "Model", "3 faults"),
        (TextOrigin(Writer.MODEL, edited_by="Ada", equivalence=Equivalence()), "Person", "No fault found by the rules"),
        (TextOrigin(equivalence=Equivalence(task_entails_instruction=False)), "Template", "1 fault"),
        (None, "Person", "Not checked"),
    ],
)
def test_a_row_says_whose_words_they_are_and_what_was_found(origin: TextOrigin | None, writer: str, said: str) -> None:
    (row,) = rows_of(prepared("a", origin))
    assert about(row) == f"{writer} · Multi Apps · To approve"
    assert found(row) == said
    table = table_of(prepared("a", origin))
    spoken = table.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == f"Please do a. {about(row)}. {said}"


def test_what_the_filter_shuts_out_leaves_and_all_else_stays_where_the_view_has_it() -> None:
    table = table_of(*(prepared(name) for name in "abcdef"), wanted=PreparedFilter())
    kept = QPersistentModelIndex(table.index(4))
    table.change([standing(row, Status.WAITING) for row in rows_of(*map(prepared, "abd"))])
    assert shown(table) == ["c", "e", "f"]
    assert kept.row() == 1


def test_new_words_change_a_row_in_its_place() -> None:
    table = table_of(prepared("a"), prepared("b"))
    kept = QPersistentModelIndex(table.index(1))
    row = table.known("b")
    assert row is not None
    table.change([with_words(row, prepared("b", FAULTY).listed)])
    assert kept.row() == 1
    assert table.counts.stages[WITH_FAULTS] == 1
    table.change(rows_of(prepared("nobody knows it")))
    assert shown(table) == ["a", "b"]


def test_tasks_in_another_order_are_shown_in_it() -> None:
    table = table_of(prepared("a"), prepared("b"))
    table.show(rows_of(prepared("b"), prepared("a"), prepared("c")))
    assert shown(table) == ["b", "a", "c"]


def test_ten_thousand_tasks_are_shown_and_narrowed_without_a_pause() -> None:
    tasks = rows_of(*(prepared(f"t-{n:05}", FAULTY if n % 3 else PHRASED) for n in range(10_000)))
    table = PreparedTable()
    took = []
    deeds: tuple[Callable[[], None], ...] = (
        lambda: table.show(tasks),
        lambda: table.narrow(PreparedFilter(WITH_FAULTS, "Model", "Multi_Apps", "t-0999")),
        lambda: table.narrow(EVERYTHING),
        lambda: table.change([standing(tasks[5000], Status.WAITING)]),
    )
    for do in deeds:
        began = time.thread_time()
        do()
        took.append(time.thread_time() - began)
    assert table.rowCount() == 10_000
    assert max(took) < 0.05
