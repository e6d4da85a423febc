"""A task as given to an annotator."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.text_origin import TextOrigin


@dataclass(frozen=True, slots=True)
class AsFound: ...


@dataclass(frozen=True, slots=True)
class CleanHome:
    """With all recent apps closed; with `clears_apps`, what the task's apps have stored is deleted, too."""

    clears_apps: bool = False


@dataclass(frozen=True, slots=True)
class FromSnapshot:
    name: str


StartState = AsFound | CleanHome | FromSnapshot


@dataclass(frozen=True, slots=True)
class TaskOrigin:
    """`slots` are their fillings, `roles` the app in each role; `text` says who wrote the instruction."""

    template: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    text: TextOrigin | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """`task_id` is empty if the annotator wrote the task, `making` None if it has no template.

    The episode of a practice task is scored and never joins the dataset.
    """

    task: TaskInfo
    task_id: str = ""
    start: StartState = AsFound()
    is_practice: bool = False
    making: TaskOrigin | None = None
