"""The Qt application: its name, its style, its font, where Qt's own warnings go, and who sweeps."""

import logging
import sys

import font_roboto
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

from odyssey_recorder import __version__
from odyssey_recorder.gui.garbage_collector import GarbageCollector
from odyssey_recorder.gui.icons import icon
from odyssey_recorder.gui.theme import MARK

_log = logging.getLogger("qt")
_NOBODYS_CHOICE = frozenset({"DejaVu Sans", "Bitstream Vera Sans"})
"""Where the system names no font, as on a bare X server, Qt ends at one of these."""

_POINTS = 10

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def application() -> QApplication:
    """The one application, made now if need be; Qt's own warnings go to the log, and garbage waits for this thread."""
    qInstallMessageHandler(_log_qt)
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    prepare(app)
    if app.findChild(GarbageCollector) is None:
        GarbageCollector(app).start()
    return app


def prepare(app: QApplication) -> None:
    """Give the application its name and its look."""
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
    _log.log(_LEVELS[kind], "%s", words)
