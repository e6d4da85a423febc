"""What the to-do app keeps: lists of tasks, which of them is open, and the task that was deleted last."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from odyssey_recorder.simulator.apps.content import table


@dataclass(slots=True)
class Task:
    title: str
    note: str = ""
    due: date | None = None
    done: bool = False


@dataclass(slots=True)
class TaskList:
    name: str
    tasks: list[Task] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Deleted:
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
        return next(one for one in self.all if any(task is other for other in one.tasks))

    def delete(self, task: Task) -> None:
        home = self.home_of(task)
        place = next(place for place, other in enumerate(home.tasks) if other is task)
        del home.tasks[place]
        self.deleted = Deleted(task, home, place)

    def move(self, task: Task, target: TaskList) -> None:
        self.delete(task)
        self.forget_deleted()
        target.tasks.append(task)

    def bring_back(self) -> None:
        if self.deleted is not None:
            self.deleted.home.tasks.insert(self.deleted.place, self.deleted.task)
        self.deleted = None

    def forget_deleted(self) -> None:
        self.deleted = None
