"""What the to-do app keeps: lists of tasks, which of them is open, and the task that was deleted last."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from odyssey_recorder.simulator.apps.content import table


@dataclass(slots=True)
class Task:
    """One thing to do."""

    title: str
    note: str = ""
    due: date | None = None
    done: bool = False


@dataclass(slots=True)
class TaskList:
    """A list of tasks, in the order in which they were added."""

    name: str
    tasks: list[Task] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Deleted:
    """A task that can still be brought back, and where it was."""

    task: Task
    home: TaskList
    place: int


def _first_list(row: dict[str, Any]) -> TaskList:
    return TaskList(row["name"], [Task(**task) for task in row["tasks"]])


class TaskLists:
    """All lists; `current` is the one that is open, and `deleted` the task that can be brought back."""

    def __init__(self) -> None:
        self.all = [_first_list(row) for row in table("todo")["list"]]
        self.current = self.all[0]
        self.deleted: Deleted | None = None

    def home_of(self, task: Task) -> TaskList:
        """The list that a task is in."""
        return next(one for one in self.all if any(task is other for other in one.tasks))

    def delete(self, task: Task) -> None:
        """Take a task away, until it is brought back."""
        home = self.home_of(task)
        place = next(place for place, other in enumerate(home.tasks) if other is task)
        del home.tasks[place]
        self.deleted = Deleted(task, home, place)

    def move(self, task: Task, target: TaskList) -> None:
        """Put a task at the end of another list."""
        self.delete(task)
        self.forget_deleted()
        target.tasks.append(task)

    def bring_back(self) -> None:
        """Undo the last deletion."""
        if self.deleted is not None:
            self.deleted.home.tasks.insert(self.deleted.place, self.deleted.task)
        self.deleted = None

    def forget_deleted(self) -> None:
        """Take the offer to undo away."""
        self.deleted = None
