"""The dialog before a rewrite by a language model: the estimate, then a budget."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QDialog, QGridLayout, QVBoxLayout, QWidget

from odyssey_recorder.gui.keyboard import offer_focus
from odyssey_recorder.gui.parts import breakable, labelled, line_edit, push_button, row, text_label
from odyssey_recorder.llm.batch import Estimate

_WIDTH_PX = 500
_MARGIN = 1.5
"""The suggested budget as a multiple of the estimate, because answer lengths are guesses."""


class RewriteDialog(QDialog):
    """Emits `agreed` with the budget in US dollars, or None for no limit, and closes."""

    agreed = Signal(object)

    def __init__(self, task_ids: Sequence[str], edited: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Rewrite")
        count = len(task_ids)
        self._title = text_label(f"Have {count_words(count, 'task')} put into words by a model?", "title")
        self._edited = text_label(_edited_words(edited), "warning")
        self._edited.setVisible(bool(edited))
        self._state = text_label("Reckoning what it takes…", "hint")
        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._warnings = text_label(kind="warning")
        self._budget = line_edit("Budget in US dollars", "No limit")
        self._budget.setToolTip("When this much is spent, no more is asked; what is answered already stays")
        numbers = QDoubleValidator(0.0, 1_000_000.0, 4, self._budget)
        numbers.setNotation(QDoubleValidator.Notation.StandardNotation)
        self._budget.setValidator(numbers)
        self._budget_hint = text_label(kind="hint")
        self._ok = push_button("Rewrite", "Begin; the page can be used meanwhile (Return)", "primary")
        self._lay_out()
        self._ok.clicked.connect(self._agree)

    def show_estimate(self, estimate: Estimate) -> None:
        self._state.hide()
        for number, (name, words) in enumerate(estimate_words(estimate)):
            label, value = text_label(name, "hint"), text_label(breakable(words))
            label.setWordWrap(False)
            self._grid.addWidget(label, number, 0)
            self._grid.addWidget(value, number, 1)
        self._facts.show()
        self._warnings.setText("\n".join(estimate.warnings))
        self._warnings.setVisible(bool(estimate.warnings))
        has_price = estimate.cost is not None
        self._budget.setEnabled(has_price)
        self._budget.setText(_budget(estimate.cost) if estimate.cost is not None else "")
        self._budget_hint.setText(
            "" if has_price else "Without a price nobody can tell what was spent: no limit can be kept."
        )
        self._budget_hint.setVisible(not has_price)
        self._ok.setEnabled(True)
        offer_focus(self._ok)
        self.adjustSize()

    def show_failure(self, words: str) -> None:
        self._state.setText(words)
        self.adjustSize()

    def _agree(self) -> None:
        words = self._budget.text().replace(",", ".").strip()
        self.accept()
        self.agreed.emit(float(words) if words else None)

    def _lay_out(self) -> None:
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        for later in (self._facts, self._warnings, self._budget_hint):
            later.hide()
        self._ok.setEnabled(False)
        self._ok.setDefault(True)
        cancel = push_button("Cancel", "Leave the words as they are (Esc)")
        cancel.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        self._title.setMinimumWidth(_WIDTH_PX)
        for part in (self._title, self._edited, self._state, self._facts, self._warnings):
            column.addWidget(part)
        column.addLayout(labelled("At most, in US &dollars", self._budget))
        column.addWidget(self._budget_hint)
        column.addLayout(row(None, cancel, self._ok))


def estimate_words(estimate: Estimate) -> Sequence[tuple[str, str]]:
    calls = f"{estimate.calls:,}"
    if estimate.kept:
        calls += f", and {count_words(estimate.kept, 'answer')} kept from before, which cost nothing"
    if estimate.cost is None:
        cost = f"nobody knows: {estimate.model} has no price in the table"
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
    them = "is" if edited == 1 else "are"
    return f"{edited:,} of them {them} in a person's words, which will be replaced." if edited else ""
