"""The dialog that asks a language model for new templates: category and number."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from odyssey_recorder.gui.parts import Choice, fill_dialog, labelled, number_field, push_button, row, text_label
from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.templates.template import TemplateLibrary

_MOST = 20


class ProposeDialog(QDialog):
    """Emits `asked` with a category, a number and the name of a catalogue, and closes."""

    asked = Signal(object, int, str)

    def __init__(self, library: TemplateLibrary, category: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Think of new templates")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._category = Choice("Category")
        self._category.offer([(one.value, category_words(one.value)) for one in Category])
        self._category.choose(category)
        self._count = number_field("Number of templates", 5, _MOST)
        self._count.setToolTip("How many to ask for; those that are much like another are left out")
        self._catalogue = Choice("For the apps of")
        self._catalogue.offer([(name, one.title) for name, one in library.catalogues.items()])
        ok = push_button("Think", "Ask the model (Return)", "primary")
        ok.setDefault(True)
        ok.clicked.connect(self._agree)
        cancel = push_button("Cancel", "Ask for nothing (Esc)")
        cancel.clicked.connect(self.reject)
        fields = row(spacing=12)
        fields.addLayout(labelled("&Category", self._category), 2)
        fields.addLayout(labelled("How &many", self._count), 1)
        fill_dialog(
            self,
            text_label("Have a language model think of new templates?", "title"),
            text_label("Each is a proposal: nothing is made of it before you keep it.", "hint"),
            fields,
            labelled("&Apps of", self._catalogue),
            row(None, cancel, ok),
        )

    def _agree(self) -> None:
        category, count = Category(self._category.value), self._count.value()
        self.accept()
        self.asked.emit(category, count, self._catalogue.value)
