"""To-do: lists of tasks that are added, ticked off, dated, edited, and deleted with a way back."""

from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from odyssey_recorder.simulator.apps.app import App, Intent, Page, System
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.today import TODAY, DatedPage, day_name
from odyssey_recorder.simulator.ui.controls import Checkbox, Icon, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Scroll, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    bottom_sheet,
    button,
    centered,
    chip,
    dialog,
    divider,
    empty_page,
    fab,
    icon_button,
    list_item,
    menu,
    page_frame,
    radio_item,
    scroll_page,
    section,
    snackbar,
    text_box,
)


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


class Todo(App):
    """The to-do app; its lists are kept."""

    label = "To-do"
    package = "com.odyssey.todo"
    icon = "check-circle-outline"
    color = "#2e7d5b"
    category = "Information_Management"
    takes = ("send",)
    share_label = "Add to To-do"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.lists = [_first_list(row) for row in table("todo")["list"]]
        self.current = self.lists[0]
        self.deleted: Deleted | None = None

    def first_page(self) -> Page:
        return TasksPage(self)

    def receive(self, intent: Intent) -> Page:
        title, _, note = (intent.subject or intent.text).partition("\n")
        task = Task(title, note or (intent.text if intent.subject else ""))
        self.current.tasks.insert(0, task)
        return TaskPage(self, task)

    def home_of(self, task: Task) -> TaskList:
        """The list that a task is in."""
        return next(one for one in self.lists if any(task is other for other in one.tasks))

    def delete(self, task: Task) -> None:
        """Take a task away, until it is brought back."""
        home = self.home_of(task)
        place = next(place for place, other in enumerate(home.tasks) if other is task)
        del home.tasks[place]
        self.deleted = Deleted(task, home, place)

    def bring_back(self) -> None:
        """Undo the last deletion."""
        if self.deleted is not None:
            self.deleted.home.tasks.insert(self.deleted.place, self.deleted.task)
        self.deleted = None

    def forget_deleted(self) -> None:
        """Take the offer to undo away."""
        self.deleted = None


class TasksPage(DatedPage):
    """One list: what is to do, then what is done."""

    app: Todo
    title = "Tasks"

    def __init__(self, app: Todo) -> None:
        super().__init__(app)
        self.words = ""
        self.due: date | None = None
        self.held: Task | None = None

    def build(self, look: Look) -> View:
        current = self.app.current
        bar = Column(
            (app_bar("To-do", icon_button("dots-vertical", "More options", self.shows("menu"))), self._lists())
        )
        todo = [task for task in current.tasks if not task.done]
        done = [task for task in current.tasks if task.done]
        if current.tasks:
            parts = [self._row(task) for task in todo]
            if done:
                parts += [section(f"Completed ({len(done)})"), *(self._row(task) for task in done)]
            body: View = scroll_page(*parts, pad=(0, 6, 0, 96))
        else:
            body = empty_page("check-circle-outline", "Nothing to do here")
        return page_frame(bar, body, fab=fab("plus", "Add task", self._begin), bottom=self._snackbar())

    def _lists(self) -> View:
        chips = [
            chip(one.name, selected=one is self.app.current, on_tap=partial(self._open_list, one))
            for one in self.app.lists
        ]
        chips.append(chip("New list", icon="plus", on_tap=self._begin_list))
        strip = Scroll(Row(chips, gap=8, pad=(16, 0)), "lists", sideways=True)
        return centered(strip, 760)

    def _row(self, task: Task) -> View:
        color = "outline" if task.done else "on_surface"
        words: list[View] = [Text(task.title, 16, color=color, lines=2, strike=task.done)]
        if task.note:
            words.append(Text(task.note, 14, color="on_surface_variant", lines=1))
        if task.due:
            late = task.due < TODAY and not task.done
            ink = "error" if late else "primary"
            words.append(Row((Icon("calendar", 15, ink), Text(day_name(task.due), 13, 500, ink)), gap=5))
        tick = Surface(
            Checkbox(checked=task.done, round=True),
            width=48,
            height=48,
            align="center",
            on_tap=partial(self._tick, task),
            desc=f"{'Reopen' if task.done else 'Complete'} {task.title}",
        )
        row = Row((tick, Column(words, gap=2, flex=1, along="start")), gap=4, pad=(6, 4, 16, 4))
        return Surface(
            row,
            fill=True,
            on_tap=lambda: self.go(TaskPage(self.app, task)),
            on_long_press=partial(self._hold, task),
            desc=task.title,
        )

    def _snackbar(self) -> View | None:
        if self.app.deleted is None:
            return None
        return snackbar(
            f"\u201c{self.app.deleted.task.title}\u201d deleted",
            label="Undo",
            on_action=self.app.bring_back,
            on_dismiss=self.app.forget_deleted,
        )

    # What lies over the list -----------------------------------------------------------------------------------

    def build_overlay(self, look: Look) -> View | None:
        match self.overlay:
            case "add":
                return self._add_sheet()
            case "due":
                return self.date_question(self.due, choose=self._set_due, cancel=partial(self._set_due, self.due))
            case "list":
                return self._list_dialog()
            case "held":
                return self._held_sheet()
            case _:
                return menu(
                    ("sort-calendar-ascending", "Sort by date", self._sort),
                    ("check-all", "Delete completed", self._sweep),
                    ("share-variant-outline", "Share list", self._share),
                )

    def _add_sheet(self) -> View:
        writing = TextField("task", self.words, self._write, hint="New task", on_action=self._add)
        due = chip(
            day_name(self.due) if self.due else "Due date",
            icon="calendar",
            selected=bool(self.due),
            on_tap=self.shows("due"),
        )
        save = button("Save", self._add, kind="text", enabled=bool(self.words.strip()))
        return bottom_sheet(text_box(writing, color="surface"), Row((due, Text("", flex=1), save), gap=8))

    def _list_dialog(self) -> View:
        writing = TextField("list", self.words, self._write, hint="Name of the list", on_action=self._add_list)
        return dialog(
            "New list",
            text_box(writing, color="surface"),
            buttons=(
                button("Cancel", self.shows(""), kind="text"),
                button("Create", self._add_list, kind="text", enabled=bool(self.words.strip())),
            ),
        )

    def _held_sheet(self) -> View:
        task = self.held
        if task is None:
            return bottom_sheet()
        others = [one for one in self.app.lists if one is not self.app.current]
        return bottom_sheet(
            Text(task.title, 20, 500, lines=2),
            Column(
                (
                    list_item("Copy text", icon="content-copy", on_tap=partial(self._copy, task)),
                    *(
                        list_item(f"Move to {one.name}", icon="arrow-right", on_tap=partial(self._move, task, one))
                        for one in others
                    ),
                    list_item("Delete", icon="delete-outline", on_tap=partial(self._delete, task)),
                )
            ),
            gap=8,
        )

    # What taps do ----------------------------------------------------------------------------------------------

    def _open_list(self, one: TaskList) -> None:
        self.app.current = one
        self.memory.scroll.clear()

    def _begin(self) -> None:
        self.words, self.due = "", None
        self.show("add")
        self.focus("task")

    def _begin_list(self) -> None:
        self.words = ""
        self.show("list")
        self.focus("list")

    def _write(self, words: str) -> None:
        self.words = words

    def _set_due(self, day: date | None) -> None:
        self.due = day
        self.show("add")
        self.focus("task")

    def _add(self) -> None:
        self.show("")
        if self.words.strip():
            self.app.current.tasks.append(Task(self.words.strip(), due=self.due))

    def _add_list(self) -> None:
        self.show("")
        if self.words.strip():
            self.app.lists.append(TaskList(self.words.strip()))
            self.app.current = self.app.lists[-1]

    def _tick(self, task: Task) -> None:
        task.done = not task.done

    def _hold(self, task: Task) -> None:
        self.held = task
        self.show("held")

    def _copy(self, task: Task) -> None:
        self.show("")
        self.system.copy(task.title)

    def _move(self, task: Task, target: TaskList) -> None:
        self.show("")
        self.app.delete(task)
        self.app.forget_deleted()
        target.tasks.append(task)
        self.system.toast(f"Moved to {target.name}")

    def _delete(self, task: Task) -> None:
        self.show("")
        self.app.delete(task)

    def _sort(self) -> None:
        self.show("")
        self.app.current.tasks.sort(key=lambda task: task.due or date.max)

    def _sweep(self) -> None:
        self.show("")
        self.app.current.tasks[:] = [task for task in self.app.current.tasks if not task.done]

    def _share(self) -> None:
        open_tasks = [f"- {task.title}" for task in self.app.current.tasks if not task.done]
        self.system.share("\n".join(open_tasks), subject=self.app.current.name)


class TaskPage(DatedPage):
    """One task, open for editing; what is written is kept at once."""

    app: Todo
    title = "Task"

    def __init__(self, app: Todo, task: Task) -> None:
        super().__init__(app)
        self.task = task

    def build(self, look: Look) -> View:
        task = self.task
        bar = app_bar(
            self.app.home_of(task).name,
            icon_button("share-variant-outline", "Share", self._share),
            icon_button("delete-outline", "Delete", self._delete),
            on_up=self.close,
        )
        title = TextField("title", task.title, self._retitle, hint="Task", size=24)
        note = TextField("note", task.note, self._annotate, hint="Add details", multiline=True, min_lines=3)
        return page_frame(
            bar,
            scroll_page(
                Surface(title, pad=(20, 8)),
                Row((Icon("text", 24), Surface(note, flex=1)), gap=16, pad=(20, 12), across="start"),
                Row((Icon("calendar", 24), *self._due()), gap=16, pad=(20, 8)),
                divider(),
                section("List"),
                *(self._choice(one) for one in self.app.lists),
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
        return radio_item(one.name, checked=one is self.app.home_of(self.task), on_tap=partial(self._move, one))

    def build_overlay(self, look: Look) -> View | None:
        return self.date_question(self.task.due, choose=self._set_due, cancel=self.shows(""))

    def _retitle(self, words: str) -> None:
        self.task.title = words

    def _annotate(self, words: str) -> None:
        self.task.note = words

    def _set_due(self, day: date | None) -> None:
        self.task.due = day
        self.show("")

    def _move(self, target: TaskList) -> None:
        if target is not self.app.home_of(self.task):
            self.app.delete(self.task)
            self.app.forget_deleted()
            target.tasks.append(self.task)

    def _tick(self) -> None:
        self.task.done = not self.task.done
        self.close()

    def _share(self) -> None:
        self.system.share(f"{self.task.title}\n{self.task.note}".strip(), subject="Task")

    def _delete(self) -> None:
        self.app.delete(self.task)
        self.close()
