"""What an annotator is given to do: a task, how it is known, and from where on the device it begins."""

from dataclasses import dataclass

from odyssey_recorder.model.episode import TaskInfo


@dataclass(frozen=True, slots=True)
class AsFound:
    """The device stays as it is."""


@dataclass(frozen=True, slots=True)
class CleanHome:
    """The home screen, with all recent apps closed."""


@dataclass(frozen=True, slots=True)
class FromSnapshot:
    """What the emulator's snapshot `name` holds."""

    name: str


StartState = AsFound | CleanHome | FromSnapshot


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task to record; `task_id` is empty for one that the annotator wrote.

    The episode of a practice task is scored and never becomes part of the dataset.
    """

    task: TaskInfo
    task_id: str = ""
    start: StartState = AsFound()
    is_practice: bool = False
