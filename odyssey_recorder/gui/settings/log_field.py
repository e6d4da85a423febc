"""Where the log is, and the ways there."""

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import line_edit, row
from odyssey_recorder.gui.settings.setting_fields import titled_row
from odyssey_recorder.settings import log_file


class LogField(QWidget):
    """The path of the log file, to be opened and copied."""

    failed = Signal(str)

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        path = line_edit("Log file", "")
        path.setText(str(log_file()))
        path.setReadOnly(True)
        path.setCursorPosition(0)
        buttons = QWidget()
        line = row(commands.button(Command.OPEN_LOG), commands.button(Command.COPY_LOG_PATH), None)
        line.setContentsMargins(0, 4, 0, 0)
        buttons.setLayout(line)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        hint = "To be read, or sent along when you report a fault. Keys and tokens are masked in it."
        layout.addLayout(titled_row("Log file", hint, path, buttons))
        commands.belong_to(self, Command.OPEN_LOG, Command.COPY_LOG_PATH)
        commands[Command.OPEN_LOG].triggered.connect(self._open)
        commands[Command.COPY_LOG_PATH].triggered.connect(self._copy)

    def _open(self) -> None:
        folder = log_file().parent
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.failed.emit(f"No program here opens folders. The log is in {folder}.")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(str(log_file()))
