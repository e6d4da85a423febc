"""The recordings that were not finished: offered once when the window opens, and whenever they are asked for."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.dataset.store import DraftSummary
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.practice.practice_bridge import PracticeBridge
from odyssey_recorder.gui.record.drafts_dialog import DraftsDialog
from odyssey_recorder.gui.record.recording_controller import Phase, RecordingController
from odyssey_recorder.task.queue.board import Board, QueuedTask, TaskEvent

_CHOOSE_FIRST = "Choose a device first: the recording goes on there."
_RECORDED = (TaskEvent.RECORDED, TaskEvent.IMPOSSIBLE)


class DraftOffer(QObject):
    """Offers the drafts over `page`; emits the draft that is about to be resumed."""

    resuming = Signal(object)

    def __init__(
        self, controller: RecordingController, commands: Commands, page: QWidget, coach: PracticeBridge | None = None
    ) -> None:
        super().__init__(page)
        self._controller = controller
        self._coach = coach
        self._action = commands[Command.DRAFTS]
        self._dialog = DraftsDialog(page)
        self._drafts: Sequence[DraftSummary] = ()
        self._board = Board("", ())
        self._was_offered = False
        self._dialog.resume_asked.connect(self._resume)
        self._dialog.discard_asked.connect(controller.discard_draft)
        self._action.triggered.connect(self._dialog.open)
        commands.belong_to(page, Command.DRAFTS)
        controller.drafts_listed.connect(self._offer)
        controller.phase_changed.connect(self._show)
        if coach is not None:
            coach.changed.connect(self._show)
        self._show()

    def show_board(self, board: Board) -> None:
        """Tell from now on which of the drafts are of tasks that were recorded meanwhile, as the board has it."""
        self._board = board
        self._show()

    def _offer(self, drafts: Sequence[DraftSummary]) -> None:
        self._drafts = drafts
        self._show()
        if drafts and not self._was_offered:
            self._dialog.open()
        if not drafts:
            self._dialog.reject()
        self._was_offered = True

    def _show(self) -> None:
        self._action.setVisible(bool(self._drafts))
        self._action.setText(f"Drafts ({len(self._drafts)})…" if self._drafts else "Drafts…")
        watching = self._controller.phase is Phase.WATCHING
        refusal = self._coach.refusal if self._coach is not None else ""
        cannot_resume = refusal or ("" if watching else _CHOOSE_FIRST)
        self._dialog.show_drafts(self._drafts, self._warnings(), cannot_resume=cannot_resume)

    def _warnings(self) -> dict[str, str]:
        of_tasks = ((draft.episode_id, self._board.task(draft.task_id)) for draft in self._drafts if draft.task_id)
        return {episode_id: _twice_words(task, episode_id) for episode_id, task in of_tasks if task is not None}

    def _resume(self, episode_id: str) -> None:
        for draft in self._drafts:
            if draft.episode_id == episode_id:
                self.resuming.emit(draft)
        is_practice = self._coach is not None and self._coach.task is not None
        self._controller.resume(episode_id, is_practice=is_practice)


def _twice_words(task: QueuedTask, episode_id: str) -> str:
    """That the task of a draft was recorded as another episode, which was not sent back; empty where it was not."""
    ends = (entry for entry in reversed(task.history) if entry.event in (*_RECORDED, TaskEvent.SENT_BACK))
    last = next(ends, None)
    if last is None or last.event is TaskEvent.SENT_BACK or last.episode_id == episode_id:
        return ""
    day = last.at.astimezone()
    return f"{last.by} recorded this task on {day.day} {day:%b}: finish it only if it is to be there twice."
