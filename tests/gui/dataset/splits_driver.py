"""Drives the splits of the Dataset page, alone in a window."""

from pathlib import Path

from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.dataset.splits_view import MakeSplitsDialog, SplitsView
from odyssey_recorder.gui.frame.background import Background
from tests.gui.item_views import row_texts
from tests.gui.pilot import WidgetPilot, button_in


class SplitsDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.root = root
        self.view = SplitsView(root, background, self.commands)

    def open(self) -> "SplitsDriver":
        self.show_widget(self.view)
        self.wait()
        return self

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: not self.background.jobs)

    def table(self, name: str) -> list[list[str]]:
        return row_texts(self.named(QTableView, name))

    def open_plan(self) -> MakeSplitsDialog:
        self.press("Make splits")
        self.wait_for_text("Press “Preview”")
        return self.find(MakeSplitsDialog)

    def plan(self, dialog: MakeSplitsDialog) -> None:
        plan = button_in(dialog, "Preview")
        self.qtbot.waitUntil(plan.isEnabled)
        plan.click()
        self.qtbot.waitUntil(button_in(dialog, "Save splits").isEnabled)

    def write(self, dialog: MakeSplitsDialog) -> None:
        """The planned splits."""
        with self.qtbot.waitSignal(self.view.splits_written):
            button_in(dialog, "Save splits").click()
        self.wait_for_text("Splits saved.")
        self.wait()
