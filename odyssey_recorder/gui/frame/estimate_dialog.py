"""The dialog before calls to a language model: the estimate, then a budget."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QLayout, QWidget

from odyssey_recorder.gui.frame.keyboard import offer_focus
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import breakable, fill_grid, line_edit, say, text_label
from odyssey_recorder.llm.batch import Estimate
from odyssey_recorder.model.plain_text import counted

_WIDTH_PX = 500
_MARGIN = 1.5
"""The suggested budget as a multiple of the estimate, because answer lengths are guesses."""
_ESTIMATING = "Estimating the cost…"


class EstimateDialog(QuestionDialog):
    """Emits `agreed` with the budget in US dollars, or None for no limit, and closes."""

    agreed = Signal(object)

    def __init__(
        self, question: Question, parent: QWidget | None, *parts: QWidget | QLayout, below: Sequence[QWidget] = ()
    ) -> None:
        """`parts` are shown above the estimate, others `below` the budget."""
        self._state = text_label(_ESTIMATING, "hint")
        self._facts = QWidget()
        self._grid = fill_grid(self._facts, across=16, down=6, stretched=1)
        self._warnings = text_label(kind="warning")
        self._budget = line_edit("Budget in US dollars", "No limit")
        self._budget.setToolTip("Stops when this much is spent; answers so far are kept")
        numbers = QDoubleValidator(0.0, 1_000_000.0, 4, self._budget)
        numbers.setNotation(QDoubleValidator.Notation.StandardNotation)
        self._budget.setValidator(numbers)
        self._budget_hint = text_label(kind="hint")
        budget = labelled("Limit in US &dollars", self._budget)
        own = (self._state, self._facts, self._warnings, budget, self._budget_hint)
        super().__init__(question, parent, *parts, *own, *below, width=_WIDTH_PX)
        self.wait_for_estimate()
        self.accepted.connect(self._agree)

    def wait_for_estimate(self) -> None:
        for part in (self._facts, self._warnings, self._budget_hint):
            part.hide()
        say(self._state, _ESTIMATING)
        self.ok.setEnabled(False)

    def show_estimate(self, estimate: Estimate, *more: tuple[str, str]) -> None:
        """`more` are further names and values."""
        self._state.hide()
        while (old := self._grid.takeAt(0)) is not None:
            if (widget := old.widget()) is not None:
                widget.deleteLater()
        for number, (name, value) in enumerate((*_estimate_rows(estimate), *more)):
            label = text_label(name, "hint")
            label.setWordWrap(False)
            self._grid.addWidget(label, number, 0)
            self._grid.addWidget(text_label(breakable(value)), number, 1)
        self._facts.show()
        say(self._warnings, "\n".join(estimate.warnings))
        has_price = estimate.cost is not None
        self._budget.setEnabled(has_price)
        self._budget.setText("" if estimate.cost is None else f"{max(estimate.cost * _MARGIN, 0.01):.2f}")
        self._budget_hint.setText("" if has_price else "The price is unknown, so no limit can be set.")
        self._budget_hint.setVisible(not has_price)
        self.ok.setEnabled(True)
        offer_focus(self.ok)
        self.adjustSize()

    def show_failure(self, text: str) -> None:
        say(self._state, text)
        self.adjustSize()

    def _agree(self) -> None:
        text = self._budget.text().replace(",", ".").strip()
        self.agreed.emit(float(text) if text else None)


def _estimate_rows(estimate: Estimate) -> Sequence[tuple[str, str]]:
    calls = f"{estimate.calls:,}"
    if estimate.kept:
        calls += f", and {counted(estimate.kept, 'answer')} reused from earlier runs at no cost"
    if estimate.cost is None:
        cost = f"unknown: {estimate.model} has no price in the table"
    else:
        date = f" by the prices of {estimate.priced_on:%Y-%m-%d}" if estimate.priced_on is not None else ""
        cost = f"about ${estimate.cost:,.4f}{date}"
    return (
        ("Model", f"{estimate.model} at {estimate.host}"),
        ("Calls", calls),
        ("Tokens", f"about {estimate.tokens_in:,} in, {estimate.tokens_out:,} out"),
        ("Cost", cost),
    )
