from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QListView

from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.kit.table import VALUE
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.review_viewer import ReviewViewer
from odyssey_recorder.gui.review.verdict_panel import VerdictPanel
from odyssey_recorder.services.review import ReviewService
from tests.gui.item_views import click_row, column_texts
from tests.gui.pilot import Pilot


class OpenReviews(Protocol):
    def __call__(self, reviewing: ReviewService, sheets: KeptFile | None = None) -> "Reviewer": ...


class Reviewer:
    """Drives the Review page; `pilot` drives its window."""

    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.list = pilot.named(QListView, "Episodes to review")
        self.viewer = pilot.find(ReviewViewer)

    @property
    def answers(self) -> list[str]:
        checked = [one for one in self.pilot.window.findChildren(QAbstractButton) if one.isChecked()]
        answers = {one.accessibleName().partition(": ")[2]: one.text() for one in checked}
        return [answers.get(question, "") for question in QUESTIONS.values()]

    @property
    def listed(self) -> list[str]:
        return column_texts(self.list)

    @property
    def ids(self) -> list[str]:
        model = self.list.model()
        return [model.index(row, 0).data(VALUE).episode_id for row in range(model.rowCount())]

    def row_text(self, row: int) -> str:
        return self.pilot.rows_of("Episodes to review")[row]

    def narrow(self, facet: str, value: str) -> None:
        row = next(row for row, text in enumerate(self.pilot.rows_of(facet)) if text.startswith(value))
        click_row(self.pilot.named(QListView, facet), row)

    def open(self, row: int) -> None:
        instruction = self.listed[row]
        self.click(row)
        self.wait_for_open(instruction)

    def click(self, row: int) -> None:
        click_row(self.list, row)

    def wait_for_open(self, instruction: str) -> None:
        """Until the episode is selected in the list, if listed, and loaded."""
        selected = self.list.currentIndex
        self.pilot.qtbot.waitUntil(lambda: self.viewer.isVisible() and selected().data() in (instruction, None))
        self.wait_to_be_ready()

    def wait_to_be_ready(self) -> None:
        self.pilot.qtbot.waitUntil(self.pilot.find(VerdictPanel).isEnabled)

    def press(self, keys: str) -> None:
        QTest.keyClicks(self.pilot.window, keys)

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.pilot.window, key, modifier)

    def says(self, text: str) -> bool:
        return self.pilot.says(text)

    def look_at_all(self) -> None:
        for _ in range(20):
            self.key(Qt.Key.Key_Right)

    def wait_for_text(self, text: str) -> None:
        self.pilot.wait_for_text(text)
