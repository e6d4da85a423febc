"""One setting on the page: title and hint at the left, its control at the right, remarks below."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from odyssey_recorder.gui.icons import icon
from odyssey_recorder.gui.parts import CheckBox, Choice, line_edit, named, push_button, row, text_label
from odyssey_recorder.gui.theme import Theme

_TEXT_MARGIN = 8


class Control(QWidget):
    """A control whose value is None for the default."""

    changed = Signal()

    def __init__(self, inner: QWidget, *beside: QWidget) -> None:
        super().__init__()
        self._inner = inner
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        line = row((inner, 1), *beside)
        layout.addLayout(line)
        self.setFocusProxy(inner)

    @property
    def value(self) -> object:
        raise NotImplementedError

    def show_value(self, value: object) -> None:
        raise NotImplementedError

    def describe(self, words: str) -> None:
        self._inner.setAccessibleDescription(words)
        self._inner.setToolTip(words)


class TextControl(Control):
    def __init__(self, name: str, *beside: QWidget, default: str = "") -> None:
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


class PathControl(TextControl):
    def __init__(self, name: str, *, default: str = "The default folder", is_file: bool = False) -> None:
        self._is_file = is_file
        self._browse = named(push_button("Choose…", f"Choose another: {name}"), f"Choose: {name}")
        self._browse.clicked.connect(self._choose)
        super().__init__(name, self._browse, default=default)
        self.repaint_icons()

    def repaint_icons(self) -> None:
        theme = Theme.current()
        glyph = "file_outline" if self._is_file else "folder_outline"
        self._browse.setIcon(icon(glyph, theme.text, theme.off))

    def _choose(self) -> None:
        dialog = QFileDialog(self, self._browse.toolTip(), self._line.text())
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile if self._is_file else QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._line.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class NumberControl(Control):
    def __init__(self, name: str, lowest: int, highest: int) -> None:
        self._spin = named(_CalmSpinBox(), name)
        self._spin.setRange(lowest, highest)
        self._spin.lineEdit().setTextMargins(_TEXT_MARGIN, 0, _TEXT_MARGIN, 0)  # the style sheet does not reach it
        super().__init__(self._spin)
        self._spin.valueChanged.connect(self.changed)

    @property
    def value(self) -> object:
        return self._spin.value()

    def show_value(self, value: object) -> None:
        if isinstance(value, int):
            self._spin.setValue(value)


class ChoiceControl(Control):
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


class SwitchControl(Control):
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
    """The wheel scrolls the page instead of changing the value."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _CalmChoice(Choice):
    """The wheel scrolls the page instead of changing the value."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


_LATER = "Takes effect when the window is opened again."


@dataclass(frozen=True, slots=True)
class Setting:
    """How a setting is shown; `is_at_once` if it takes effect without a restart.

    `control` creates the control from its name for screen readers.
    """

    name: str
    title: str
    hint: str
    control: Callable[[str], Control]
    is_at_once: bool = False


class SettingField(QWidget):
    changed = Signal()

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        self._control = setting.control(setting.title)
        self._shown = self._control.value
        self._note = text_label(kind="hint")
        self._refusal = text_label(kind="danger")
        self._set_by = ""
        line = titled_row(setting.title, setting.hint, self._control, self._note, self._refusal)
        line.setContentsMargins(0, 0, 0, 0)
        self.setLayout(line)
        self._control.changed.connect(self._tell)
        self.show_remark()

    @property
    def value(self) -> object:
        return self._control.value

    @property
    def is_changed(self) -> bool:
        return self.value != self._shown

    def show_value(self, value: object, *, set_by: str = "") -> None:
        self._set_by = set_by
        self._control.show_value(value)
        self._shown = self.value
        self._control.setEnabled(not set_by)
        self.show_remark()

    def take_back(self) -> None:
        self.show_value(self._shown, set_by=self._set_by)

    def show_remark(self, note: str = "", *, refusal: str = "") -> None:
        decided = f"Set by {self._set_by}: change it there." if self._set_by else ""
        later = _LATER if self.is_changed and not self.setting.is_at_once and not refusal else ""
        words = " ".join(part for part in (decided, note, later) if part)
        for label, said in ((self._note, words), (self._refusal, refusal)):
            label.setText(said)
            label.setVisible(bool(said))
        self._control.describe(" ".join(part for part in (self.setting.hint, words, refusal) if part))

    def _tell(self) -> None:
        self.show_remark()
        self.changed.emit()


def titled_row(title: str, hint: str, *parts: QWidget) -> QHBoxLayout:
    name = QLabel(title)
    name.setTextFormat(Qt.TextFormat.PlainText)
    name.setWordWrap(True)
    left, right = QVBoxLayout(), QVBoxLayout()
    left.setSpacing(2)
    right.setSpacing(4)
    for words in (name, text_label(hint, "hint")):
        left.addWidget(words)
    for part in parts:
        right.addWidget(part)
    left.addStretch()
    right.addStretch()
    layout = QHBoxLayout()
    layout.setSpacing(24)
    layout.addLayout(left, 5)
    layout.addLayout(right, 7)
    return layout
