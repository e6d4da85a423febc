"""Task lists: JSON lines files, the keys of a line, and the problems of invalid lines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from odyssey_recorder.errors import TaskError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.model.assignment import AsFound, Assignment, StartState, TaskOrigin
from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.model.text_origin import TextOrigin
from odyssey_recorder.resources import data_folder
from odyssey_recorder.tasks import fields
from odyssey_recorder.validation import ClosedModel, first_fault


@dataclass(frozen=True, slots=True)
class ListedTask:
    """One task of a list; `item` joins the values of the template's gaps in one line.

    `devices` are the profiles it fits, empty for all; `assignee` is the only person who may record it, empty for
    everybody. Tasks with a higher `priority` are offered first, then those due
    first. For a task made from a template, `template` is its id, `slots` the value of each gap, `roles` the app of each
    role; `text` is the origin of the instruction.
    """

    task_id: str
    task: TaskInfo
    item: str = ""
    devices: tuple[str, ...] = ()
    start: StartState = field(default_factory=AsFound)
    notes: str = ""
    due: date | None = None
    priority: int = 0
    template: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    text: TextOrigin | None = None
    assignee: str = ""

    def fits(self, device: str | None) -> bool:
        """ "" is a device without a profile, None any device."""
        return device is None or not self.devices or device in self.devices

    @property
    def assignment(self) -> Assignment:
        return Assignment(self.task, self.task_id, self.start, making=self.making)

    @property
    def making(self) -> TaskOrigin | None:
        """None if the task names neither its template nor the origin of its instruction."""
        is_told = bool(self.template) or self.text is not None
        return TaskOrigin(self.template, self.slots, self.roles, self.text) if is_told else None


@dataclass(frozen=True, slots=True)
class TaskListing:
    tasks: tuple[ListedTask, ...]
    problems: tuple[fields.Problem, ...]


_AS_LISTED = ("item", "devices", "notes", "due", "priority", "template", "slots", "roles", "text", "assignee")
"""The keys that are the same in a line and in a `ListedTask`."""

_Stripped = Annotated[str, StringConstraints(strip_whitespace=True)]


class _Row(ClosedModel):
    task_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\z")
    category: Category
    instruction: fields.Words
    apps: Annotated[tuple[fields.Words, ...], Field(min_length=1)]
    meta_task: str = ""
    task: str = ""
    item: _Stripped = ""
    devices: tuple[fields.ProfileName, ...] = ()
    start: fields.StartWords = "as_found"
    notes: _Stripped = ""
    due: date | None = None
    priority: int = Field(default=0, ge=-9, le=9)
    template: str = ""
    slots: dict[str, str] = Field(default_factory=dict)
    roles: dict[str, str] = Field(default_factory=dict)
    text: TextOrigin | None = None
    assignee: _Stripped = ""

    @classmethod
    def of(cls, listed: ListedTask) -> "_Row":
        info = listed.task
        return cls(
            task_id=listed.task_id,
            category=Category(info.category),
            instruction=info.instruction,
            apps=info.apps,
            meta_task=info.meta_task,
            task=info.task,
            start=fields.start_text(listed.start),
            **{name: getattr(listed, name) for name in _AS_LISTED},
        )

    def listed(self) -> ListedTask:
        """`meta_task` and `task` default to the instruction."""
        info = TaskInfo(
            category=self.category.value,
            apps=self.apps,
            meta_task=self.meta_task.strip() or self.instruction,
            task=self.task.strip() or self.instruction,
            instruction=self.instruction,
        )
        return ListedTask(
            task_id=self.task_id,
            task=info,
            start=fields.start_state(self.start),
            **{name: getattr(self, name) for name in _AS_LISTED},
        )


def shipped_tasks() -> Path:
    return data_folder("tasks") / "simulated_phone.jsonl"


def read_listing(path: Path) -> TaskListing:
    """Blank lines are skipped. Raises TaskError if the file is missing or unreadable."""
    try:
        data = read_file(path, Largest.TASKS)
    except OSError as error:
        why = error.strerror or error
        raise TaskError(f"The task list {path} cannot be read: {why}. Choose another, or restore it.") from error
    outcomes = list(_outcomes(path, data))
    return TaskListing(
        tuple(outcome for outcome in outcomes if isinstance(outcome, ListedTask)),
        tuple(outcome for outcome in outcomes if isinstance(outcome, fields.Problem)),
    )


def read_tasks(path: Path, *, new: bool = False) -> tuple[ListedTask, ...]:
    """Raises TaskError. Only `new` lists are refused for too few apps: one in use stops nobody's work."""
    listing = read_listing(path)
    fields.refuse([problem for problem in listing.problems if new or not problem.is_usable])
    return listing.tasks


def task_line(task: ListedTask) -> str:
    """Without newline; empty keys are left out."""
    return _Row.of(task).model_dump_json(exclude_defaults=True)


def parse_task_line(line: str | bytes) -> ListedTask:
    """Inverse of `task_line`. Raises TaskError."""
    try:
        return _Row.model_validate_json(line).listed()
    except ValidationError as error:
        raise TaskError(f"Not a task: {first_fault(error).message}.") from error


def _outcomes(path: Path, data: bytes) -> Iterator[ListedTask | fields.Problem]:
    seen: dict[str, int] = {}
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            task = _Row.model_validate_json(line).listed()
        except ValidationError as error:
            for place, words in fields.faults_in(error):
                yield fields.Problem(path, number, ".".join(map(str, place)), words)
            continue
        if task.task_id in seen:
            yield fields.Problem(
                path, number, "task_id", f"{task.task_id} is already the task of line {seen[task.task_id]}"
            )
        else:
            seen[task.task_id] = number
            yield task
            if lack := Category(task.task.category).lacks_apps(task.task.apps):
                yield fields.Problem(path, number, "apps", lack, is_usable=True)
