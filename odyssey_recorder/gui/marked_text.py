"""Marks the words in which template, task and instruction differ."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, pairwise

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit

from odyssey_recorder.gui.theme import Theme

_GAP = re.compile(r"\{[^{}]*\}")
_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*|\s+|[^\w\s]")
_MOST_TOKENS = 800
"""Texts of more words, or gaps, are not compared: the comparison takes quadratic time."""
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class TextPart:
    """Consecutive words; `filled`: by the filling, or a gap; `changed`: dropped or added by the rewrite."""

    words: str
    filled: bool = False
    changed: bool = False


@dataclass(frozen=True, slots=True)
class TextChanges:
    """The three texts in pieces. Joined they are the texts, with a mark for each invisible character."""

    template: tuple[TextPart, ...]
    task: tuple[TextPart, ...]
    instruction: tuple[TextPart, ...]

    @property
    def put_in(self) -> tuple[str, ...]:
        return _runs(self.task, [piece.filled for piece in self.task])

    @property
    def dropped(self) -> tuple[str, ...]:
        return _runs(self.task, [piece.changed for piece in self.task])

    @property
    def added(self) -> tuple[str, ...]:
        return _runs(self.instruction, [piece.changed for piece in self.instruction])


def text_changes(template: str, task: str, instruction: str) -> TextChanges:
    """Compare the three texts, ignoring case and whitespace."""
    template, task, instruction = (_UNSEEN.sub("\ufffd", text) for text in (template, task, instruction))
    gaps = [found.span() for found in _GAP.finditer(template)][:_MOST_TOKENS]
    kept, fresh = _rewritten(task, instruction)
    return TextChanges(
        _pieces(template, filled=gaps, changed=[]),
        _pieces(task, filled=_fillings(template, task), changed=kept),
        _pieces(instruction, filled=[], changed=fresh),
    )


_Span = tuple[int, int]


def _fillings(template: str, task: str) -> list[_Span]:
    """The spans of the task that fill the template's gaps; empty if the task is not of this template."""
    solid = _GAP.split(template)
    if not 1 < len(solid) <= _MOST_TOKENS or not task.startswith(solid[0]):
        return []
    found, at = [], len(solid[0])
    for number, words in enumerate(solid[1:], 2):
        is_last = number == len(solid)
        end = len(task) - len(words) if is_last and task.endswith(words) else -1 if is_last else task.find(words, at)
        if end < at:
            return []
        found.append((at, end))
        at = end + len(words)
    return found


def _rewritten(task: str, instruction: str) -> tuple[list[_Span], list[_Span]]:
    ours, theirs = (
        [found for found in _TOKEN.finditer(text) if not found[0].isspace()] for text in (task, instruction)
    )
    if max(len(ours), len(theirs)) > _MOST_TOKENS:
        return ([(0, len(task))], [(0, len(instruction))]) if task != instruction else ([], [])
    matcher = SequenceMatcher(None, _spelled(ours), _spelled(theirs), autojunk=False)
    dropped, added = [], []
    for tag, first, end, other_first, other_end in matcher.get_opcodes():
        if tag != "equal" and first < end:
            dropped.append((ours[first].start(), ours[end - 1].end()))
        if tag != "equal" and other_first < other_end:
            added.append((theirs[other_first].start(), theirs[other_end - 1].end()))
    return dropped, added


def _spelled(tokens: Sequence[re.Match[str]]) -> list[str]:
    return [found[0].casefold() for found in tokens]


def _pieces(text: str, *, filled: Sequence[_Span], changed: Sequence[_Span]) -> tuple[TextPart, ...]:
    cuts = sorted({0, len(text), *(edge for span in (*filled, *changed) for edge in span)})
    return tuple(
        TextPart(text[start:end], filled=_lies_in(start, filled), changed=_lies_in(start, changed))
        for start, end in pairwise(cuts)
    )


def _lies_in(place: int, spans: Sequence[_Span]) -> bool:
    return any(start <= place < end for start, end in spans)


def _runs(pieces: Sequence[TextPart], wanted: Sequence[bool]) -> tuple[str, ...]:
    def joined() -> Iterator[str]:
        for is_wanted, group in groupby(zip(pieces, wanted, strict=True), key=lambda pair: pair[1]):
            if is_wanted:
                yield "".join(piece.words for piece, _ in group)

    return tuple(joined())


MARKS = "Bold: filled-in values. Struck through: removed by the rewrite. Underlined: added by the rewrite."
_ROW_GAP = 4


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One text in pieces, optionally labelled; `is_new`: its changed words were added, not dropped."""

    pieces: Sequence[TextPart]
    label: str = ""
    is_new: bool = False


def show_as_label(page: QTextEdit) -> None:
    """Make a text editor look like a label whose words can be selected."""
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
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._take_height())

    def show_rows(self, *rows: MarkedRow) -> None:
        self._rows = rows
        self._write()

    def _write(self) -> None:
        theme = Theme.current()
        self.clear()
        cursor = self.textCursor()
        for row in self._rows:
            if row.pieces:
                self._begin(row, cursor)
            for piece in row.pieces:
                cursor.insertText(piece.words, _look(piece, theme, is_new=row.is_new))
        self._take_height()

    def _begin(self, row: MarkedRow, cursor: QTextCursor) -> None:
        if not self.document().isEmpty():
            cursor.insertBlock()
        block = cursor.blockFormat()
        block.setBottomMargin(_ROW_GAP)
        cursor.setBlockFormat(block)
        if row.label:
            look = QTextCharFormat()
            look.setForeground(Theme.current().muted)
            look.setFontPointSize(self.font().pointSizeF() * 0.9)
            cursor.insertText(f"{row.label}   ", look)

    def _take_height(self) -> None:
        self.setFixedHeight(round(self.document().size().height()) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._take_height()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._write()


def difference_words(changes: TextChanges) -> str:
    """The differences as text, for screen readers."""
    if not changes.dropped and not changes.added:
        return "The instruction equals the task."
    said = (
        ("Filled in", changes.put_in),
        ("Removed by the rewrite", changes.dropped),
        ("Added by the rewrite", changes.added),
    )
    return " ".join(f"{what}: {', '.join(words)}." for what, words in said if words)


def _look(piece: TextPart, theme: Theme, *, is_new: bool) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setForeground(theme.text)
    if piece.filled:
        look.setFontWeight(QFont.Weight.Bold)
        look.setBackground(theme.tint)
    if piece.changed and is_new:
        look.setForeground(theme.success)
        look.setFontUnderline(True)
    elif piece.changed:
        look.setForeground(theme.danger)
        look.setFontStrikeOut(True)
    return look
