"""Where the annotator works: in the mirror, or in the emulator's own window while this one listens."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QRadioButton, QVBoxLayout, QWidget

from odyssey_recorder.dataset.provenance import Mode
from odyssey_recorder.gui.parts import text_label


@dataclass(frozen=True, slots=True)
class _Words:
    label: str
    tip: str


_WORDS: Mapping[Mode, _Words] = {
    "mirror": _Words("In this &window", "You work here; each action waits until its picture is safe (mirror mode)."),
    "passive": _Words(
        "In the &emulator's own window", "You work in the emulator; what you do there is listened to (passive mode)."
    ),
}


class ModeSwitch(QWidget):
    """The two modes, each with a line that says what it is."""

    mode_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[Mode, QRadioButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(text_label("Where you work", "field"))
        for mode, words in _WORDS.items():
            choice = QRadioButton(words.label)
            choice.setToolTip(words.tip)
            choice.toggled.connect(self._choose)
            column.addWidget(choice)
            self._choices[mode] = choice
        self._hint = text_label(kind="hint")
        column.addWidget(self._hint)
        self._choices["mirror"].setChecked(True)

    @property
    def mode(self) -> Mode:
        """The mode that is chosen."""
        return "passive" if self._choices["passive"].isChecked() else "mirror"

    def show_mode(self, mode: Mode) -> None:
        """Show `mode` as the one that is chosen."""
        self._choices[mode].setChecked(True)

    def _choose(self, chosen: bool) -> None:
        if chosen:
            self._hint.setText(_WORDS[self.mode].tip)
            self.mode_chosen.emit(self.mode)
