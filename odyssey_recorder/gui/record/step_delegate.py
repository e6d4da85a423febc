"""How a step looks in the list: thumbnail, number, words, flag and note, and where its note is written."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from odyssey_recorder.gui.parts import line_edit
from odyssey_recorder.gui.record.step_list import NOTE_ROLE, THUMBNAIL, sentence
from odyssey_recorder.gui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex

_MARGIN = 10
_NOTE_HEIGHT = 30
_BUTTON = QSize(64, 24)
_ROW_HEIGHT = THUMBNAIL.height() + 2 * _MARGIN
_ADD_NOTE = "Add a note"


class StepDelegate(QStyledItemDelegate):
    """Draws one step, and lets its note be edited in its place."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(200, _ROW_HEIGHT)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QLineEdit:
        editor = line_edit(f"Note of step {index.row()}", "Note")
        editor.setParent(parent)
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """What is written already stays: the step's picture comes while its note is being written."""
        if not (isinstance(editor, QLineEdit) and editor.isModified()):
            super().setEditorData(editor, index)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: _Index) -> None:
        """The note is at the foot of its row; whatever else lies over a row is in its top right corner."""
        words = _words_area(option.rect)
        if isinstance(editor, QLineEdit):
            editor.setGeometry(words.left() - 4, words.bottom() - _NOTE_HEIGHT + 6, words.width() + 4, _NOTE_HEIGHT)
        else:
            editor.setGeometry(words.right() - _BUTTON.width() + 1, words.top() - 2, _BUTTON.width(), _BUTTON.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = Theme.current()
        row = QRectF(option.rect)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_chosen:
            is_focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.accent, 1) if is_focused else Qt.PenStyle.NoPen)
            painter.setBrush(theme.tint)
            painter.drawRoundedRect(row.adjusted(4, 2, -4, -2), 8, 8)
        box = QRectF(row.left() + _MARGIN, row.top() + _MARGIN, THUMBNAIL.width(), THUMBNAIL.height())
        _paint_thumbnail(painter, box, index.data(Qt.ItemDataRole.DecorationRole), theme)
        _paint_words(painter, _words_area(option.rect), index, is_chosen=is_chosen)
        painter.restore()


def _words_area(row: QRect) -> QRect:
    return row.adjusted(THUMBNAIL.width() + 2 * _MARGIN + 2, _MARGIN, -_MARGIN, -_MARGIN)


def _paint_words(painter: QPainter, area: QRect, index: _Index, *, is_chosen: bool) -> None:
    theme = Theme.current()
    small, strong, slanted = QFont(painter.font()), QFont(painter.font()), QFont(painter.font())
    small.setPointSizeF(small.pointSizeF() * 0.9)
    strong.setWeight(QFont.Weight.DemiBold)
    slanted.setPointSizeF(small.pointSizeF())
    slanted.setItalic(True)
    name, _, rest = str(index.data(Qt.ItemDataRole.DisplayRole)).partition(" ")
    flag, note = str(index.data(Qt.ItemDataRole.StatusTipRole)), str(index.data(NOTE_ROLE))
    foot_height = QFontMetrics(slanted).height() + 1
    room = area.height() - (foot_height if note else 0)
    top = 0
    for words, font, colour, lines in (
        (f"Step {index.row()}", small, theme.muted, 1),
        (name, strong, theme.text, 1),
        (rest, painter.font(), theme.text, 1 if flag else 3),
        (sentence(flag), small, theme.warning, 3),
    ):
        height = QFontMetrics(font).height() + 1
        fitting = min(lines, (room - top) // height)
        if words and fitting > 0:
            painter.setFont(font)
            painter.setPen(colour)
            for line in wrapped(words, QFontMetrics(font), area.width(), fitting):
                painter.drawText(area.left(), area.top() + top, area.width(), height, 0, line)
                top += height
            top += 1
    if not note and (not is_chosen or top + foot_height > room):
        return
    painter.setFont(slanted)
    painter.setPen(theme.text if note else theme.muted)
    line = QFontMetrics(slanted).elidedText(note or _ADD_NOTE, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area.left(), area.bottom() - foot_height + 2, area.width(), foot_height, 0, line)


def wrapped(words: str, metrics: QFontMetrics, width: int, lines: int) -> list[str]:
    """`words` in at most `lines` lines of `width`, the last one cut with an ellipsis if need be."""
    done: list[str] = []
    line = ""
    pending = words.split()
    while pending and len(done) < lines - 1:
        longer = f"{line} {pending[0]}".lstrip()
        if line and metrics.horizontalAdvance(longer) >= width:
            done.append(line)
            line = ""
        else:
            line = longer
            pending.pop(0)
    last = " ".join([line, *pending]).strip()
    return [metrics.elidedText(part, Qt.TextElideMode.ElideRight, width) for part in (*done, last) if part]


def _paint_thumbnail(painter: QPainter, box: QRectF, picture: object, theme: Theme) -> None:
    if not isinstance(picture, QImage) or picture.isNull():
        painter.setPen(QPen(theme.outline, 1))
        painter.setBrush(theme.window)
        painter.drawRoundedRect(box, 6, 6)
        return
    size = picture.deviceIndependentSize()
    place = QRectF(box.left() + (box.width() - size.width()) / 2, box.top(), size.width(), size.height())
    shape = QPainterPath()
    shape.addRoundedRect(place, 6, 6)
    painter.save()
    painter.setClipPath(shape)
    painter.drawImage(place, picture)
    painter.restore()
    painter.setPen(QPen(theme.outline, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(shape)
