"""The size of all text: chosen in the settings, applied at once, with rows and parts that grow with it."""

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QTableView, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.application import use_text_size
from odyssey_recorder.gui.theme import grown
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.selection.index import EpisodeIndex
from odyssey_recorder.settings import SettingsStore
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import OpenAt

pytestmark = pytest.mark.usefixtures("as_nobody")


def test_lengths_grow_with_the_text_and_shrink_back(qtbot: QtBot) -> None:
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


def test_a_choice_in_the_settings_changes_the_open_window_and_is_saved(
    open_at: OpenAt, service: FakeRecordings
) -> None:
    store = SettingsStore()
    pilot = open_at(Workplace(settings=store, dataset=lambda: EpisodeIndex(service.store.root, None)))
    pilot.press("Dataset")
    rows = pilot.wait_for(QTableView, "Episodes").verticalHeader()
    rail = pilot.named(QToolButton, "Dataset")
    row_px, rail_px, words_px = rows.defaultSectionSize(), rail.width(), QLabel(pilot.window).fontMetrics().height()
    pilot.press("Settings")
    choice = pilot.wait_for(QComboBox, "Text size")
    pilot.qtbot.waitUntil(lambda: choice.currentData() == "normal")
    choice.setCurrentIndex(choice.findData("extra large"))
    pilot.qtbot.waitUntil(lambda: rail.width() == round(rail_px * 1.4))
    assert QLabel(pilot.window).fontMetrics().height() > words_px
    pilot.press("Save")
    pilot.wait_to_read("Saved.")
    assert store.read().text_size == "extra large"
    pilot.press("Dataset")
    pilot.qtbot.waitUntil(lambda: rows.defaultSectionSize() == round(row_px * 1.4))
