"""One prepared task: its texts, who wrote them, their faults, and the possible decisions."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.key_button import key_buttons
from odyssey_recorder.gui.kit.app_chips import AppChips
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, breakable, fill_column, fill_row, say, selectable, text_label
from odyssey_recorder.gui.kit.task_text import category_text, device_text, start_text
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.prepared_table import PreparedRow
from odyssey_recorder.gui.tasks.three_texts import ThreeTexts
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import Status
from odyssey_recorder.tasks.wording.origin_text import judge_text, origin_text, rule_texts

_EDITING = (TasksCommand.LEAVE_WORDS, TasksCommand.KEEP_WORDS)
_DECIDING = (TasksCommand.EDIT_TASK, TasksCommand.REJECT_TASKS, TasksCommand.APPROVE_TASKS)


class PreparedCard(Card):
    """Shows the current task; decisions wait while it is edited.

    Unsaved edits are kept and come back with the task.
    """

    instruction_edited = Signal(str, str)
    """A task's id and its edited instruction."""
    writing_ended = Signal()
    """The list's shortcuts should work again."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._row: PreparedRow | None = None
        self._unsaved: dict[str, str] = {}
        self._head = text_label("Task", "title")
        self._where = text_label(kind="hint")
        self._texts = ThreeTexts()
        self._writer = selectable("hint")
        self._rules = selectable("danger")
        self._judge = selectable()
        self._details = selectable("hint")
        self._apps = AppChips()
        self._nothing = text_label(kind="hint")
        parts = (self._where, self._texts, self._rules, self._judge, self._writer, self._apps, self._details)
        self._content = pile(*parts, right=8, spacing=10)
        self._deciding, self._editing = QWidget(), QWidget()
        self._lay_out()
        self._texts.typed.connect(self._note)
        calls = {
            TasksCommand.EDIT_TASK: self._begin_editing,
            TasksCommand.KEEP_WORDS: self._keep,
            TasksCommand.LEAVE_WORDS: self._leave,
        }
        commands.bind(self, calls)
        self.show_row(None, 0)

    @property
    def unsaved(self) -> int:
        return len(self._unsaved)

    def forget_unsaved(self) -> None:
        self._unsaved.clear()
        self._texts.end_editing()

    def show_row(self, shown: PreparedRow | None, chosen: int, nothing: str = "") -> None:
        """Show one of `chosen` selected tasks, or the message `nothing`."""
        same = shown is not None and self._row is not None and shown.task_id == self._row.task_id
        is_new = shown != self._row
        self._row = shown
        self._content.setVisible(shown is not None)
        say(self._nothing, nothing if shown is None else "")
        self._head.setVisible(shown is not None)
        if shown is not None:
            self._head.setText(
                f"{chosen:,} tasks selected; this is one of them" if chosen > 1 else breakable(f"Task {shown.task_id}")
            )
            if is_new:
                self._show(shown)
            if not (same and self._texts.is_editing):
                self._turn_to_texts(shown.task_id)
        self._allow()

    def _show(self, shown: PreparedRow) -> None:
        listed = shown.task.listed
        self._where.setText(breakable(_where(shown)))
        self._texts.show_task(listed.task)
        equivalence = listed.text.equivalence if listed.text is not None else None
        self._writer.setText(origin_text(listed.text))
        failed = shown.task.not_rewritten
        say(self._rules, "\n".join((*([f"Not rewritten: {failed}"] if failed else []), *rule_texts(equivalence))))
        say(self._judge, judge_text(equivalence))
        rejected = shown.task.status is Status.REJECTED and listed.text is not None
        why = f"Rejected: {listed.text.note}" if rejected and listed.text and listed.text.note else ""
        say(self._details, "\n".join(filter(None, (why, *_details_of(listed)))))
        self._apps.set_apps(listed.task.apps)

    def _turn_to_texts(self, task_id: str) -> None:
        if task_id in self._unsaved:
            self._texts.edit(self._unsaved[task_id])
        else:
            self._texts.end_editing()

    def _begin_editing(self) -> None:
        if self._row is not None:
            self._unsaved.setdefault(self._row.task_id, self._row.task.listed.task.instruction)
            self._turn_to_texts(self._row.task_id)
            self._texts.write()
            self._allow()

    def _note(self, text: str) -> None:
        if self._row is not None and self._texts.is_editing:
            self._unsaved[self._row.task_id] = text
            self._allow()

    def _keep(self) -> None:
        if self._row is not None and self._texts.is_editing and self._texts.text:
            task_id, text = self._row.task_id, self._texts.text
            self._end_editing(task_id)
            if text != self._row.task.listed.task.instruction:
                self.instruction_edited.emit(task_id, text)

    def _leave(self) -> None:
        if self._row is not None and self._texts.is_editing:
            self._end_editing(self._row.task_id)

    def _end_editing(self, task_id: str) -> None:
        self._unsaved.pop(task_id, None)
        self._texts.end_editing()
        self._allow()
        self.writing_ended.emit()

    def _allow(self) -> None:
        status = None if self._row is None else self._row.task.status
        editing = self._texts.is_editing
        open_ = status in (Status.TO_APPROVE, Status.REJECTED) and not editing
        self._commands.enable(TasksCommand.APPROVE_TASKS, TasksCommand.EDIT_TASK, on=open_)
        self._commands.enable(
            TasksCommand.REJECT_TASKS, on=status in (Status.TO_APPROVE, Status.WAITING) and not editing
        )
        self._commands.enable(TasksCommand.KEEP_WORDS, on=editing and bool(self._texts.text))
        self._commands.enable(TasksCommand.LEAVE_WORDS, on=editing)
        self._editing.setVisible(status is not None and editing)
        self._deciding.setVisible(status is not None and not editing)

    def _lay_out(self) -> None:
        area = scroll_area(self._content, "Task details")
        area.setProperty("kind", "keyed")
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for room, commands in ((self._deciding, _DECIDING), (self._editing, _EDITING)):
            fill_row(room, *key_buttons(self._commands, *commands), margins=(0, 0, 8, 0))
        parts = (self._head, self._nothing, (area, 1), self._deciding, self._editing)
        fill_column(self, *parts, margins=(16, 14, 8, 14), spacing=10)


def _where(shown: PreparedRow) -> str:
    listed = shown.task.listed
    parts = (category_text(listed.task.category), listed.template and f"template {listed.template}")
    return " · ".join((shown.task.status.value, *filter(None, parts)))


def _details_of(listed: ListedTask) -> tuple[str, ...]:
    roles = ", ".join(f"{role}: {app}" for role, app in listed.roles.items())
    devices = ", ".join(map(device_text, listed.devices))
    return (
        f"Apps by role: {roles}." if roles else "",
        f"For {devices}." if devices else "For any device.",
        start_text(listed.start),
        f"Due {listed.due:%Y-%m-%d}." if listed.due is not None else "",
        listed.notes,
    )
