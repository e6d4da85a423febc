"""The tasks that are prepared as rows: what each is filtered by, worked out once and off the GUI thread."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from odyssey_recorder.model.text_origin import Equivalence, TextOrigin, Writer
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue import QueuedTask, Status

TO_APPROVE, WITH_FAULTS, APPROVED, REJECTED = "To approve", "To approve, with faults", "Approved", "Rejected"
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
    stages: tuple[str, ...]
    writer: str
    faults: int
    words: str

    @property
    def task_id(self) -> str:
        """How the task is known."""
        return self.task.task_id


@dataclass(frozen=True, slots=True)
class PreparedFilter:
    """Which tasks are shown: those that are all of this; what is empty shuts none out."""

    stage: str = TO_APPROVE
    writer: str = ""
    category: str = ""
    text: str = ""

    def lets_through(self, row: PreparedRow) -> bool:
        """Whether a task is shown."""
        return (
            (not self.stage or self.stage in row.stages)
            and self.writer in ("", row.writer)
            and self.category in ("", row.task.listed.task.category)
            and self.text in row.words
        )


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
    return PreparedRow(task, _stages(task.status, faults), writer_of(origin), faults, words)


def counted(rows: Iterable[PreparedRow]) -> PreparedCounts:
    """How many there are of what."""
    counts = PreparedCounts()
    for row in rows:
        counts.stages.update(row.stages)
        counts.writers[row.writer] += 1
        counts.categories[row.task.listed.task.category] += 1
    return counts


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
