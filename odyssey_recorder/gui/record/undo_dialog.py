"""What is asked before many steps are taken away at once."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from odyssey_recorder.gui.parts import fill_dialog, push_button, row, text_label


class UndoDialog(QDialog):
    """Asks whether the steps `first` to `last` shall really be taken away."""

    def __init__(self, first: int, last: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Undo to here")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        undo = push_button("Undo", "Undo these steps (Return)", "primary")
        undo.clicked.connect(self.accept)
        undo.setDefault(True)
        cancel = push_button("Cancel", "Keep them (Esc)")
        cancel.clicked.connect(self.reject)
        question = text_label(f"Undo {last - first + 1} steps?", "title")
        words = f"Steps {first} to {last} go, and the device goes back to the screen of step {first}."
        hint = text_label(words, "hint")
        fill_dialog(self, question, hint, row(None, cancel, undo))
