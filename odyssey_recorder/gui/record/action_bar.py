"""The controls below the mirror: the device's keys, the box for text, and the two ways to end an episode."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import line_edit, row

_WORDS_FROM_PX = 540
"""From this width on there is room for the names of the device's keys."""


class ActionBar(QWidget):
    """Emits the text that shall be typed; everything else is a command."""

    text_entered = Signal(str)

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._text = line_edit("Text to type", "Text to type on the device, then Enter")
        self._tell_keys()
        self._text.returnPressed.connect(commands[Command.TYPE].trigger)
        self._text.textChanged.connect(self._allow_typing)
        commands[Command.TYPE].triggered.connect(self._type)
        commands[Command.WRITE].triggered.connect(self._text.setFocus)
        commands[Command.WRITE].changed.connect(self._tell_keys)
        self._keys = [commands.button(command) for command in (Command.BACK, Command.HOME, Command.RECENT)]
        self._type_button = commands.button(Command.TYPE)
        self._takes_text = False
        self._lay_out()
        self.set_enabled(keys=False, text=False, endings=False)

    def _tell_keys(self) -> None:
        self._text.setToolTip(self._commands[Command.WRITE].toolTip())

    def show_input(self, shown: bool) -> None:
        """Show the ways to put something in, or only those to end an episode."""
        for part in (self._text, self._type_button, *self._keys):
            part.setVisible(shown)

    def set_enabled(self, *, keys: bool, text: bool, endings: bool) -> None:
        """Let the device's keys be pressed, text be typed, the episode be ended. Text may be written in advance."""
        self._takes_text = text
        self._commands.enable(Command.COMPLETE, Command.IMPOSSIBLE, on=endings)
        self._commands.enable(Command.BACK, Command.HOME, Command.RECENT, on=keys)
        self._allow_typing()

    def begin_text(self, text: str) -> None:
        """Go to the box with `text` already typed: a key was pressed where no other control wanted it."""
        if self._takes_text and self._text.isVisible():
            self._text.setFocus()
            self._text.insert(text)

    def show_text(self, text: str) -> None:
        """Put `text` into the box."""
        self._text.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        for button in self._keys:
            button.set_wordless(event.size().width() < _WORDS_FROM_PX)
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, super().minimumSizeHint().height())

    def _allow_typing(self) -> None:
        self._commands.enable(Command.TYPE, on=self._takes_text and bool(self._text.text()))

    def _type(self) -> None:
        text = self._text.text()
        self._text.clear()
        self.text_entered.emit(text)

    def _lay_out(self) -> None:
        write = row(self._text, self._type_button)
        write.setStretch(0, 1)
        endings = (self._commands.button(Command.IMPOSSIBLE), self._commands.button(Command.COMPLETE))
        keys = row(*self._keys, None, *endings)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(write)
        column.addLayout(keys)
