"""One task of the queue in full: its texts, its history and the possible actions."""

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, fill_column, say, text_label
from odyssey_recorder.gui.kit.task_text import TaskText
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.tasks.queue.task_status import HistoryEntry, Holder, QueuedTask


class TaskDetail(Card):
    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._text = TaskText()
        self._title = text_label("Task", "title")
        self._nothing = text_label("Select a task to see its details.", "hint")
        self._holder = text_label(kind="warning")
        self._head = text_label("History", "field")
        self._history = text_label(kind="hint")
        self._hint = text_label(kind="hint")
        area = scroll_area(pile(self._nothing, self._text, self._holder, self._head, self._history, spacing=10))
        buttons = commands.buttons(
            TasksCommand.SEND_BACK_TASK,
            TasksCommand.FREE_TASK,
            TasksCommand.ASSIGN_TASK,
            TasksCommand.RECORD_TASK,
            wide=True,
        )
        fill_column(self, self._title, (area, 1), self._hint, *buttons, margins=(16, 14, 16, 16), spacing=12)
        self.show_task(None)

    def show_task(self, task: QueuedTask | None, holding: str = "") -> None:
        """`holding`: who works on the task, in words."""
        self._nothing.setVisible(task is None)
        self._text.setVisible(task is not None)
        self._title.setText("Task" if task is None else f"Task {task.task_id}")
        say(self._holder, holding)
        history = "" if task is None else "\n".join(map(_line, task.history))
        self._history.setText(history)
        for part in (self._head, self._history):
            part.setVisible(bool(history))
        if task is not None:
            self._text.show_queued(task)

    def show_hint(self, text: str) -> None:
        say(self._hint, text)


def holder_text(holder: Holder, *, is_here: bool) -> str:
    """`is_here`: the task is reserved by this window."""
    place = f" on {holder.place}" if holder.place else ""
    since, until = holder.since.astimezone(), holder.until.astimezone()
    if holder.is_recording:
        return f"{holder.annotator} has been recording this task{place} since {since:%H:%M}."
    return f"Reserved for {'you' if is_here else f'{holder.annotator}{place}'} until {until:%H:%M}."


def _line(entry: HistoryEntry) -> str:
    return f"{entry.at.astimezone():%Y-%m-%d %H:%M}  {entry.words}"
