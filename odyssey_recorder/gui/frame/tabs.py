"""The tabs of the views of a page."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import fill_row, tool_button


class Tabs(QWidget):
    """One command at a time is checked; `row` may hold more at its end."""

    def __init__(
        self, commands: Commands, style: Qt.ToolButtonStyle = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    ) -> None:
        super().__init__()
        self._commands = commands
        self._style = style
        self._group = QActionGroup(self)
        self.row = fill_row(self, None, spacing=2)

    def add(self, command: Command, show: Callable[[], object]) -> None:
        """`show` is called whenever the command becomes the checked one."""
        action = self._commands[command]
        self._group.addAction(action)
        action.toggled.connect(lambda on: show() if on else None)
        tab = tool_button(action, command.value.label, "tab", self._style)
        tab.setIconSize(QSize(16, 16))
        self.row.insertWidget(self.row.count() - 1, tab)
