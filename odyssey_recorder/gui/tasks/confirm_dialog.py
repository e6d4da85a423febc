"""The dialog that confirms an action on many tasks."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from odyssey_recorder.gui.parts import fill_dialog, push_button, row, text_label


class ConfirmDialog(QDialog):
    agreed = Signal()

    def __init__(self, question: str, detail: str, answer: tuple[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(answer[0])
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ok = push_button(*answer, "primary")
        ok.setDefault(True)
        ok.clicked.connect(self._agree)
        cancel = push_button("Cancel", "Leave it (Esc)")
        cancel.clicked.connect(self.reject)
        more = text_label(detail, "warning")
        more.setVisible(bool(detail))
        fill_dialog(self, text_label(question, "title"), more, row(None, cancel, ok))

    def _agree(self) -> None:
        self.accept()
        self.agreed.emit()
