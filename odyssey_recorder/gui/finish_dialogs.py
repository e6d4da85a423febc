"""The ways to end a recording: complete, with a note, impossible, with a reason, or thrown away."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QRadioButton, QWidget

from odyssey_recorder.gui.parts import fill_dialog, line_edit, push_button, row, text_label

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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Task complete")
        self._note = line_edit("Note", "What you found, if the task asks for it")
        finish = push_button("Complete", "Record COMPLETE and publish (Return)", "primary")
        finish.clicked.connect(self._finish)
        question = text_label("Is the task done? The episode is published at once.", "title")
        _lay_out(self, question, self._note, finish=finish)

    def _finish(self) -> None:
        self.accept()
        self.note_given.emit(self._note.text().strip())


class ImpossibleDialog(QDialog):
    """Asks for the reason of IMPOSSIBLE, which must be given."""

    reason_given = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Task impossible")
        self._choices = [QRadioButton(reason) for reason in REASONS]
        self._own = line_edit("Another reason", "Another reason")
        self._own.textEdited.connect(self._prefer_own_words)
        for choice in self._choices:
            choice.toggled.connect(self._show_whether_given)
        self._ok = push_button("Impossible", "Record IMPOSSIBLE and publish (Return)", "primary")
        self._ok.clicked.connect(self._finish)
        question = text_label("Why can the task not be done here?", "title")
        _lay_out(self, question, *self._choices, self._own, finish=self._ok)
        self._choices[0].setFocus()
        self._show_whether_given()

    @property
    def reason(self) -> str:
        """The reason as it stands: the annotator's own words before the chosen ones."""
        own = self._own.text().strip()
        chosen = (choice.text() for choice in self._choices if choice.isChecked())
        return own or next(chosen, "")

    def _prefer_own_words(self) -> None:
        for choice in self._choices:
            choice.setAutoExclusive(False)
            choice.setChecked(False)
            choice.setAutoExclusive(True)
        self._show_whether_given()

    def _show_whether_given(self) -> None:
        if any(choice.isChecked() for choice in self._choices):
            self._own.clear()
        self._ok.setEnabled(bool(self.reason))

    def _finish(self) -> None:
        if self.reason:
            self.accept()
            self.reason_given.emit(self.reason)


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
    dialog.setMinimumWidth(440)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
