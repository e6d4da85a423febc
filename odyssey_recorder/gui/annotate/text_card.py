"""One text or memory of a step: state, words, findings, other suggestions and author, and the field to edit it in."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QPlainTextEdit

from odyssey_recorder.annotation.findings import Support
from odyssey_recorder.annotation.listing import KIND_WORDS
from odyssey_recorder.annotation.reviewing import CONTRADICTED, ShownText
from odyssey_recorder.annotation.semantics import LONGEST_TEXT, Offer, Remembered, Suggestion, TextDecision, TextState
from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind
from odyssey_recorder.gui.kit.marked_text import MarkedRow, MarkedText, text_changes
from odyssey_recorder.gui.kit.parts import (
    Card,
    breakable,
    fill_column,
    named,
    row,
    say,
    selectable,
    set_kind,
    text_label,
)
from odyssey_recorder.gui.kit.theme import grown

_STATE_KINDS = {TextState.SUGGESTED.value: "hint", CONTRADICTED: "danger", TextState.STALE.value: "warning"}
_FIELD_PX = 76
_BLIND = "Write the instruction of this step before you see the suggestion (F2)."
_HIDDEN = "Shown once you have written the instruction of this step."
_FIRST = "Nothing was done before the first step."
_NOT_NEEDED = "Nothing of this screen is needed later."
_MISSING = "No text yet. Write one (F2), or have a model write it: “Write texts…”."


class TextCard(Card):
    chosen = Signal()
    finished = Signal()
    """The person pressed Enter in the field."""

    def __init__(self, kind: TextKind | MemoryKind) -> None:
        super().__init__()
        self._name = KIND_WORDS[kind]
        self._shown: ShownText | None = None
        self._candidate = 0
        self._title = text_label(self._name, "field")
        self._state = text_label()
        self._text = selectable()
        self._notes = selectable("hint")
        self._findings = selectable("danger")
        self._supports = selectable("hint")
        self._others = named(MarkedText(f"{self._name}: other suggestion"), f"{self._name}: other suggestion")
        self._author = selectable("hint")
        self.field = ParagraphField(self._name)
        self.field.finished.connect(self.finished)
        self._lay_out()

    @property
    def is_writing(self) -> bool:
        return not self.field.isHidden()

    def show_text(self, shown: ShownText) -> None:
        """A text that is being written stays in its field."""
        is_other = self._shown is None or (self._shown.step_key, self._shown.plant) != (shown.step_key, shown.plant)
        if is_other:
            self._candidate = 0
        self._shown = shown
        self._state.setText(_state_text(shown))
        set_kind(self._state, _STATE_KINDS.get(shown.state, "field"))
        self._text.setText(breakable(shown.words))
        self._text.setVisible(bool(shown.words) and not self.is_writing)
        say(self._notes, _notes(shown))
        findings = () if shown.plant is not None or not shown.words else shown.findings
        say(self._findings, "\n".join(finding.found for finding in findings if finding.verdict is Support.CONTRADICTS))
        say(self._supports, "\n".join(finding.found for finding in findings if finding.is_proof))
        say(self._author, _author(shown))
        self._show_other()
        self.setAccessibleName(f"{self._name}, {self._state.text()}: {shown.words}")

    def mark(self, *, on: bool) -> None:
        set_kind(self, "chosen" if on else "card")

    def write(self, text: str) -> None:
        self.field.setPlainText(text)
        self.field.show()
        self._text.hide()
        self.field.setFocus()
        self.field.selectAll()

    def end_writing(self) -> None:
        self.field.hide()
        self.field.setPlainText("")
        self._text.setVisible(bool(self._text.text()))

    def turn_candidate(self) -> None:
        self._candidate += 1
        self._show_other()

    @property
    def candidate(self) -> Offer | None:
        """The other suggestion that is compared with the shown text."""
        shown = self._shown
        if shown is None or shown.plant is not None or not shown.words:
            return None
        others = [suggestion for suggestion in shown.text.suggestions if suggestion.words != shown.words]
        return others[self._candidate % len(others)] if others else None

    def _show_other(self) -> None:
        other = self.candidate
        self._others.setVisible(other is not None)
        if other is not None and self._shown is not None:
            changes = text_changes("", self._shown.words, other.words)
            self._others.show_rows(MarkedRow(changes.instruction, f"Other suggestion, {other.author}", is_new=True))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit()
        super().mousePressEvent(event)

    def _lay_out(self) -> None:
        self._title.setWordWrap(False)
        self._state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.field.hide()
        head = row(self._title, (self._state, 1))
        parts = (self._text, self.field, self._notes, self._findings, self._supports, self._others, self._author)
        fill_column(self, head, *parts, margins=(12, 8, 12, 9), spacing=3)


class ParagraphField(QPlainTextEdit):
    """A field for one paragraph: Enter ends it."""

    finished = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(f"{name}: your text")
        self.setTabChangesFocus(True)
        self.setFixedHeight(grown(_FIELD_PX))

    @property
    def text(self) -> str:
        return self.toPlainText()[:LONGEST_TEXT]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finished.emit()
        else:
            super().keyPressEvent(event)


def _state_text(shown: ShownText) -> str:
    if shown.is_blind or shown.is_hidden:
        return "Write first" if shown.is_blind else "Hidden"
    if shown.is_fixed:
        return "Fixed"
    is_supported = shown.text.state is TextState.SUGGESTED and shown.verdict is Support.SUPPORTS
    return f"{shown.state.capitalize()}, supported" if is_supported else shown.state.capitalize()


def _notes(shown: ShownText) -> str:
    if shown.is_blind or shown.is_hidden:
        return _BLIND if shown.is_blind else _HIDDEN
    if shown.is_fixed and not shown.words:
        return _FIRST
    if shown.may_be_empty and not shown.words:
        return _NOT_NEEDED
    if shown.text.state is not TextState.MISSING:
        return ""
    return f"{_MISSING} --memory" if isinstance(shown.kind, MemoryKind) else _MISSING


def _author(shown: ShownText) -> str:
    if shown.is_blind or shown.is_hidden:
        return ""
    match shown.text.source:
        case TextDecision(by=by, at=at, decision=decision):
            return f"{'Written' if decision == 'edit' else 'Accepted'} by {by} on {at:%d %b %Y, %H:%M} UTC"
        case Suggestion(call=None, at=at):
            return f"From a released dataset, taken over on {at:%d %b %Y}"
        case Suggestion(call=call, at=at) | Remembered(call=call, at=at) if call is not None:
            return f"Written by {call.model_answered} with {call.prompt} on {at:%d %b %Y, %H:%M} UTC"
    return ""
