"""Marks the differences of template, task and instruction."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from operator import attrgetter

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit

from odyssey_recorder.gui.kit.theme import Theme

_GAP = re.compile(r"\{[^{}]*\}")
_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|\s+|[^\w\s]")
_MAX_TOKENS = 800
"""Texts of more words, or gaps, are not compared: the comparison takes quadratic time."""
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class TextPart:
    """`filled`: a slot or its value; `changed`: dropped or added by the rewrite."""

    text: str
    filled: bool = False
    changed: bool = False


@dataclass(frozen=True, slots=True)
class TextChanges:
    """The three texts in parts. Joined they are the texts, with a mark for each invisible character."""

    template: tuple[TextPart, ...]
    task: tuple[TextPart, ...]
    instruction: tuple[TextPart, ...]

    @property
    def filled_in(self) -> tuple[str, ...]:
        return _runs(self.task, attrgetter("filled"))

    @property
    def dropped(self) -> tuple[str, ...]:
        return _runs(self.task, attrgetter("changed"))

    @property
    def added(self) -> tuple[str, ...]:
        return _runs(self.instruction, attrgetter("changed"))


def text_changes(template: str, task: str, instruction: str) -> TextChanges:
    """Compare the three texts, ignoring case and whitespace."""
    template, task, instruction = (_INVISIBLE.sub("\ufffd", text) for text in (template, task, instruction))
    gaps = [found.span() for found in _GAP.finditer(template)][:_MAX_TOKENS]
    dropped, added = _rewritten(task, instruction)
    return TextChanges(
        _parts(template, filled=gaps, changed=[]),
        _parts(task, filled=_fillings(template, task), changed=dropped),
        _parts(instruction, filled=[], changed=added),
    )


_Span = tuple[int, int]


def _fillings(template: str, task: str) -> list[_Span]:
    """The spans of the task that fill the template's gaps; empty if the task is not of this template."""
    fixed = _GAP.split(template)
    if not 1 < len(fixed) <= _MAX_TOKENS or not task.startswith(fixed[0]):
        return []
    found, at = [], len(fixed[0])
    for number, text in enumerate(fixed[1:], 2):
        end = len(task) - len(text) if task.endswith(text) else -1
        if number < len(fixed):
            end = task.find(text, at)
        if end < at:
            return []
        found.append((at, end))
        at = end + len(text)
    return found


def _rewritten(task: str, instruction: str) -> tuple[list[_Span], list[_Span]]:
    old, new = ([found for found in _TOKEN.finditer(text) if not found[0].isspace()] for text in (task, instruction))
    if max(len(old), len(new)) > _MAX_TOKENS:
        return ([(0, len(task))], [(0, len(instruction))]) if task != instruction else ([], [])
    old_words, new_words = ([found[0].casefold() for found in tokens] for tokens in (old, new))
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    dropped, added = [], []
    for tag, old_first, old_end, new_first, new_end in matcher.get_opcodes():
        if tag != "equal" and old_first < old_end:
            dropped.append((old[old_first].start(), old[old_end - 1].end()))
        if tag != "equal" and new_first < new_end:
            added.append((new[new_first].start(), new[new_end - 1].end()))
    return dropped, added


def _parts(text: str, *, filled: Sequence[_Span], changed: Sequence[_Span]) -> tuple[TextPart, ...]:
    cuts = sorted({0, len(text), *(edge for span in (*filled, *changed) for edge in span)})
    return tuple(
        TextPart(text[start:end], filled=_is_in(start, filled), changed=_is_in(start, changed))
        for start, end in pairwise(cuts)
    )


def _is_in(position: int, spans: Sequence[_Span]) -> bool:
    return any(start <= position < end for start, end in spans)


def _runs(parts: Sequence[TextPart], is_wanted: Callable[[TextPart], bool]) -> tuple[str, ...]:
    runs = groupby(parts, is_wanted)
    return tuple("".join(part.text for part in run) for wanted, run in runs if wanted)


MARKS = "Bold: filled-in values. Struck through: removed by the rewrite. Underlined: added by the rewrite."
_ROW_GAP = 4


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One text in parts, optionally labelled; `is_new`: its changes were added, not dropped."""

    parts: Sequence[TextPart]
    label: str = ""
    is_new: bool = False


def show_as_label(page: QTextEdit) -> None:
    """Make a text editor look like a label whose text can be selected."""
    page.setReadOnly(True)
    page.setTabChangesFocus(True)
    page.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    page.setFrameShape(QFrame.Shape.NoFrame)
    page.viewport().setAutoFillBackground(False)
    page.document().setDocumentMargin(0)
    page.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


class MarkedText(QTextEdit):
    """As high as its text, which can be selected; plain text, never markup."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._rows: Sequence[MarkedRow] = ()
        self.setToolTip(MARKS)
        show_as_label(self)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit_height())

    def show_rows(self, *rows: MarkedRow) -> None:
        self._rows = rows
        self._rewrite()

    def _rewrite(self) -> None:
        theme = Theme.current()
        self.clear()
        cursor = self.textCursor()
        for row in self._rows:
            if row.parts:
                self._begin_row(row, cursor)
            for part in row.parts:
                cursor.insertText(part.text, _format(part, theme, is_new=row.is_new))
        self._fit_height()

    def _begin_row(self, row: MarkedRow, cursor: QTextCursor) -> None:
        if not self.document().isEmpty():
            cursor.insertBlock()
        block = cursor.blockFormat()
        block.setBottomMargin(_ROW_GAP)
        cursor.setBlockFormat(block)
        if row.label:
            label = QTextCharFormat()
            label.setForeground(Theme.current().muted)
            label.setFontPointSize(self.font().pointSizeF() * 0.9)
            cursor.insertText(f"{row.label}   ", label)

    def _fit_height(self) -> None:
        self.setFixedHeight(round(self.document().size().height()) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._rewrite()


def difference_text(changes: TextChanges) -> str:
    """The differences as text, for screen readers."""
    if not changes.dropped and not changes.added:
        return "The instruction is the same as the task."
    lists = (
        ("Filled in", changes.filled_in),
        ("Removed by the rewrite", changes.dropped),
        ("Added by the rewrite", changes.added),
    )
    return " ".join(f"{what}: {', '.join(words)}." for what, words in lists if words)


def _format(part: TextPart, theme: Theme, *, is_new: bool) -> QTextCharFormat:
    style = QTextCharFormat()
    style.setForeground(theme.text)
    if part.filled:
        style.setFontWeight(QFont.Weight.Bold)
        style.setBackground(theme.tint)
    if part.changed and is_new:
        style.setForeground(theme.success)
        style.setFontUnderline(True)
    elif part.changed:
        style.setForeground(theme.danger)
        style.setFontStrikeOut(True)
    return style
