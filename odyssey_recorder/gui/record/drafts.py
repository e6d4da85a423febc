"""Unfinished recordings: offered when the window opens, and on request."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.parts import named, push_button, row, say, text_label
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.services.recording import DraftSummary
from odyssey_recorder.tasks.queue.task_status import QueueContents, QueuedTask, TaskEvent

_DISCARD, _DISCARD_TIP = "Move to trash", "Move the recording to the trash; you can restore it"


class DraftsDialog(Dialog):
    """Lists drafts, also discarded ones; emits the episode id of the one to resume, discard or restore."""

    resume_asked = Signal(str)
    discard_asked = Signal(str)
    restore_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Unfinished recordings", parent, is_kept=True)
        self._list = named(QListWidget(), "Unfinished recordings")
        self._list.setWordWrap(True)
        self._list.setSpacing(2)
        self._list.setProperty("kind", "rows")
        self._list.currentItemChanged.connect(self._allow)
        self._list.itemActivated.connect(self._resume)
        self._hint = text_label(kind="hint")
        self._resume_button = push_button("Resume", "Continue this recording (Enter)", "primary", call=self._resume)
        self._discard_button = push_button(_DISCARD, _DISCARD_TIP, call=self._discard)
        self._discarded: frozenset[str] = frozenset()
        later = push_button("Decide later", "Keep the drafts and close this window (Esc)", call=self.reject)
        self._can_resume = False
        title = text_label("These recordings were not finished. All their steps are saved.", "title")
        buttons = row(self._discard_button, None, later, self._resume_button)
        self.fill(title, self._list, self._hint, buttons, stretch=self._list)
        self.resize(560, 400)

    def show_drafts(self, drafts: Sequence[DraftSummary], warnings: Mapping[str, str], *, cannot_resume: str) -> None:
        """`warnings` are by episode id; `cannot_resume` says why none can be resumed now, empty if they can."""
        chosen = self.chosen
        self._discarded = frozenset(draft.episode_id for draft in drafts if draft.is_discarded)
        self._list.clear()
        for draft in drafts:
            item = QListWidgetItem(_draft_text(draft, warnings.get(draft.episode_id, "")))
            item.setData(Qt.ItemDataRole.UserRole, draft.episode_id)
            self._list.addItem(item)
            if draft.episode_id == chosen:
                self._list.setCurrentItem(item)
        if self._list.currentItem() is None and drafts:
            self._list.setCurrentRow(0)
        self._can_resume = not cannot_resume
        say(self._hint, cannot_resume)
        self._allow()

    @property
    def chosen(self) -> str:
        item = self._list.currentItem()
        return "" if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def _allow(self) -> None:
        is_discarded = self.chosen in self._discarded
        self._resume_button.setEnabled(self._can_resume and bool(self.chosen) and not is_discarded)
        self._discard_button.setEnabled(bool(self.chosen))
        self._discard_button.setText("Restore" if is_discarded else _DISCARD)
        self._discard_button.setToolTip(
            "Take the recording out of the trash so that you can resume it" if is_discarded else _DISCARD_TIP
        )

    def _discard(self) -> None:
        asked = self.restore_asked if self.chosen in self._discarded else self.discard_asked
        asked.emit(self.chosen)

    def _resume(self) -> None:
        if self._resume_button.isEnabled():
            chosen = self.chosen
            self.accept()
            self.resume_asked.emit(chosen)


def _draft_text(draft: DraftSummary, warning: str) -> str:
    if draft.problem:
        return f"{draft.episode_id}\n{draft.problem}"
    steps = "1 step" if draft.steps == 1 else f"{draft.steps} steps"
    steps = f"In the trash · {steps}" if draft.is_discarded else steps
    text = f"{draft.task.instruction}\n{steps} · {draft.device.device_name} · {_time_text(draft.changed_at)}"
    return f"{text}\n{warning}" if warning else text


def _time_text(moment: datetime) -> str:
    local = moment.astimezone()
    if local.date() == datetime.now().astimezone().date():
        return f"today {local:%H:%M}"
    return f"{local:%Y-%m-%d %H:%M}"


_CANNOT_RESUME = {
    Phase.CONNECTING: "Wait until the device is connected.",
    Phase.STARTING: "Stop the current recording first.",
    Phase.RECORDING: "Stop the current recording first.",
    Phase.FINISHED: "Press Record another first.",
}
_RECORDED = (TaskEvent.RECORDED, TaskEvent.IMPOSSIBLE)


class DraftOffer(QObject):
    resuming = Signal(object)

    def __init__(
        self, controller: RecordingController, commands: Commands, page: QWidget, coach: PracticeBridge | None = None
    ) -> None:
        super().__init__(page)
        self._controller = controller
        self._coach = coach
        self._action = commands[RecordCommand.DRAFTS]
        self._dialog = DraftsDialog(page)
        self._drafts: Sequence[DraftSummary] = ()
        self._board = QueueContents("", ())
        self._was_offered = False
        self._dialog.resume_asked.connect(self._resume)
        self._dialog.discard_asked.connect(controller.discard_draft)
        self._dialog.restore_asked.connect(controller.restore_draft)
        self._action.triggered.connect(self._dialog.open)
        commands.belong_to(page, RecordCommand.DRAFTS)
        controller.drafts_listed.connect(self._offer)
        controller.phase_changed.connect(self._show)
        if coach is not None:
            coach.changed.connect(self._show)
        self._show()

    def show_board(self, board: QueueContents) -> None:
        self._board = board
        self._show()

    def _offer(self, drafts: Sequence[DraftSummary]) -> None:
        self._drafts = drafts
        self._show()
        if not self._was_offered and not all(draft.is_discarded for draft in drafts):
            self._dialog.open()
        if not drafts:
            self._dialog.reject()
        self._was_offered = True

    def _show(self) -> None:
        count = sum(not draft.is_discarded for draft in self._drafts)
        self._action.setVisible(bool(self._drafts))
        self._action.setText(f"Show drafts ({count})…" if count else "Show drafts…")
        refusal = self._coach.refusal if self._coach is not None else ""
        cannot_resume = refusal or _CANNOT_RESUME.get(self._controller.phase, "")
        self._dialog.show_drafts(self._drafts, self._warnings(), cannot_resume=cannot_resume)

    def _warnings(self) -> dict[str, str]:
        of_tasks = ((draft.episode_id, self._board.task(draft.task_id)) for draft in self._drafts if draft.task_id)
        return {episode_id: _recorded_already(task, episode_id) for episode_id, task in of_tasks if task is not None}

    def _resume(self, episode_id: str) -> None:
        for draft in self._drafts:
            if draft.episode_id == episode_id:
                self.resuming.emit(draft)
                is_practice = self._coach is not None and self._coach.task is not None
                self._controller.resume(draft, is_practice=is_practice)


def _recorded_already(task: QueuedTask, episode_id: str) -> str:
    """Warns if a draft's task was recorded as another episode and not sent back; empty if not."""
    ends = (entry for entry in reversed(task.history) if entry.event in (*_RECORDED, TaskEvent.SENT_BACK))
    last = next(ends, None)
    if last is None or last.event is TaskEvent.SENT_BACK or last.episode_id == episode_id:
        return ""
    day = last.at.astimezone()
    return f"{last.by} recorded this task on {day.day} {day:%b}. Continue only if a second recording is wanted."
