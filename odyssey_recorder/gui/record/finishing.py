"""Ways to end a recording or undo steps, and the dialogs before each."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import line_edit
from odyssey_recorder.gui.question_dialog import Question, QuestionDialog, ReasonDialog
from odyssey_recorder.gui.record.recording_controller import RecordingController

REASONS = ("no results", "item not found", "region limitation", "login required", "payment", "app crashed")


_GO_ON = "Continue recording (Esc)"

DISCARD = Question(
    title="Discard the recording",
    question="Discard this recording?",
    answer="Discard",
    tip="Stop and move the draft to the trash (Enter)",
    cancel_tip=_GO_ON,
    detail="Its steps move to the trash folder.",
)


def undo_question(first: int, last: int) -> Question:
    return Question(
        title="Undo to here",
        question=f"Undo {last - first + 1} steps?",
        answer="Undo",
        tip="Undo these steps (Enter)",
        cancel_tip="Keep them (Esc)",
        detail=f"Steps {first + 1} to {last + 1} are removed. The device returns to the screen of step {first + 1}.",
    )


class CompleteDialog(QuestionDialog):
    note_given = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, practice: bool = False) -> None:
        then = "Your attempt is checked right away." if practice else "The episode is published right away."
        asked = Question(
            title="Task complete",
            question=f"Is the task done? {then}",
            answer="Complete",
            tip="End the episode with COMPLETE (Enter)",
            cancel_tip=_GO_ON,
        )
        note = line_edit("Note", "Answer, if the task asks for one")
        super().__init__(asked, parent, note)
        self.accepted.connect(lambda: self.note_given.emit(note.text().strip()))


class ImpossibleDialog(ReasonDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        asked = Question(
            title="Task impossible",
            question="Why can't the task be done here?",
            answer="Impossible",
            tip="End the episode with IMPOSSIBLE (Enter)",
            cancel_tip=_GO_ON,
        )
        super().__init__(asked, REASONS, parent)


class Finishing(QObject):
    def __init__(self, controller: RecordingController, commands: Commands, page: QWidget) -> None:
        super().__init__(page)
        self._controller = controller
        self._ask = controller.ask
        self._page = page
        calls = {
            Command.COMPLETE: self._ask_for_note,
            Command.IMPOSSIBLE: self._ask_for_reason,
            Command.DISCARD: self._ask_to_discard,
        }
        commands.bind(page, calls)

    def _ask_for_note(self) -> None:
        dialog = CompleteDialog(self._page, practice=self._controller.is_practising)
        dialog.note_given.connect(lambda note: self._ask(lambda recorder: recorder.complete(note)))
        dialog.open()

    def _ask_for_reason(self) -> None:
        dialog = ImpossibleDialog(self._page)
        dialog.reason_given.connect(lambda reason: self._ask(lambda recorder: recorder.impossible(reason)))
        dialog.open()

    def _ask_to_discard(self) -> None:
        dialog = QuestionDialog(DISCARD, self._page)
        dialog.accepted.connect(lambda: self._ask(lambda recorder: recorder.abandon()))
        dialog.open()
