"""Drives the Evaluate page."""

from pathlib import Path

from PySide6.QtWidgets import QLineEdit, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.evaluate.evaluate_page import EvaluatePage
from odyssey_recorder.gui.frame.background import Background
from tests.gui.item_views import row_texts
from tests.gui.pilot import WidgetPilot


class EvaluatePilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.page = EvaluatePage(lambda: EpisodeIndex(root, None), background, self.commands)
        self.show_widget(self.page, 1400, 900)

    def score(self, predictions: Path, against: Path | str = "") -> None:
        self.named(QLineEdit, "Predictions").setText(str(predictions))
        self.named(QLineEdit, "Compare with").setText(str(against))
        self.press("Score")
        self.qtbot.waitUntil(lambda: not self.background.jobs)

    def cells(self, name: str) -> list[list[str]]:
        return row_texts(self.named(QTableView, name))
