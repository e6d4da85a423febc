"""The dialog that asks a language model for new templates: category and number."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.parts import Choice, labelled, number_field, row
from odyssey_recorder.gui.question_dialog import Question, QuestionDialog
from odyssey_recorder.gui.record.task_text import category_words
from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.templates.template import TemplateLibrary

_MOST = 20


_ASKED = Question(
    title="Propose templates",
    question="Have a language model propose templates?",
    answer="Propose",
    tip="Ask the model (Enter)",
    cancel_tip="Cancel (Esc)",
    detail="Proposals are not used until you save them.",
)


class ProposeDialog(QuestionDialog):
    """Emits `asked` with a category, a number and the name of a catalogue, and closes."""

    asked = Signal(object, int, str)

    def __init__(self, library: TemplateLibrary, category: str, parent: QWidget | None = None) -> None:
        self._category = Choice("Category")
        self._category.offer([(one.value, category_words(one.value)) for one in Category])
        self._category.choose(category)
        self._count = number_field("Number of templates", 5, _MOST)
        self._count.setToolTip("How many to ask for; proposals similar to existing templates are dropped")
        self._catalogue = Choice("For the apps of")
        self._catalogue.offer([(name, one.title) for name, one in library.catalogues.items()])
        fields = row((labelled("&Category", self._category), 2), (labelled("How &many", self._count), 1), spacing=12)
        super().__init__(_ASKED, parent, fields, labelled("&Apps of", self._catalogue))
        self.accepted.connect(self._ask)

    def _ask(self) -> None:
        self.asked.emit(Category(self._category.value), self._count.value(), self._catalogue.value)
