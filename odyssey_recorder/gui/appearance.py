"""How the annotator's choice between light and dark becomes the colours of the whole application."""

from typing import Literal

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

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
