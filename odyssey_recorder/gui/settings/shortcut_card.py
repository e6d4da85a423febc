"""The card in which the keys of all actions are changed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import row, text_label
from odyssey_recorder.gui.settings.shortcut_table import ShortcutModel, ShortcutTable
from odyssey_recorder.gui.shortcuts import Shortcuts


class ShortcutCard(QFrame):
    """The table, and the ways back to the keys that the actions came with."""

    part_entered = Signal(object, int, int)
    """The annotator came to a part: the widget, and from where to where in it, in pixels from its top."""

    refused = Signal(str)
    """Keys were not given, and why; empty once others were given."""

    def __init__(self, shortcuts: Shortcuts, background: Background, commands: Commands) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._shortcuts = shortcuts
        self._background = background
        self._commands = commands
        self._model = ShortcutModel(shortcuts, self)
        self._table = ShortcutTable(self._model)
        self._lay_out()
        self._connect()
        self._offer()

    def _connect(self) -> None:
        commands = self._commands
        commands.belong_to(self, Command.RESET_KEYS, Command.RESET_ALL_KEYS)
        commands[Command.RESET_KEYS].triggered.connect(lambda: self._model.reset_row(self._table.row))
        commands[Command.RESET_ALL_KEYS].triggered.connect(self._model.reset_all)
        self._model.refused.connect(self.refused)
        self._shortcuts.changed.connect(self._keep)
        self._table.row_entered.connect(lambda top, bottom: self.part_entered.emit(self._table, top, bottom))
        self._table.row_entered.connect(self._offer)

    def _keep(self) -> None:
        self._offer()
        self._background.run(self._shortcuts.keep, lambda _: None, lambda error: self.refused.emit(str(error)))

    def _offer(self) -> None:
        self._commands.enable(Command.RESET_KEYS, on=self._table.row >= 0 and self._model.is_changed(self._table.row))
        self._commands.enable(Command.RESET_ALL_KEYS, on=self._model.is_any_changed)

    def _lay_out(self) -> None:
        head = row(
            text_label("Shortcuts", "title"),
            self._commands.button(Command.RESET_KEYS),
            self._commands.button(Command.RESET_ALL_KEYS),
        )
        head.setStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 20)
        column.setSpacing(8)
        column.addLayout(head)
        hint = "Choose an action and press Return, then the keys. Del takes keys away. They count at once."
        column.addWidget(text_label(hint, "hint"))
        column.addWidget(self._table)
