from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QListView

from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.review_viewer import ReviewViewer
from odyssey_recorder.gui.review.reviewing import Reviewing
from odyssey_recorder.gui.review.verdict_panel import VerdictPanel
from odyssey_recorder.gui.table import VALUE
from odyssey_recorder.gui.window_state import KeptFile
from tests.gui.pilot import Pilot


class OpenReviews(Protocol):
    def __call__(self, reviewing: Reviewing, sheets: KeptFile | None = None) -> "Reviewer": ...


class Reviewer:
    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.list = pilot.named(QListView, "Episodes to review")
        self.viewer = pilot.find(ReviewViewer)

    @property
    def answers(self) -> list[str]:
        return [self.chosen(question) for question in QUESTIONS.values()]

    @property
    def listed(self) -> list[str]:
        model = self.list.model()
        return [str(model.index(row, 0).data()) for row in range(model.rowCount())]

    @property
    def ids(self) -> list[str]:
        model = self.list.model()
        return [model.index(row, 0).data(VALUE).episode_id for row in range(model.rowCount())]

    def heard(self, row: int) -> str:
        return str(self.list.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole))

    def facets(self, name: str) -> list[str]:
        return self.pilot.rows_of(name)

    def narrow(self, facet: str, words: str) -> None:
        place = next(row for row, said in enumerate(self.facets(facet)) if said.startswith(words))
        view = self.pilot.named(QListView, facet)
        view.scrollTo(view.model().index(place, 0))
        middle = view.visualRect(view.model().index(place, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)

    def open(self, row: int) -> None:
        words = self.listed[row]
        self.click(row)
        self.wait_for_open(words)

    def click(self, row: int) -> None:
        place = self.list.visualRect(self.list.model().index(row, 0)).center()
        QTest.mouseClick(self.list.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def wait_for_open(self, instruction: str) -> None:
        """Until the episode is marked in the list, if listed, and loaded."""
        self.pilot.qtbot.waitUntil(lambda: self.viewer.isVisible() and self.is_marked(instruction))
        self.wait_to_be_ready()

    def wait_to_be_ready(self) -> None:
        self.pilot.qtbot.waitUntil(self.pilot.find(VerdictPanel).isEnabled)

    def is_marked(self, instruction: str) -> bool:
        return instruction in (self.list.currentIndex().data(), None)

    def press(self, keys: str) -> None:
        QTest.keyClicks(self.pilot.window, keys)

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.pilot.window, key, modifier)

    def says(self, words: str) -> bool:
        return self.pilot.says(words)

    def button(self, name: str) -> QAbstractButton:
        return self.pilot.named(QAbstractButton, name)

    def look_at_all(self) -> None:
        for _ in range(20):
            self.key(Qt.Key.Key_Right)

    def chosen(self, question: str) -> str:
        buttons = self.pilot.window.findChildren(QAbstractButton)
        answers = [one for one in buttons if one.accessibleName().endswith(f": {question}") and one.isChecked()]
        return answers[0].text() if answers else ""

    def wait_for_text(self, words: str) -> None:
        self.pilot.wait_for_text(words)
