"""The window opens in the state in which it was closed; a broken file is harmless."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QMainWindow, QTableView, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.window_state import KeptFile, WindowState
from odyssey_recorder.settings import SettingsStore
from tests.gui.pilot import OpenAt

pytestmark = pytest.mark.usefixtures("clean_home")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "window.json"


def open_window(qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"version": 99, "page": "X"}', "\x00", '{"version": NaN}', "[" * 100_000], ids=range(6)
)
def test_broken_file_is_replaced(qtbot: QtBot, file: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    state = WindowState(KeptFile(file))
    assert str(file) in caplog.text
    caplog.clear()
    assert state.page == ""
    window = open_window(qtbot)
    state.page = "RECORD_PAGE"
    state.keep(window)
    assert WindowState(KeptFile(file)).page == "RECORD_PAGE"


def test_invalid_values_are_ignored_and_unknown_ones_kept(qtbot: QtBot, file: Path) -> None:
    KeptFile(file).write({"page": 7, "geometry": "nonsense", "colour": "red"})
    window = open_window(qtbot)
    before = window.geometry()
    state = WindowState(KeptFile(file))
    state.restore(window)
    assert (window.geometry(), state.page) == (before, "")
    state.keep(window)
    assert KeptFile(file).read()["colour"] == "red"


def test_unwritable_folder_is_logged(qtbot: QtBot, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file where the folder must be")
    window = open_window(qtbot)
    WindowState(KeptFile(tmp_path / "state" / "window.json")).keep(window)
    assert "could not be saved" in caplog.text
    caplog.clear()


def test_window_opens_as_it_was_closed(open_at: OpenAt, file: Path) -> None:
    workplace = Workplace(
        settings=SettingsStore(), state=KeptFile(file), shortcuts=KeptFile(file.with_name("keys.json"))
    )
    first = open_at(workplace).watching()
    first.window.resize(1100, 710)
    first.mirror.viewport.recall("1.5")
    first.shortcut("Ctrl+Shift+B").trigger()
    assert not first.named(QListView, "Steps").isVisible()
    first.press("Settings")
    table = first.wait_for(QTableView, "Keys of all actions")
    first.qtbot.waitUntil(table.isVisible)
    table.setCurrentIndex(table.model().index(0, 0))
    QTest.keyClick(table, Qt.Key.Key_Delete)
    first.window.close()

    again = open_at(workplace)
    assert again.window.height() == 710
    assert again.window.page is CommonCommand.SETTINGS_PAGE
    assert again.named(QToolButton, "Record").toolTip() == "Record episodes"
    assert again.mirror.viewport.kept == "1.5"
    again.press("Record")
    again.qtbot.waitUntil(again.mirror.isVisible)
    assert not again.named(QListView, "Steps").isVisible()


def test_unavailable_saved_page_falls_back_to_record(open_at: OpenAt, file: Path) -> None:
    KeptFile(file).write({"page": "TASKS_PAGE"})
    assert open_at(Workplace(state=KeptFile(file))).window.page is CommonCommand.RECORD_PAGE
