"""One setting on the page: title and hint at the left, its control at the right, remarks below."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSpinBox, QWidget

from odyssey_recorder.gui.kit.dialogs import ask_for_existing
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import (
    CheckBox,
    Choice,
    column,
    fill_row,
    line_edit,
    named,
    push_button,
    row,
    say,
    text_label,
)
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.settings import Role

_TEXT_MARGIN = 8


class Control(QWidget):
    """A control whose value is None for the default; `read` and `show` are for that of `inner`."""

    changed = Signal()

    def __init__(
        self,
        inner: QWidget,
        read: Callable[[], object],
        show: Callable[[Any], object],
        changed: SignalInstance,
        *beside: QWidget,
    ) -> None:
        super().__init__()
        self._inner = inner
        self._read = read
        self.show_value = show
        changed.connect(self.changed)
        fill_row(self, (inner, 1), *beside)
        self.setFocusProxy(inner)

    @property
    def value(self) -> object:
        return self._read()

    def describe(self, text: str) -> None:
        self._inner.setAccessibleDescription(text)
        self._inner.setToolTip(text)


class TextControl(Control):
    def __init__(self, name: str, *beside: QWidget, default: str = "") -> None:
        self._line = line = line_edit(name, default)
        super().__init__(
            line, lambda: line.text().strip() or None, partial(_show_text, line), line.textChanged, *beside
        )


def _show_text(line: QLineEdit, value: object) -> None:
    text = "" if value is None else str(value)
    if text != line.text():
        line.setText(text)
    line.setCursorPosition(0)


class PathControl(TextControl):
    def __init__(self, name: str, *, default: str = "The default folder", is_file: bool = False) -> None:
        self._is_file = is_file
        self._browse = named(push_button("Choose…", f"Choose another: {name}", call=self._choose), f"Choose: {name}")
        super().__init__(name, self._browse, default=default)
        self.repaint_icons()

    def repaint_icons(self) -> None:
        theme = Theme.current()
        glyph = "file_outline" if self._is_file else "folder_outline"
        self._browse.setIcon(icon(glyph, theme.text, theme.off))

    def _choose(self) -> None:
        title, start = self._browse.toolTip(), self._line.text()
        ask_for_existing(self, title, start, self._line.setText, is_file=self._is_file)


def number_control(name: str, lowest: int, highest: int) -> Control:
    spin = named(_WheellessSpinBox(), name)
    spin.setRange(lowest, highest)
    spin.lineEdit().setTextMargins(_TEXT_MARGIN, 0, _TEXT_MARGIN, 0)  # the style sheet does not reach it
    return Control(spin, spin.value, spin.setValue, spin.valueChanged)


def choice_control(name: str, choices: Mapping[str, str]) -> Control:
    choice = _WheellessChoice(name)
    choice.offer(list(choices.items()))
    return Control(choice, choice.currentData, choice.choose, choice.currentIndexChanged)


def switch_control(name: str, text: str) -> Control:
    box = named(CheckBox(text), name)
    return Control(box, box.isChecked, box.setChecked, box.toggled)


class _WheellessSpinBox(QSpinBox):
    """The wheel scrolls the page instead of changing the value."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _WheellessChoice(Choice):
    """The wheel scrolls the page instead of changing the value."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


_LATER = "Takes effect after a restart."


@dataclass(frozen=True, slots=True)
class Setting:
    """How a setting is shown; `is_at_once` if it takes effect without a restart, `seen_by` if not by every role.

    `control` creates the control from its name for screen readers.
    """

    name: str
    title: str
    hint: str
    control: Callable[[str], Control]
    is_at_once: bool = False
    seen_by: tuple[Role, ...] = ("", "annotator", "reviewer", "lead")


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
        self.setLayout(titled_row(setting.title, setting.hint, self._control, self._note, self._refusal))
        self._control.changed.connect(self._on_changed)
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

    @property
    def can_change(self) -> bool:
        return not self._set_by

    def enter(self, value: object) -> None:
        """As if the user had entered it."""
        if self.can_change:
            self._control.show_value(value)

    def revert(self) -> None:
        self.show_value(self._shown, set_by=self._set_by)

    def show_remark(self, note: str = "", *, refusal: str = "") -> None:
        decided = f"Set by {self._set_by}, so it can't be changed here." if self._set_by else ""
        later = _LATER if self.is_changed and not self.setting.is_at_once and not refusal else ""
        text = " ".join(part for part in (decided, note, later) if part)
        for label, remark in ((self._note, text), (self._refusal, refusal)):
            say(label, remark)
        self._control.describe(" ".join(part for part in (self.setting.hint, text, refusal) if part))

    def _on_changed(self) -> None:
        self.show_remark()
        self.changed.emit()


def button_row(*buttons: QWidget, above: int = 0) -> QWidget:
    place = QWidget()
    fill_row(place, *buttons, None, margins=(0, above, 0, 0))
    return place


def titled_row(title: str, hint: str, *parts: QWidget) -> QHBoxLayout:
    left = column(text_label(title), text_label(hint, "hint"), None, spacing=2)
    right = column(*parts, None, spacing=4)
    return row((left, 5), (right, 7), spacing=24)
