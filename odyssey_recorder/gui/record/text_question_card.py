"""Asks for a text typed on the device that could not be read; the annotator may answer later."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QFrame

from odyssey_recorder.device.view_hierarchy import focused_field
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.parts import breakable, fill_column, line_edit, push_button, row, set_kind, text_label
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.action_painter import prepare_other_threads
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.gui.screen.step_strip import SHARPNESS
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.recording.view import RecordedStep, TextQuestion, stored_views

_SCREENSHOT = QSize(240, 160)
_PART = 0.75
"""At most this share of the screen's shorter side is shown of the field's row, so that its text can be read."""
_MARGIN = 0.02
_UNREAD = "Couldn't read the text from the device. Check the guess, or enter what you typed."
_DIFFERS = "The field shows “{shown}”, not “{text}”. Correct the text, or save it as it is."


class TextQuestionCard(QFrame):
    """One question with the field on the next screenshot; Later shrinks it until it is asked for again."""

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
        self._text = line_edit("Text that was typed", "Exactly as the field shows it")
        self._answer = push_button("Save", "Save this text (Enter)", "primary", call=self._give_answer)
        self._text.textChanged.connect(lambda text: self._answer.setEnabled(bool(text)))
        self._text.returnPressed.connect(self._give_answer)
        self._later = push_button(
            "Answer later", "Continue recording; the question waits here", call=lambda: self._fold(True)
        )
        self._unfold = push_button("Answer…", "Enter what was typed", call=self._reopen)
        self._hint = text_label(_UNREAD, "hint")
        buttons = row(None, self._unfold, self._later, self._answer)
        fill_column(self, self._title, self._hint, self._screenshot, self._text, buttons, margins=(14, 12, 14, 12))
        self.hide()

    def show_question(self, question: TextQuestion | None, steps: Sequence[RecordedStep]) -> None:
        """Show `question`, or hide without one; one that is shown keeps what is written."""
        before, self._question = self._question, question
        if question == before:
            return
        self.setVisible(question is not None)
        if question is None:
            return
        if before is None or before.step != question.step:
            self._ask(question)
        elif question.shown and question.shown != before.shown:
            self._text.setText(question.guess)
            self._fold(False)
        self._tell(question)
        if before is None or (before.step, before.screenshot) != (question.step, question.screenshot):
            self._show_next_screen(question, steps)

    def _ask(self, question: TextQuestion) -> None:
        self._title.setText(f"What did you type in step {step_number(question.step)}?")
        self.setAccessibleName(self._title.text())
        self._text.setText(question.guess)
        self._answer.setEnabled(bool(question.guess))
        self._fold(False)

    def _tell(self, question: TextQuestion) -> None:
        self._answer.setText("Save anyway" if question.shown else "Save")
        set_kind(self._hint, "warning" if question.shown else "hint")
        self._hint.setText(_DIFFERS.format(shown=question.shown, text=question.guess) if question.shown else _UNREAD)

    def _show_next_screen(self, question: TextQuestion, steps: Sequence[RecordedStep]) -> None:
        self._screenshot.clear()
        self._screenshot.setVisible(question.screenshot is not None and self._unfold.isHidden())
        if question.screenshot is None:
            return
        trees = [step.tree for step in steps[question.step : question.step + 2]]
        prepare_other_threads()
        call = partial(_part_with_field, question.screenshot, trees[::-1])
        self._background.run(call, partial(self._show_screenshot, question), partial(self._show_error, question))

    def _is_about(self, question: TextQuestion) -> bool:
        shown = self._question
        return shown is not None and (shown.step, shown.screenshot) == (question.step, question.screenshot)

    def _show_screenshot(self, question: TextQuestion, part: QImage) -> None:
        if self._is_about(question):
            self._screenshot.setPixmap(_framed(part))

    def _show_error(self, question: TextQuestion, error: Exception) -> None:
        if self._is_about(question):
            self._screenshot.setText(breakable(str(error)))

    def _give_answer(self) -> None:
        if self._question is not None and self._text.text():
            self.answered.emit(self._question.step, self._text.text())

    def _reopen(self) -> None:
        self._fold(False)
        self._text.setFocus()

    def _fold(self, folded: bool) -> None:
        for part in (self._hint, self._text, self._answer, self._later):
            part.setVisible(not folded)
        self._screenshot.setVisible(not folded and self._question is not None and self._question.screenshot is not None)
        self._unfold.setVisible(folded)


def _part_with_field(screenshot: Path, trees: Sequence[Path | None]) -> QImage:
    """The part of a screenshot where the focused field begins, or all of it without one, as large as there is room.

    The field is that of the first of the view hierarchies that has one.

    Runs off the GUI thread. Raises DatasetError.
    """
    image, _ = read_image(screenshot)
    field = next(filter(None, (focused_field(stored_views(tree)) for tree in trees)), None)
    bounds = _SCREENSHOT * SHARPNESS
    if field is not None:
        shorter = min(image.width(), image.height())
        margin = round(shorter * _MARGIN)
        width = min(field.box.right - field.box.left + 2 * margin, round(shorter * _PART))
        height = width * bounds.height() // bounds.width()
        middle = min((field.box.top + field.box.bottom) // 2, field.box.top + height // 2)
        left = max(0, min(field.box.left - margin, image.width() - width))
        top = max(0, min(middle - height // 2, image.height() - height))
        image = image.copy(left, top, width, min(height, image.height()))
    image = image.scaled(bounds, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
    image.setDevicePixelRatio(SHARPNESS)
    return image


def _framed(screenshot: QImage) -> QPixmap:
    """Add a border: screens are often as white as the card."""
    framed = QPixmap.fromImage(screenshot)
    if not framed.isNull():
        painter = QPainter(framed)
        painter.setPen(QPen(Theme.current().outline, 1))
        painter.drawRect(QRectF(QPointF(0, 0), framed.deviceIndependentSize()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()
    return framed
