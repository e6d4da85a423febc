"""The figures of the Dataset page, on a real index."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.figures.figures_pane import PanelView
from odyssey_recorder.gui.frame.background import Background
from tests.exporting.sample import write_dataset
from tests.gui.dataset.figures_driver import FiguresDriver
from tests.gui.inspection import faults


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EpisodeIndex]:
    write_dataset(tmp_path / "dataset", 8)
    index = EpisodeIndex(tmp_path / "dataset", None)
    index.refresh()
    yield index
    index.close()


@pytest.fixture
def driver(qtbot: QtBot, background: Background, index: EpisodeIndex) -> FiguresDriver:
    return FiguresDriver(qtbot, background, index)


def test_choosing_a_mark_filters_by_it(driver: FiguresDriver) -> None:
    driver.open()
    assert driver.says("8 episodes")
    assert not faults(driver.window)
    assert driver.view.focusPolicy() is not Qt.FocusPolicy.StrongFocus
    QTest.keyClick(driver.named(PanelView, "Devices"), Qt.Key.Key_Down)
    QTest.keyClick(driver.named(PanelView, "Devices"), Qt.Key.Key_Return)
    assert driver.filters == ['device:"Small Phone"']


def test_figures_follow_the_filter(driver: FiguresDriver) -> None:
    driver.open()
    assert driver.tips("Devices")[0].startswith("Small Phone: 6 episodes, 75.0%")
    driver.view.show_filter(parse_filter('device:"Pixel Tablet"'))
    driver.qtbot.waitUntil(lambda: driver.tips("Devices")[0].startswith("Pixel Tablet: 2 episodes, 100.0%"))
    driver.view.show_filter(parse_filter('device:"Pixel 3"'))
    driver.wait_for_text("No matching episodes.")


def test_release_to_compare_with_can_be_chosen(driver: FiguresDriver) -> None:
    driver.open()
    assert "published: 16.6%" in driver.tips("Devices")[1]
    choice = driver.choice("Compare with")
    choice.setCurrentIndex(choice.findData("v1"))
    driver.qtbot.waitUntil(lambda: "published" not in driver.tips("Devices")[1])


def test_empty_dataset_has_no_figures(qtbot: QtBot, background: Background, tmp_path: Path) -> None:
    index = EpisodeIndex(tmp_path, None)
    driver = FiguresDriver(qtbot, background, index)
    driver.open()
    assert driver.says("No figures yet.")
    assert not driver.is_enabled("Save as page")
    index.close()


def test_page_and_images_are_saved_or_the_error_is_shown(driver: FiguresDriver, tmp_path: Path) -> None:
    driver.open()
    driver.save("Save as page", tmp_path)
    driver.wait_for_text("Couldn't save the figures.")
    driver.save("Save as page", tmp_path / "mine.html")
    driver.wait_for_text("The page is saved.")
    driver.save("Save images", tmp_path / "images")
    driver.wait_for_text("images are saved.")
    assert "<h2" in (tmp_path / "mine.html").read_text()
    images = {path.stem: QImage(str(path)) for path in (tmp_path / "images").iterdir()}
    assert len(images) == len(driver.view.findChildren(PanelView))
    assert "devices" in images
    assert min(image.width() for image in images.values()) >= 800


def test_hidden_figures_are_not_computed(driver: FiguresDriver) -> None:
    driver.view.show_filter(parse_filter("steps:>1"))
    assert not driver.background.jobs
    driver.open()
    assert driver.says("8 episodes")
