"""Widgets shared by cards and dialogs, in one look and with names for screen readers."""

import re
from collections.abc import Sequence
from typing import TypeAlias, TypeVar

from PySide6.QtCore import QPoint, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.theme import Theme

W = TypeVar("W", bound=QWidget)
B = TypeVar("B", bound=QBoxLayout)

Part: TypeAlias = QWidget | QLayout | tuple[QWidget | QLayout, int] | None
"""A widget or a layout, optionally with its stretch, or None for stretching space."""

_BOX_PX = 18
_TEXT_MARGIN = 8
_QUESTION_PX = 392


_POPUP_MARGIN_PX = 24


class Choice(QComboBox):
    """A drop-down list that never grows beyond its place, even if its entries are wider."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setView(QListView())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def offer(self, entries: Sequence[tuple[str, str]]) -> None:
        """Replace the entries, each a value and its words; the chosen value stays, or the first if it is gone."""
        if entries == [(self.itemData(place), self.itemText(place)) for place in range(self.count())]:
            return
        chosen = self.value
        with QSignalBlocker(self):
            self.clear()
            for value, words in entries:
                self.addItem(words, value)
            self.choose(chosen)
        if self.value != chosen:
            self.currentIndexChanged.emit(self.currentIndex())

    @property
    def value(self) -> str:
        return str(self.currentData() or "")

    def choose(self, value: str) -> None:
        self.setCurrentIndex(max(0, self.findData(value)))

    def showPopup(self) -> None:
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + _POPUP_MARGIN_PX)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme = Theme.current()
        painter = QPainter(self)
        painter.setFont(glyph_font(18))
        painter.setPen(theme.muted if self.isEnabled() else theme.off)
        place = QRectF(self.width() - 28, 0, 20, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, glyph("chevron_down"))


class CheckBox(QCheckBox):
    def paintEvent(self, event: QPaintEvent) -> None:
        theme = Theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1, (self.height() - _BOX_PX) / 2, _BOX_PX, _BOX_PX)
        is_ticked, is_on = self.isChecked(), self.isEnabled()
        painter.setPen(theme.accent if self.hasFocus() else theme.muted if is_on else theme.outline)
        painter.setBrush((theme.accent if is_on else theme.off) if is_ticked else theme.field)
        painter.drawRoundedRect(box, 4, 4)
        if is_ticked:
            painter.setPen(theme.on_accent)
            painter.setFont(glyph_font(_BOX_PX - 2))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, glyph("check_bold"))
        painter.setFont(self.font())
        painter.setPen(theme.text if is_on else theme.off)
        words = self.rect().adjusted(_BOX_PX + 10, 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextShowMnemonic, self.text())

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def sizeHint(self) -> QSize:
        return QSize(_BOX_PX + 14 + self.fontMetrics().horizontalAdvance(self.text()), 34)


def named(widget: W, name: str) -> W:
    """Set the widget's name for screen readers and return the widget."""
    widget.setAccessibleName(name)
    return widget


def text_label(words: str = "", kind: str = "") -> QLabel:
    """A wrapping label of plain text, never markup; `kind` is a look of the style sheet."""
    label = QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("kind", kind)
    return label


def line_edit(name: str, placeholder: str) -> QLineEdit:
    field = named(QLineEdit(), name)
    field.setPlaceholderText(placeholder)
    return field


def number_field(name: str, value: int, most: int) -> QSpinBox:
    field = named(QSpinBox(), name)
    field.setRange(1, most)
    field.setValue(value)
    field.setToolTip(name)
    field.lineEdit().setTextMargins(_TEXT_MARGIN, 0, _TEXT_MARGIN, 0)  # the style sheet does not reach it
    return field


def push_button(words: str, tip: str, kind: str = "") -> QPushButton:
    button = QPushButton(words)
    button.setToolTip(tip)
    button.setProperty("kind", kind)
    button.setAutoDefault(False)
    return button


def row(*parts: Part, spacing: int = 8) -> QHBoxLayout:
    return _fill(QHBoxLayout(), parts, spacing)


def fill_row(
    widget: QWidget, *parts: Part, margins: tuple[int, int, int, int] = (0, 0, 0, 0), spacing: int = 8
) -> QHBoxLayout:
    """Lay `parts` out in `widget`; `margins` are left, top, right and bottom, spacing -1 is the style's own."""
    layout = _fill(QHBoxLayout(widget), parts, spacing)
    layout.setContentsMargins(*margins)
    return layout


def fill_column(
    widget: QWidget, *parts: Part, margins: tuple[int, int, int, int] = (0, 0, 0, 0), spacing: int = 8
) -> QVBoxLayout:
    layout = _fill(QVBoxLayout(widget), parts, spacing)
    layout.setContentsMargins(*margins)
    return layout


def _fill(layout: B, parts: Sequence[Part], spacing: int) -> B:
    layout.setSpacing(spacing)
    for part in parts:
        item, stretch = part if isinstance(part, tuple) else (part, 0)
        if item is None:
            layout.addStretch()
        elif isinstance(item, QLayout):
            layout.addLayout(item, stretch)
        else:
            layout.addWidget(item, stretch)
    return layout


def breakable(words: str) -> str:
    """Allow line breaks inside long names, by zero-width spaces."""
    return re.sub(r"(?<=[._/])(?=\w)", "\u200b", words)


def scroll_area() -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def labelled(words: str, field: QWidget) -> QVBoxLayout:
    """`field` under a small label, whose mnemonic (the letter after ``&``) focuses it."""
    label = QLabel(words)
    label.setProperty("kind", "field")
    label.setBuddy(field)
    layout = QVBoxLayout()
    layout.setSpacing(4)
    layout.addWidget(label)
    layout.addWidget(field)
    return layout


def fill_dialog(dialog: QWidget, *parts: QWidget | QBoxLayout, stretch: QWidget | None = None) -> None:
    """Lay `parts` out from top to bottom with the margins of all dialogs; `stretch` takes the remaining space.

    Without `stretch` the dialog is a question: of fixed width, and as high as its text needs.
    """
    if stretch is None and isinstance(parts[0], QWidget):
        parts[0].setMinimumWidth(_QUESTION_PX)
    sized = [(part, 1) if part is stretch and part is not None else part for part in parts]
    fill_column(dialog, *sized, margins=(24, 20, 24, 20), spacing=12)
