"""The page of one task: its words, its day, the list it is in."""

from datetime import date
from functools import partial

from odyssey_recorder.simulator.apps.app import App
from odyssey_recorder.simulator.apps.task_lists import Task, TaskList, TaskLists
from odyssey_recorder.simulator.apps.today import DatedPage, day_name
from odyssey_recorder.simulator.ui.controls import Icon, TextField
from odyssey_recorder.simulator.ui.layout import Row, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    chip,
    divider,
    fab,
    icon_button,
    page_frame,
    radio_item,
    scroll_page,
    section,
)


class TaskPage(DatedPage):
    """One task, open for editing; what is written is kept at once."""

    title = "Task"

    def __init__(self, app: App, lists: TaskLists, task: Task) -> None:
        super().__init__(app)
        self.lists = lists
        self.task = task

    def build(self, look: Look) -> View:
        task = self.task
        bar = app_bar(
            self.lists.home_of(task).name,
            icon_button(
                "share-variant-outline",
                "Share",
                lambda: self.system.share(f"{self.task.title}\n{self.task.note}".strip(), subject="Task"),
            ),
            icon_button("delete-outline", "Delete", self._delete),
            on_up=self.close,
        )
        title = TextField("title", task.title, self.sets("title", of=self.task), hint="Task", size=24)
        note = TextField(
            "note", task.note, self.sets("note", of=self.task), hint="Add details", multiline=True, min_lines=3
        )
        return page_frame(
            bar,
            scroll_page(
                Surface(title, pad=(20, 8)),
                Row((Icon("text", 24), Surface(note, flex=1)), gap=16, pad=(20, 12), across="start"),
                Row((Icon("calendar", 24), *self._due()), gap=16, pad=(20, 8)),
                divider(),
                section("List"),
                *(self._choice(one) for one in self.lists.all),
                gap=4,
                pad=(0, 0, 0, 96),
            ),
            fab=fab("check", "Reopen" if task.done else "Mark completed", self._tick),
        )

    def _due(self) -> list[View]:
        due = self.task.due
        ask = chip(day_name(due) if due else "Set due date", selected=bool(due), on_tap=self.shows("due"))
        if due is None:
            return [ask]
        return [ask, icon_button("close", "Remove due date", lambda: self._set_due(None), size=20)]

    def _choice(self, one: TaskList) -> View:
        return radio_item(one.name, checked=one is self.lists.home_of(self.task), on_tap=partial(self._move, one))

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
