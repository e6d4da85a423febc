"""What is asked when the window is closed over settings that were changed and not saved."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from odyssey_recorder.gui.parts import fill_dialog, push_button, row, text_label


class UnsavedDialog(QDialog):
    """Names what is not saved; closing it stays."""

    save_asked = Signal()
    discard_asked = Signal()

    def __init__(self, titles: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings that are not saved")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        save = push_button("Save", "Save the settings and close the window (Return)", "primary")
        save.setDefault(True)
        discard = push_button("Discard", "Close the window and leave the settings as they were")
        stay = push_button("Stay", "Keep the window open (Esc)")
        self._connect(save, self.save_asked)
        self._connect(discard, self.discard_asked)
        stay.clicked.connect(self.reject)
        question = text_label("Save the settings before the window closes?", "title")
        hint = text_label(f"Changed and not saved: {', '.join(titles)}.", "hint")
        fill_dialog(self, question, hint, row(None, stay, discard, save))

    def _connect(self, button: QPushButton, answer: SignalInstance) -> None:
        button.clicked.connect(self.accept)
        button.clicked.connect(answer)
