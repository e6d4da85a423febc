"""A task as given to an annotator: the task, its origin and the start state."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.text_origin import TextOrigin


@dataclass(frozen=True, slots=True)
class AsFound:
    """The device stays as it is."""


@dataclass(frozen=True, slots=True)
class CleanHome:
    """The home screen, with all recent apps closed."""


@dataclass(frozen=True, slots=True)
class FromSnapshot:
    name: str


StartState = AsFound | CleanHome | FromSnapshot


@dataclass(frozen=True, slots=True)
class TaskOrigin:
    """How a task was made from a template: the filling of each slot, the app in each role, and who wrote the
    instruction."""

    template: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    text: TextOrigin | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task to record; `task_id` is empty if the annotator wrote it.

    The episode of a practice task is scored and never joins the dataset. `making` is None for a task that was not
    made from a template.
    """

    task: TaskInfo
    task_id: str = ""
    start: StartState = AsFound()
    is_practice: bool = False
    making: TaskOrigin | None = None
