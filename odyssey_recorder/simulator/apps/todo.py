"""To-do: lists of tasks to add, tick off, date, sort, and delete with undo."""

from datetime import date
from functools import partial

from odyssey_recorder.simulator.apps.app import App, Intent, Page, System
from odyssey_recorder.simulator.apps.task_page import Task, TaskList, TaskLists, TaskPage
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
    empty_page,
    fab,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
    section,
    snackbar,
    text_box,
)


class Todo(App):
    label = "To-do"
    package = "com.odyssey.todo"
    icon = "check-circle-outline"
    color = "#2e7d5b"
    category = "Information_Management"
    takes = ("send",)
    share_label = "Add to To-do"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.lists = TaskLists()

    def first_page(self) -> Page:
        return TasksPage(self)

    def receive(self, intent: Intent) -> Page:
        title, _, note = (intent.subject or intent.text).partition("\n")
        task = Task(title, note or (intent.text if intent.subject else ""))
        self.lists.current.tasks.insert(0, task)
        return TaskPage(self, self.lists, task)


class TasksPage(DatedPage):
    app: Todo
    title = "Tasks"
    words = ""
    due: date | None = None
    held: Task | None = None

    def build(self, look: Look) -> View:
        current = self.app.lists.current
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
            chip(one.name, selected=one is self.app.lists.current, on_tap=partial(self._open_list, one))
            for one in self.app.lists.all
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
            on_tap=lambda: self.go(TaskPage(self.app, self.app.lists, task)),
            on_long_press=partial(self._hold, task),
            desc=task.title,
        )

    def _snackbar(self) -> View | None:
        if self.app.lists.deleted is None:
            return None
        return snackbar(
            f"\u201c{self.app.lists.deleted.task.title}\u201d deleted",
            label="Undo",
            on_action=self.app.lists.bring_back,
            on_dismiss=self.app.lists.forget_deleted,
        )

    # Overlays -----------------------------------------------------------------------------------------------------

    def build_overlay(self, look: Look) -> View | None:
        match self.overlay:
            case "add":
                return self._add_sheet()
            case "due":
                return self.date_question(self.due, choose=self._set_due, cancel=partial(self._set_due, self.due))
            case "list":
                return self._list_dialog()
            case "held" if self.held:
                return self._held_sheet(self.held)
            case _:
                return menu(
                    ("sort-calendar-ascending", "Sort by date", self._sort),
                    ("check-all", "Delete completed", self._sweep),
                    ("share-variant-outline", "Share list", self._share),
                )

    def _add_sheet(self) -> View:
        writing = TextField("task", self.words, self.sets("words"), hint="New task", on_action=self._add)
        due = chip(
            day_name(self.due) if self.due else "Due date",
            icon="calendar",
            selected=bool(self.due),
            on_tap=self.shows("due"),
        )
        save = button("Save", self._add, kind="text", enabled=bool(self.words.strip()))
        return bottom_sheet(text_box(writing, color="surface"), Row((due, Text("", flex=1), save), gap=8))

    def _list_dialog(self) -> View:
        writing = TextField("list", self.words, self.sets("words"), hint="Name of the list", on_action=self._add_list)
        return dialog(
            "New list",
            text_box(writing, color="surface"),
            buttons=(
                button("Cancel", self.shows(""), kind="text"),
                button("Create", self._add_list, kind="text", enabled=bool(self.words.strip())),
            ),
        )

    def _held_sheet(self, task: Task) -> View:
        others = [one for one in self.app.lists.all if one is not self.app.lists.current]
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

    # Tap handlers -------------------------------------------------------------------------------------------------

    def _open_list(self, one: TaskList) -> None:
        self.app.lists.current = one
        self.memory.scroll.clear()

    def _begin(self) -> None:
        self.words, self.due = "", None
        self.show("add")
        self.focus("task")

    def _begin_list(self) -> None:
        self.words = ""
        self.show("list")
        self.focus("list")

    def _set_due(self, day: date | None) -> None:
        self.due = day
        self.show("add")
        self.focus("task")

    def _add(self) -> None:
        self.show("")
        if self.words.strip():
            self.app.lists.current.tasks.append(Task(self.words.strip(), due=self.due))

    def _add_list(self) -> None:
        self.show("")
        if self.words.strip():
            self.app.lists.all.append(TaskList(self.words.strip()))
            self.app.lists.current = self.app.lists.all[-1]

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
        self.app.lists.move(task, target)
        self.system.toast(f"Moved to {target.name}")

    def _delete(self, task: Task) -> None:
        self.show("")
        self.app.lists.delete(task)

    def _sort(self) -> None:
        self.show("")
        self.app.lists.current.tasks.sort(key=lambda task: task.due or date.max)

    def _sweep(self) -> None:
        self.show("")
        self.app.lists.current.tasks[:] = [task for task in self.app.lists.current.tasks if not task.done]

    def _share(self) -> None:
        open_tasks = [f"- {task.title}" for task in self.app.lists.current.tasks if not task.done]
        self.system.share("\n".join(open_tasks), subject=self.app.lists.current.name)
