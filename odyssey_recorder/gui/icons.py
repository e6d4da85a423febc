"""Icons: glyphs of the Material Design icon font, drawn in the colours of the window."""

from functools import cache

from fonticon_mdi7 import MDI7
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPixmap

_SIZE = 20
_SCALES = (1, 2, 3)


def icon(name: str, colour: QColor, off: QColor | None = None) -> QIcon:
    """The glyph `name` of the icon font in `colour`; `off` is its colour while disabled."""
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(_drawn(name, colour, scale), QIcon.Mode.Normal)
        made.addPixmap(_drawn(name, off or colour, scale), QIcon.Mode.Disabled)
    return made


def glyph(name: str) -> str:
    """The character of the icon font that shows `name`."""
    return str(getattr(MDI7, name)).rpartition(".")[2]


def glyph_font(pixels: int) -> QFont:
    """The icon font at a height of `pixels`."""
    font = QFont(_family())
    font.setPixelSize(pixels)
    return font


@cache
def _family() -> str:
    number = QFontDatabase.addApplicationFont(str(MDI7.__font_file__))
    return QFontDatabase.applicationFontFamilies(number)[0]


def _drawn(name: str, colour: QColor, scale: int) -> QPixmap:
    pixmap = QPixmap(_SIZE * scale, _SIZE * scale)
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setFont(glyph_font(_SIZE))
    painter.setPen(colour)
    painter.drawText(QRectF(0, 0, _SIZE, _SIZE), Qt.AlignmentFlag.AlignCenter, glyph(name))
    painter.end()
    return pixmap
