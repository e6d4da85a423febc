"""Asks why: common reasons to choose from, and a field for another one; a reason must be given."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QRadioButton, QVBoxLayout, QWidget

from odyssey_recorder.gui.keyboard import is_text
from odyssey_recorder.gui.parts import fill_dialog, line_edit, push_button, row, text_label

SKIP_REASONS = (
    "app not installed",
    "login required",
    "does not fit this device",
    "not clear what is meant",
    "later",
)
"""Why tasks are skipped most often."""

SEND_BACK_REASONS = (
    "a step is wrong or missing",
    "another app was used",
    "the task was not finished",
    "the episode was removed",
)
"""Why recorded tasks have to be recorded again most often."""


@dataclass(frozen=True, slots=True)
class ReasonQuestion:
    """What a dialog asks, with the words of its button that answers and of its tooltips."""

    title: str
    question: str
    answer: str
    tip: str
    cancel_tip: str
    detail: str = ""


class ReasonChoices(QWidget):
    """Common reasons, and a field for another one."""

    changed = Signal()

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__()
        self._choices = [QRadioButton(reason) for reason in reasons]
        self._own = line_edit("Another reason", "Another reason")
        self._own.textEdited.connect(self._prefer_own_words)
        for choice in self._choices:
            choice.toggled.connect(self._take_choice)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for part in (*self._choices, self._own):
            column.addWidget(part)
        self.setFocusProxy(self._choices[0])

    @property
    def reason(self) -> str:
        """The reason as it stands: the person's own words before the chosen ones; empty where none is given."""
        own = self._own.text().strip()
        chosen = (choice.text() for choice in self._choices if choice.isChecked())
        return own or next(chosen, "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Words typed at the choices are a reason of one's own."""
        if is_text(event):
            self._own.setFocus()
            self._own.insert(event.text())
            self._prefer_own_words()
        else:
            super().keyPressEvent(event)

    def _prefer_own_words(self) -> None:
        for choice in self._choices:
            choice.setAutoExclusive(False)
            choice.setChecked(False)
            choice.setAutoExclusive(True)
        self.changed.emit()

    def _take_choice(self) -> None:
        if any(choice.isChecked() for choice in self._choices):
            self._own.clear()
        self.changed.emit()


class ReasonDialog(QDialog):
    """Offers `reasons`; emits the one that was chosen or written."""

    reason_given = Signal(str)

    def __init__(self, asked: ReasonQuestion, reasons: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(asked.title)
        self._choices = ReasonChoices(reasons)
        self._ok = push_button(asked.answer, asked.tip, "primary")
        self._ok.clicked.connect(self._finish)
        self._ok.setDefault(True)
        cancel = push_button("Cancel", asked.cancel_tip)
        cancel.clicked.connect(self.reject)
        detail = text_label(asked.detail, "hint")
        detail.setVisible(bool(asked.detail))
        question = text_label(asked.question, "title")
        fill_dialog(self, question, detail, self._choices, row(None, cancel, self._ok))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._choices.changed.connect(self._show_whether_given)
        self._choices.setFocus()
        self._show_whether_given()

    @property
    def reason(self) -> str:
        """The reason as it stands: the annotator's own words before the chosen ones."""
        return self._choices.reason

    def _show_whether_given(self) -> None:
        self._ok.setEnabled(bool(self.reason))

    def _finish(self) -> None:
        if self.reason:
            reason = self.reason
            self.accept()
            self.reason_given.emit(reason)


class SkipDialog(ReasonDialog):
    """Asks why a task is skipped."""

    def __init__(self, instruction: str, parent: QWidget | None = None) -> None:
        asked = ReasonQuestion(
            title="Skip the task",
            question="Why do you skip this task? It comes again at the end.",
            answer="Skip",
            tip="Put the task at the end of the queue (Return)",
            cancel_tip="Keep the task (Esc)",
            detail=instruction,
        )
        super().__init__(asked, SKIP_REASONS, parent)


class SendBackDialog(ReasonDialog):
    """Asks why a recorded task has to be recorded again."""

    def __init__(self, instruction: str, parent: QWidget | None = None) -> None:
        asked = ReasonQuestion(
            title="Send the task back",
            question="Why must this task be recorded again? Its episode stays in the dataset.",
            answer="Send back",
            tip="Let the task wait again (Return)",
            cancel_tip="Leave the task as recorded (Esc)",
            detail=instruction,
        )
        super().__init__(asked, SEND_BACK_REASONS, parent)
