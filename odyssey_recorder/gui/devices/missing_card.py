"""What of the Android SDK is missing, each part with the command that brings it."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QVBoxLayout

from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.gui.fix_list import FixList
from odyssey_recorder.gui.parts import text_label


class MissingCard(QFrame):
    """Hidden where nothing is missing."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._list = FixList()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 8, 12)
        column.setSpacing(8)
        column.addWidget(text_label("Missing for Android Studio's emulators", "title"))
        column.addWidget(text_label("Simulated devices work without it.", "hint"))
        column.addWidget(self._list, 1)
        self.hide()

    def show_findings(self, findings: Sequence[PreflightFinding]) -> None:
        """Show what is missing; nothing at all where nothing is."""
        self._list.show_findings(findings)
        self.setVisible(bool(findings))

    def repaint_icons(self) -> None:
        """Draw the icons anew for another palette."""
        self._list.repaint_icons()
