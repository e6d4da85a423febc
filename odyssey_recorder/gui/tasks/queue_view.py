"""The view where an annotator browses the queue and picks a task to record."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.gui.banner import Banner, Tone
from odyssey_recorder.gui.category_counts import CategoryCounts
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import Choice, line_edit, push_button, row, text_label
from odyssey_recorder.gui.question_dialog import SendBackDialog
from odyssey_recorder.gui.record.task_text import category_words, misfit_words
from odyssey_recorder.gui.table import allow_sorting, table_view
from odyssey_recorder.gui.tasks.queue_bridge import QueueBridge
from odyssey_recorder.gui.tasks.task_detail import TaskDetail
from odyssey_recorder.gui.tasks.task_table import APPS, CATEGORY, STATUS, TaskRow, task_rows, task_table
from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.queue.board import FINISHED, OPEN, Board, Holder, QueuedTask, Status

_ROW_PX = 48
_DETAIL_PX = 320
_TYPING_MS = 120
_WIDE_PX = 860
_WIDTHS = {CATEGORY: 190, APPS: 190, STATUS: 110}
_MINE = (Command.RECORD_TASK, Command.SEND_BACK_TASK)


class QueueView(QWidget):
    """Shows the queue, and above it why it is closed, if so."""

    def __init__(self, queue: QueueBridge, commands: Commands) -> None:
        super().__init__()
        self._queue = queue
        self._commands = commands
        self._board = Board("", ())
        self._chosen = ""
        self._holders: dict[str, Holder] = {}
        self._title = text_label("Tasks", "title")
        self._count = text_label(kind="hint")
        self._counts = CategoryCounts()
        practice = push_button("Go on with practice", "Go to the practice tasks that are left", "primary")
        practice.clicked.connect(commands[Command.PRACTICE_PAGE].trigger)
        self._gate = Banner(practice)
        self._failure = Banner(commands.button(Command.READ_TASKS, kind="quiet"))
        self._words = line_edit("Search tasks", "Search instruction, app or id")
        self._category = Choice("Show category")
        self._status = Choice("Show status")
        self._device = Choice("Show device")
        self._table = task_table(self._holders.get, self)
        self._view = table_view("Tasks", self._table, _ROW_PX)
        allow_sorting(self._view)
        self._nothing = text_label(kind="hint")
        self._detail = TaskDetail(commands)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._fill_choices()
        self._lay_out()
        self._connect()
        self._show_gate(queue.gate)
        self._allow()

    @property
    def home(self) -> QWidget:
        return self._view

    def search(self) -> None:
        self._words.setFocus()
        self._words.selectAll()

    def show_holders(self, holders: Sequence[Holder]) -> None:
        self._holders.clear()
        self._holders.update((holder.task_id, holder) for holder in holders)
        self._table.refresh()
        self._show_chosen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() - _DETAIL_PX >= _WIDE_PX
        for column, width in _WIDTHS.items():
            self._view.setColumnWidth(column, width if is_wide else self._table.columns[column].width)

    @property
    def chosen(self) -> QueuedTask | None:
        row = self._table.at(self._view.currentIndex().row())
        return None if row is None else row.task

    def _show_board(self, board: Board) -> None:
        self._board = board
        self._failure.hide()
        self._title.setText(board.name or "Tasks")
        self._counts.show_board(board)
        self._queue.work_out(lambda: task_rows(board), lambda rows: self._show_rows(board, rows))

    def _show_rows(self, board: Board, rows: Sequence[TaskRow]) -> None:
        if board is self._board:  # otherwise a newer board is on its way
            self._keep_chosen(lambda: self._table.show(rows))

    def _show_failure(self, words: str) -> None:
        self._failure.show_message(Tone.DANGER, words)

    def _show_gate(self, words: str) -> None:
        if words:
            self._gate.show_message(Tone.WARNING, words)
        else:
            self._gate.hide()
        self._allow()

    def _narrow(self) -> None:
        self._keep_chosen(
            lambda: self._table.narrow(
                category=self._category.currentData(),
                status=self._status.currentData(),
                words=self._words.text(),
                device=self._device.currentData(),
            )
        )

    def _record(self) -> None:
        if self.chosen is not None:
            self._queue.choose(self.chosen.task_id)

    def _ask_to_send_back(self) -> None:
        task = self.chosen
        if task is not None:
            dialog = SendBackDialog(task.listed.task.instruction, self)
            dialog.reason_given.connect(lambda reason: self._queue.send_back(task.task_id, reason))
            dialog.open()

    def _show_chosen(self) -> None:
        task = self.chosen
        if task is not None:
            self._chosen = task.task_id
        self._detail.show_task(task, None if task is None else self._holders.get(task.task_id))
        self._allow()

    def _keep_chosen(self, rearrange: Callable[[], None]) -> None:
        rearrange()
        if self._table.rowCount():
            self._view.setCurrentIndex(self._table.index(max(0, self._table.place(self._chosen)), 0))
            self._view.scrollTo(self._view.currentIndex())
        self._show_chosen()
        self._tell_count()

    def _tell_count(self) -> None:
        shown, total = self._table.rowCount(), len(self._board.tasks)
        self._count.setText(f"{total} in all" if shown == total else f"{shown} of {total} shown")
        words = "No task is like this: change the search or the filters." if total else "The list holds no task."
        self._nothing.setText(words)
        self._nothing.setVisible(not shown)
        self._view.setVisible(bool(shown))

    def _allow(self) -> None:
        task = self.chosen
        takes = task is not None and task.status in OPEN | {Status.CLAIMED}
        may = takes and not self._queue.is_recording and not self._queue.gate
        self._commands.enable(Command.RECORD_TASK, on=may)
        recorded = task is not None and task.status in FINISHED
        self._commands.enable(Command.SEND_BACK_TASK, on=recorded)
        self._commands[Command.SEND_BACK_TASK].setVisible(recorded)
        self._detail.show_hint(self._hint(task))

    def _hint(self, task: QueuedTask | None) -> str:
        if task is None:
            return ""
        if task.status is Status.UNDER_WAY:
            return "It was begun: go on with it under Drafts on the Record page."
        if task.status in FINISHED:
            return "It is recorded. Send it back if it must be recorded again."
        if task.status in (Status.TO_APPROVE, Status.REJECTED):
            return "Nobody is offered it before it is approved."
        if self._queue.is_recording:
            return "Another task is being recorded now."
        return "" if task.listed.fits(self._queue.device) else misfit_words(task)

    def _fill_choices(self) -> None:
        self._category.addItem("All categories", "")
        for category in Category:
            self._category.addItem(category_words(category.value), category.value)
        self._status.addItem("Any status", None)
        for status in Status:
            self._status.addItem(status.value, status)
        self._device.addItem("Any device", None)
        for profile in profiles():
            self._device.addItem(profile.name, profile.key)

    def _connect(self) -> None:
        self._queue.board_changed.connect(self._show_board)
        self._queue.failed.connect(self._show_failure)
        self._queue.gate_changed.connect(self._show_gate)
        self._queue.chosen.connect(lambda _task: self._commands[Command.RECORD_PAGE].trigger())
        self._queue.recording_changed.connect(lambda _recording: self._allow())
        self._queue.device_changed.connect(self._allow)
        self._view.selectionModel().currentRowChanged.connect(lambda *_: self._show_chosen())
        self._view.activated.connect(lambda _index: self._commands[Command.RECORD_TASK].trigger())
        self._words.textChanged.connect(lambda _words: self._typing.start())
        self._typing.timeout.connect(self._narrow)
        for choice in (self._category, self._status, self._device):
            choice.currentIndexChanged.connect(lambda _row: self._narrow())
        self._commands.belong_to(self, *_MINE)
        calls = {
            Command.RECORD_TASK: self._record,
            Command.SEND_BACK_TASK: self._ask_to_send_back,
        }
        for command, call in calls.items():
            self._commands[command].triggered.connect(lambda _checked, call=call: call())

    def _lay_out(self) -> None:
        head = row(self._title, self._count)
        head.setStretch(0, 1)
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        filters = row(self._words, self._category, self._status, self._device)
        filters.setStretch(0, 1)
        left = QVBoxLayout()
        left.setSpacing(12)
        left.addLayout(head)
        left.addWidget(self._counts)
        left.addLayout(filters)
        left.addWidget(self._failure)
        left.addWidget(self._nothing)
        left.addWidget(self._view, 1)
        left.addStretch()
        self._detail.setFixedWidth(_DETAIL_PX)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addLayout(left, 1)
        both.addWidget(self._detail)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(self._gate)
        whole.addLayout(both, 1)
