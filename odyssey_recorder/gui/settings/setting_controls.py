"""The controls in which settings are changed: one for each kind of value."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QSpinBox, QVBoxLayout, QWidget

from odyssey_recorder.gui.icons import glyph, glyph_font, icon
from odyssey_recorder.gui.parts import Choice, line_edit, named, push_button, row
from odyssey_recorder.gui.theme import Theme

_BOX_PX = 18


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `default` is what it is where nothing stands there."""

    default: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, or a file; `default` is what it is where nothing stands there."""

    default: str = "The default folder"
    is_file: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number between two others, these included."""

    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several words; each with what the annotator reads."""

    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no."""

    words: str


_TEXT_MARGIN = 8

Kind = Text | Place | Number | OneOf | Switch


class Control(QWidget):
    """One control; its value is None where the default is meant."""

    changed = Signal()

    def __init__(self, inner: QWidget, *beside: QWidget) -> None:
        super().__init__()
        self._inner = inner
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        line = row(inner, *beside)
        line.setStretch(0, 1)
        layout.addLayout(line)
        self.setFocusProxy(inner)

    @property
    def value(self) -> object:
        """What stands there."""
        raise NotImplementedError

    def show_value(self, value: object) -> None:
        """Let `value` stand there."""
        raise NotImplementedError

    def describe(self, words: str) -> None:
        """What a screen reader says of the control, and its tooltip."""
        self._inner.setAccessibleDescription(words)
        self._inner.setToolTip(words)

    def repaint_icons(self) -> None:
        """Draw the icon anew for another palette."""


def control(name: str, kind: Kind) -> Control:
    """The control for a kind of value; a screen reader calls it `name`."""
    match kind:
        case Text(default):
            return _Line(name, default)
        case Place():
            return _PlaceLine(name, kind)
        case Number(lowest, highest):
            return _Number(name, lowest, highest)
        case OneOf(choices):
            return _OneOf(name, choices)
        case Switch(words):
            return _Switch(name, words)


class _Line(Control):
    def __init__(self, name: str, default: str, *beside: QWidget) -> None:
        self._line = line_edit(name, default)
        super().__init__(self._line, *beside)
        self._line.textChanged.connect(self.changed)

    @property
    def value(self) -> object:
        return self._line.text().strip() or None

    def show_value(self, value: object) -> None:
        words = "" if value is None else str(value)
        if words != self._line.text():
            self._line.setText(words)
        self._line.setCursorPosition(0)


class _PlaceLine(_Line):
    def __init__(self, name: str, place: Place) -> None:
        self._place = place
        self._browse = named(push_button("Choose…", f"Choose another: {name}"), f"Choose: {name}")
        self._browse.clicked.connect(self._choose)
        super().__init__(name, place.default, self._browse)
        self.repaint_icons()

    def repaint_icons(self) -> None:
        theme = Theme.current()
        glyph = "file_outline" if self._place.is_file else "folder_outline"
        self._browse.setIcon(icon(glyph, theme.text, theme.off))

    def _choose(self) -> None:
        dialog = QFileDialog(self, self._browse.toolTip(), self._line.text())
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile if self._place.is_file else QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._line.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class _Number(Control):
    def __init__(self, name: str, lowest: int, highest: int) -> None:
        self._spin = named(_CalmSpinBox(), name)
        self._spin.setRange(lowest, highest)
        self._spin.lineEdit().setTextMargins(_TEXT_MARGIN, 0, _TEXT_MARGIN, 0)  # the style sheet's do not reach it
        super().__init__(self._spin)
        self._spin.valueChanged.connect(self.changed)

    @property
    def value(self) -> object:
        return self._spin.value()

    def show_value(self, value: object) -> None:
        if isinstance(value, int):
            self._spin.setValue(value)


class _OneOf(Control):
    def __init__(self, name: str, choices: Mapping[str, str]) -> None:
        self._choice = _CalmChoice(name)
        for value, words in choices.items():
            self._choice.addItem(words, value)
        super().__init__(self._choice)
        self._choice.currentIndexChanged.connect(self.changed)

    @property
    def value(self) -> object:
        return self._choice.currentData()

    def show_value(self, value: object) -> None:
        self._choice.setCurrentIndex(self._choice.findData(value))


class _Switch(Control):
    def __init__(self, name: str, words: str) -> None:
        self._box = named(_Tick(words), name)
        super().__init__(self._box)
        self._box.toggled.connect(self.changed)

    @property
    def value(self) -> object:
        return self._box.isChecked()

    def show_value(self, value: object) -> None:
        self._box.setChecked(value is True)


class _CalmSpinBox(QSpinBox):
    """The wheel scrolls the page, and does not count."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _CalmChoice(Choice):
    """The wheel scrolls the page, and does not choose."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _Tick(QCheckBox):
    """A box to tick, in the colours of the window."""

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
