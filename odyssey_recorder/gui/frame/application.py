"""The Qt application: its look, the handlers for Qt's warnings and unexpected errors, and garbage collection."""

import gc
import logging
import sys
import threading
import traceback
from collections.abc import Mapping
from types import TracebackType
from typing import Literal

import font_roboto
from PySide6.QtCore import QEvent, QMessageLogContext, QObject, Qt, QTimer, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from odyssey_recorder import __version__
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import named, push_button, row, text_label
from odyssey_recorder.gui.kit.theme import MARK, set_text_scale

_log = logging.getLogger(__name__)
_qt_log = logging.getLogger("qt")
_NOBODYS_CHOICE = frozenset({"DejaVu Sans", "Bitstream Vera Sans"})
"""Qt falls back to one of these where the system names no font, as on a bare X server."""

_POINTS = 10

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def application() -> QApplication:
    """The application, created on first use; logs Qt's warnings and collects garbage on this thread only."""
    qInstallMessageHandler(_log_qt)
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    prepare(app)
    if app.findChild(GarbageCollector) is None:
        GarbageCollector(app).start()
    return app


def prepare(app: QApplication) -> None:
    app.setApplicationName("odyssey-recorder")
    app.setApplicationDisplayName("Odyssey Recorder")
    app.setApplicationVersion(__version__)
    app.setStyle("Fusion")
    app.setWindowIcon(icon("record_circle_outline", MARK))
    if QFontInfo(app.font()).family() in _NOBODYS_CHOICE:
        app.setFont(_own_font())


def _own_font() -> QFont:
    for face in ("Roboto", "RobotoMedium", "RobotoBold"):
        QFontDatabase.addApplicationFont(font_roboto.font_files[face])
    font = QFont("Roboto")
    font.setPointSizeF(_POINTS)
    return font


def _log_qt(kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
    _qt_log.log(_LEVELS[kind], "%s", words)


ThemeName = Literal["system", "light", "dark"]
TextSize = Literal["small", "normal", "large", "extra large"]

_SCALES: Mapping[TextSize, float] = {"small": 0.9, "normal": 1.0, "large": 1.2, "extra large": 1.4}

_SCHEMES = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
_ACCENT = "#308cc6"


def use_theme(name: ThemeName) -> None:
    """Set the colour scheme; "system" follows the desktop."""
    scheme = _SCHEMES[name]
    hints = QApplication.styleHints()
    hints.setColorScheme(scheme)
    # Some systems have no colour schemes, such as a bare X server.
    follows = name == "system" or hints.colorScheme() is scheme
    QApplication.setPalette(QPalette() if follows else _palette(is_dark=name == "dark"))
    for window in QApplication.topLevelWidgets():
        QApplication.sendEvent(window, QEvent(QEvent.Type.ThemeChange))  # as when the system's theme changes


def use_text_size(size: TextSize) -> None:
    """Set the size of all text, relative to the system's own."""
    set_text_scale(_SCALES[size])
    for window in QApplication.topLevelWidgets():
        QApplication.sendEvent(window, QEvent(QEvent.Type.ThemeChange))  # as when the system's theme changes


def _palette(*, is_dark: bool) -> QPalette:
    """A complete palette, derived from button and window colours as Qt does for its Fusion style."""
    text = QColor("#f0f0f0" if is_dark else "#000000")
    palette = QPalette(QColor("#3c3f45" if is_dark else "#efefef"), QColor("#2b2d31" if is_dark else "#efefef"))
    roles = QPalette.ColorRole
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.ToolTipText):
        palette.setColor(role, text)
    palette.setColor(roles.Base, QColor("#232529" if is_dark else "#ffffff"))
    palette.setColor(roles.ToolTipBase, QColor("#3c3f45" if is_dark else "#ffffff"))
    palette.setColor(roles.PlaceholderText, QColor("#9a9da3" if is_dark else "#6f6f6f"))
    for role in (roles.Accent, roles.Highlight, roles.Link):
        palette.setColor(role, QColor(_ACCENT))
    palette.setColor(roles.HighlightedText, QColor("white"))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor("#84878d" if is_dark else "#8a8a8a"))
    return palette


_EVERY_MS = 1000
_WHOLE = 200
"""A full collection, which takes as long as a few frames, follows after this many partial ones."""


class GarbageCollector(QObject):
    """Replaces Python's own collector, which runs on any thread that allocates, until it is stopped.

    A window is a web of reference cycles; collecting them on one thread while another creates widgets crashes the
    program (PySide6 6.11).
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.sweep)

    def start(self) -> None:
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        gc.enable()

    def sweep(self) -> None:
        young, _middle, old = gc.get_count()
        if young > gc.get_threshold()[0]:
            gc.collect(2 if old >= _WHOLE else 1)


class ErrorDialog(Dialog):
    def __init__(self, message: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__("Something went wrong", parent)
        self._details = named(QPlainTextEdit(details), "Details")
        self._details.setReadOnly(True)
        copy = push_button("Copy details", "Copy the details, to report them", call=self._copy)
        close = push_button("Close", "Close this message (Esc)", "primary", call=self.accept)
        words = text_label(message, "title")
        kept = text_label("Your recordings are saved.", "hint")
        self.fill(words, kept, self._details, row(copy, None, close), stretch=self._details)
        self.resize(620, 380)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details.toPlainText())


class ErrorHook(QObject):
    _failed = Signal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._failed.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        sys.excepthook = self._take
        threading.excepthook = self._take_from_thread

    def _take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        _log.error("Unexpected error:\n%s", details)
        self._failed.emit(f"An unexpected error occurred: {kind.__name__}: {error}", details)

    def _take_from_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._take(args.exc_type, args.exc_value, args.exc_traceback)

    def _show(self, message: str, details: str) -> None:
        ErrorDialog(message, details, self._window).open()
