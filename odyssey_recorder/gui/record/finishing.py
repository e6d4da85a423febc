"""The ways to end a recording or to take steps of it back, and what is asked before each."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import fill_dialog, line_edit, push_button, row, text_label
from odyssey_recorder.gui.reason_dialog import ReasonDialog, ReasonQuestion
from odyssey_recorder.gui.record.recording_controller import RecordingController

REASONS = (
    "no results",
    "item not found",
    "region limitation",
    "login required",
    "payment",
    "app crashed",
)
"""Why tasks turn out to be impossible most often."""


class CompleteDialog(QDialog):
    """Asks for the note of COMPLETE, which may stay empty."""

    note_given = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, practice: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle("Task complete")
        self._note = line_edit("Note", "What you found, if the task asks for it")
        finish = push_button("Complete", "End the episode with COMPLETE (Return)", "primary")
        finish.clicked.connect(self._finish)
        then = "Your attempt is judged at once." if practice else "The episode is published at once."
        question = text_label(f"Is the task done? {then}", "title")
        _lay_out(self, question, self._note, finish=finish)

    def _finish(self) -> None:
        self.accept()
        self.note_given.emit(self._note.text().strip())


class ImpossibleDialog(ReasonDialog):
    """Asks for the reason of IMPOSSIBLE, which must be given."""

    def __init__(self, parent: QWidget | None = None) -> None:
        asked = ReasonQuestion(
            title="Task impossible",
            question="Why can the task not be done here?",
            answer="Impossible",
            tip="End the episode with IMPOSSIBLE (Return)",
            cancel_tip="Go on recording (Esc)",
        )
        super().__init__(asked, REASONS, parent)


class DiscardDialog(QDialog):
    """Asks whether the recording shall really go to the trash."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Discard the recording")
        discard = push_button("Discard", "Stop and move the draft to the trash (Return)", "primary")
        discard.clicked.connect(self.accept)
        question = text_label("Discard this recording?", "title")
        _lay_out(self, question, text_label("Its steps go to the trash folder.", "hint"), finish=discard)


def _lay_out(dialog: QDialog, *parts: QWidget, finish: QPushButton) -> None:
    finish.setDefault(True)
    cancel = push_button("Cancel", "Go on recording (Esc)")
    cancel.clicked.connect(dialog.reject)
    fill_dialog(dialog, *parts, row(None, cancel, finish))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


class UndoDialog(QDialog):
    """Asks whether the steps `first` to `last` shall really be taken away."""

    def __init__(self, first: int, last: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Undo to here")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        undo = push_button("Undo", "Undo these steps (Return)", "primary")
        undo.clicked.connect(self.accept)
        undo.setDefault(True)
        cancel = push_button("Cancel", "Keep them (Esc)")
        cancel.clicked.connect(self.reject)
        question = text_label(f"Undo {last - first + 1} steps?", "title")
        words = f"Steps {first} to {last} go, and the device goes back to the screen of step {first}."
        hint = text_label(words, "hint")
        fill_dialog(self, question, hint, row(None, cancel, undo))


class Finishing(QObject):
    """Obeys the commands that end a recording, with dialogs over `page`."""

    def __init__(self, controller: RecordingController, commands: Commands, page: QWidget) -> None:
        super().__init__(page)
        self._controller = controller
        self._ask = controller.ask
        self._page = page
        commands.belong_to(page, Command.COMPLETE, Command.IMPOSSIBLE, Command.DISCARD)
        commands[Command.COMPLETE].triggered.connect(self._ask_for_note)
        commands[Command.IMPOSSIBLE].triggered.connect(self._ask_for_reason)
        commands[Command.DISCARD].triggered.connect(self._ask_to_discard)

    def _ask_for_note(self) -> None:
        dialog = CompleteDialog(self._page, practice=self._controller.is_practising)
        dialog.note_given.connect(lambda note: self._ask(lambda recorder: recorder.complete(note)))
        dialog.open()

    def _ask_for_reason(self) -> None:
        dialog = ImpossibleDialog(self._page)
        dialog.reason_given.connect(lambda reason: self._ask(lambda recorder: recorder.impossible(reason)))
        dialog.open()

    def _ask_to_discard(self) -> None:
        dialog = DiscardDialog(self._page)
        dialog.accepted.connect(lambda: self._ask(lambda recorder: recorder.abandon()))
        dialog.open()
