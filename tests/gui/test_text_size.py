"""The size of all text: set in the settings, applied at once, also to rows and widgets."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QScrollArea, QTableView, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.application import use_text_size
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.settings import SettingsStore
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import OpenAt

pytestmark = pytest.mark.usefixtures("clean_home")


def test_lengths_follow_text_size(qtbot: QtBot) -> None:
    points = QApplication.font().pointSizeF()
    for _ in range(2):
        use_text_size("large")
        assert QApplication.font().pointSizeF() == pytest.approx(points * 1.2)
        assert grown(100) == 120
    use_text_size("small")
    assert grown(100) == 90
    use_text_size("normal")
    assert QApplication.font().pointSizeF() == pytest.approx(points)
    assert grown(100) == 100


def test_text_size_setting_applies_at_once_and_is_saved(open_at: OpenAt, service: FakeRecordings) -> None:
    store = SettingsStore()
    pilot = open_at(Workplace(settings=store, dataset=lambda: EpisodeIndex(service.store.root, None)))
    pilot.press("Dataset")
    rows = pilot.wait_for(QTableView, "Episodes").verticalHeader()
    rail = pilot.named(QToolButton, "Dataset")
    row_px, rail_px, text_px = rows.defaultSectionSize(), rail.width(), QLabel(pilot.window).fontMetrics().height()
    pilot.press("Settings")
    choice = pilot.wait_for(QComboBox, "Text size")
    pilot.qtbot.waitUntil(lambda: choice.currentData() == "normal")
    (area,) = (one for one in pilot.window.findChildren(QScrollArea) if one.isAncestorOf(choice))
    pilot.qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > choice.mapTo(pilot.window, QPoint()).y())
    assert area.verticalScrollBar().value() == 0
    area.ensureWidgetVisible(choice)
    choice.setCurrentIndex(choice.findData("extra large"))
    pilot.qtbot.waitUntil(lambda: rail.width() == round(rail_px * 1.4))
    pilot.qtbot.waitUntil(lambda: choice.visibleRegion().boundingRect() == choice.rect())
    assert QLabel(pilot.window).fontMetrics().height() > text_px
    pilot.press("Save")
    pilot.wait_for_text("Saved.")
    assert store.read().text_size == "extra large"
    pilot.press("Dataset")
    pilot.qtbot.waitUntil(lambda: rows.defaultSectionSize() == round(row_px * 1.4))
