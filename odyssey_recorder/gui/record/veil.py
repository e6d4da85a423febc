"""Why the mirror takes no input: words and an icon over the picture, and how much of it they leave to be seen."""

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.theme import Theme

_ICON_PX = 40
_GAP_PX = 12


class Weight(Enum):
    """How much of the picture a veil leaves to be seen: its opacity, 0 to 255."""

    CLEAR = 0
    LIGHT = 70
    HEAVY = 240


@dataclass(frozen=True, slots=True)
class Veil:
    """Why the mirror takes no input; `icon` is the name of a glyph, shown with a heavy veil."""

    words: str
    weight: Weight = Weight.LIGHT
    icon: str = "cellphone"

    @property
    def cover(self) -> QColor:
        """The colour that lies over the picture."""
        cover = QColor(Theme.current().window)
        cover.setAlpha(self.weight.value)
        return cover


def paint_message(painter: QPainter, area: QRectF, veil: Veil) -> None:
    """The veil's icon and the words below it, both in the middle of `area`."""
    theme = Theme.current()
    words_font = QFont(painter.font())
    words_font.setPointSizeF(words_font.pointSizeF() * 1.15)
    painter.setFont(words_font)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    width = min(area.width() - 32, 420.0)
    column = QRectF(area.center().x() - width / 2, area.top(), width, area.height())
    words = painter.boundingRect(column, int(flags), veil.words)
    top = area.center().y() - (_ICON_PX + _GAP_PX + words.height()) / 2
    below = QRectF(column.left(), top + _ICON_PX + _GAP_PX, width, words.height() + 4)
    painter.setPen(theme.text)
    painter.drawText(below, int(flags), veil.words)
    painter.setFont(glyph_font(_ICON_PX))
    painter.setPen(theme.muted)
    painter.drawText(QRectF(column.left(), top, width, _ICON_PX), Qt.AlignmentFlag.AlignCenter, glyph(veil.icon))
