"""Drives the Dataset page in the main window."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView, QTableView

from tests.gui.item_views import click_row, column_texts
from tests.gui.pilot import Pilot


class DatasetDriver:
    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.table = pilot.wait_for(QTableView, "Episodes")

    @property
    def instructions(self) -> list[str]:
        return column_texts(self.table)

    def wait_for(self, *instructions: str) -> None:
        self.pilot.qtbot.waitUntil(lambda: self.instructions == list(instructions))

    def wait_for_count(self, count: int) -> None:
        self.pilot.qtbot.waitUntil(lambda: self.table.model().rowCount() == count)

    @property
    def selected(self) -> str:
        return str(self.table.currentIndex().siblingAtColumn(0).data())

    @property
    def top_of_selected(self) -> int:
        """Pixels from the top of the viewport to the selected row."""
        return self.table.visualRect(self.table.currentIndex()).top()

    @property
    def steps(self) -> list[str]:
        return column_texts(self.pilot.named(QListView, "Steps of the episode"))

    def choose_facet(self, name: str, row: int) -> None:
        click_row(self.pilot.named(QListView, name), row)

    def wait_for_facet(self, name: str, *counts: str) -> None:
        self.pilot.qtbot.waitUntil(lambda: self.pilot.rows_of(name) == list(counts))

    @property
    def filter_line(self) -> QLineEdit:
        return self.pilot.named(QLineEdit, "Filter episodes")

    def type_filter(self, text: str) -> None:
        self.filter_line.clear()
        QTest.keyClicks(self.filter_line, text)
        QTest.keyClick(self.filter_line, Qt.Key.Key_Return)
