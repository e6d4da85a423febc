"""To-do: lists of tasks to add, tick off, date, sort, and delete with undo."""

from datetime import date
from functools import partial

from odyssey_simulator.apps.app import App, Intent, Page, System
from odyssey_simulator.apps.task_page import Task, TaskList, TaskLists, TaskPage
from odyssey_simulator.apps.today import TODAY, DatedPage, day_name
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Checkbox, Icon, Text
from odyssey_simulator.ui.layout import ScrollView, Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View


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
    text = ""
    name = ""
    due: date | None = None

    def build(self, look: Look) -> View:
        lists = self.app.lists
        more = ui.icon_button("dots-vertical", "More options", self.shows("menu"))
        bar = column(ui.app_bar("To-do", more), self._lists())
        parts = [self._row(task) for task in lists.current.tasks if not task.done]
        if done := [self._row(task) for task in lists.current.tasks if task.done]:
            parts += [ui.section(f"Completed ({len(done)})"), *done]
        body: View = ui.empty_page("check-circle-outline", "Nothing to do here")
        if parts:
            body = ui.scroll_page(*parts, pad=(0, 6, 0, 96))
        undo = None
        if deleted := lists.deleted:
            text = f"\u201c{deleted.task.title}\u201d deleted"
            undo = ui.snackbar(text, on_undo=lists.bring_back, on_dismiss=self.puts("deleted", None, of=lists))
        return ui.page_frame(bar, body, fab=ui.fab("plus", "Add task", self._begin), bottom=undo)

    def _lists(self) -> View:
        chips = [
            ui.chip(
                task_list.name, selected=task_list is self.app.lists.current, on_tap=partial(self._open_list, task_list)
            )
            for task_list in self.app.lists.all
        ]
        chips.append(ui.chip("New list", icon="plus", on_tap=self._begin_list))
        return ui.centered(ScrollView(row(*chips, gap=8, pad=(16, 0)), "lists", sideways=True), 760)

    def _row(self, task: Task) -> View:
        color = "outline" if task.done else "on_surface"
        text: list[View] = [Text(task.title, 16, color=color, lines=2, strike=task.done)]
        if task.note:
            text.append(ui.muted(task.note, lines=1))
        if task.due:
            ink = "error" if task.due < TODAY and not task.done else "primary"
            text.append(row(Icon("calendar", 15, ink), Text(day_name(task.due), 13, 500, ink), gap=5))
        tick = Surface(
            Checkbox(checked=task.done),
            width=48,
            height=48,
            align="center",
            on_tap=self.flips("done", of=task),
            desc=f"{'Reopen' if task.done else 'Complete'} {task.title}",
        )
        return Surface(
            row(tick, column(*text, gap=2, flex=1), gap=4, pad=(6, 4, 16, 4)),
            fill=True,
            on_tap=lambda: self.go(TaskPage(self.app, self.app.lists, task)),
            on_long_press=partial(self.offer, task, "held"),
            desc=task.title,
        )

    # Overlays -----------------------------------------------------------------------------------------------------

    def build_overlay(self, look: Look) -> View | None:
        match self.overlay:
            case "add":
                return self._add_sheet()
            case "due":
                return self.date_question(self.due, choose=self._set_due, cancel=partial(self._set_due, self.due))
            case "list":
                name = self.field("name", "Name of the list", key="list", on_action=self._add_list)
                enabled = bool(self.name.strip())
                return self.form("New list", name, label="Create", act=self._add_list, enabled=enabled)
            case "held":
                return self._held_sheet(self.chosen)
            case _:
                return self.menu(
                    ("sort-calendar-ascending", "Sort by date", self._sort),
                    ("check-all", "Delete completed", self._delete_completed),
                    ("share-variant-outline", "Share list", self._share),
                )

    def _add_sheet(self) -> View:
        due = ui.chip(
            day_name(self.due) if self.due else "Due date",
            icon="calendar",
            selected=bool(self.due),
            on_tap=self.shows("due"),
        )
        writing = ui.text_box(self.field("words", "New task", key="task", on_action=self._add), color="surface")
        add = ui.button("Save", self._add, kind="text", enabled=bool(self.words.strip()))
        return ui.bottom_sheet(writing, row(due, Spacer(flex=1), add, gap=8))

    def _held_sheet(self, task: Task) -> View:
        others = [task_list for task_list in self.app.lists.all if task_list is not self.app.lists.current]
        return self.sheet(
            task.title,
            ("content-copy", "Copy text", partial(self.system.copy, task.title)),
            *(
                ("arrow-right", f"Move to {task_list.name}", partial(self._move, task, task_list))
                for task_list in others
            ),
            ("delete-outline", "Delete", partial(self.app.lists.delete, task)),
        )

    # Tap handlers -------------------------------------------------------------------------------------------------

    def _open_list(self, task_list: TaskList) -> None:
        self.app.lists.current = task_list
        self.memory.scroll.clear()

    def _begin(self) -> None:
        self.words = ""
        self._set_due(None)

    def _begin_list(self) -> None:
        self.name = ""
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
        if self.name.strip():
            self.app.lists.all.append(TaskList(self.name.strip()))
            self.app.lists.current = self.app.lists.all[-1]

    def _move(self, task: Task, target: TaskList) -> None:
        self.app.lists.move(task, target)
        self.system.toast(f"Moved to {target.name}")

    def _sort(self) -> None:
        self.app.lists.current.tasks.sort(key=lambda task: task.due or date.max)

    def _delete_completed(self) -> None:
        self.app.lists.current.tasks[:] = [task for task in self.app.lists.current.tasks if not task.done]

    def _share(self) -> None:
        open_tasks = [f"- {task.title}" for task in self.app.lists.current.tasks if not task.done]
        self.system.share("\n".join(open_tasks), subject=self.app.lists.current.name)
