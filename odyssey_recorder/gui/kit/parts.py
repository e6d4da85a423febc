"""Widgets shared by cards and dialogs, in one look and with names for screen readers."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from PySide6.QtCore import QPoint, QRectF, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from odyssey_recorder.gui.kit.icons import glyph, glyph_font
from odyssey_recorder.gui.kit.theme import Theme, grown

W = TypeVar("W", bound=QWidget)
B = TypeVar("B", bound=QBoxLayout)

Part: TypeAlias = QWidget | QLayout | tuple[QWidget | QLayout | None, int] | int | None
"""A widget or a layout, optionally with its stretch; a distance in pixels; or None for stretching space."""

Margins: TypeAlias = int | tuple[int, int, int, int]
"""One for all sides, or left, top, right and bottom."""

_BOX_PX = 18
_TEXT_MARGIN = 8
_POPUP_MARGIN_PX = 24
_TYPING_MS = 120


class Choice(QComboBox):
    """A drop-down list that is never wider than its place, even if its entries are."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setView(QListView())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def offer(self, entries: Sequence[tuple[str, str]]) -> None:
        """Replace the entries, each a value and its text; the chosen value stays, or the first if it is gone."""
        if entries == [(self.itemData(row), self.itemText(row)) for row in range(self.count())]:
            return
        chosen = self.value
        with QSignalBlocker(self):
            self.clear()
            for value, text in entries:
                self.addItem(text, value)
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
        is_ticked, is_enabled = self.isChecked(), self.isEnabled()
        painter.setPen(theme.accent if self.hasFocus() else theme.muted if is_enabled else theme.outline)
        painter.setBrush((theme.accent if is_enabled else theme.off) if is_ticked else theme.field)
        painter.drawRoundedRect(box, 4, 4)
        if is_ticked:
            painter.setPen(theme.on_accent)
            painter.setFont(glyph_font(_BOX_PX - 2))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, glyph("check_bold"))
        painter.setFont(self.font())
        painter.setPen(theme.text if is_enabled else theme.off)
        label = self.rect().adjusted(_BOX_PX + 10, 0, 0, 0)
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextShowMnemonic, self.text())

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def sizeHint(self) -> QSize:
        return QSize(_BOX_PX + 14 + self.fontMetrics().horizontalAdvance(self.text()), 34)


class Card(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")


def named(widget: W, name: str) -> W:
    """Set the widget's name for screen readers and return the widget."""
    widget.setAccessibleName(name)
    return widget


def text_label(text: str = "", kind: str = "") -> QLabel:
    """A wrapping label of plain text, never markup; `kind` is a look of the style sheet."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setProperty("kind", kind)
    return label


def selectable(kind: str = "") -> QLabel:
    """A text label that the mouse can select, and that never takes space from its neighbours."""
    label = text_label(kind=kind)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setMinimumWidth(1)
    return label


def say(label: QLabel, text: str) -> None:
    """Set the label's text, and hide it without one."""
    label.setText(text)
    label.setVisible(bool(text))


def fix_width(widget: W, px: int) -> W:
    """Fix the width to `px` at the system's text size; the window changes it with the text."""
    widget.setProperty("natural_px", px)
    widget.setFixedWidth(grown(px))
    return widget


def set_kind(widget: QWidget, kind: str) -> None:
    """Change the look of a widget that is shown already."""
    widget.setProperty("kind", kind)
    widget.style().polish(widget)


def line_edit(name: str, placeholder: str) -> QLineEdit:
    field = named(QLineEdit(), name)
    field.setPlaceholderText(placeholder)
    return field


class SearchField(QLineEdit):
    typing_paused = Signal()
    """Nothing was typed for a moment."""

    def __init__(self, name: str, finds: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        self.setToolTip(finds)
        pause = QTimer(self, singleShot=True, interval=_TYPING_MS)
        pause.timeout.connect(self.typing_paused)
        self.textChanged.connect(lambda _text: pause.start())

    def take_focus(self) -> None:
        self.setFocus()
        self.selectAll()


def number_field(name: str, value: int, most: int) -> QSpinBox:
    field = named(QSpinBox(), name)
    field.setRange(1, most)
    field.setValue(value)
    field.setToolTip(name)
    field.lineEdit().setTextMargins(_TEXT_MARGIN, 0, _TEXT_MARGIN, 0)  # the style sheet does not reach it
    return field


def push_button(text: str, tip: str, kind: str = "", call: Callable[[], object] | None = None) -> QPushButton:
    """A button that calls `call`; Return presses the primary one of a dialog."""
    button = QPushButton(text, autoDefault=False, default=kind == "primary")
    button.setToolTip(tip)
    button.setProperty("kind", kind)
    if call is not None:
        button.clicked.connect(call)
    return button


class FoldButton(QToolButton):
    """Shows or hides what is below; its arrow points down while that is shown."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setProperty("kind", "fold")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setArrowType(Qt.ArrowType.RightArrow)
        self.toggled.connect(lambda on: self.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow))


def tool_button(action: QAction, name: str, kind: str, style: Qt.ToolButtonStyle) -> QToolButton:
    """A button that is hidden while its action is."""
    button = named(QToolButton(), name)
    button.setDefaultAction(action)
    if not action.isVisible():
        button.hide()
    action.visibleChanged.connect(lambda: button.setVisible(action.isVisible()))
    button.setToolButtonStyle(style)
    button.setProperty("kind", kind)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def row(*parts: Part, spacing: int = 8) -> QHBoxLayout:
    return _fill(QHBoxLayout(), parts, spacing)


def column(*parts: Part, spacing: int = 8) -> QVBoxLayout:
    return _fill(QVBoxLayout(), parts, spacing)


def fill_row(widget: QWidget, *parts: Part, margins: Margins = 0, spacing: int = 8) -> QHBoxLayout:
    """Lay `parts` out in `widget`; spacing -1 is the style's own."""
    return _fill(QHBoxLayout(widget), parts, spacing, margins)


def fill_column(widget: QWidget, *parts: Part, margins: Margins = 0, spacing: int = 8) -> QVBoxLayout:
    return _fill(QVBoxLayout(widget), parts, spacing, margins)


def _fill(layout: B, parts: Sequence[Part], spacing: int, margins: Margins = 0) -> B:
    layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    layout.setSpacing(spacing)
    for part in parts:
        item, stretch = part if isinstance(part, tuple) else (part, 0)
        if item is None:
            layout.addStretch(stretch)
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item, stretch)
        else:
            layout.addWidget(item, stretch)
    return layout


def fill_grid(widget: QWidget | None, *, across: int = -1, down: int = -1, stretched: int | None = None) -> QGridLayout:
    """An empty grid without margins; -1 is the style's distance. The column `stretched` takes the remaining width."""
    grid = QGridLayout(widget)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(across)
    grid.setVerticalSpacing(down)
    if stretched is not None:
        grid.setColumnStretch(stretched, 1)
    return grid


def breakable(text: str) -> str:
    """Allow line breaks inside long names, by zero-width spaces."""
    return re.sub(r"(?<=[._/])(?=\w)", "\u200b", text)
