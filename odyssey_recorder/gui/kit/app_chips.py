"""The apps of a task: as chips to read, and in a field to write."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from odyssey_recorder.gui.kit.marked_text import MarkedRow, MarkedText, TextPart


class AppChips(MarkedText):
    """Each name on a ground of its own."""

    def __init__(self) -> None:
        super().__init__("Apps")
        self.setToolTip("")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def set_apps(self, apps: Sequence[str]) -> None:
        names = ("\N{NO-BREAK SPACE}".join(("", *app.split(), "")) for app in dict.fromkeys(apps))
        self.show_rows(MarkedRow([part for name in names for part in (TextPart(name, filled=True), TextPart("  "))]))


class AppsField(QLineEdit):
    """Names with commas between them."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Apps")
        self.setPlaceholderText("Chrome, Google Maps")

    @property
    def apps(self) -> tuple[str, ...]:
        names = (" ".join(name.split()) for name in self.text().split(","))
        return tuple(dict.fromkeys(filter(None, names)))

    def set_apps(self, apps: Sequence[str]) -> None:
        self.setText(", ".join(apps))
