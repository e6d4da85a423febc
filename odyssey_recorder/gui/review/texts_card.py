"""The texts of an episode under each other with their differences marked, and all else that was said of the task."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from odyssey_recorder.dataset.published import OpenedEpisode
from odyssey_recorder.gui.parts import breakable, named, scroll_area, text_label
from odyssey_recorder.gui.record.app_chips import AppChips
from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.gui.review.word_changes import Piece, TextChanges, text_changes
from odyssey_recorder.gui.theme import Theme
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.quality.reviewing.docket import OpenedReview

_ROW_GAP = 4
_MARKS = "Bold: the gaps and what was put into them. Struck through: the rewrite dropped it. Underlined: it added it."


class TextsCard(QFrame):
    """Shows template, task and instruction, the apps, how the episode ends, and the annotator's notes; all of it can
    be selected, and nothing in it is taken for markup."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._texts = _MarkedTexts()
        self._apps = AppChips()
        self._apps.set_read_only(True)
        self._ending = _selectable("")
        self._notes = _selectable("")
        self._facts = _selectable("hint")
        self._lay_out()

    def show_review(self, review: OpenedReview) -> None:
        """Show the texts of an episode."""
        opened = review.opened
        task = opened.episode.task
        self._texts.show_changes(text_changes(task.meta_task, task.task, task.instruction))
        self._apps.set_apps(task.apps)
        _say(self._ending, _ending(opened.episode))
        _say(self._notes, _notes(opened))
        self._facts.setText(breakable(_facts(review)))

    @property
    def difference(self) -> str:
        """In words, how the texts differ."""
        return self._texts.accessibleDescription()

    def repaint_icons(self) -> None:
        """Draw the chips anew for another palette."""
        self._apps.repaint_icons()

    def _lay_out(self) -> None:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        for part in (self._texts, self._ending, self._notes, self._apps, self._facts):
            column.addWidget(part)
        column.addStretch()
        area = named(scroll_area(), "About the task")
        area.setWidget(inner)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(14, 10, 6, 10)
        whole.addWidget(area)


class _MarkedTexts(QTextEdit):
    """As high as its words; what was put in is bold, what was dropped struck through, what was added underlined."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Template, task and instruction")
        self._changes: TextChanges | None = None
        self.setToolTip(_MARKS)
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

    def show_changes(self, changes: TextChanges) -> None:
        """Show three texts."""
        self._changes = changes
        self.setAccessibleDescription(_said(changes))
        self._write()

    def _write(self) -> None:
        changes = self._changes
        if changes is None:
            return
        theme = Theme.current()
        self.clear()
        cursor = self.textCursor()
        rows = (("Template", changes.template), ("Task", changes.task), ("Instruction", changes.instruction))
        for label, pieces in rows:
            if pieces:
                self._begin_row(cursor, label)
            for piece in pieces:
                cursor.insertText(piece.words, _look(piece, theme, is_new=pieces is changes.instruction))
        self._take_height()

    def _begin_row(self, cursor: QTextCursor, label: str) -> None:
        if not self.document().isEmpty():
            cursor.insertBlock()
        block = cursor.blockFormat()
        block.setBottomMargin(_ROW_GAP)
        cursor.setBlockFormat(block)
        look = QTextCharFormat()
        look.setForeground(Theme.current().muted)
        look.setFontPointSize(self.font().pointSizeF() * 0.9)
        cursor.insertText(f"{label}   ", look)

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


def _look(piece: Piece, theme: Theme, *, is_new: bool) -> QTextCharFormat:
    """How a piece is set; `is_new`: what is changed in it was added, not dropped."""
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


def _said(changes: TextChanges) -> str:
    """The differences for those who do not see them."""
    if not changes.dropped and not changes.added:
        return "The instruction is the task, word for word."
    said = (
        ("The filling put in", changes.put_in),
        ("The rewrite dropped", changes.dropped),
        ("The rewrite added", changes.added),
    )
    return " ".join(f"{what}: {', '.join(words)}." for what, words in said if words)


def _ending(episode: Episode) -> str:
    match episode.steps[-1].action:
        case Complete(note) if note:
            return f"Completed: {note}"
        case Impossible(reason):
            return f"Impossible: {reason}"
        case _:
            return ""


def _notes(opened: OpenedEpisode) -> str:
    records = opened.proof.steps if opened.proof is not None else ()
    return "\n".join(f"Note at step {number}: {one.note}" for number, one in enumerate(records) if one.note)


def _facts(review: OpenedReview) -> str:
    episode, proof = review.opened.episode, review.opened.proof
    by = f"recorded by {proof.origin.annotator}" if proof is not None else "nobody knows who recorded it"
    device = f"{episode.device.device_name} {episode.device.size}"
    return " · ".join((category_words(episode.task.category), f"{len(episode.steps)} steps", device, by))


def _selectable(kind: str) -> QLabel:
    label = text_label(kind=kind)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setMinimumWidth(1)
    return label


def _say(label: QLabel, words: str) -> None:
    label.setText(words)
    label.setVisible(bool(words))
