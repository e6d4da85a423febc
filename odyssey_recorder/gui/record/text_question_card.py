"""Asks for a text typed on the device that could not be read; the annotator may answer later."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QFrame

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.parts import breakable, fill_column, line_edit, push_button, row, text_label
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.action_painter import prepare_other_threads
from odyssey_recorder.gui.screen.step_strip import render_step
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.recording.view import RecordedStep, TextQuestion

_SCREENSHOT = QSize(240, 180)


class TextQuestionCard(QFrame):
    """One question with the step's screenshot; Later shrinks it until it is asked for again."""

    answered = Signal(int, str)

    def __init__(self, background: Background) -> None:
        super().__init__()
        self.setProperty("kind", "banner")
        self.setProperty("tone", "warning")
        self._background = background
        self._question: TextQuestion | None = None
        self._title = text_label(kind="title")
        self._screenshot = text_label()
        self._screenshot.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._screenshot.setMinimumHeight(_SCREENSHOT.height())
        self._text = line_edit("Text that was typed", "The text as shown in the field")
        self._answer = push_button("Save", "Save this text (Enter)", "primary", call=self._give_answer)
        self._text.textChanged.connect(lambda text: self._answer.setEnabled(bool(text)))
        self._text.returnPressed.connect(self._give_answer)
        self._later = push_button(
            "Answer later", "Continue recording; the question waits here", call=lambda: self._fold(True)
        )
        self._unfold = push_button("Answer…", "Enter what was typed", call=self._reopen)
        self._hint = text_label(
            "The text could not be read from the device. If there is a guess, it is filled in.", "hint"
        )
        buttons = row(None, self._unfold, self._later, self._answer)
        fill_column(self, self._title, self._hint, self._screenshot, self._text, buttons, margins=(14, 12, 14, 12))
        self.hide()

    def show_question(self, question: TextQuestion | None, steps: Sequence[RecordedStep]) -> None:
        """Show `question`, or hide without one; one that is shown keeps what is written."""
        if question == self._question:
            return
        self._question = question
        self.setVisible(question is not None)
        if question is not None:
            self._ask(question, steps[question.step])

    def _ask(self, question: TextQuestion, step: RecordedStep) -> None:
        self._title.setText(f"What did you type in step {step_number(question.step)}?")
        self.setAccessibleName(self._title.text())
        self._text.setText(question.guess)
        self._answer.setEnabled(bool(question.guess))
        self._screenshot.clear()
        self._fold(False)
        prepare_other_threads()
        call = partial(render_step, step, _SCREENSHOT)
        self._background.run(call, partial(self._show_screenshot, question), partial(self._show_error, question))

    def _show_screenshot(self, question: TextQuestion, seen: tuple[QImage, str]) -> None:
        if question is self._question:
            self._screenshot.setPixmap(_framed(seen[0]))

    def _show_error(self, question: TextQuestion, error: Exception) -> None:
        if question is self._question:
            self._screenshot.setText(breakable(str(error)))

    def _give_answer(self) -> None:
        if self._question is not None and self._text.text():
            self.answered.emit(self._question.step, self._text.text())

    def _reopen(self) -> None:
        self._fold(False)
        self._text.setFocus()

    def _fold(self, folded: bool) -> None:
        for part in (self._screenshot, self._hint, self._text, self._answer, self._later):
            part.setVisible(not folded)
        self._unfold.setVisible(folded)


def _framed(screenshot: QImage) -> QPixmap:
    """Add a border: screens are often as white as the card."""
    framed = QPixmap.fromImage(screenshot)
    if not framed.isNull():
        painter = QPainter(framed)
        painter.setPen(QPen(Theme.current().outline, 1))
        painter.drawRect(QRectF(QPointF(0, 0), framed.deviceIndependentSize()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()
    return framed
