"""The Qt application: its name, style, font and colours, where Qt's warnings go, and when garbage is collected."""

import gc
import logging
import sys
from typing import Literal

import font_roboto
from PySide6.QtCore import QEvent, QMessageLogContext, QObject, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from odyssey_recorder import __version__
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


ThemeName = Literal["system", "light", "dark"]

_SCHEMES = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
_ACCENT = "#308cc6"


def use_theme(name: ThemeName) -> None:
    """Show the application in these colours from now on; "system" is what the system says."""
    scheme = _SCHEMES[name]
    hints = QApplication.styleHints()
    hints.setColorScheme(scheme)
    # Not every system lets a program choose: a bare X server has no schemes at all.
    follows = name == "system" or hints.colorScheme() is scheme
    QApplication.setPalette(QPalette() if follows else _palette(is_dark=name == "dark"))
    for window in QApplication.topLevelWidgets():
        QApplication.sendEvent(window, QEvent(QEvent.Type.ThemeChange))  # as the system's own change is told


def _palette(*, is_dark: bool) -> QPalette:
    """A whole palette, made as Qt makes those of its Fusion style: from the colours of buttons and windows."""
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
"""After so many sweeps of what is young all is swept: that takes as long as a few frames."""


class GarbageCollector(QObject):
    """Stands in for Python's own collector, which runs on whichever thread asks for memory, until it is stopped.

    A window is a web of objects that refer to each other; taken apart by one thread while another one makes widgets,
    it ends the program (PySide6 6.11).
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.sweep)

    def start(self) -> None:
        """Sweep from time to time, for as long as events are handled."""
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.enable()

    def sweep(self) -> None:
        """Sweep what is young, if there is enough of it, and now and then the rest."""
        young, _middle, old = gc.get_count()
        if young > gc.get_threshold()[0]:
            gc.collect(2 if old >= _WHOLE else 1)
