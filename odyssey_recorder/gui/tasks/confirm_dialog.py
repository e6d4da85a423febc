"""The dialog that confirms an action on many tasks."""

from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog


class ConfirmDialog(QuestionDialog):
    def __init__(self, question: str, detail: str, answer: tuple[str, str], parent: QWidget | None = None) -> None:
        title, tip = answer
        super().__init__(Question(title, question, title, tip, "Cancel (Esc)", detail, "warning"), parent)
