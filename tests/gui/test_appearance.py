"""Light, dark, or as the system has it."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.application import use_theme
from odyssey_recorder.gui.theme import READABLE, Theme, contrast


@pytest.fixture(autouse=True)
def _as_before(qapp: QApplication) -> Iterator[None]:
    yield
    use_theme("system")


def test_the_window_is_dark_or_light_as_chosen_and_back_as_the_system_has_it(qtbot: QtBot) -> None:
    system = QApplication.palette().window().color()
    use_theme("dark")
    assert QApplication.palette().window().color().lightnessF() < 0.3
    use_theme("light")
    assert QApplication.palette().window().color().lightnessF() > 0.8
    use_theme("dark")
    use_theme("system")
    assert QApplication.palette().window().color() == system


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_can_be_read_in_both(qtbot: QtBot, name: str) -> None:
    use_theme("dark" if name == "dark" else "light")
    theme, palette = Theme.current(), QApplication.palette()
    assert contrast(theme.text, theme.card) >= READABLE
    assert contrast(theme.muted, theme.card) >= READABLE
    placeholder = palette.color(QPalette.ColorRole.PlaceholderText)
    assert contrast(placeholder, theme.field) >= READABLE


def test_the_windows_are_told(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    told: list[bool] = []

    class Watcher(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's spelling
            told.append(event.type() is QEvent.Type.ThemeChange)
            return False

    watcher = Watcher()
    window.installEventFilter(watcher)
    use_theme("dark")
    assert True in told
