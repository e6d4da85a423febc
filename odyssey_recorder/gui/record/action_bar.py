"""The controls below the mirror: system keys, the text field, and the two ways to end an episode."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import fill_column, line_edit, row, text_label
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.gui.record.commands import RecordCommand

_NATIVE = QKeySequence.SequenceFormat.NativeText
_LABELS_FROM_PX = 540
"""Wide enough for the names of the system keys."""
_ONE_ROW_FROM_PX = 860


class ActionBar(QWidget):
    """Emits an entered text, or that it was entered too early; then the box keeps it."""

    text_entered = Signal(str)
    text_refused = Signal()

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._text = line_edit("Text to type", "Text, then Enter")
        self._to_device = text_label("To the device", "field")
        self._to_device.setWordWrap(False)
        self._update_tooltip()
        self._text.returnPressed.connect(self.enter_text)
        self._text.textChanged.connect(self._allow_typing)
        commands[RecordCommand.TYPE].triggered.connect(self._type)
        commands[RecordCommand.WRITE].triggered.connect(self._text.setFocus)
        commands[RecordCommand.WRITE].changed.connect(self._update_tooltip)
        self._keys = commands.buttons(RecordCommand.BACK, RecordCommand.HOME, RecordCommand.RECENT)
        self._type_button = commands.button(RecordCommand.TYPE)
        self._takes_text = False
        write = row(self._to_device, (self._text, 1), self._type_button)
        endings = commands.buttons(RecordCommand.IMPOSSIBLE, RecordCommand.COMPLETE)
        self._rows: QBoxLayout = fill_column(self, (write, 1), row(*self._keys, None, *endings), spacing=10)
        self.set_enabled(keys=False, text=False, endings=False)

    def _update_tooltip(self) -> None:
        self._text.setToolTip(self._commands[RecordCommand.WRITE].toolTip())

    def show_input(self, shown: bool) -> None:
        self._commands.enable(RecordCommand.WRITE, on=shown)
        for part in (self._to_device, self._text, self._type_button, *self._keys):
            part.setVisible(shown)

    def set_enabled(self, *, keys: bool, text: bool, endings: bool, why: str = "") -> None:
        """Enable system keys, typing and endings, or say `why` not. Text may be written in advance."""
        self._takes_text = text
        self._commands.enable(RecordCommand.COMPLETE, RecordCommand.IMPOSSIBLE, on=endings, why=why)
        self._commands.enable(RecordCommand.BACK, RecordCommand.HOME, RecordCommand.RECENT, on=keys, why=why)
        self._allow_typing()

    @property
    def keys_to_write(self) -> str:
        """The keys that focus the text field; empty if there is no field or no keys."""
        return self._commands[RecordCommand.WRITE].shortcut().toString(_NATIVE) if self._text.isVisible() else ""

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def takes_text(self) -> bool:
        return self._takes_text

    def show_text(self, text: str) -> None:
        self._text.setText(text)

    def write(self, text: str) -> None:
        """Go to the field, and write there what was typed elsewhere."""
        self._text.setFocus()
        self._text.insert(text)

    def enter_text(self) -> None:
        if self._takes_text:
            self._commands[RecordCommand.TYPE].trigger()
        elif self._text.text():
            self.text_refused.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # which a line edit passes on
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        width, directions = event.size().width(), QBoxLayout.Direction
        for button in self._keys:
            button.set_wordless(width < grown(_LABELS_FROM_PX))
        is_one_row = width >= grown(_ONE_ROW_FROM_PX)
        self._rows.setDirection(directions.LeftToRight if is_one_row else directions.TopToBottom)
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, super().minimumSizeHint().height())

    def _allow_typing(self) -> None:
        self._commands.enable(RecordCommand.TYPE, on=self._takes_text and bool(self._text.text()))

    def _type(self) -> None:
        text = self._text.text()
        self._text.setText("")  # unlike clear(), leaves nothing to undo: the text is on the device
        self.text_entered.emit(text)
