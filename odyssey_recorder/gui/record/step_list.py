"""The steps so far in a list: thumbnail, words, flags, and an editable note."""

from typing import Any

from PySide6.QtCore import QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from odyssey_recorder.gui.kit.parts import line_edit
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark
from odyssey_recorder.gui.kit.table import Index, TableColumn, fill_list
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.step_strip import (
    StepModel,
    StepView,
    StripStep,
    paint_thumbnail,
    sentence,
    tooltip,
    wrapped,
)
from odyssey_recorder.model.plain_text import step_number

THUMBNAIL = QSize(112, 152)

_MARGIN = 10
_NOTE_HEIGHT = 30
_BUTTON = QSize(64, 24)
_ROW_HEIGHT = THUMBNAIL.height() + 2 * _MARGIN
_ADD_NOTE = "Add a note"


class NotedSteps(StepModel):
    """The recorded steps; an edited note is emitted with its step's key, and shown once the step has it."""

    note_written = Signal(int, str)

    def __init__(self) -> None:
        super().__init__(
            TableColumn("", lambda step: step.text, spoken=_spoken, tip=tooltip, edited=lambda step: step.note)
        )

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        step, text = self.rows[index.row()], " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or text == step.note:
            return False
        self.note_written.emit(step.key, text)
        return True


def _spoken(step: StripStep) -> str:
    return " ".join([f"{step.title}:", *filter(None, (step.text, step.odd, step.note))])


class StepList(StepView):
    def __init__(self, model: StepModel) -> None:
        super().__init__()
        fill_list(self, "Steps", model, _StepDelegate(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # questions above it need the room
        self.allow_notes(on=True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.verticalScrollBar().rangeChanged.connect(self.scrollToBottom)

    @property
    def is_writing(self) -> bool:
        return self.state() is QAbstractItemView.State.EditingState

    def allow_notes(self, *, on: bool) -> None:
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.SelectedClicked if on else triggers.NoEditTriggers)
        self.viewport().update()

    def edit(self, index: Index, *how: Any) -> Any:
        """A click edits the note only where it is written."""
        event = how[-1] if how else None
        if isinstance(event, QMouseEvent) and event.position().y() < self.visualRect(index).bottom() - _NOTE_HEIGHT:
            return False
        return super().edit(index, *how)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Widgets on rows follow the width, which a scroll bar changes too."""
        super().resizeEvent(event)
        self.updateEditorGeometries()

    def add_button(self, index: Index, button: QPushButton) -> None:
        self.setIndexWidget(index, button)
        self.updateEditorGeometries()

    def remove_button(self, index: QPersistentModelIndex) -> None:
        self.setIndexWidget(index, None)  # type: ignore[arg-type]  # Qt's own way, which the stubs do not know


class _StepDelegate(RowDelegate):
    def __init__(self, parent: StepList) -> None:
        super().__init__(None, QSize(200, _ROW_HEIGHT), parent, RowMark((4, 2)))
        self._steps = parent
        self._offers_note = False

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QLineEdit:
        editor = line_edit(f"Note of step {step_number(index.row())}", "Note")
        editor.setParent(parent)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Keep unsaved text: the step may change while it is written, as when its thumbnail arrives."""
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """The note is at the bottom of its row; a widget on a row is in its top right corner."""
        text = _text_area(option.rect)
        if isinstance(editor, QLineEdit):
            editor.setGeometry(text.left() - 4, text.bottom() - _NOTE_HEIGHT + 6, text.width() + 4, _NOTE_HEIGHT)
        else:
            width = max(_BUTTON.width(), editor.minimumSizeHint().width())
            editor.setGeometry(text.right() - width + 1, text.top() - 7, width, _BUTTON.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        self._offers_note = is_chosen and bool(self._steps.editTriggers())
        super().paint(painter, option, index)

    def paint_value(self, painter: QPainter, row: QRectF, step: StripStep, font: QFont) -> None:
        box = QRectF(row.left() + _MARGIN, row.top() + _MARGIN, THUMBNAIL.width(), THUMBNAIL.height())
        paint_thumbnail(painter, box, step.image, at_top=True)
        _paint_text(painter, _text_area(row.toRect()), step, offers_note=self._offers_note)


def _text_area(row: QRect) -> QRect:
    return row.adjusted(THUMBNAIL.width() + 2 * _MARGIN + 2, _MARGIN, -_MARGIN, -_MARGIN)


def _paint_text(painter: QPainter, area: QRect, step: StripStep, *, offers_note: bool) -> None:
    theme = Theme.current()
    small, bold, italic = QFont(painter.font()), QFont(painter.font()), QFont(painter.font())
    small.setPointSizeF(small.pointSizeF() * 0.9)
    bold.setWeight(QFont.Weight.DemiBold)
    italic.setPointSizeF(small.pointSizeF())
    italic.setItalic(True)
    flag, note = step.odd, step.note
    note_height = QFontMetrics(italic).height() + 1
    room = area.height() - (note_height if note else 0)
    top = 0
    for text, font, colour, lines in (
        (step.title, small, theme.muted, 1),
        (step.text, bold, theme.text, 2 if flag else 4),
        (step.place, small, theme.muted, 2),
        (sentence(flag), small, theme.warning, 3),
    ):
        height = QFontMetrics(font).height() + 1
        fitting = min(lines, (room - top) // height)
        if text and fitting > 0:
            painter.setFont(font)
            painter.setPen(colour)
            for line in wrapped(text, QFontMetrics(font), area.width(), fitting):
                painter.drawText(area.left(), area.top() + top, area.width(), height, 0, line)
                top += height
            top += 1
    if not note and (not offers_note or top + note_height > room):
        return
    painter.setFont(italic)
    painter.setPen(theme.text if note else theme.muted)
    line = QFontMetrics(italic).elidedText(note or _ADD_NOTE, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area.left(), area.bottom() - note_height + 2, area.width(), note_height, 0, line)
