"""A message above the mirror: what was published, what was refused, what failed; it stays until it is answered."""

from enum import Enum

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from odyssey_recorder.gui.icons import icon
from odyssey_recorder.gui.theme import Theme


class Tone(Enum):
    """How a message is meant: the name of its colour and of its icon."""

    SUCCESS = "check_circle"
    WARNING = "alert"
    DANGER = "alert_circle"


class Banner(QFrame):
    """One message with the buttons that answer it; the words are plain text, never markup."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "banner")
        self._tone = Tone.WARNING
        self._icon = QLabel()
        self._words = _plain_label()
        self._detail = _plain_label()
        self._detail.setProperty("kind", "hint")
        self._detail.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._close = QPushButton("Dismiss", toolTip="Dismiss this message", autoDefault=False)
        self._close.setProperty("kind", "quiet")
        self._close.clicked.connect(self.hide)
        self._buttons = QHBoxLayout(spacing=8)
        self._lay_out()
        self.hide()

    def add_button(self, button: QAbstractButton) -> None:
        """Put a button that answers the message beside the others."""
        self._buttons.insertWidget(self._buttons.count() - 1, button)

    def show_message(self, tone: Tone, words: str, detail: str = "") -> None:
        """Show `words`, with `detail` in small type below."""
        self._tone = tone
        self._words.setText(words)
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))
        self.setAccessibleName(f"{words} {detail}".strip())
        self.setProperty("tone", tone.name.lower())
        self.style().unpolish(self)
        self.style().polish(self)
        self.repaint_icons()
        self.show()

    def repaint_icons(self) -> None:
        """Draw the icon anew, after another message or another palette."""
        theme = Theme.of(self.palette())
        colours = {Tone.SUCCESS: theme.success, Tone.WARNING: theme.warning, Tone.DANGER: theme.danger}
        self._icon.setPixmap(icon(self._tone.value, colours[self._tone]).pixmap(20, 20))

    @property
    def words(self) -> str:
        """What the banner says."""
        return self._words.text()

    def _lay_out(self) -> None:
        texts = QVBoxLayout(spacing=2)
        texts.addWidget(self._words)
        texts.addWidget(self._detail)
        self._buttons.addWidget(self._close)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 10, 10)
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(texts, 1)
        row.addLayout(self._buttons)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


def _plain_label() -> QLabel:
    label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setMinimumWidth(40)
    return label
