"""The verdict panel: the three questions and the decision. Nothing is filled in beforehand, and nothing gets lost."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import ceil

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.key_button import key_buttons
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.layouts import in_columns, pile, scroll_area
from odyssey_recorder.gui.kit.parts import Card, breakable, column, fill_column, named, row, say, set_kind, text_label
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.review.answers import QUESTIONS, ReviewAnswers, unseen
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.question_card import ANSWERS, QuestionCard
from odyssey_recorder.gui.review.verdict_text import role_text, short_verdict_text, verdicts
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.model.plain_text import counted, steps_text
from odyssey_recorder.review.review import Decision, Judgement, Rating, is_hasty
from odyssey_recorder.review.status import ReviewerRole
from odyssey_recorder.review.views import OpenedReview

_SIZE = QSize(132, 6)
_GAP_PX = 2
_NARROWEST_PX = 3
"""Narrower segments are drawn without gaps."""


class SeenBar(QWidget):
    """Unlike QProgressBar, it is repainted with the rest of the page, so turning to a step never waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(_SIZE)
        self.setAccessibleName("Steps seen")
        self._seen: frozenset[int] = frozenset()
        self._steps = 0

    def show_seen(self, seen: frozenset[int], steps: int) -> None:
        self._seen, self._steps = seen, steps
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._steps:
            return
        theme = Theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        stride = self.width() / self._steps
        gap = _GAP_PX if stride - _GAP_PX >= _NARROWEST_PX else 0
        for number in range(self._steps):
            painter.setBrush(theme.accent if number in self._seen else theme.outline)
            piece = QRectF(number * stride, 0, stride - gap, self.height())
            painter.drawRoundedRect(piece, 2 if gap else 0, 2 if gap else 0)


_NOTE_PX = 52
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_REASONS = tuple(ReviewCommand[f"REASON_{number}"] for number in range(1, 10))
DECISIONS = {
    ReviewCommand.ACCEPT_EPISODE: Decision.ACCEPT,
    ReviewCommand.FIX_AND_ACCEPT: Decision.FIX_AND_ACCEPT,
    ReviewCommand.SEND_BACK_EPISODE: Decision.SEND_BACK,
    ReviewCommand.REJECT_EPISODE: Decision.REJECT,
}

_FILLING = (*_REASONS, ReviewCommand.TAKE_STEP, ReviewCommand.REASON_WORDS)
_ANYTIME = (
    *(command for answers in ANSWERS.values() for command in answers.values()),
    *DECISIONS,
    ReviewCommand.REVIEW_NOTE,
)


class VerdictPanel(Card):
    """Holds the answers for the open episode.

    One key submits a decision, but only one that the answers support, and accepting requires that every step was
    seen: so skipping the steps saves no time. No key passes all three questions at once: three answers by one key
    would be one answer, and their agreement would mean nothing.
    """

    decided = Signal(object)
    """The answers support this decision and it should be submitted."""
    step_requested = Signal(int)
    """This step should be shown first."""
    changed = Signal()
    """An answer or the set of seen steps has changed."""
    writing_ended = Signal()
    """The page's shortcuts should work again."""

    def __init__(self, commands: Commands, seconds: Callable[[], float]) -> None:
        """`seconds` tells how long the episode has been on the screen."""
        super().__init__()
        self._commands = commands
        self._seconds = seconds
        self._episode_id = ""
        self._warned_as_hasty: set[str] = set()  # ids of episodes
        self.sheet = ReviewAnswers()
        self._steps = 0
        self._shown_step = 0
        self._unfolded: Criterion | None = None
        self._may_judge = False
        self._refused_unseen = False  # whether the refusal is about unseen steps
        self._turn = text_label(kind="hint")
        self._thread = text_label()
        self._answer_thread = commands.button(ReviewCommand.ANSWER_REPLY, kind="low")
        self._reopen = commands.button(ReviewCommand.REOPEN_EPISODE, kind="low")
        self._others = [text_label(kind="field") for _ in range(2)]
        self._cards = {criterion: QuestionCard(criterion, commands) for criterion in QUESTIONS}
        self._note = named(QPlainTextEdit(), "Note on the verdict")
        self.refusal = Banner(commands.button(ReviewCommand.DISMISS_REVIEW, kind="quiet", wordless=True))
        self._seen_text = text_label(kind="hint")
        self._seen_bar = SeenBar()
        self._area = scroll_area()
        self._lay_out()
        self._connect()
        self._enable()

    def show_review(self, opened: OpenedReview, sheet: ReviewAnswers) -> None:
        """Show an episode's answers, and whether and in which role the reviewer may judge it."""
        self._steps, self._episode_id = len(opened.opened.episode.steps), opened.row.episode_id
        self.sheet = sheet
        self._unfolded = None
        self._may_judge = opened.row.role is not None
        say(self._turn, role_text(opened))
        set_kind(self._turn, "hint" if self._may_judge else "warning")
        say(self._thread, breakable("\n".join(opened.row.thread)))
        self._answer_thread.setVisible(bool(opened.row.thread))
        self._commands.enable(ReviewCommand.ANSWER_REPLY, on=bool(opened.row.thread))
        may_reopen = bool(opened.row.reopens)
        self._reopen.setVisible(may_reopen)
        self._commands.enable(ReviewCommand.REOPEN_EPISODE, on=may_reopen)
        others = verdicts(opened.entries) if opened.row.role is ReviewerRole.THIRD else []
        for label, text in zip(self._others, [*map(short_verdict_text, others), "", ""], strict=False):
            say(label, text)
        for card in self._cards.values():
            card.show_steps(self._steps)
        if self._note.toPlainText().strip() != sheet.note:  # otherwise keep the editor's cursor
            self._note.setPlainText(sheet.note)
        self._show_answers()
        self._show_seen()
        self._area.verticalScrollBar().setValue(0)

    def hasHeightForWidth(self) -> bool:
        """Otherwise it could not be lower than all its questions, which scroll, and the findings above would be cut."""
        return False

    def show_step(self, number: int, seen: frozenset[int]) -> None:
        """`number` is the shown step, `seen` all steps seen so far."""
        self._shown_step = number
        self.sheet = replace(self.sheet, seen=self.sheet.seen | seen)
        self._show_seen()
        if self._refused_unseen and not unseen(self.sheet.seen, self._steps):
            self.refusal.hide()
        self.changed.emit()

    def show_waiting(self, on: bool) -> None:
        """Disable the panel while a verdict is stored or the next episode opens."""
        self.setEnabled(not on)
        self._enable()

    def refuse(self, text: str, detail: str = "") -> None:
        self._refused_unseen = False
        self.refusal.show_message(Tone.WARNING, breakable(text), breakable(detail))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return leaves a one-line field; a focused field is scrolled into view."""
        if event.type() is QEvent.Type.FocusIn and isinstance(watched, QWidget):
            self._area.ensureWidgetVisible(watched)
        is_of_one_line = isinstance(watched, QLineEdit | QSpinBox) and event.type() is QEvent.Type.KeyPress
        if is_of_one_line and isinstance(event, QKeyEvent) and event.key() in _ENDS:
            self.writing_ended.emit()
            return True
        return super().eventFilter(watched, event)

    # Commands.

    def _answer(self, criterion: Criterion, answer: Rating) -> None:
        before = self.sheet.judgement(criterion)
        if answer is Rating.PASS:
            judgement = Judgement(criterion=criterion, answer=answer)
        elif before is None or before.answer is Rating.PASS:
            judgement = Judgement(criterion=criterion, answer=answer, step=self._shown_step)
        else:
            judgement = before.model_copy(update={"answer": answer})
        self._unfolded = None if answer is Rating.PASS else criterion
        self._take(judgement)

    def _take(self, judgement: Judgement) -> None:
        self.sheet = self.sheet.judged(judgement)
        self.refusal.hide()
        self._show_answers()
        self.changed.emit()

    def _choose_reason(self, number: int) -> None:
        if self._unfolded is not None:
            self._cards[self._unfolded].choose_reason(number)

    def _take_step(self) -> None:
        given = None if self._unfolded is None else self.sheet.judgement(self._unfolded)
        if given is not None:
            self._take(given.model_copy(update={"step": self._shown_step}))

    def _write_comment(self) -> None:
        if self._unfolded is not None:
            self._cards[self._unfolded].write()

    def _decide(self, decision: Decision) -> None:
        incomplete = self.sheet.incomplete()
        if incomplete is not None:
            criterion, text = incomplete
            self._unfolded = criterion
            self._show_answers()
            self.refuse(text)
            return
        left = unseen(self.sheet.seen, self._steps)
        if decision.accepts and left:
            self.refuse(f"You have not seen {steps_text(left)} yet.", "View all steps before accepting.")
            self.step_requested.emit(left[0])
            self._refused_unseen = True  # only now, so that the reason stays on screen after turning to the step
            return
        if is_hasty(self._seconds(), self._steps - len(left)) and self._episode_id not in self._warned_as_hasty:
            self._warned_as_hasty.add(self._episode_id)
            question = (
                f"You reviewed {counted(self._steps - len(left), 'screen')} in {ceil(self._seconds())} s. Save anyway?"
            )
            self.refuse(question, f"Press {decision.value.capitalize()} again to save. Or take another look.")
            return
        self.refusal.hide()
        self.decided.emit(decision)

    # Content.

    def _show_answers(self) -> None:
        for criterion, card in self._cards.items():
            card.show_judgement(self.sheet.judgement(criterion), unfolded=criterion is self._unfolded)
        self._enable()
        if self._unfolded is not None:
            QTimer.singleShot(0, self, self._scroll_into_view)

    def _scroll_into_view(self) -> None:
        """In a low window, scroll to the reasons first, and after the choice of one to the other fields."""
        given = None if self._unfolded is None else self.sheet.judgement(self._unfolded)
        if self._unfolded is None or given is None:
            return
        card, bar = self._cards[self._unfolded], self._area.verticalScrollBar()
        if card.visibleRegion().boundingRect().height() < card.height():
            beyond = card.height() - self._area.viewport().height()
            bar.setValue(card.y() + (max(0, beyond) if given.reason else 0))

    def _show_seen(self) -> None:
        seen = self._steps - len(unseen(self.sheet.seen, self._steps))
        self._seen_text.setText(f"{seen} of {self._steps} steps seen")
        self._seen_bar.show_seen(self.sheet.seen, self._steps)

    def _enable(self) -> None:
        on = self._may_judge and self.isEnabled()
        self._commands.enable(*_ANYTIME, on=on)
        unfolded = None if self._unfolded is None else self.sheet.judgement(self._unfolded)
        self._commands.enable(*_FILLING, on=on and unfolded is not None and unfolded.answer is not Rating.PASS)
        self._note.setEnabled(on)

    def _take_note(self) -> None:
        self.sheet = replace(self.sheet, note=self._note.toPlainText().strip())
        self.changed.emit()

    # Wiring.

    def _connect(self) -> None:
        calls: dict[Command, Callable[[], object]] = {}
        for criterion, answers in ANSWERS.items():
            self._cards[criterion].changed.connect(self._take)
            for answer, command in answers.items():
                calls[command] = partial(self._answer, criterion, answer)
        calls |= {command: partial(self._choose_reason, number) for number, command in enumerate(_REASONS)}
        calls |= {command: partial(self._decide, decision) for command, decision in DECISIONS.items()}
        calls |= {
            ReviewCommand.TAKE_STEP: self._take_step,
            ReviewCommand.REASON_WORDS: self._write_comment,
            ReviewCommand.REVIEW_NOTE: self._note.setFocus,
        }
        self._commands.bind(self, calls)
        self._note.textChanged.connect(self._take_note)
        for field in (self._note, *self.findChildren(QLineEdit), *self.findChildren(QSpinBox)):
            field.installEventFilter(self)

    def _lay_out(self) -> None:
        self._note.setPlaceholderText("Note")
        self._note.setFixedHeight(_NOTE_PX)
        self._note.setTabChangesFocus(True)
        self._reopen.hide()
        self._answer_thread.hide()
        acts = row(self._reopen, self._answer_thread, None)
        whose = column(self._turn, self._thread, acts, *self._others, spacing=4)
        self._area.setWidget(pile(whose, *self._cards.values(), self._note, right=6, spacing=14))
        seen = row((self._seen_text, 1), self._seen_bar)
        decisions = in_columns(*key_buttons(self._commands, *DECISIONS), spacing=(6, 6))
        fill_column(self, (self._area, 1), self.refusal, seen, decisions, margins=(14, 14, 8, 12), spacing=10)
