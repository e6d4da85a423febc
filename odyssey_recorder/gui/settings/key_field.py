"""The two fields of the page that are no settings: the API key, and the path of the log."""

from collections.abc import Callable

from pydantic import SecretStr
from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import line_edit, text_label
from odyssey_recorder.gui.settings.commands import SettingsCommand
from odyssey_recorder.gui.settings.setting_fields import button_row, titled_row
from odyssey_recorder.keys import VARIABLE, KeyPlace, KeyStatus, forget_key, key_status, store_key
from odyssey_recorder.settings import log_file


class KeyField(QWidget):
    failed = Signal(str)

    def __init__(self, background: Background, commands: Commands) -> None:
        super().__init__()
        self._background = background
        self._commands = commands
        self._status: KeyStatus | None = None
        self._line = line_edit("API key", "A key to save to the keyring")
        self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self._status_text = text_label(kind="hint")
        buttons = button_row(*commands.buttons(SettingsCommand.STORE_KEY, SettingsCommand.FORGET_KEY), above=4)
        hint = "In your system's keyring or in the environment, never in a file."
        self.setLayout(titled_row("API key", hint, self._line, self._status_text, buttons))
        commands.bind(self, {SettingsCommand.STORE_KEY: self._store, SettingsCommand.FORGET_KEY: self._forget})
        self._line.textChanged.connect(self._offer)
        self._line.returnPressed.connect(commands[SettingsCommand.STORE_KEY].trigger)
        self._offer()

    def look(self) -> None:
        self._run(lambda: None)

    def _store(self) -> None:
        key = SecretStr(self._line.text())
        self._run(lambda: store_key(key), self._line.clear)

    def _forget(self) -> None:
        self._run(forget_key)

    def _run(self, call: Callable[[], None], then: Callable[[], None] = lambda: None) -> None:
        def done(status: KeyStatus) -> None:
            self._show(status)
            then()

        def call_and_look() -> KeyStatus:
            call()
            return key_status()

        self._commands.enable(SettingsCommand.STORE_KEY, SettingsCommand.FORGET_KEY, on=False)
        self._background.run(call_and_look, done, self._fail)

    def _show(self, status: KeyStatus) -> None:
        self._status = status
        self._status_text.setText(_status_text(status))
        self._line.setAccessibleDescription(_status_text(status))
        self._line.setEnabled(bool(status.keyring) and status.place is not KeyPlace.ENVIRONMENT)
        self._offer()

    def _fail(self, error: Exception) -> None:
        self._offer()
        self.failed.emit(str(error))

    def _offer(self) -> None:
        can_store = self._line.isEnabled() and bool(self._line.text().strip())
        has_key = self._status is not None and self._status.place is KeyPlace.KEYRING
        self._commands.enable(SettingsCommand.STORE_KEY, on=can_store)
        self._commands.enable(SettingsCommand.FORGET_KEY, on=has_key)


def _status_text(status: KeyStatus) -> str:
    if status.trouble:
        return status.trouble
    match status.place:
        case KeyPlace.ENVIRONMENT:
            return f"The key is set by the environment variable {VARIABLE}, so it can't be changed here."
        case KeyPlace.KEYRING:
            return f"There is a key in the keyring ({status.keyring}). A new one replaces it."
        case KeyPlace.NOWHERE if status.keyring:
            return "There is no key yet."
        case KeyPlace.NOWHERE:
            return (
                f"This computer has no secure keyring. Set the environment variable {VARIABLE} to the key "
                "and restart the program."
            )


class LogField(QWidget):
    failed = Signal(str)

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        path = line_edit("Log file", "")
        path.setText(str(log_file()))
        path.setReadOnly(True)
        path.setCursorPosition(0)
        buttons = button_row(*commands.buttons(SettingsCommand.OPEN_LOG, SettingsCommand.COPY_LOG_PATH), above=4)
        hint = "For troubleshooting and bug reports. Keys and tokens are masked."
        self.setLayout(titled_row("Log file", hint, path, buttons))
        commands.bind(self, {SettingsCommand.OPEN_LOG: self._open, SettingsCommand.COPY_LOG_PATH: self._copy})

    def _open(self) -> None:
        folder = log_file().parent
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.failed.emit(f"No file manager is available. The log is in {folder}.")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(str(log_file()))
