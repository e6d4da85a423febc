"""Drives the figures of the Dataset page."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.dataset.figures_view import FiguresView
from odyssey_recorder.gui.figures.figures_pane import FiguresPane, PanelView
from odyssey_recorder.gui.frame.background import Background
from tests.gui.pilot import WidgetPilot


class FiguresDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, index: EpisodeIndex) -> None:
        super().__init__(qtbot, background)
        self.view = FiguresView(index, background, self.commands)
        self.filters: list[str] = []
        self.view.filter_chosen.connect(self.filters.append)

    def open(self) -> None:
        self.show_widget(self.view)
        self.qtbot.waitUntil(lambda: not self.background.jobs and self.find(FiguresPane).is_complete)

    def save(self, button: str, path: Path) -> None:
        self.press(button)
        self.choose_file(path)
        self.qtbot.waitUntil(lambda: not self.is_asked)

    def tips(self, figure: str) -> list[str]:
        """What a screen reader says about the marks of a figure."""
        drawing = self.named(PanelView, figure)
        tips = []
        for _ in range(3):
            QTest.keyClick(drawing, Qt.Key.Key_Down)
            tips.append(drawing.accessibleDescription())
        return tips
