"""The page of one task: text, date, and list."""

from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from odyssey_simulator.apps.app import App
from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.today import DatedPage, day_name
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Icon
from odyssey_simulator.ui.layout import Surface, row
from odyssey_simulator.ui.view import Look, View


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
    def __init__(self) -> None:
        self.all = [_first_list(row) for row in table("todo")["list"]]
        self.current = self.all[0]
        self.deleted: Deleted | None = None

    def home_of(self, task: Task) -> TaskList:
        return next(task_list for task_list in self.all if any(task is other for other in task_list.tasks))

    def delete(self, task: Task) -> None:
        home = self.home_of(task)
        place = next(place for place, other in enumerate(home.tasks) if other is task)
        del home.tasks[place]
        self.deleted = Deleted(task, home, place)

    def move(self, task: Task, target: TaskList) -> None:
        self.delete(task)
        self.deleted = None
        target.tasks.append(task)

    def bring_back(self) -> None:
        if self.deleted is not None:
            self.deleted.home.tasks.insert(self.deleted.place, self.deleted.task)
        self.deleted = None


class TaskPage(DatedPage):
    def __init__(self, app: App, lists: TaskLists, task: Task) -> None:
        super().__init__(app)
        self.lists = lists
        self.task = task

    def build(self, look: Look) -> View:
        task = self.task
        shared = f"{task.title}\n{task.note}".strip()
        bar = ui.app_bar(
            self.lists.home_of(task).name,
            ui.icon_button("share-variant-outline", "Share", partial(self.system.share, shared, subject="Task")),
            ui.icon_button("delete-outline", "Delete", self._delete),
            on_up=self.close,
        )
        title = self.field("title", "Task", of=task, size=24)
        note = self.field("note", "Add details", of=task, multiline=True, min_lines=3)
        return ui.page_frame(
            bar,
            ui.scroll_page(
                Surface(title, pad=(20, 8)),
                row(Icon("text", 24), Surface(note, flex=1), gap=16, pad=(20, 12), across="start"),
                row(Icon("calendar", 24), *self._due(), gap=16, pad=(20, 8)),
                Divider(),
                ui.section("List"),
                *(self._choice(task_list) for task_list in self.lists.all),
                gap=4,
                pad=(0, 0, 0, 96),
            ),
            fab=ui.fab("check", "Reopen" if task.done else "Mark completed", self._tick),
        )

    def _due(self) -> list[View]:
        due = self.task.due
        ask = ui.chip(day_name(due) if due else "Set due date", selected=bool(due), on_tap=self.shows("due"))
        if due is None:
            return [ask]
        return [ask, ui.icon_button("close", "Remove due date", lambda: self._set_due(None), size=20)]

    def _choice(self, task_list: TaskList) -> View:
        return ui.radio_item(
            task_list.name, checked=task_list is self.lists.home_of(self.task), on_tap=partial(self._move, task_list)
        )

    def build_overlay(self, look: Look) -> View | None:
        return self.date_question(self.task.due, choose=self._set_due, cancel=self.shows(""))

    def _set_due(self, day: date | None) -> None:
        self.task.due = day
        self.show("")

    def _move(self, target: TaskList) -> None:
        if target is not self.lists.home_of(self.task):
            self.lists.move(self.task, target)

    def _tick(self) -> None:
        self.task.done = not self.task.done
        self.close()

    def _delete(self) -> None:
        self.lists.delete(self.task)
        self.close()
