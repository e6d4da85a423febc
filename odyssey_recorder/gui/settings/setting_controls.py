"""The controls in which settings are changed: one for each kind of value."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFileDialog, QSpinBox, QVBoxLayout, QWidget

from odyssey_recorder.gui.icons import icon
from odyssey_recorder.gui.parts import CheckBox, Choice, line_edit, named, push_button, row
from odyssey_recorder.gui.theme import Theme


@dataclass(frozen=True, slots=True)
class TextKind:
    """A line of text; `default` is what it is where nothing stands there."""

    default: str = ""


@dataclass(frozen=True, slots=True)
class PlaceKind:
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

Kind = TextKind | PlaceKind | Number | OneOf | Switch


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
        case TextKind(default):
            return _Line(name, default)
        case PlaceKind():
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
    def __init__(self, name: str, place: PlaceKind) -> None:
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
        self._box = named(CheckBox(words), name)
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
