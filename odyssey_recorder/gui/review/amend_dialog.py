"""Asks for one fix: its fields, what follows from it, and why it is made."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.gui.parts import breakable, push_button, row, text_label
from odyssey_recorder.gui.question_dialog import Question, ReasonChoices
from odyssey_recorder.gui.review.amend_forms import AmendForm

_WIDTH_PX = 420
_WITH_PICTURE = QSize(860, 600)
_LINES = 3
"""What follows, or why not, has room of so many lines: nothing moves when it is said."""
Look = Callable[[Amendment], tuple[str, str]]
"""Why an amendment is not allowed, and which texts it removes; each empty where there is nothing to say."""


class AmendDialog(QDialog):
    """Emits the amendment and why it is made, once both are there and nothing forbids it."""

    fix_given = Signal(object, str)

    def __init__(
        self,
        asked: Question,
        form: AmendForm,
        reasons: Sequence[str],
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(asked.title)
        self.form = form
        self._look = look
        self._choices = ReasonChoices(reasons)
        self._says = text_label(kind="hint")
        self._ok = push_button(asked.answer, asked.tip, "primary")
        self._ok.setDefault(True)
        self._ok.clicked.connect(self._finish)
        cancel = push_button("Cancel", asked.cancel_tip)
        cancel.clicked.connect(self.reject)
        self._lay_out(asked, row(None, cancel, self._ok))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        form.changed.connect(self._offer)
        self._choices.changed.connect(self._offer)
        (self._choices if form.isHidden() else form).setFocus()
        self._offer()

    def _offer(self) -> None:
        amendment, form = self.form.amendment, self.form
        refusal, removed = self._look(amendment) if amendment is not None and form.is_changed else ("", "")
        self._says.setText(breakable(refusal or " ".join(filter(None, (form.follows, removed)))))
        self._says.setProperty("kind", "warning" if refusal else "hint")
        self._says.style().polish(self._says)
        ready = amendment is not None and form.is_changed and not refusal
        self._ok.setEnabled(ready and bool(self._choices.reason))

    def _finish(self) -> None:
        amendment, reason = self.form.amendment, self._choices.reason
        if amendment is not None and reason:
            self.accept()
            self.fix_given.emit(amendment, reason)

    def _lay_out(self, asked: Question, buttons: QHBoxLayout) -> None:
        question, detail = text_label(asked.question, "title"), text_label(breakable(asked.detail), "hint")
        question.setMinimumWidth(_WIDTH_PX)
        detail.setVisible(bool(asked.detail))
        column = QVBoxLayout()
        column.setSpacing(12)
        self._says.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._says.setMinimumHeight(_LINES * self._says.fontMetrics().lineSpacing())
        parts = (question, detail, self.form, self._says, text_label("Why?", "field"), self._choices)
        for part in parts:
            column.addWidget(part)
        column.addStretch()
        column.addLayout(buttons)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(24, 20, 24, 20)
        whole.setSpacing(20)
        if self.form.beside is not None:
            whole.addWidget(self.form.beside, 1)
            self.resize(_WITH_PICTURE)
        whole.addLayout(column)
