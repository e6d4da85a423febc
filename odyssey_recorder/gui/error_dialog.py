"""What went wrong without the program expecting it: words for the annotator, details for whoever mends it."""

import logging
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

_log = logging.getLogger(__name__)


class ErrorDialog(QDialog):
    """One error: the message, and details that can be copied."""

    def __init__(self, message: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, windowTitle="Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._details = QPlainTextEdit(details, readOnly=True, accessibleName="Details")
        words = QLabel(message, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        words.setProperty("kind", "title")
        kept = QLabel("What was recorded is kept.")
        kept.setProperty("kind", "hint")
        copy = QPushButton("Copy details", toolTip="Copy the details, to report them")
        copy.clicked.connect(self._copy)
        close = QPushButton("Close", toolTip="Close this message (Esc)", default=True)
        close.setProperty("kind", "primary")
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout(spacing=8)
        buttons.addWidget(copy)
        buttons.addStretch()
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        for part in (words, kept, self._details):
            column.addWidget(part)
        column.addLayout(buttons)
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
        self._failed.emit(f"{kind.__name__}: {error}", details)

    def _take_from_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._take(args.exc_type, args.exc_value, args.exc_traceback)

    def _show(self, message: str, details: str) -> None:
        ErrorDialog(message, details, self._window).open()
