"""Dialogs that ask a question, some with reasons to choose from or write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLayout, QRadioButton, QWidget

from odyssey_recorder.gui.frame.keyboard import is_text
from odyssey_recorder.gui.kit.dialogs import QUESTION_PX, Dialog
from odyssey_recorder.gui.kit.parts import fill_column, line_edit, push_button, row, text_label

SKIP_REASONS = ("app not installed", "login required", "wrong device", "instruction unclear", "do it later")

SEND_BACK_REASONS = (
    "a step is wrong or missing",
    "another app was used",
    "the task was not finished",
    "the episode was removed",
)

ANSWERS = ("Then record it again as it is now", "Please record it again as the task says", "Leave it, I check again")
REPLIES = ("I did what the task says", "The app shows it like this now", "There is no other way to record it")


@dataclass(frozen=True, slots=True)
class Question:
    """The texts of a dialog with one answer and Cancel."""

    title: str
    question: str
    answer: str
    tip: str
    cancel_tip: str = "Cancel (Esc)"
    detail: str = ""
    detail_kind: str = "hint"
    keeps: str = ""
    """The text of the button that changes nothing; it is then the default button, so that Enter loses nothing."""


_DIGITS = "123456789"
_ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)


class _Choice(QRadioButton):
    """A reason with its number, which is also its key; arrow keys choose as they move."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"{number}   {reason}")
        self.setAccessibleName(reason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ARROWS and not self.isChecked():
            self.setChecked(True)  # from here on Qt checks what it moves to
        else:
            super().keyPressEvent(event)


class ReasonChoices(QWidget):
    changed = Signal()

    def __init__(self, reasons: Sequence[str], other: str = "Another reason") -> None:
        super().__init__()
        self._choices = [_Choice(number, reason) for number, reason in enumerate(reasons, start=1)]
        self._own = line_edit(other, other)
        self._own.textEdited.connect(self._clear_choices)
        for number, choice in enumerate(self._choices, 1):
            choice.toggled.connect(self._choice_changed)
            choice.setToolTip(f"Choose this ({number})")
        fill_column(self, *self._choices, self._own, spacing=12)
        self.setFocusProxy(self._choices[0])

    @property
    def reason(self) -> str:
        """The written reason, otherwise the chosen one; empty if there is none."""
        own = self._own.text().strip()
        chosen = (choice.accessibleName() for choice in self._choices if choice.isChecked())
        return own or next(chosen, "")

    def show_reason(self, reason: str) -> None:
        """Choose `reason` if it is among the choices, otherwise write it."""
        for choice in self._choices:
            if choice.accessibleName() == reason:
                choice.setChecked(True)
                return
        self._own.setText(reason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = event.text()
        if number and number in _DIGITS[: len(self._choices)]:
            choice = self._choices[int(number) - 1]
            choice.setChecked(True)
            choice.setFocus()
        elif is_text(event):
            self._own.setFocus()
            self._own.insert(event.text())
            self._clear_choices()
        else:
            super().keyPressEvent(event)

    def _clear_choices(self) -> None:
        for choice in self._choices:
            choice.setAutoExclusive(False)
            choice.setChecked(False)
            choice.setAutoExclusive(True)
        self.changed.emit()

    def _choice_changed(self) -> None:
        if any(choice.isChecked() for choice in self._choices):
            self._own.clear()
        self.changed.emit()


class QuestionDialog(Dialog):
    def __init__(
        self, question: Question, parent: QWidget | None = None, *parts: QWidget | QLayout, width: int = QUESTION_PX
    ) -> None:
        super().__init__(question.title, parent)
        kinds = ("", "primary") if question.keeps else ("primary", "")
        self.ok = push_button(question.answer, question.tip, kinds[0], call=self.accept)
        self.cancel = push_button(question.keeps or "Cancel", question.cancel_tip, kinds[1], call=self.reject)
        if question.keeps:
            self.cancel.setFocus()
        detail = [text_label(question.detail, question.detail_kind)] if question.detail else []
        title, buttons = text_label(question.question, "title"), row(None, self.cancel, self.ok)
        self.fill(title, *detail, *parts, buttons, width=width)


class ReasonDialog(QuestionDialog):
    reason_given = Signal(str)

    def __init__(
        self,
        question: Question,
        reasons: Sequence[str],
        parent: QWidget | None = None,
        other: str = "Another reason",
    ) -> None:
        """`other` is the name of the field for an answer that is not among the `reasons`."""
        self._choices = ReasonChoices(reasons, other)
        super().__init__(question, parent, self._choices)
        self.accepted.connect(lambda: self.reason_given.emit(self.reason))
        self._choices.changed.connect(self._update_ok)
        self._choices.setFocus()
        self._update_ok()

    @property
    def reason(self) -> str:
        return self._choices.reason

    def _update_ok(self) -> None:
        self.ok.setEnabled(bool(self.reason))


def ask(
    question: Question,
    parent: QWidget,
    agree: Callable[[], object],
    *parts: QWidget | QLayout,
    width: int = QUESTION_PX,
) -> QuestionDialog:
    dialog = QuestionDialog(question, parent, *parts, width=width)
    dialog.accepted.connect(agree)
    dialog.open()
    return dialog


def ask_why(
    question: Question,
    reasons: Sequence[str],
    parent: QWidget,
    answer: Callable[[str], object],
    other: str = "Another reason",
) -> None:
    dialog = ReasonDialog(question, reasons, parent, other)
    dialog.reason_given.connect(answer)
    dialog.open()


def skip_question(instruction: str) -> Question:
    return Question(
        title="Skip the task",
        question="Why are you skipping this task? It goes to the end of the queue.",
        answer="Skip",
        tip="Move the task to the end of the queue (Enter)",
        cancel_tip="Keep the task (Esc)",
        detail=instruction,
    )


def reply_question(whom: str, thread: Sequence[str]) -> Question:
    return Question(
        title=f"Reply to {whom}",
        question=f"What should {whom} know about this episode?",
        answer="Reply",
        tip="Save the reply with the review of the episode (Enter)",
        detail="\n".join(thread),
    )


def send_back_question(instruction: str) -> Question:
    return Question(
        title="Send the task back",
        question="Why should this task be recorded again? Its episode stays in the dataset.",
        answer="Send back",
        tip="Put the task back in the queue (Enter)",
        cancel_tip="Keep the task as recorded (Esc)",
        detail=instruction,
    )


def clear_question(apps: Sequence[str]) -> Question:
    return Question(
        title="Delete the data of the apps",
        question=f"Delete all data of {', '.join(apps)} on this device?",
        answer="Delete and start",
        tip="Delete the data of these apps, then start recording",
        detail="What these apps have stored is lost, such as notes, sign-ins and settings.",
        detail_kind="warning",
        keeps="Cancel",
    )


def warning_question(question: str, detail: str, answer: str, tip: str) -> Question:
    return Question(answer, question, answer, tip, "Cancel (Esc)", detail, "warning")
