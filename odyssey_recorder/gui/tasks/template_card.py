"""One template, or one proposed by a model, with the possible actions."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.key_button import key_buttons
from odyssey_recorder.gui.kit.marked_text import show_as_label
from odyssey_recorder.gui.kit.parts import Card, breakable, fill_column, fill_row, named, say, set_kind, text_label
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.template_table import TemplateRow
from odyssey_recorder.gui.tasks.template_text import TextSpan, proposal_text, template_passages
from odyssey_recorder.tasks.templates.template import Template, TemplateLibrary

_PASSAGE_PX, _LINE_PX = 12, 4
_PROPOSED = (TasksCommand.DROP_TEMPLATE, TasksCommand.KEEP_TEMPLATE)


class TemplateCard(Card):
    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._title = text_label("Template", "title")
        self._nothing = text_label(kind="hint")
        self._faults = text_label(kind="warning")
        self._page = named(QTextEdit(), "About the template")
        self._shown: tuple[Template, TemplateLibrary] | None = None
        show_as_label(self._page)
        self._deciding = QWidget()
        self._lay_out()
        self.show_row(None, None)

    def show_row(self, shown: TemplateRow | None, library: TemplateLibrary | None, nothing: str = "") -> None:
        proposal = shown.proposal if shown is not None else None
        template = shown.template if shown is not None else None
        self._title.setText("Template" if template is None else breakable(template.template_id))
        say(self._nothing, nothing if shown is None else "")
        self._page.setVisible(shown is not None)
        text = "" if proposal is None else "\n".join(("Proposed by a model.", *proposal_text(proposal)))
        say(self._faults, text)
        set_kind(self._faults, "warning" if proposal is not None and proposal.faults else "hint")
        self._deciding.setVisible(proposal is not None)
        self._commands.enable(TasksCommand.DROP_TEMPLATE, on=proposal is not None)
        self._commands.enable(TasksCommand.KEEP_TEMPLATE, on=proposal is not None and not proposal.faults)
        self._shown = (template, library) if template is not None and library is not None else None
        self._write()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._write()

    def _write(self) -> None:
        if self._shown is not None:
            template, library = self._shown
            passages = template_passages(template, library.catalogues.get(template.catalogue))
            _write(self._page, template.meta_task, *passages)

    def _lay_out(self) -> None:
        fill_row(self._deciding, *key_buttons(self._commands, *_PROPOSED), margins=(0, 0, 8, 0))
        parts = (self._title, self._nothing, self._faults, (self._page, 1), self._deciding)
        fill_column(self, *parts, margins=(16, 14, 8, 14), spacing=10)


def _write(page: QTextEdit, meta_task: str, *passages: TextSpan) -> None:
    theme, points = Theme.current(), page.font().pointSizeF()
    head, field, plain = QTextCharFormat(), QTextCharFormat(), QTextCharFormat()
    for look, colour, size in ((head, theme.text, 1.25), (field, theme.muted, 0.9), (plain, theme.text, 1.0)):
        look.setForeground(colour)
        look.setFontPointSize(points * size)
    page.clear()
    cursor = page.textCursor()
    cursor.insertText(meta_task, head)
    for passage in passages:
        _begin(cursor, gap=_PASSAGE_PX)
        cursor.insertText(passage.heading, field)
        for line in passage.lines:
            _begin(cursor, gap=_LINE_PX)
            cursor.insertText(line, plain)
    page.moveCursor(QTextCursor.MoveOperation.Start)


def _begin(cursor: QTextCursor, *, gap: int) -> None:
    block = QTextBlockFormat()
    block.setTopMargin(gap)
    cursor.insertBlock(block)
