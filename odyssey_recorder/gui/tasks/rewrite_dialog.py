"""The dialog before a rewrite by a language model: the estimate, then a budget."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QGridLayout, QWidget

from odyssey_recorder.gui.keyboard import offer_focus
from odyssey_recorder.gui.parts import breakable, labelled, line_edit, say, text_label
from odyssey_recorder.gui.question_dialog import Question, QuestionDialog
from odyssey_recorder.llm.batch import Estimate

_WIDTH_PX = 500
_MARGIN = 1.5
"""The suggested budget as a multiple of the estimate, because answer lengths are guesses."""


class RewriteDialog(QuestionDialog):
    """Emits `agreed` with the budget in US dollars, or None for no limit, and closes."""

    agreed = Signal(object)

    def __init__(self, task_ids: Sequence[str], edited: int, parent: QWidget | None = None) -> None:
        self._state = text_label("Estimating the cost…", "hint")
        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._warnings = text_label(kind="warning")
        self._budget = line_edit("Budget in US dollars", "No limit")
        self._budget.setToolTip("Stops when this much is spent; answers so far are kept")
        numbers = QDoubleValidator(0.0, 1_000_000.0, 4, self._budget)
        numbers.setNotation(QDoubleValidator.Notation.StandardNotation)
        self._budget.setValidator(numbers)
        self._budget_hint = text_label(kind="hint")
        asked = Question(
            title="Rewrite",
            question=f"Have {count_words(len(task_ids), 'task')} rewritten by a model?",
            answer="Rewrite",
            tip="Start; you can keep using the page (Enter)",
            cancel_tip="Cancel (Esc)",
            detail=_edited_words(edited),
            detail_kind="warning",
        )
        budget = labelled("At most, in US &dollars", self._budget)
        parts = (self._state, self._facts, self._warnings, budget, self._budget_hint)
        super().__init__(asked, parent, *parts, width=_WIDTH_PX)
        self._prepare()
        self.accepted.connect(self._agree)

    def show_estimate(self, estimate: Estimate) -> None:
        self._state.hide()
        for number, (name, words) in enumerate(estimate_words(estimate)):
            label, value = text_label(name, "hint"), text_label(breakable(words))
            label.setWordWrap(False)
            self._grid.addWidget(label, number, 0)
            self._grid.addWidget(value, number, 1)
        self._facts.show()
        say(self._warnings, "\n".join(estimate.warnings))
        has_price = estimate.cost is not None
        self._budget.setEnabled(has_price)
        self._budget.setText(_budget(estimate.cost) if estimate.cost is not None else "")
        self._budget_hint.setText("" if has_price else "The price is unknown, so no limit can be set.")
        self._budget_hint.setVisible(not has_price)
        self.ok.setEnabled(True)
        offer_focus(self.ok)
        self.adjustSize()

    def show_failure(self, words: str) -> None:
        self._state.setText(words)
        self.adjustSize()

    def _agree(self) -> None:
        words = self._budget.text().replace(",", ".").strip()
        self.agreed.emit(float(words) if words else None)

    def _prepare(self) -> None:
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        for later in (self._facts, self._warnings, self._budget_hint):
            later.hide()
        self.ok.setEnabled(False)


def estimate_words(estimate: Estimate) -> Sequence[tuple[str, str]]:
    calls = f"{estimate.calls:,}"
    if estimate.kept:
        calls += f", and {count_words(estimate.kept, 'answer')} reused from earlier runs at no cost"
    if estimate.cost is None:
        cost = f"unknown: {estimate.model} has no price in the table"
    else:
        of_day = f" by the prices of {estimate.priced_on:%Y-%m-%d}" if estimate.priced_on is not None else ""
        cost = f"about ${estimate.cost:,.4f}{of_day}"
    return (
        ("Model", f"{estimate.model} at {estimate.host}"),
        ("Calls", calls),
        ("Tokens", f"about {estimate.tokens_in:,} in, {estimate.tokens_out:,} out"),
        ("Cost", cost),
    )


def count_words(count: int, what: str) -> str:
    """A count with its noun: "1 task", "2,000 tasks"."""
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _budget(cost: float) -> str:
    return f"{max(cost * _MARGIN, 0.01):.2f}"


def _edited_words(edited: int) -> str:
    were = "was" if edited == 1 else "were"
    return f"{edited:,} of them {were} written by a person and will be replaced." if edited else ""
