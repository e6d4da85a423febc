"""The ways to end a recording: complete, with a note, impossible, with a reason, or thrown away."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from odyssey_recorder.gui.parts import fill_dialog, line_edit, push_button, row, text_label
from odyssey_recorder.gui.reason_dialog import ReasonDialog, ReasonQuestion

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
