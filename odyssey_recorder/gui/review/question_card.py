"""One of the three questions: pass, fail or unsure, and for the last two a reason, a step and a comment."""

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QListView, QSizePolicy, QSpinBox, QWidget

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.key_button import KeyButton
from odyssey_recorder.gui.kit.parts import fill_column, line_edit, named, row, text_label
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.verdict_text import judgement_text
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.review.review import REASONS, Judgement, Rating

ANSWERS: Mapping[Criterion, Mapping[Rating, Command]] = {
    criterion: {answer: ReviewCommand[f"{answer.name}_{criterion.value.upper()}"] for answer in Rating}
    for criterion in QUESTIONS
}
_TONES = {Rating.PASS: "success", Rating.FAIL: "danger", Rating.UNSURE: "warning"}
_WHOLE = 0
_REASON_PX = 24


class QuestionCard(QWidget):
    """Emits the new judgement; the details show only while the card is unfolded."""

    changed = Signal(object)

    def __init__(self, criterion: Criterion, commands: Commands) -> None:
        super().__init__()
        self._criterion = criterion
        self._judgement: Judgement | None = None
        self._reasons = tuple(REASONS[criterion])
        question = QUESTIONS[criterion]
        self._buttons = {
            answer: KeyButton(commands[command], f"{command.value.label}: {question}", "answer", _TONES[answer])
            for answer, command in ANSWERS[criterion].items()
        }
        self._summary = text_label(kind="hint")
        self._reason = named(QListView(), f"Reason: {question}")
        self._step = named(QSpinBox(), f"Step: {question}")
        self._words = line_edit(f"Words: {question}", "Add details")
        self._details = QWidget()
        self._lay_out(question, commands)
        self._reason.selectionModel().currentChanged.connect(self._take_reason)
        self._step.valueChanged.connect(lambda step: self._change(step=None if step == _WHOLE else step - 1))
        self._words.textEdited.connect(lambda text: self._change(words=text))
        self.show_judgement(None, unfolded=False)

    def show_steps(self, steps: int) -> None:
        """Offer the steps 1 to `steps`, as people count them."""
        self._step.blockSignals(True)
        self._step.setRange(_WHOLE, steps)
        self._step.blockSignals(False)

    def show_judgement(self, judgement: Judgement | None, *, unfolded: bool) -> None:
        """The details show if there are any and `unfolded` is set."""
        self._judgement = judgement
        for answer, button in self._buttons.items():
            button.show_chosen(judgement is not None and judgement.answer is answer)
        has_details = judgement is not None and judgement.answer is not Rating.PASS
        self._details.setVisible(has_details and unfolded)
        self._summary.setVisible(has_details and not unfolded)
        if judgement is not None and has_details:
            self._summary.setText(judgement_text(judgement).capitalize())
            self._show_details(judgement)

    def choose_reason(self, number: int) -> None:
        self._reason.setCurrentIndex(self._reason.model().index(number, 0))
        self._ask_for_comment(self._reason.currentIndex())

    def write(self) -> None:
        self._words.setFocus()

    def _show_details(self, judgement: Judgement) -> None:
        widgets = (self._reason.selectionModel(), self._step, self._words)
        for widget in widgets:
            widget.blockSignals(True)
        place = self._reasons.index(judgement.reason) if judgement.reason in self._reasons else -1
        self._reason.setCurrentIndex(self._reason.model().index(place, 0))
        self._step.setValue(_WHOLE if judgement.step is None else step_number(judgement.step))
        if self._words.text() != judgement.words:
            self._words.setText(judgement.words)
        for widget in widgets:
            widget.blockSignals(False)
        self._reason.viewport().update()

    def _take_reason(self, now: QModelIndex) -> None:
        if now.isValid():
            self._change(reason=self._reasons[now.row()])
            self._ask_for_comment(now)

    def _ask_for_comment(self, chosen: QModelIndex) -> None:
        """ "Other" needs a comment: the next keys are text, not shortcuts of the page."""
        if chosen.isValid() and self._reasons[chosen.row()] == "other":
            self.write()

    def _change(self, **changes: object) -> None:
        if self._judgement is not None:
            self.changed.emit(self._judgement.model_copy(update=changes))

    def _lay_out(self, question: str, commands: Commands) -> None:
        numbered = [f"{number}   {text}" for number, text in enumerate(REASONS[self._criterion].values(), 1)]
        self._reason.setModel(QStringListModel(numbered, self))
        self._reason.setProperty("kind", "reasons")
        self._reason.setUniformItemSizes(True)
        self._reason.setFixedHeight(grown(_REASON_PX) * len(numbered) + 4)
        self._reason.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._reason.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._step.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel alone must not take the focus
        self._step.setSpecialValueText("No single step")
        self._step.setPrefix("Step ")
        self._step.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._step.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        this = KeyButton(commands[ReviewCommand.TAKE_STEP], f"Use this step: {question}")
        fill_column(self._details, self._reason, row(self._step, this), self._words, spacing=6)
        fill_column(
            self, text_label(question), row(*self._buttons.values(), spacing=6), self._summary, self._details, spacing=6
        )
        for button in self._buttons.values():
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
