"""The window as a program: opens on a service, shows every unexpected error, and ends when it is closed."""

import gc
import logging
import signal
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from odyssey_recorder.gui.application import application, use_theme
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.main_window import MainWindow
from odyssey_recorder.gui.parts import fill_dialog, named, push_button, row, text_label
from odyssey_recorder.gui.record.recording_controller import RecordingController
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.recording_service import RecordingService

_log = logging.getLogger(__name__)


class ErrorDialog(QDialog):
    """One error: the message, and details that can be copied."""

    def __init__(self, message: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._details = named(QPlainTextEdit(details), "Details")
        self._details.setReadOnly(True)
        copy = push_button("Copy details", "Copy the details, to report them")
        copy.clicked.connect(self._copy)
        close = push_button("Close", "Close this message (Esc)", "primary")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        words = text_label(message, "title")
        kept = text_label("What was recorded is kept.", "hint")
        fill_dialog(self, words, kept, self._details, row(copy, None, close), stretch=self._details)
        self.resize(620, 380)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details.toPlainText())


class ErrorHook(QObject):
    """Shows every exception that nobody caught, from whichever thread, once it is in the log."""

    _failed = Signal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._failed.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Take over from Python's own hooks."""
        sys.excepthook = self._take
        threading.excepthook = self._take_from_thread

    def _take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        _log.error("An error that nobody expected:\n%s", details)
        self._failed.emit(f"The program met an error that it did not expect: {kind.__name__}: {error}", details)

    def _take_from_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._take(args.exc_type, args.exc_value, args.exc_traceback)

    def _show(self, message: str, details: str) -> None:
        ErrorDialog(message, details, self._window).open()


def run(
    service: RecordingService, workplace: Workplace | None = None, *, serial: str | None = None, to_review: bool = False
) -> int:
    """Open the window on `service`, connected to `serial` if one is given; the exit code, once it is closed.

    It opens `to_review`, or on the page that it was closed on.

    `workplace` is what the pages beside Record are given.
    """
    app = application()
    use_theme(workplace.theme if workplace is not None else "system")
    controller = RecordingController(service)
    window = MainWindow(controller, workplace, Command.REVIEW_PAGE if to_review else None)
    ErrorHook(window).install()
    window.prepared.connect(gc.freeze)  # else each full collection looks at all modules again, for over 50 ms
    signal.signal(signal.SIGINT, lambda _number, _frame: QTimer.singleShot(0, window.close))
    window.open_on(serial)
    code = app.exec()
    controller.close()
    return code
