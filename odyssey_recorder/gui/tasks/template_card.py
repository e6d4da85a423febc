"""One template in full, or one that a model proposes, with what may be done with it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import breakable, scroll_area, text_label
from odyssey_recorder.gui.review.key_button import KeyButton
from odyssey_recorder.gui.tasks.template_table import TemplateRow
from odyssey_recorder.gui.tasks.template_words import Passage, proposal_words, template_passages
from odyssey_recorder.task.template import TemplateLibrary

_PROPOSED = (Command.DROP_TEMPLATE, Command.KEEP_TEMPLATE)


class TemplateCard(QFrame):
    """The card at the right of the table."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._commands = commands
        self._title = text_label("Template", "title")
        self._nothing = text_label(kind="hint")
        self._faults = text_label(kind="warning")
        self._area = scroll_area()
        self._deciding = QWidget()
        self._lay_out()
        self.show_row(None, None)

    def show_row(self, shown: TemplateRow | None, library: TemplateLibrary | None, nothing: str = "") -> None:
        """Show a template, or why there is `nothing`."""
        proposal = shown.proposal if shown is not None else None
        template = shown.template if shown is not None else None
        self._title.setText("Template" if template is None else breakable(template.template_id))
        self._nothing.setText(nothing)
        self._nothing.setVisible(shown is None)
        self._area.setVisible(shown is not None)
        words = "" if proposal is None else "\n".join(("A proposal of a model.", *proposal_words(proposal)))
        self._faults.setText(words)
        self._faults.setVisible(proposal is not None)
        self._faults.setProperty("kind", "warning" if proposal is not None and proposal.faults else "hint")
        self._faults.style().polish(self._faults)
        self._deciding.setVisible(proposal is not None)
        self._commands.enable(Command.DROP_TEMPLATE, on=proposal is not None)
        self._commands.enable(Command.KEEP_TEMPLATE, on=proposal is not None and not proposal.faults)
        if template is not None and library is not None:
            passages = template_passages(template, library.catalogues.get(template.catalogue))
            self._area.setWidget(_sheet(template.meta_task, *passages))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout(self._deciding)
        buttons.setContentsMargins(0, 0, 8, 0)
        for command in _PROPOSED:
            kind = "primary" if command.value.primary else ""
            buttons.addWidget(KeyButton(self._commands[command], command.value.label, kind))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 8, 14)
        column.setSpacing(10)
        for part in (self._title, self._nothing, self._faults):
            column.addWidget(part)
        column.addWidget(self._area, 1)
        column.addWidget(self._deciding)


def _sheet(meta_task: str, *passages: Passage) -> QWidget:
    inner = QWidget()
    column = QVBoxLayout(inner)
    column.setContentsMargins(0, 0, 8, 0)
    column.setSpacing(4)
    column.addWidget(_selectable(meta_task, "instruction"))
    for passage in passages:
        column.addSpacing(8)
        column.addWidget(_selectable(passage.heading, "field"))
        for line in passage.lines:
            column.addWidget(_selectable(line))
    column.addStretch()
    return inner


def _selectable(words: str, kind: str = "") -> QLabel:
    label = text_label(words, kind)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setMinimumWidth(1)
    return label
