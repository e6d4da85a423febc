"""The dialog for one fix: a form for each kind, its consequences and the reason for it."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from odyssey_recorder.dataset.amendment import Amendment, DropSteps, NewApps, Repair
from odyssey_recorder.gui.frame.question_dialog import Question, ReasonChoices
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import (
    Choice,
    breakable,
    column,
    fill_column,
    fill_row,
    line_edit,
    named,
    push_button,
    row,
    set_kind,
    text_label,
)
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.plain_text import step_index, step_number, steps_text
from odyssey_recorder.review.views import AlsoRight

_LONG_PX = 112
DIFFERENT = 0.02
"""Two screens that differ in this share of their pixels count as different."""
_COMPARING = "Comparing the screens before and after…"


class AmendForm(QWidget):
    """`follows` says what the fix brings with it; `beside` is for the left of the fields."""

    changed = Signal()
    beside: QWidget | None = None

    def __init__(self, follows: str = "") -> None:
        super().__init__()
        self._follows = follows

    @property
    def amendment(self) -> Amendment | AlsoRight | None:
        """None while the form is incomplete."""
        raise NotImplementedError

    @property
    def is_changed(self) -> bool:
        return True

    @property
    def follows(self) -> str:
        return self._follows


class FixedForm(AmendForm):
    def __init__(self, amendment: Amendment, follows: str) -> None:
        super().__init__(follows)
        self._amendment = amendment
        self.hide()

    @property
    def amendment(self) -> Amendment:
        return self._amendment


class TextForm(AmendForm):
    """Text that replaces `before`, in one line or several."""

    def __init__(
        self, name: str, before: str, make: Callable[[str], Amendment | None], *, follows: str = "", long: bool = False
    ) -> None:
        super().__init__(follows)
        self._before = before
        self._make = make
        self._field = _long_field(name, before) if long else line_edit(name, name)
        if isinstance(self._field, QLineEdit):
            self._field.setText(before)
            self._field.selectAll()
        self._field.textChanged.connect(self.changed)
        fill_column(self, self._field)
        self.setFocusProxy(self._field)

    @property
    def amendment(self) -> Amendment | None:
        return self._make(self._words)

    @property
    def is_changed(self) -> bool:
        return self._words != self._before

    @property
    def _words(self) -> str:
        return self._field.text() if isinstance(self._field, QLineEdit) else self._field.toPlainText()


class AppsForm(AmendForm):
    """The apps of a task, one per line, and its category; an unknown category has to be chosen again."""

    def __init__(self, category: str, apps: Sequence[str]) -> None:
        super().__init__("The instruction stays as it is. Check that it fits the apps.")
        self._before = category, tuple(apps)
        self._category = Choice("Category")
        categories = [member.value for member in Category]
        known = [] if category in categories else [("", "Choose one")]
        self._category.offer([*known, *((value, category_text(value)) for value in categories)])
        self._category.choose(category)
        self._apps = _long_field("Apps", "\n".join(apps))
        self._category.currentIndexChanged.connect(self.changed)
        self._apps.textChanged.connect(self.changed)
        fill_column(
            self, labelled("&Apps, one per line", self._apps), labelled("&Category", self._category), spacing=12
        )
        self.setFocusProxy(self._apps)

    @property
    def amendment(self) -> NewApps | None:
        apps, category = self._named, self._category.value
        return NewApps(category=Category(category), apps=apps) if apps and category else None

    @property
    def is_changed(self) -> bool:
        return (self._category.value, self._named) != self._before

    @property
    def _named(self) -> tuple[str, ...]:
        lines = (" ".join(line.split()) for line in self._apps.toPlainText().splitlines())
        return tuple(filter(None, lines))


class EndForm(AmendForm):
    def __init__(self) -> None:
        super().__init__("The end uses the screenshot after the last step, or replaces the last step if there is none.")
        self._impossible = named(QCheckBox("The task turned out to be &impossible"), "The task was impossible")
        self._words = line_edit("Note or reason", "The answer, or why the task was impossible")
        self._impossible.toggled.connect(self.changed)
        self._words.textChanged.connect(self.changed)
        fill_column(self, self._impossible, self._words, spacing=12)
        self.setFocusProxy(self._words)

    @property
    def amendment(self) -> Repair | None:
        text = self._words.text().strip()
        if self._impossible.isChecked():
            return Repair(end="IMPOSSIBLE", words=text) if text else None
        return Repair(end="COMPLETE", words=text)


class StepsForm(AmendForm):
    """The range of steps to remove, from an episode with `count` steps including the terminal one.

    Emits the range when it changes, so that the screens around it can be compared.
    """

    range_changed = Signal(int, int)

    def __init__(self, first: int, last: int, count: int) -> None:
        super().__init__()
        self._count = count
        self._join = _COMPARING
        self._first = _number("First step to drop", step_number(first), count - 1)
        self._last = _number("Last step to drop", step_number(last), count - 1)
        for field in (self._first, self._last):
            field.valueChanged.connect(self._take_range)
        fill_row(self, labelled("&From step", self._first), labelled("&To step", self._last), spacing=-1)
        self.setFocusProxy(self._first)

    @property
    def amendment(self) -> DropSteps:
        first, last = self._range
        return DropSteps(first=first, last=last)

    @property
    def _range(self) -> tuple[int, int]:
        return step_index(self._first.value()), step_index(self._last.value())

    @property
    def follows(self) -> str:
        first, last = self._range
        if first > last:
            return ""
        left = self._count - (last - first + 1)
        follows = f" Step {step_number(last + 1)} becomes step {step_number(first)}, and so on."
        moved = "" if last == self._count - 2 else follows
        return f"{left} {'step is' if left == 1 else 'steps are'} left.{moved} {self._join}"

    def show_difference(self, first: int, last: int, share: float | None) -> None:
        """`share` (0..1) is how much the screens before and after these steps differ; None if unknown."""
        if (first, last) == self._range:
            self._join = _join_text(first, last, share)
            self.changed.emit()

    def _take_range(self) -> None:
        self._join = _COMPARING
        self.changed.emit()
        self.range_changed.emit(*self._range)


def _join_text(first: int, last: int, share: float | None) -> str:
    screens = f"steps {step_number(first)} and {step_number(last + 1)}"
    if share is None:
        return f"Couldn't compare the screens of {screens}."
    text = f"The screens of {screens} differ in {percent(share)} of their pixels"
    if share >= DIFFERENT:
        return f"{text}, so dropping the steps leaves a gap. Drop only steps that changed nothing or were undone."
    return f"{text}, so dropping the steps leaves no gap."


def percent(share: float) -> str:
    """A share (0..1) as a percentage; a small one is never rounded to 0%."""
    return f"{share:.1%}" if 0 < share < 0.1 else f"{share:.0%}"


def quoted(text: str) -> str:
    return f"“{text}”" if text else "no text"


def removed_text(removed: Mapping[str, Sequence[int]]) -> str:
    """Which texts a fix removes, and from how many steps: ``Removed because no longer valid: context of 3 steps``."""
    parts = [
        f"{key} of {steps_text(steps) if len(steps) == 1 else f'{len(steps)} steps'}" for key, steps in removed.items()
    ]
    return f"Removed because no longer valid: {', '.join(parts)}" if parts else ""


def removed_steps_text(numbers: Sequence[int]) -> str:
    return f"{steps_text(numbers).capitalize()} {'is' if len(numbers) == 1 else 'are'} removed"


def _long_field(name: str, text: str) -> QPlainTextEdit:
    field = named(QPlainTextEdit(text), name)
    field.setFixedHeight(_LONG_PX)
    field.setTabChangesFocus(True)
    field.selectAll()
    return field


def _number(name: str, value: int, highest: int) -> QSpinBox:
    field = named(QSpinBox(), name)
    field.setRange(1, highest)
    field.setValue(value)
    field.setToolTip(f"{name} (arrow up and down)")
    field.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return field


_WIDTH_PX = 420
_WITH_SCREENSHOT = QSize(860, 600)
_LINES = 3
Check = Callable[[Amendment | AlsoRight], tuple[str, str]]
"""Why an amendment is refused, and which texts it removes; each may be empty."""


class AmendDialog(Dialog):
    """Emits the amendment and its reason; both must be given and the amendment allowed."""

    fix_given = Signal(object, str)

    def __init__(
        self, question: Question, form: AmendForm, reasons: Sequence[str], check: Check, parent: QWidget | None = None
    ) -> None:
        super().__init__(question.title, parent)
        self.form = form
        self._check = check
        self._choices = ReasonChoices(reasons)
        self._message = text_label(kind="hint")
        self._ok = push_button(question.answer, question.tip, "primary", call=self._finish)
        cancel = push_button("Cancel", question.cancel_tip, call=self.reject)
        self._lay_out(question, row(None, cancel, self._ok))
        form.changed.connect(self._offer)
        self._choices.changed.connect(self._offer)
        (self._choices if form.isHidden() else form).setFocus()
        self._offer()

    def _offer(self) -> None:
        amendment, form = self.form.amendment, self.form
        refusal, removed = self._check(amendment) if amendment is not None and form.is_changed else ("", "")
        self._message.setText(breakable(refusal or " ".join(filter(None, (form.follows, removed)))))
        set_kind(self._message, "warning" if refusal else "hint")
        ready = amendment is not None and form.is_changed and not refusal
        self._ok.setEnabled(ready and bool(self._choices.reason))

    def _finish(self) -> None:
        amendment, reason = self.form.amendment, self._choices.reason
        if amendment is not None and reason:
            self.accept()
            self.fix_given.emit(amendment, reason)

    def _lay_out(self, question: Question, buttons: QHBoxLayout) -> None:
        title, detail = text_label(question.question, "title"), text_label(breakable(question.detail), "hint")
        title.setMinimumWidth(_WIDTH_PX)
        detail.setVisible(bool(question.detail))
        self._message.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._message.setMinimumHeight(_LINES * self._message.fontMetrics().lineSpacing())
        parts = (title, detail, self.form, self._message, text_label("Why?", "field"), self._choices)
        whole = fill_row(self, margins=(24, 20, 24, 20), spacing=20)
        if self.form.beside is not None:
            whole.addWidget(self.form.beside, 1)
            self.resize(_WITH_SCREENSHOT)
        whole.addLayout(column(*parts, None, buttons, spacing=12))
