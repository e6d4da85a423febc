"""The task card of the Record page: the queue's next task, or one that the annotator writes."""

from enum import Enum
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import REPLIES, SKIP_REASONS, ask_why, reply_question, skip_question
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, fill_column, fill_row, row, say, text_label
from odyssey_recorder.gui.kit.task_text import TaskText, misfit_text, no_fitting_text
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.record.task_fields import TaskFields
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.services.recording import DayCount, DraftSummary
from odyssey_recorder.tasks.queue.task_status import (
    FINISHED,
    OPEN,
    QueueContents,
    QueuedTask,
    Status,
    sent_back_episode,
)

_LOOKING = "Finding the next task…"
_ASKING = "Checking that the task is still reserved for you…"
_UNSURE = "Can't reach the team queue. You can record, but somebody else may record the same task."
_CHANGED = "The task has changed. Read it again, then start."


class TaskStage(Enum):
    WRITE = "write"
    RECORD = "record"
    LOOK_BACK = "look back"


class TaskCard(Card):
    """Shows a task of the queue, or fields to write one; without a queue only the fields."""

    task_changed = Signal()
    begun = Signal(object)
    warned = Signal(str, str)
    """Carries a warning before recording, and its reason."""
    replied = Signal(str, str)
    """Carries the id of an episode that was sent back, and the annotator's reply."""

    def __init__(self, commands: Commands, queue: QueueBridge | None = None) -> None:
        super().__init__()
        self._commands = commands
        self._queue = queue
        self._stage = TaskStage.WRITE
        self._writes_own = queue is None
        self._looking = queue is not None
        self._is_starting = False
        self._failure = ""
        self._board = QueueContents("", ())
        self._held: QueuedTask | None = None
        self._given_assignment: Assignment | None = None
        self._chosen = ""  # id of the task that the annotator picked
        self._noted_episode = ""
        self._fields = TaskFields()
        self._fields.task_changed.connect(self.task_changed)
        self._text = TaskText()
        self._nothing = text_label(kind="hint")
        self._progress = text_label(kind="hint")
        self._today = text_label(kind="hint")
        self._today.setToolTip("Your published episodes of today, and the time from start to end without breaks")
        self._today.hide()
        self._queue_row = QWidget()
        self._hint = text_label(kind="hint")
        self._start = QWidget()
        self._running = QWidget()
        self._back = commands.button(RecordCommand.QUEUE_TASK, kind="quiet")
        self._lay_out()
        self._connect()
        self._show()

    @property
    def assignment(self) -> Assignment | None:
        if self._given_assignment is not None:
            return self._given_assignment
        if self._writes_own:
            return Assignment(self._fields.task)
        return None if self._held is None else self._held.listed.assignment

    @property
    def missing(self) -> str:
        """What is missing for a recording, for the annotator; empty if nothing is."""
        if self._given_assignment is not None:
            return ""
        if self._writes_own:
            return self._fields.missing
        if self._is_starting:
            return _ASKING
        if self._queue is not None and self._queue.gate:
            return self._queue.gate
        if self._looking:
            return _LOOKING
        if self._held is None:
            return "Choose a task, or write your own."
        return "" if self._fits(self._held) else misfit_text(self._held)

    @property
    def task(self) -> TaskInfo:
        return self._fields.task if self.assignment is None else self.assignment.task

    def begin(self) -> None:
        """Emit `begun`; for a task of the queue only after the queue confirmed it."""
        if self._queue is None or self._writes_own or self._given_assignment is not None:
            self.begun.emit(self.assignment)
        elif self._held is not None:
            self._is_starting = True
            self._queue.confirm_claim(self._held.task_id)
            self._show()

    def show_assignment(self, assignment: Assignment | None) -> None:
        """Show a task from elsewhere, such as a practice task; None shows the previous one again."""
        self._is_starting = False
        self._given_assignment = assignment
        self._show()

    def show_draft(self, draft: DraftSummary) -> None:
        self.show_assignment(Assignment(draft.task, draft.task_id))

    def note_published(self, episode_id: str) -> None:
        assignment = self.assignment
        if self._queue is None or assignment is None or not assignment.task_id or episode_id == self._noted_episode:
            return
        if assignment.is_practice:
            return
        self._noted_episode = episode_id
        self._queue.mark_recorded(assignment.task_id, episode_id)

    def look_again(self) -> None:
        if self._queue is not None:
            self._queue.refresh()

    def change_annotator(self) -> None:
        """The claim was another annotator's: begin with the first task."""
        self._held = None
        self._looking = self._queue is not None and self._stage is TaskStage.WRITE
        self.look_again()
        self._show()

    def clear(self) -> None:
        if self._writes_own:
            self._fields.clear()

    def show_hint(self, text: str) -> None:
        say(self._hint, text if self.assignment is not None else "")

    def show_today(self, count: DayCount) -> None:
        hours, minutes = divmod(round(count.seconds / 60), 60)
        time = f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else "under 1 min"
        say(self._today, f"You today: {counted(count.episodes, 'episodes')}, {time}" if count.episodes else "")

    def set_stage(self, stage: TaskStage) -> None:
        starts_over = stage is TaskStage.WRITE and self._stage is not TaskStage.WRITE
        self._stage = stage
        if starts_over:
            self._given_assignment = None
        if self._queue is not None:
            self._queue.set_recording(stage is TaskStage.RECORD)
            if starts_over or stage is TaskStage.RECORD:
                self._looking = starts_over
                self._queue.refresh()
        self._show()

    # Reports of the queue.

    def _show_held(self, held: QueuedTask | None) -> None:
        self._looking = False
        self._failure = ""
        self._held = held
        if held is not None:
            self._writes_own = False
        self._show()

    def _drop_held(self) -> None:
        """Another annotator may have the task now; a running recording continues."""
        self._is_starting = False
        if self._stage is TaskStage.WRITE:
            self._held = None

    def _begin_confirmed(self, held: QueuedTask) -> None:
        if self._is_starting:
            is_as_shown = self._held is not None and held.listed == self._held.listed
            self._is_starting, self._held = False, held
            self._show()
            if is_as_shown:
                self.begun.emit(held.listed.assignment)
            else:
                self.warned.emit(_CHANGED, "")

    def _begin_unconfirmed(self, why: str) -> None:
        if self._is_starting:
            self._is_starting = False
            self._show()
            self.begun.emit(self.assignment)
            self.warned.emit(_UNSURE, why)

    def _note_chosen(self, chosen: QueuedTask) -> None:
        self._chosen = chosen.task_id
        self._show()

    def _follow_device(self) -> None:
        if self._queue is not None and self._stage is TaskStage.WRITE and not self._writes_own:
            self._queue.refresh()
        self._show()

    def _show_board(self, board: QueueContents) -> None:
        self._board = board
        self._failure = ""
        if self._stage is TaskStage.WRITE and not self._writes_own and not self._is_starting:
            self._keep_or_claim_next(board)
        self._show()

    def _keep_or_claim_next(self, board: QueueContents) -> None:
        held = board.task(self._held.task_id) if self._held is not None else None
        self._looking = False
        if held is not None and held.status in OPEN:
            self._held = None  # the claim was another annotator's: begin with the first
        if held is not None and held.status is Status.CLAIMED and (self._fits(held) or held.task_id == self._chosen):
            self._held = held
        elif board.open_for(self._device):
            self._claim_next()
        else:
            self._held = None

    @property
    def _device(self) -> str | None:
        return None if self._queue is None else self._queue.device

    def _fits(self, task: QueuedTask) -> bool:
        return task.listed.fits(self._device)

    def _report_failure(self, text: str) -> None:
        self._looking = False
        self._failure = text
        self._show()

    # Commands of the annotator.

    def _claim_next(self) -> None:
        if self._queue is not None:
            self._looking = True
            self._queue.take_next(self._held.task_id if self._held is not None else "")
            self._show()

    def _ask_to_skip(self) -> None:
        if self._held is not None:
            ask_why(skip_question(self._held.listed.task.instruction), SKIP_REASONS, self, self._skip)

    def _skip(self, reason: str) -> None:
        if self._queue is not None and self._held is not None:
            self._looking = True
            self._queue.skip(self._held.task_id, reason)
            self._show()

    def _ask_for_reply(self) -> None:
        if self._held is not None:
            episode_id = sent_back_episode(self._held.history)
            question = reply_question("the reviewer", self._held.thread)
            ask_why(question, REPLIES, self, partial(self.replied.emit, episode_id), "Something else")

    def _write_own(self) -> None:
        if self._queue is not None:
            self._writes_own = True
            self._held = None
            self._queue.release_claim()
            self._show()
            self._fields.setFocus()

    def _return_to_queue(self) -> None:
        self._writes_own = False
        self._claim_next()

    # Appearance.

    def _show(self) -> None:
        writing = self._stage is TaskStage.WRITE
        chooses = writing and self._given_assignment is None
        nothing = chooses and not self._writes_own and self._held is None
        self._show_text()
        self._fields.setVisible(chooses and self._writes_own)
        self._text.setVisible(not nothing and not (chooses and self._writes_own))
        self._nothing.setText(self._failure or (_LOOKING if self._looking else self._no_task_text()))
        self._nothing.setVisible(nothing)
        recorded, skipped = self._board.count(*FINISHED), self._board.count(Status.SKIPPED)
        offered = len(self._board.tasks) - self._board.count(Status.TO_APPROVE, Status.REJECTED)
        self._progress.setText(f"{recorded} of {offered} recorded, {skipped} skipped")
        self._progress.setVisible(bool(self._board.tasks) and not (writing and self._writes_own))
        self._queue_row.setVisible(chooses and not self._writes_own)
        self._start.setVisible(writing)
        self._running.setVisible(self._stage is TaskStage.RECORD)
        self._allow(chooses and not self._is_starting)
        self.task_changed.emit()

    def _show_text(self) -> None:
        assignment = self.assignment
        if assignment is None:
            return
        queued = self._board.task(assignment.task_id) if self._given_assignment is not None else self._held
        if queued is None:
            self._text.show_task(assignment.task)
        else:
            self._text.show_queued(queued)

    def _no_task_text(self) -> str:
        if not self._board.tasks:
            return "The task list is empty. Choose another in Settings, or write your own task."
        if waiting := self._board.open_for(None):
            return f"{no_fitting_text(waiting)} Choose another device, or write your own task."
        return "No task is waiting. All are recorded or in progress. Send one back, or write your own."

    def _allow(self, writing: bool) -> None:
        if self._queue is None:
            return
        held = writing and not self._writes_own and self._held is not None and not self._looking
        self._commands.enable(RecordCommand.SKIP_TASK, on=held)
        may_reply = held and self._held is not None and bool(sent_back_episode(self._held.history))
        self._commands.enable(RecordCommand.REPLY, on=may_reply)
        self._commands[RecordCommand.REPLY].setVisible(may_reply)
        self._commands.enable(RecordCommand.NEXT_TASK, on=held or (writing and bool(self._failure)))
        self._commands.enable(RecordCommand.CHOOSE_TASK, on=writing)
        self._commands.enable(RecordCommand.OWN_TASK, on=writing and not self._writes_own)
        self._commands.enable(RecordCommand.QUEUE_TASK, on=writing and self._writes_own)
        self._commands[RecordCommand.QUEUE_TASK].setVisible(writing and self._writes_own)

    def _connect(self) -> None:
        calls = {
            RecordCommand.NEXT_TASK: self._claim_next,
            RecordCommand.SKIP_TASK: self._ask_to_skip,
            RecordCommand.REPLY: self._ask_for_reply,
            RecordCommand.CHOOSE_TASK: self._commands[CommonCommand.TASKS_PAGE].trigger,
            RecordCommand.OWN_TASK: self._write_own,
            RecordCommand.QUEUE_TASK: self._return_to_queue,
        }
        if self._queue is None:
            for command in calls:
                self._commands[command].setVisible(False)
                self._commands[command].setEnabled(False)
            return
        self._commands.bind(self, calls)
        self._queue.held_changed.connect(self._show_held)
        self._queue.lost.connect(self._drop_held)
        self._queue.claim_confirmed.connect(self._begin_confirmed)
        self._queue.claim_unconfirmed.connect(self._begin_unconfirmed)
        self._queue.board_changed.connect(self._show_board)
        self._queue.failed.connect(self._report_failure)
        self._queue.gate_changed.connect(self.task_changed)
        self._queue.chosen.connect(self._note_chosen)
        self._queue.device_changed.connect(self._follow_device)

    def _lay_out(self) -> None:
        commands = self._commands
        head = row((text_label("Task", "title"), 1), self._back, commands.button(RecordCommand.DRAFTS, kind="quiet"))
        choosing = commands.buttons(
            RecordCommand.NEXT_TASK, RecordCommand.SKIP_TASK, RecordCommand.CHOOSE_TASK, kind="compact", wide=True
        )
        own = commands.button(RecordCommand.OWN_TASK, kind="compact", wordless=True)
        fill_row(self._queue_row, *choosing, own, spacing=4)
        agent = commands.button(RecordCommand.RUN_AGENT, wordless=True)
        fill_row(self._start, (commands.button(RecordCommand.START).set_wide(), 1), agent, spacing=-1)
        running = commands.buttons(RecordCommand.PAUSE, RecordCommand.STOP, kind="compact", wide=True)
        away = commands.buttons(RecordCommand.AGAIN, RecordCommand.DISCARD, kind="compact", wordless=True)
        fill_row(self._running, *running, *away, spacing=4)
        task = scroll_area(pile(self._fields, self._text, self._nothing, spacing=-1))
        counts = row((self._progress, 1), commands.button(RecordCommand.REPLY, kind="low"))
        below = (counts, self._today, self._queue_row, self._hint, self._start, self._running)
        fill_column(self, head, (task, 1), *below, margins=(16, 14, 16, 16), spacing=12)
