"""The fields for writing a task: category, instruction, apps, and template."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from odyssey_recorder.gui.kit.app_chips import AppsField
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import Choice, FoldButton, fill_column, line_edit, named
from odyssey_recorder.gui.kit.task_text import CATEGORIES
from odyssey_recorder.model.episode import TaskInfo


class TaskFields(QWidget):
    task_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._category = Choice("Category")
        self._category.offer(CATEGORIES)
        self._instruction = named(QPlainTextEdit(), "Instruction")
        self._instruction.setPlaceholderText("The task as a person would say it")
        self._instruction.setProperty("kind", "instruction")
        self._instruction.setTabChangesFocus(True)
        self._instruction.setFixedHeight(116)
        self._instruction.textChanged.connect(self.task_changed)
        self._apps = AppsField()
        self._apps.textChanged.connect(self.task_changed)
        self._meta_task = line_edit("Template", "Add {item} to the cart")
        self._task = line_edit("Filled template", "Add a kettle to the cart")
        self._template = QWidget()
        tip = "The template of the instruction, and the filled template"
        self._unfold = FoldButton("Show the template", tip)
        self._unfold.setText("Template")
        self._unfold.toggled.connect(self._template.setVisible)
        filled_in = labelled("&Filled in", self._task)
        fill_column(self._template, labelled("Te&mplate", self._meta_task), filled_in, spacing=10)
        self._template.hide()
        self.setFocusProxy(self._instruction)
        category, instruction = labelled("&Category", self._category), labelled("I&nstruction", self._instruction)
        apps = labelled("&Apps", self._apps)
        fill_column(self, category, instruction, apps, self._unfold, self._template, spacing=12)

    @property
    def task(self) -> TaskInfo:
        """The written task; template and filled template default to the instruction."""
        instruction = " ".join(self._instruction.toPlainText().split())
        return TaskInfo(
            category=str(self._category.currentData()),
            apps=self._apps.apps,
            meta_task=self._meta_task.text().strip() or instruction,
            task=self._task.text().strip() or instruction,
            instruction=instruction,
        )

    @property
    def missing(self) -> str:
        if not self.task.instruction:
            return "Enter the instruction first."
        if not self.task.apps:
            return "Enter at least one app that the task uses."
        return ""

    def clear(self) -> None:
        """Clear for the next task; the category stays."""
        self._instruction.clear()
        self._apps.set_apps(())
        self._meta_task.clear()
        self._task.clear()
        self._instruction.setFocus()
        self.task_changed.emit()
