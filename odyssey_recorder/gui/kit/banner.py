"""A message on a page about a success, refusal or failure; it stays until it is dismissed or its cause is gone."""

from enum import Enum

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel

from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import column, fill_row, push_button, row, say, text_label
from odyssey_recorder.gui.kit.theme import Theme


class Tone(Enum):
    SUCCESS = "check_circle"
    WARNING = "alert"
    DANGER = "alert_circle"

    @property
    def icon(self) -> QIcon:
        theme = Theme.current()
        colours = {Tone.SUCCESS: theme.success, Tone.WARNING: theme.warning, Tone.DANGER: theme.danger}
        return icon(self.value, colours[self])


class Banner(QFrame):
    """One message and its buttons; plain text, never markup."""

    def __init__(self, *buttons: QAbstractButton, can_dismiss: bool = False) -> None:
        super().__init__()
        self.setProperty("kind", "banner")
        self._tone = Tone.WARNING
        self._cause = ""
        self._icon = QLabel()
        self._text = text_label()
        self._detail = text_label(kind="hint")
        self._detail.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._detail.setMinimumWidth(1)  # a long name must not take space from a button
        if can_dismiss:
            buttons = (*buttons, push_button("Dismiss", "Dismiss this message", "quiet", self.hide))
        layout = fill_row(self, margins=(12, 10, 10, 10), spacing=10)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addLayout(column(self._text, self._detail, spacing=2), 1)
        layout.addLayout(row(*buttons))
        self.hide()

    def show_message(self, tone: Tone, text: str, detail: str = "", *, cause: str = "") -> None:
        self._tone, self._cause = tone, cause
        self._text.setText(text)
        say(self._detail, detail)
        self.setAccessibleName(f"{text} {detail}".strip())
        self.setProperty("tone", tone.name.lower())
        self.style().unpolish(self)
        self.style().polish(self)
        self.repaint_icons()
        self.show()

    def end(self, cause: str) -> None:
        """Hide the message if this was its cause."""
        if self._cause == cause:
            self.hide()

    def repaint_icons(self) -> None:
        self._icon.setPixmap(self._tone.icon.pixmap(20, 20))
