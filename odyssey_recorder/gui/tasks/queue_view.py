"""The view where an annotator browses the queue and picks a task to record."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.frame.question_dialog import (
    SEND_BACK_REASONS,
    Question,
    ask_why,
    send_back_question,
    warning_question,
)
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.category_counts import CategoryCounts
from odyssey_recorder.gui.kit.parts import Choice, SearchField, fill_column, push_button, row, say, text_label
from odyssey_recorder.gui.kit.table import allow_sorting, table_view
from odyssey_recorder.gui.kit.task_text import CATEGORIES, misfit_text
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.task_detail import TaskDetail, holder_text
from odyssey_recorder.gui.tasks.task_table import APPS, CATEGORY, STATUS, TaskRow, task_rows, task_table
from odyssey_recorder.tasks.queue.task_status import (
    FINISHED,
    OPEN,
    Holder,
    QueueContents,
    QueuedTask,
    Status,
    TaskEvent,
)

_RELEASE_REASONS = ("somebody else will record it", "reserved for too long", "the task will change")
_EVERYBODY = "everybody"
_BY_ANNOTATORS = (TaskEvent.BEGUN, TaskEvent.RECORDED, TaskEvent.IMPOSSIBLE, TaskEvent.SKIPPED)
_MOST_PEOPLE = 8
_ROW_PX = 48
_DETAIL_PX = 320
_WIDE_PX = 860
_WIDTHS = {CATEGORY: 190, APPS: 190, STATUS: 110}


class QueueView(QWidget):
    """Shows the queue, and above it why it is closed, if so."""

    def __init__(self, queue: QueueBridge, commands: Commands) -> None:
        super().__init__()
        self._queue = queue
        self._commands = commands
        self._board = QueueContents("", ())
        self._chosen = ""
        self._holders: dict[str, Holder] = {}
        self._mine = ""
        self._title = text_label("Tasks", "title")
        self._count = text_label(kind="hint")
        self._counts = CategoryCounts()
        practice = push_button(
            "Continue practice",
            "Go to the remaining practice tasks",
            "primary",
            call=commands[CommonCommand.PRACTICE_PAGE].trigger,
        )
        self._gate = Banner(practice)
        self._failure = Banner(commands.button(TasksCommand.READ_TASKS, kind="quiet"))
        self.search = SearchField("Search tasks", "Words of the instruction, an app or an id")
        self._category = Choice("Show category")
        self._status = Choice("Show status")
        self._device = Choice("Show device")
        self._table = task_table(self._holders.get, self)
        self._view = table_view("Tasks", self._table, _ROW_PX)
        self.home = self._view
        allow_sorting(self._view)
        self._nothing = text_label(kind="hint")
        self._detail = TaskDetail(commands)
        self._fill_choices()
        self._lay_out()
        self._connect()
        self._show_gate(queue.gate)
        self._allow()

    def show_holders(self, holders: Sequence[Holder]) -> None:
        self._holders.clear()
        self._holders.update((holder.task_id, holder) for holder in holders)
        self._table.refresh()
        self._show_chosen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() - _DETAIL_PX >= _WIDE_PX
        for number, width in _WIDTHS.items():
            self._view.setColumnWidth(number, width if is_wide else self._table.columns[number].width)

    @property
    def chosen(self) -> QueuedTask | None:
        row = self._table.at(self._view.currentIndex().row())
        return None if row is None else row.task

    def _show_board(self, board: QueueContents) -> None:
        self._board = board
        self._failure.hide()
        self._title.setText(board.name or "Tasks")
        self._counts.show_board(board)
        self._queue.work_out(lambda: task_rows(board), lambda rows: self._show_rows(board, rows))

    def _show_rows(self, board: QueueContents, rows: Sequence[TaskRow]) -> None:
        if board is self._board:  # otherwise a newer board is on its way
            self._keep_chosen(lambda: self._table.show(rows))

    def _show_gate(self, text: str) -> None:
        if text:
            self._gate.show_message(Tone.WARNING, text)
        else:
            self._gate.hide()
        self._allow()

    def _narrow(self) -> None:
        self._keep_chosen(
            lambda: self._table.narrow(
                category=self._category.value,
                status=self._status.currentData(),
                words=self.search.text(),
                device=self._device.value,
            )
        )

    def _record(self) -> None:
        if self.chosen is not None:
            self._queue.choose(self.chosen.task_id)

    def _ask_to_send_back(self) -> None:
        task = self.chosen
        if task is not None:
            question = send_back_question(task.listed.task.instruction)
            ask_why(question, SEND_BACK_REASONS, self, partial(self._queue.send_back, task.task_id))

    def _ask_to_release(self) -> None:
        task = self.chosen
        holder = None if task is None else self._holders.get(task.task_id)
        if holder is not None:
            window = "Your Record page" if holder.task_id == self._mine else f"The window of {holder.annotator}"
            detail = f"{self._holding(task)} {window} shows the reason and another task."
            text = "Why return this task to the queue? Everybody can record it then."
            question = warning_question(text, detail, "Release", "Release the task (Enter)")
            ask_why(question, _RELEASE_REASONS, self, partial(self._queue.free, holder.task_id))

    def _ask_whom(self) -> None:
        task = self.chosen
        if task is not None:
            who = (past.by for one in self._board.tasks for past in one.history if past.event in _BY_ANNOTATORS)
            known = Counter(who).most_common(_MOST_PEOPLE)
            holders = (holder.annotator for holder in self._holders.values())
            names = dict.fromkeys((*(name for name, _count in known), *holders, self._board.annotator))
            names.pop(task.listed.assignee, None)
            question = Question(
                title="Assign the task",
                question="Who should record this task? Only that person gets it, before other tasks.",
                answer="Assign",
                tip="Assign the task (Enter)",
                detail=self._holding(task),
                detail_kind="warning",
            )
            everybody = [_EVERYBODY] if task.listed.assignee else []
            ask_why(
                question,
                [*everybody, *names][:_MOST_PEOPLE],
                self,
                partial(self._assign, task.task_id),
                other="Another name",
            )

    def _assign(self, task_id: str, name: str) -> None:
        self._queue.assign(task_id, "" if name == _EVERYBODY else name)

    def _show_chosen(self) -> None:
        task = self.chosen
        if task is not None:
            self._chosen = task.task_id
        self._detail.show_task(task, self._holding(task))
        self._allow()

    def _holding(self, task: QueuedTask | None) -> str:
        holder = None if task is None else self._holders.get(task.task_id)
        held = "" if holder is None else holder_text(holder, is_here=holder.task_id == self._mine)
        assignee = "" if task is None else task.listed.assignee
        return " ".join(filter(None, (held, f"Assigned to {assignee}." if assignee else "")))

    def _take_held(self, task: QueuedTask | None) -> None:
        self._mine = "" if task is None else task.task_id
        self._show_chosen()

    def _keep_chosen(self, rearrange: Callable[[], None]) -> None:
        rearrange()
        if self._table.rowCount():
            self._view.setCurrentIndex(self._table.index(max(0, self._table.place(self._chosen)), 0))
            self._view.scrollTo(self._view.currentIndex())
        self._show_chosen()
        self._show_count()

    def _show_count(self) -> None:
        shown, total = self._table.rowCount(), len(self._board.tasks)
        self._count.setText(f"{total} in total" if shown == total else f"{shown} of {total} shown")
        text = "No matching tasks. Change the search or the filters." if total else "The list is empty."
        say(self._nothing, "" if shown else text)
        self._view.setVisible(bool(shown))

    def _allow(self) -> None:
        task = self.chosen
        ours = ("", self._board.annotator)
        takes = task is not None and task.status in OPEN | {Status.CLAIMED} and task.listed.assignee in ours
        may = takes and not self._queue.is_recording and not self._queue.gate
        self._commands.enable(TasksCommand.RECORD_TASK, on=may)
        recorded = task is not None and task.status in FINISHED
        self._commands.enable(TasksCommand.SEND_BACK_TASK, on=recorded)
        self._commands[TasksCommand.SEND_BACK_TASK].setVisible(recorded)
        holder = None if task is None else self._holders.get(task.task_id)
        reserved = holder is not None and not holder.is_recording
        self._commands.enable(TasksCommand.FREE_TASK, on=reserved)
        self._commands[TasksCommand.FREE_TASK].setVisible(reserved)
        may_assign = task is not None and task.status not in FINISHED | {Status.UNDER_WAY}
        self._commands.enable(TasksCommand.ASSIGN_TASK, on=may_assign)
        self._detail.show_hint(self._hint(task))

    def _hint(self, task: QueuedTask | None) -> str:
        if task is None:
            return ""
        if task.status is Status.UNDER_WAY:
            return "Already started. Continue it under Drafts on the Record page."
        if task.status in FINISHED:
            return "Already recorded. Send it back to have it recorded again."
        if task.status in (Status.TO_APPROVE, Status.REJECTED):
            return "Not offered to annotators until approved."
        if task.listed.assignee not in ("", self._board.annotator):
            return f"Only {task.listed.assignee} can record this task."
        if self._queue.is_recording:
            return "Another task is being recorded."
        return "" if task.listed.fits(self._queue.device) else misfit_text(task)

    def _fill_choices(self) -> None:
        self._category.offer([("", "All categories"), *CATEGORIES])
        self._status.addItem("Any status", None)
        for status in Status:
            self._status.addItem(status.value, status)
        self._device.offer([("", "Any device"), *((profile.key, profile.name) for profile in profiles())])

    def _connect(self) -> None:
        self._queue.board_changed.connect(self._show_board)
        self._queue.held_changed.connect(self._take_held)
        self._queue.failed.connect(lambda text: self._failure.show_message(Tone.DANGER, text))
        self._queue.gate_changed.connect(self._show_gate)
        self._queue.chosen.connect(lambda _task: self._commands[CommonCommand.RECORD_PAGE].trigger())
        self._queue.recording_changed.connect(lambda _recording: self._allow())
        self._queue.device_changed.connect(self._allow)
        self._view.selectionModel().currentRowChanged.connect(lambda *_: self._show_chosen())
        self._view.activated.connect(lambda _index: self._commands[TasksCommand.RECORD_TASK].trigger())
        self.search.typing_paused.connect(self._narrow)
        for choice in (self._category, self._status, self._device):
            choice.currentIndexChanged.connect(lambda _row: self._narrow())
        calls = {
            TasksCommand.RECORD_TASK: self._record,
            TasksCommand.SEND_BACK_TASK: self._ask_to_send_back,
            TasksCommand.FREE_TASK: self._ask_to_release,
            TasksCommand.ASSIGN_TASK: self._ask_whom,
        }
        self._commands.bind(self, calls)

    def _lay_out(self) -> None:
        head = row((self._title, 1), self._count)
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        filters = row((self.search, 1), self._category, self._status, self._device)
        left = QWidget()
        fill_column(left, head, self._counts, filters, self._failure, self._nothing, (self._view, 1), None, spacing=12)
        both = Panels("queue", self._commands, left, {"right": (self._detail, _DETAIL_PX)})
        fill_column(self, self._gate, (both, 1), spacing=12)
