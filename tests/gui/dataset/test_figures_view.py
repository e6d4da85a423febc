"""The figures of the Dataset page, on a real index."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.dataset.figures_view import FiguresView
from odyssey_recorder.gui.figures.figures_pane import FiguresPane, PanelView
from odyssey_recorder.selection.filter import parse_filter
from odyssey_recorder.selection.index import EpisodeIndex
from tests.exporting.sample import write_dataset
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot


class Reader(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, index: EpisodeIndex) -> None:
        super().__init__(qtbot, background)
        self.view = FiguresView(index, background, self.commands)
        self.chosen: list[str] = []
        self.view.filter_chosen.connect(self.chosen.append)

    def open(self) -> None:
        self.show_widget(self.view)
        self.qtbot.waitUntil(lambda: not self.background.jobs and self.find(FiguresPane).is_complete)

    def save(self, button: str, place: Path) -> None:
        self.press(button)
        dialog = self.dialog()
        assert isinstance(dialog, QFileDialog)
        dialog.fileSelected.emit(str(place))
        dialog.close()
        self.qtbot.waitUntil(lambda: not self.is_asked)

    def tips(self, figure: str) -> list[str]:
        """What a screen reader says about the marks of a figure."""
        drawing = self.named(PanelView, figure)
        said = []
        for _ in range(3):
            QTest.keyClick(drawing, Qt.Key.Key_Down)
            said.append(drawing.accessibleDescription())
        return said


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EpisodeIndex]:
    write_dataset(tmp_path / "dataset", 8)
    made = EpisodeIndex(tmp_path / "dataset", None)
    made.refresh()
    yield made
    made.close()


@pytest.fixture
def reader(qtbot: QtBot, background: Background, index: EpisodeIndex) -> Reader:
    return Reader(qtbot, background, index)


def test_a_chosen_mark_gives_its_filter(reader: Reader) -> None:
    reader.open()

    assert reader.says("8 episodes")
    QTest.keyClick(reader.named(PanelView, "Devices"), Qt.Key.Key_Down)
    QTest.keyClick(reader.named(PanelView, "Devices"), Qt.Key.Key_Return)
    assert reader.chosen == ['device:"Small Phone"']


def test_the_figures_are_of_the_filter(reader: Reader) -> None:
    reader.open()
    assert reader.tips("Devices")[0].startswith("Small Phone: 6 episodes, 75.0%")

    reader.view.show_filter(parse_filter('device:"Pixel Tablet"'))
    reader.qtbot.waitUntil(lambda: reader.tips("Devices")[0].startswith("Pixel Tablet: 2 episodes, 100.0%"))

    reader.view.show_filter(parse_filter('device:"Pixel 3"'))
    reader.wait_for_text("No matching episodes.")


def test_another_release_to_compare_with_is_a_choice(reader: Reader) -> None:
    reader.open()
    assert "published: 16.6%" in reader.tips("Devices")[1]

    choice = reader.named(QComboBox, "Compare with")
    choice.setCurrentIndex(choice.findData("v1"))
    reader.qtbot.waitUntil(lambda: "published" not in reader.tips("Devices")[1])


def test_an_empty_dataset_says_what_to_do(qtbot: QtBot, background: Background, tmp_path: Path) -> None:
    index = EpisodeIndex(tmp_path, None)
    reader = Reader(qtbot, background, index)
    reader.open()

    assert reader.says("No figures yet.")
    assert not reader.named(QPushButton, "Save as page").isEnabled()
    index.close()


def test_the_page_and_the_images_are_saved(reader: Reader, tmp_path: Path) -> None:
    reader.open()
    reader.save("Save as page", tmp_path / "mine.html")
    reader.wait_for_text("The page is saved.")
    reader.save("Save images", tmp_path / "images")
    reader.wait_for_text("images are saved.")

    assert "<h2" in (tmp_path / "mine.html").read_text()
    assert (tmp_path / "images" / "devices.png").stat().st_size > 1_000


def test_a_page_that_cannot_be_saved_is_told(reader: Reader, tmp_path: Path) -> None:
    reader.open()
    (tmp_path / "taken").mkdir()
    reader.save("Save as page", tmp_path / "taken")

    reader.wait_for_text("The figures cannot be saved.")


def test_hidden_figures_wait_until_they_are_seen(reader: Reader) -> None:
    reader.view.show_filter(parse_filter("steps:>1"))

    assert not reader.background.jobs
    reader.open()
    assert reader.says("8 episodes")


def test_every_control_has_a_name_and_a_tip(reader: Reader) -> None:
    reader.open()

    assert not faults(reader.window)
    assert reader.view.focusPolicy() is not Qt.FocusPolicy.StrongFocus
