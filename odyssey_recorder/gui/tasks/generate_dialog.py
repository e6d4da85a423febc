"""The dialogs that ask for tasks from the templates and for new templates: how many, and for what."""

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtWidgets import QHBoxLayout, QWidget

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog
from odyssey_recorder.gui.kit.layouts import in_columns, labelled
from odyssey_recorder.gui.kit.parts import CheckBox, Choice, number_field, row, text_label
from odyssey_recorder.gui.kit.task_text import CATEGORIES, category_text
from odyssey_recorder.gui.tasks.preparation import LoadedTemplates
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.services.tasks import ModelChoice, suiting

_MOST_TASKS, _MOST_TEMPLATES = 10_000, 20
_WIDTH_PX = 480

_PROPOSE = Question(
    title="Propose templates",
    question="Have a language model propose templates?",
    answer="Propose",
    tip="Ask the model (Enter)",
    detail="Proposals are not used until you keep them.",
)
_GENERATE = Question(
    title="Generate tasks",
    question="Generate tasks from the templates",
    answer="Generate",
    tip="Generate the tasks; each must be approved (Enter)",
    detail="No duplicates. Each waits in Prepare until a person approves it.",
)


class GenerateDialog(QuestionDialog):
    """`preset` has the initial values."""

    def __init__(self, loaded: LoadedTemplates, preset: ModelChoice, parent: QWidget | None = None) -> None:
        self._loaded = loaded
        self._count = number_field("Number of tasks", preset.count, _MOST_TASKS)
        self._seed = number_field("Seed", preset.seed, 999_999_999)
        self._seed.setToolTip("The same seed gives the same tasks from the same templates")
        self._catalogue = _catalogues(loaded, preset.catalogue)
        self._device = Choice("For the device")
        self._device.offer([("", "All devices in turn"), *((profile.key, profile.name) for profile in profiles())])
        self._device.choose(preset.device)
        self._app_class = Choice("With kind of app")
        self._categories = {member: CheckBox(category_text(member.value)) for member in Category}
        for category, tick in self._categories.items():
            tick.setChecked(not preset.categories or category in preset.categories)
            tick.setToolTip(f"Generate tasks of the category {category_text(category.value)}")
        self._names = CheckBox("&Name the apps in the instruction")
        self._names.setToolTip("Use phrasings that name every app; otherwise phrasings that name none")
        self._names.setChecked(preset.names_apps)
        self._left = text_label(kind="hint")
        class_ = labelled("With &kind of app", self._app_class)
        heading = text_label("Categories", "field")
        ticks = in_columns(*self._categories.values(), spacing=(-1, 0))
        parts = (*self._rows(), class_, heading, ticks, self._names, self._left)
        super().__init__(_GENERATE, parent, *parts, width=_WIDTH_PX)
        self._connect()
        self._offer_classes(preset.app_class)
        self._update_hint()

    @property
    def choice(self) -> ModelChoice:
        chosen = frozenset(category for category, tick in self._categories.items() if tick.isChecked())
        return ModelChoice(
            count=self._count.value(),
            seed=self._seed.value(),
            catalogue=self._catalogue.value,
            categories=frozenset() if len(chosen) == len(self._categories) else chosen,
            names_apps=self._names.isChecked(),
            device=self._device.value,
            app_class=self._app_class.value,
        )

    def _offer_classes(self, chosen: str = "") -> None:
        catalogue = self._loaded.library.catalogues.get(self._catalogue.value)
        classes: Iterable[str] = catalogue.classes if catalogue is not None else ()
        self._app_class.offer([("", "Any kind of app"), *((name, name) for name in classes)])
        if chosen:
            self._app_class.choose(chosen)

    def _update_hint(self) -> None:
        is_any_chosen = any(tick.isChecked() for tick in self._categories.values())
        loaded = self._loaded
        fitting = suiting(loaded.library, self.choice, loaded.targets) if is_any_chosen else ()
        left = sum(self._loaded.left.get(template.template_id, 0) for template in fitting)
        templates = counted(fitting, "template")
        none = "No template can make more tasks of this kind. Change the kind of app, the device or the categories."
        text = f"{templates} can make up to {counted(left, 'different task')}." if left else none
        self._left.setText(" ".join(filter(None, (text, loaded.library.left_out_text(self._catalogue.value)))))
        self.ok.setEnabled(bool(left))

    def _connect(self) -> None:
        self._catalogue.currentIndexChanged.connect(lambda _at: self._offer_classes())
        self._catalogue.currentIndexChanged.connect(lambda _at: self._update_hint())
        for choice in (self._device, self._app_class):
            choice.currentIndexChanged.connect(lambda _at: self._update_hint())
        for tick in self._categories.values():
            tick.toggled.connect(lambda _on: self._update_hint())

    def _rows(self) -> tuple[QHBoxLayout, QHBoxLayout]:
        count, seed = labelled("How &many", self._count), labelled("&Seed", self._seed)
        catalogue, device = labelled("&Apps of", self._catalogue), labelled("&Device", self._device)
        return row((count, 1), (seed, 1), spacing=12), row((catalogue, 1), (device, 1), spacing=12)


class ProposeDialog(QuestionDialog):
    def __init__(self, loaded: LoadedTemplates, preset: ModelChoice, parent: QWidget | None = None) -> None:
        self._preset = preset
        self._count = number_field("Number of templates", preset.count, _MOST_TEMPLATES)
        self._count.setToolTip("How many to ask for; proposals similar to existing templates are dropped")
        self._catalogue = _catalogues(loaded, preset.catalogue)
        self._category = Choice("Category")
        self._category.offer(CATEGORIES)
        self._category.choose(next(iter(preset.categories)).value)
        fields = row((labelled("&Category", self._category), 2), (labelled("How &many", self._count), 1), spacing=12)
        super().__init__(_PROPOSE, parent, fields, labelled("&Apps of", self._catalogue), width=_WIDTH_PX)

    @property
    def choice(self) -> ModelChoice:
        return replace(
            self._preset,
            count=self._count.value(),
            catalogue=self._catalogue.value,
            categories=frozenset({Category(self._category.value)}),
        )


def _catalogues(loaded: LoadedTemplates, chosen: str) -> Choice:
    choice = Choice("For the apps of")
    choice.offer([(name, catalogue.title) for name, catalogue in loaded.library.catalogues.items()])
    choice.choose(chosen)
    return choice
