"""The two ways to end an episode: complete, with a note, or impossible, with a reason."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

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
        super().__init__(parent, windowTitle="Task complete")
        self._note = QLineEdit(accessibleName="Note", placeholderText="What you found, if the task asks for it")
        buttons = _buttons("Complete")
        buttons.accepted.connect(self._finish)
        buttons.rejected.connect(self.reject)
        _lay_out(self, "Is the task done? The episode is published at once.", self._note, buttons)

    def _finish(self) -> None:
        self.accept()
        self.note_given.emit(self._note.text().strip())


class ImpossibleDialog(QDialog):
    """Asks for the reason of IMPOSSIBLE, which must be given."""

    reason_given = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, windowTitle="Task impossible")
        self._choices = [QRadioButton(reason) for reason in REASONS]
        self._own = QLineEdit(accessibleName="Another reason", placeholderText="Another reason")
        self._own.textEdited.connect(self._prefer_own_words)
        for choice in self._choices:
            choice.toggled.connect(self._show_whether_given)
        buttons = _buttons("Impossible")
        self._ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        buttons.accepted.connect(self._finish)
        buttons.rejected.connect(self.reject)
        _lay_out(self, "Why can the task not be done here?", *self._choices, self._own, buttons)
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


def _buttons(accept: str) -> QDialogButtonBox:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
    ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
    ok.setText(accept)
    ok.setProperty("kind", "primary")
    for button in buttons.buttons():
        button.setIcon(type(button.icon())())
    return buttons


def _lay_out(dialog: QDialog, question: str, *parts: QWidget) -> None:
    words = QLabel(question, wordWrap=True)
    words.setProperty("kind", "title")
    column = QVBoxLayout(dialog)
    column.setContentsMargins(24, 20, 24, 20)
    column.setSpacing(10)
    column.addWidget(words)
    for part in parts:
        column.addWidget(part)
    dialog.setMinimumWidth(420)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
