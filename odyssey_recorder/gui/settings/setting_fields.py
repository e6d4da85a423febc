"""One setting on the page: what it is for at the left, its control at the right, what is to be said of it below."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from odyssey_recorder.gui.parts import text_label
from odyssey_recorder.gui.settings.setting_controls import Kind, control

_LATER = "Takes effect when the window is opened again."


@dataclass(frozen=True, slots=True)
class Setting:
    """How one setting is shown; `is_at_once` where it needs no new start of the window."""

    name: str
    title: str
    hint: str
    kind: Kind
    is_at_once: bool = False


class SettingField(QWidget):
    """One setting, as the file has it or as it was changed and not yet saved."""

    changed = Signal()

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        self._control = control(setting.title, setting.kind)
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
        """What stands in the control; None is the default."""
        return self._control.value

    @property
    def is_changed(self) -> bool:
        """Whether another value stands there than the one that was shown last."""
        return self.value != self._shown

    def show_value(self, value: object, *, set_by: str = "") -> None:
        """Show what the setting is; `set_by` names what decides it in place of the file."""
        self._set_by = set_by
        self._control.show_value(value)
        self._shown = self.value
        self._control.setEnabled(not set_by)
        self.show_remark()

    def take_back(self) -> None:
        """Show again what was shown last."""
        self.show_value(self._shown, set_by=self._set_by)

    def show_remark(self, note: str = "", *, refusal: str = "") -> None:
        """Say below the control what should be known of its value, or why it cannot be that."""
        decided = f"Set by {self._set_by}: change it there." if self._set_by else ""
        later = _LATER if self.is_changed and not self.setting.is_at_once and not refusal else ""
        words = " ".join(part for part in (decided, note, later) if part)
        for label, said in ((self._note, words), (self._refusal, refusal)):
            label.setText(said)
            label.setVisible(bool(said))
        self._control.describe(" ".join(part for part in (self.setting.hint, words, refusal) if part))

    def repaint_icons(self) -> None:
        """Draw the icon anew for another palette."""
        self._control.repaint_icons()

    def _tell(self) -> None:
        self.show_remark()
        self.changed.emit()


def titled_row(title: str, hint: str, *parts: QWidget) -> QHBoxLayout:
    """What something is called and for at the left, and the `parts` below each other at the right."""
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
