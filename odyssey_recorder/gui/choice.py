"""A drop-down list in the look of the window's other fields, and the label above a field."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLabel, QListView, QWidget

from odyssey_recorder.gui.icons import glyph, glyph_font
from odyssey_recorder.gui.theme import Theme


class Choice(QComboBox):
    """A drop-down list; never wider than its place, its popup as wide as its widest entry."""

    def __init__(self, name: str) -> None:
        super().__init__(accessibleName=name)
        self.setView(QListView())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme = Theme.of(self.palette())
        painter = QPainter(self)
        painter.setFont(glyph_font(18))
        painter.setPen(theme.muted if self.isEnabled() else theme.off)
        place = QRectF(self.width() - 28, 0, 20, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, glyph("chevron_down"))


def field_label(words: str, field: QWidget) -> QLabel:
    """The small label above `field`; its mnemonic and its click lead there."""
    label = QLabel(words)
    label.setProperty("kind", "field")
    label.setBuddy(field)
    return label
