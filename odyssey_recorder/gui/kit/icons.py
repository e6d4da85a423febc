"""Icons: glyphs of the Material Design icon font, drawn in the colours of the window."""

from functools import cache

from fonticon_mdi7 import MDI7
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

_SIZE = 20


def icon(name: str, colour: QColor, off: QColor | None = None) -> QIcon:
    """A glyph of the icon font; `off` is its colour while disabled."""
    return QIcon(_GlyphEngine(name, colour, off or colour))


def glyph(name: str) -> str:
    return str(getattr(MDI7, name)).rpartition(".")[2]


def glyph_font(pixels: int) -> QFont:
    font = QFont(_family())
    font.setPixelSize(pixels)
    return font


class _GlyphEngine(QIconEngine):
    """Draws a glyph when it is first shown, no larger than its own size: most commands are never shown."""

    def __init__(self, name: str, colour: QColor, off: QColor) -> None:
        super().__init__()
        self._name = name
        self._colour = colour
        self._off = off
        self._pixmaps: dict[tuple[int, bool], QPixmap] = {}

    def clone(self) -> QIconEngine:
        return _GlyphEngine(self._name, self._colour, self._off)

    def actualSize(self, size: QSize, _mode: QIcon.Mode, _state: QIcon.State) -> QSize:
        return size.boundedTo(QSize(_SIZE, _SIZE))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        pixels = min(size.width(), size.height(), round(_SIZE * scale))
        key = (pixels, mode is QIcon.Mode.Disabled)
        if key not in self._pixmaps:
            pixmap = QPixmap(pixels, pixels)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            self.paint(painter, pixmap.rect(), mode, state)
            painter.end()
            self._pixmaps[key] = pixmap
        return self._pixmaps[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        painter.save()
        painter.setFont(glyph_font(min(rect.width(), rect.height())))
        painter.setPen(self._off if mode is QIcon.Mode.Disabled else self._colour)
        painter.drawText(QRectF(rect), Qt.AlignmentFlag.AlignCenter, glyph(self._name))
        painter.restore()


@cache
def _family() -> str:
    number = QFontDatabase.addApplicationFont(str(MDI7.__font_file__))
    return QFontDatabase.applicationFontFamilies(number)[0]
