"""Dialogs that ask a question, some with reasons to choose from and a field for another one."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLayout, QRadioButton, QWidget

from odyssey_recorder.gui.keyboard import is_text
from odyssey_recorder.gui.parts import (
    QUESTION_PX,
    fill_column,
    fill_dialog,
    line_edit,
    push_button,
    row,
    text_label,
)

SKIP_REASONS = ("app not installed", "login required", "does not fit this device", "not clear what is meant", "later")

SEND_BACK_REASONS = (
    "a step is wrong or missing",
    "another app was used",
    "the task was not finished",
    "the episode was removed",
)


@dataclass(frozen=True, slots=True)
class Question:
    """The texts of a dialog with one answer and Cancel."""

    title: str
    question: str
    answer: str
    tip: str
    cancel_tip: str
    detail: str = ""
    detail_kind: str = "hint"
    keeps: str = ""
    """The words of the button that changes nothing; with them it is the default one, so that Enter loses nothing."""


_DIGITS = "123456789"
_ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)


class _Choice(QRadioButton):
    """A reason with its number, which is also its key; arrow keys choose as they move."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"{number}   {reason}")
        self.setAccessibleName(reason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ARROWS and not self.isChecked():
            self.setChecked(True)  # from here on Qt chooses what it moves to
        else:
            super().keyPressEvent(event)


class ReasonChoices(QWidget):
    changed = Signal()

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__()
        self._choices = [_Choice(number, reason) for number, reason in enumerate(reasons, start=1)]
        self._own = line_edit("Another reason", "Another reason")
        self._own.textEdited.connect(self._prefer_own_words)
        for number, choice in enumerate(self._choices, 1):
            choice.toggled.connect(self._take_choice)
            choice.setToolTip(f"Choose this reason ({number})")
        fill_column(self, *self._choices, self._own, spacing=12)
        self.setFocusProxy(self._choices[0])

    @property
    def reason(self) -> str:
        """The written reason, otherwise the chosen one; empty if there is none."""
        own = self._own.text().strip()
        chosen = (choice.accessibleName() for choice in self._choices if choice.isChecked())
        return own or next(chosen, "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = event.text()
        if number in _DIGITS[: len(self._choices)] and number:
            self._choices[int(number) - 1].setChecked(True)
            self._choices[int(number) - 1].setFocus()
        elif is_text(event):
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


class QuestionDialog(QDialog):
    def __init__(
        self, asked: Question, parent: QWidget | None = None, *parts: QWidget | QLayout, width: int = QUESTION_PX
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(asked.title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        kinds = ("", "primary") if asked.keeps else ("primary", "")
        self.ok = push_button(asked.answer, asked.tip, kinds[0], call=self.accept)
        self.cancel = push_button(asked.keeps or "Cancel", asked.cancel_tip, kinds[1], call=self.reject)
        if asked.keeps:
            self.cancel.setFocus()
        detail = [text_label(asked.detail, asked.detail_kind)] if asked.detail else []
        question, buttons = text_label(asked.question, "title"), row(None, self.cancel, self.ok)
        fill_dialog(self, question, *detail, *parts, buttons, width=width)


class ReasonDialog(QuestionDialog):
    reason_given = Signal(str)

    def __init__(self, asked: Question, reasons: Sequence[str], parent: QWidget | None = None) -> None:
        self._choices = ReasonChoices(reasons)
        super().__init__(asked, parent, self._choices)
        self.accepted.connect(lambda: self.reason_given.emit(self.reason))
        self._choices.changed.connect(self._show_whether_given)
        self._choices.setFocus()
        self._show_whether_given()

    @property
    def reason(self) -> str:
        return self._choices.reason

    def _show_whether_given(self) -> None:
        self.ok.setEnabled(bool(self.reason))


class SkipDialog(ReasonDialog):
    def __init__(self, instruction: str, parent: QWidget | None = None) -> None:
        asked = Question(
            title="Skip the task",
            question="Why do you skip this task? It moves to the end of the queue.",
            answer="Skip",
            tip="Move the task to the end of the queue (Enter)",
            cancel_tip="Keep the task (Esc)",
            detail=instruction,
        )
        super().__init__(asked, SKIP_REASONS, parent)


class SendBackDialog(ReasonDialog):
    def __init__(self, instruction: str, parent: QWidget | None = None) -> None:
        asked = Question(
            title="Send the task back",
            question="Why should this task be recorded again? Its episode stays in the dataset.",
            answer="Send back",
            tip="Put the task back in the queue (Enter)",
            cancel_tip="Leave the task as recorded (Esc)",
            detail=instruction,
        )
        super().__init__(asked, SEND_BACK_REASONS, parent)
