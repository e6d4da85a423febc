"""Texts whose differences are marked: what was put in is bold, what was dropped struck through, what was added
underlined."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit

from odyssey_recorder.gui.review.word_changes import Piece, TextChanges
from odyssey_recorder.gui.theme import Theme

MARKS = "Bold: the gaps and what was put into them. Struck through: the rewrite dropped it. Underlined: it added it."
_ROW_GAP = 4


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One text in pieces, with a label before it where it has one.

    `is_new`: what is changed in it was added, not dropped.
    """

    pieces: Sequence[Piece]
    label: str = ""
    is_new: bool = False


class MarkedText(QTextEdit):
    """As high as its words, which can be selected; nothing in it is taken for markup."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._rows: Sequence[MarkedRow] = ()
        self.setToolTip(MARKS)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
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
    """The differences for those who do not see them."""
    if not changes.dropped and not changes.added:
        return "The instruction is the task, word for word."
    said = (
        ("The filling put in", changes.put_in),
        ("The rewrite dropped", changes.dropped),
        ("The rewrite added", changes.added),
    )
    return " ".join(f"{what}: {', '.join(words)}." for what, words in said if words)


def _look(piece: Piece, theme: Theme, *, is_new: bool) -> QTextCharFormat:
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
