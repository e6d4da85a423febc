"""The tasks that are prepared as rows: what each is filtered by, worked out once and off the GUI thread."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from odyssey_recorder.model.text_origin import Equivalence, TextOrigin, Writer
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.board import QueuedTask, Status

TO_APPROVE, WITH_FAULTS, APPROVED, REJECTED = "To approve", "With faults", "Approved", "Rejected"
STAGES = (TO_APPROVE, WITH_FAULTS, APPROVED, REJECTED)
"""What the list can be narrowed to by how far a task is."""

BY_TEMPLATE, BY_PHRASING, BY_MODEL, BY_PERSON = "Template", "Phrasing", "Model", "Person"
WRITERS = (BY_PHRASING, BY_MODEL, BY_PERSON, BY_TEMPLATE)
"""Who may have put an instruction into words."""

_WRITERS = {
    Writer.TEMPLATE: BY_TEMPLATE,
    Writer.PHRASING: BY_PHRASING,
    Writer.MODEL: BY_MODEL,
    Writer.PERSON: BY_PERSON,
}


@dataclass(frozen=True, slots=True)
class PreparedRow:
    """A task; `stages` are those of `STAGES` that it counts at, `faults` how much speaks against its words."""

    task: QueuedTask
    task_id: str
    stages: tuple[str, ...]
    writer: str
    category: str
    faults: int
    words: str


@dataclass(frozen=True, slots=True)
class PreparedFilter:
    """Which tasks are shown: those that are all of this; what is empty shuts none out."""

    stage: str = TO_APPROVE
    writer: str = ""
    category: str = ""
    text: str = ""

    def let_through(self, rows: Iterable[PreparedRow]) -> list[PreparedRow]:
        """Those of the rows that are shown."""
        stage, writer, category, text = self.stage, self.writer, self.category, self.text
        shown = [row for row in rows if stage in row.stages] if stage else list(rows)
        if writer:
            shown = [row for row in shown if row.writer == writer]
        if category:
            shown = [row for row in shown if row.category == category]
        return [row for row in shown if text in row.words] if text else shown


@dataclass(frozen=True, slots=True)
class PreparedCounts:
    """How many tasks there are of what."""

    stages: Counter[str] = field(default_factory=Counter)
    writers: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)


def prepared_rows(tasks: Iterable[QueuedTask]) -> Sequence[PreparedRow]:
    """The rows of all tasks, in their order."""
    return [prepared_row(task) for task in tasks]


def prepared_row(task: QueuedTask) -> PreparedRow:
    """The row of a task."""
    listed, origin = task.listed, task.listed.text
    told = listed.task
    faults = 0 if origin is None else fault_count(origin.equivalence)
    words = "\n".join((told.instruction, told.task, listed.template, listed.task_id, *told.apps)).casefold()
    return PreparedRow(
        task, listed.task_id, _stages(task.status, faults), writer_of(origin), told.category, faults, words
    )


def counted(rows: Collection[PreparedRow]) -> PreparedCounts:
    """How many there are of what."""
    return PreparedCounts(
        stages=Counter(chain.from_iterable(row.stages for row in rows)),
        writers=Counter(row.writer for row in rows),
        categories=Counter(row.category for row in rows),
    )


def with_words(row: PreparedRow, listed: ListedTask) -> PreparedRow:
    """The row once its task has other words."""
    return prepared_row(replace(row.task, listed=listed))


def standing(row: PreparedRow, status: Status) -> PreparedRow:
    """The row once its task stands so."""
    return prepared_row(replace(row.task, status=status))


def writer_of(origin: TextOrigin | None) -> str:
    """Who put an instruction into words: a person, where one edited it; one of `WRITERS`."""
    if origin is None:
        return BY_PERSON
    return BY_PERSON if origin.edited_by else _WRITERS[origin.writer]


def fault_count(equivalence: Equivalence | None) -> int:
    """How much speaks against an instruction; a judge's no that names nothing counts as one."""
    if equivalence is None:
        return 0
    named = len(equivalence.faults) + len(equivalence.missing) + len(equivalence.added)
    return named or int(not equivalence.holds)


def _stages(status: Status, faults: int) -> tuple[str, ...]:
    if status is Status.TO_APPROVE:
        return (TO_APPROVE, WITH_FAULTS) if faults else (TO_APPROVE,)
    return (REJECTED,) if status is Status.REJECTED else (APPROVED,)
