"""The prepared tasks as a list: filters and appearance."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QTableView

from odyssey_recorder.gui.kit.row_delegate import TITLED_PX, Badge, TitledRow, titled_delegate
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, table_view
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.model.text_origin import Equivalence, TextOrigin
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import QueuedTask, Status

TO_APPROVE, WITH_FAULTS, APPROVED, REJECTED = "To approve", "With faults", "Approved", "Rejected"
NOT_REWRITTEN = "Not rewritten"
STAGES = (TO_APPROVE, WITH_FAULTS, NOT_REWRITTEN, APPROVED, REJECTED)

_SIGNS = {"Phrasing": "text_box_outline", "Model": "auto_fix", "Person": "account_edit_outline"}
BY_TEMPLATE, BY_PHRASING, BY_MODEL, BY_PERSON = "Template", "Phrasing", "Model", "Person"
WRITERS = (BY_PHRASING, BY_MODEL, BY_PERSON, BY_TEMPLATE)


@dataclass(frozen=True, slots=True)
class PreparedRow:
    """A task; `stages` are the values of `STAGES` that include it, `faults` the number of faults found."""

    task: QueuedTask
    task_id: str
    stages: tuple[str, ...]
    writer: str
    category: str
    faults: int
    searched: str


def prepared_table(parent: QObject | None = None) -> TableModel[PreparedRow]:
    column = TableColumn[PreparedRow](
        "", title, spoken=lambda row: f"{title(row).rstrip('.?!')}. {about(row)}. {found(row)}"
    )
    return TableModel(
        (column,),
        key=lambda row: row.task_id,
        criteria={
            "stage": lambda row, wanted: wanted in row.stages,
            "writer": lambda row, wanted: row.writer == wanted,
            "category": lambda row, wanted: row.category == wanted,
            "text": lambda row, wanted: wanted in row.searched,
        },
        steady=True,
        parent=parent,
    )


def prepared_list(model: TableModel[PreparedRow]) -> QTableView:
    """The view of `model` with multiple selection.

    It is a table of one column because QTableView handles a large selection by its ranges, a list view row by row.
    """
    view = table_view("Tasks to prepare", model, TITLED_PX)
    view.setItemDelegate(titled_delegate(_titled, view))
    view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
    view.horizontalHeader().hide()
    return view


def title(row: PreparedRow) -> str:
    return " ".join(row.task.listed.task.instruction.split())


def about(row: PreparedRow) -> str:
    return " · ".join((row.writer, category_text(row.category), row.task.status.value))


def found(row: PreparedRow) -> str:
    origin = row.task.listed.text
    if origin is None or origin.equivalence is None:
        return "Not checked"
    if row.faults:
        return "1 fault" if row.faults == 1 else f"{row.faults} faults"
    return "No faults found by rules and model" if origin.equivalence.is_judged else "No faults found by the rules"


def _titled(row: PreparedRow) -> TitledRow:
    theme, origin = Theme.current(), row.task.listed.text
    if row.faults:
        badges = [Badge("alert", str(row.faults), theme.warning)]
    elif origin is not None and origin.equivalence is not None and origin.equivalence.is_judged:
        badges = [Badge("check", "", theme.success)]
    else:  # passing the rules alone is weak evidence
        badges = []
    return TitledRow(title(row), about(row), theme.text, badges, _SIGNS.get(row.writer, "text_box_outline"))


def prepared_row(task: QueuedTask) -> PreparedRow:
    listed, origin = task.listed, task.listed.text
    info = listed.task
    faults = 0 if origin is None else fault_count(origin.equivalence)
    text = "\n".join((info.instruction, info.task, listed.template, listed.task_id, *info.apps)).casefold()
    return PreparedRow(
        task, listed.task_id, tuple(_stages(task, faults)), writer_of(origin), info.category, faults, text
    )


def counted(rows: Collection[PreparedRow]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """How many of the tasks are of each stage, writer and category."""
    stages = Counter(chain.from_iterable(row.stages for row in rows))
    return stages, Counter(row.writer for row in rows), Counter(row.category for row in rows)


def with_instruction(row: PreparedRow, listed: ListedTask) -> PreparedRow:
    return prepared_row(replace(row.task, listed=listed))


def with_status(row: PreparedRow, status: Status) -> PreparedRow:
    return prepared_row(replace(row.task, status=status))


def writer_of(origin: TextOrigin | None) -> str:
    """Who wrote an instruction, one of `WRITERS`; a person if one edited it."""
    return BY_PERSON if origin is None or origin.edited_by else origin.writer.value.capitalize()


def fault_count(equivalence: Equivalence | None) -> int:
    """The number of faults; a judge's "no" without reasons counts as one."""
    if equivalence is None:
        return 0
    named = len(equivalence.faults) + len(equivalence.missing) + len(equivalence.added)
    return named or int(not equivalence.holds)


def _stages(task: QueuedTask, faults: int) -> Iterator[str]:
    if task.status is not Status.TO_APPROVE:
        yield REJECTED if task.status is Status.REJECTED else APPROVED
        return
    yield TO_APPROVE
    if faults:
        yield WITH_FAULTS
    if task.not_rewritten:
        yield NOT_REWRITTEN
