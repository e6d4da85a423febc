"""What the annotator is asked to do: category, instruction, apps, and the template that they came from."""

from enum import Enum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from odyssey_recorder.gui.app_chips import AppChips
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import Choice, labelled, line_edit, named, row, scroll_area, text_label
from odyssey_recorder.model.episode import Category, TaskInfo


class Stage(Enum):
    """What the annotator does with the task."""

    WRITE = "write"
    RECORD = "record"
    LOOK_BACK = "look back"


class TaskCard(QFrame):
    """The card of the task: fields until the recording begins, then words to read."""

    task_changed = Signal()

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._category = Choice("Category")
        for category in Category:
            self._category.addItem(category.value.replace("_", " "), category.value)
        self._instruction = named(QPlainTextEdit(), "Instruction")
        self._instruction.setPlaceholderText("What shall be done, in the words of a person")
        self._instruction.setProperty("kind", "instruction")
        self._instruction.setTabChangesFocus(True)
        self._instruction.setFixedHeight(116)
        self._instruction.textChanged.connect(self.task_changed)
        self._apps = AppChips()
        self._apps.apps_changed.connect(self.task_changed)
        self._meta_task = line_edit("Template", "Add {item} to the cart")
        self._task = line_edit("Filled template", "Add a kettle to the cart")
        self._template = QWidget()
        self._unfold = named(QToolButton(), "Show the template")
        self._unfold.setText("Template")
        self._unfold.setCheckable(True)
        self._unfold.setToolTip("The template that the instruction was made from, and the template filled in")
        self._hint = text_label(kind="hint")
        self._reading = _TaskText()
        self._fields = QWidget()
        self._start = commands.button(Command.START).set_wide()
        self._running = QWidget()
        self._lay_out(commands)
        self.set_stage(Stage.WRITE)

    @property
    def task(self) -> TaskInfo:
        """The task as it stands in the fields; template and filled template fall back on the instruction."""
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
        """What a recording still needs, in words for the annotator; empty when nothing is missing."""
        if not self.task.instruction:
            return "Write the instruction first."
        if not self.task.apps:
            return "Name at least one app that the task uses."
        return ""

    def show_task(self, task: TaskInfo) -> None:
        """Put `task` into the fields."""
        row = self._category.findData(task.category)
        if row < 0:
            self._category.addItem(task.category, task.category)
            row = self._category.count() - 1
        self._category.setCurrentIndex(row)
        self._instruction.setPlainText(task.instruction)
        self._apps.set_apps(task.apps)
        self._meta_task.setText(task.meta_task)
        self._task.setText(task.task)
        self._reading.show_task(task)

    def clear(self) -> None:
        """Empty the fields for the next task; the category stays."""
        self._instruction.clear()
        self._apps.set_apps(())
        self._meta_task.clear()
        self._task.clear()
        self._instruction.setFocus()
        self.task_changed.emit()

    def show_hint(self, words: str) -> None:
        """Say `words` under the start button."""
        self._hint.setText(words)
        self._hint.setVisible(bool(words))

    def set_stage(self, stage: Stage) -> None:
        """Show the task to be written, with Start, or to be read, with Stop and Discard while it is recorded."""
        if stage is not Stage.WRITE:
            self._reading.show_task(self.task)
        self._fields.setVisible(stage is Stage.WRITE)
        self._start.setVisible(stage is Stage.WRITE)
        self._reading.setVisible(stage is not Stage.WRITE)
        self._running.setVisible(stage is Stage.RECORD)

    def repaint_icons(self) -> None:
        """Draw the icons anew for another palette."""
        self._apps.repaint_icons()
        self._reading.repaint_icons()

    def _lay_out(self, commands: Commands) -> None:
        head = row(text_label("Task", "title"), commands.button(Command.DRAFTS, kind="quiet"))
        head.setStretch(0, 1)
        self._lay_out_fields()
        running = QHBoxLayout(self._running)
        running.setContentsMargins(0, 0, 0, 0)
        for command in (Command.STOP, Command.DISCARD):
            running.addWidget(commands.button(command).set_wide())
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(_scrolled(self._fields, self._reading), 1)
        column.addWidget(self._hint)
        column.addWidget(self._start)
        column.addWidget(self._running)

    def _lay_out_fields(self) -> None:
        self._unfold.setProperty("kind", "fold")
        self._unfold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._unfold.setArrowType(Qt.ArrowType.RightArrow)
        self._unfold.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._unfold.toggled.connect(self._show_template)
        template = QVBoxLayout(self._template)
        template.setContentsMargins(0, 0, 0, 0)
        template.setSpacing(10)
        template.addLayout(labelled("Te&mplate", self._meta_task))
        template.addLayout(labelled("&Filled in", self._task))
        self._template.hide()
        column = QVBoxLayout(self._fields)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(labelled("&Category", self._category))
        column.addLayout(labelled("I&nstruction", self._instruction))
        column.addLayout(labelled("&Apps", self._apps))
        column.addWidget(self._unfold)
        column.addWidget(self._template)

    def _show_template(self, shown: bool) -> None:
        self._template.setVisible(shown)
        self._unfold.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)


def _scrolled(*parts: QWidget) -> QScrollArea:
    """The parts below each other, to be scrolled where the window is too low for them."""
    content = QWidget()
    column = QVBoxLayout(content)
    column.setContentsMargins(0, 0, 0, 0)
    for part in parts:
        column.addWidget(part)
    column.addStretch()
    area = scroll_area()
    area.setWidget(content)
    return area


class _TaskText(QWidget):
    """The task while it is recorded."""

    def __init__(self) -> None:
        super().__init__()
        self._category = text_label(kind="field")
        self._instruction = text_label(kind="instruction")
        self._apps = AppChips()
        self._apps.set_read_only(True)
        self._template = text_label(kind="hint")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for part in (self._category, self._instruction, self._apps, self._template):
            column.addWidget(part)

    def show_task(self, task: TaskInfo) -> None:
        self._category.setText(task.category.replace("_", " "))
        self._instruction.setText(task.instruction)
        self._apps.set_apps(task.apps)
        self._template.setText(task.meta_task)
        self._template.setVisible(task.meta_task not in ("", task.instruction))

    def repaint_icons(self) -> None:
        self._apps.repaint_icons()
