"""The window opens as it was closed; a broken file is harmless."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow, QSplitter, QTableView, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.window_state import KeptFile, WindowState
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.settings import SettingsStore
from tests.gui.pilot import Pilot

pytestmark = pytest.mark.usefixtures("as_nobody")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "window.json"


def window_with_panes(qtbot: QtBot) -> tuple[QMainWindow, QSplitter]:
    window = QMainWindow()
    qtbot.addWidget(window)
    splitter = QSplitter()
    splitter.setObjectName("record")
    splitter.addWidget(QWidget())
    splitter.addWidget(QWidget())
    window.setCentralWidget(splitter)
    window.show()
    return window, splitter


def test_place_size_page_zoom_and_panes_come_back(qtbot: QtBot, file: Path) -> None:
    window, splitter = window_with_panes(qtbot)
    window.setGeometry(QRect(40, 50, 640, 420))
    splitter.setSizes([400, 200])
    divided = splitter.sizes()
    state = WindowState(KeptFile(file))
    state.page, state.zoom = "DEVICES_PAGE", "1:1"
    state.keep(window)

    again, panes = window_with_panes(qtbot)
    kept = WindowState(KeptFile(file))
    kept.restore(again)

    assert again.geometry() == QRect(40, 50, 640, 420)
    assert panes.sizes() == divided
    assert (kept.page, kept.zoom) == ("DEVICES_PAGE", "1:1")


def test_without_a_file_the_window_stays_as_it_is(qtbot: QtBot, file: Path) -> None:
    window, _ = window_with_panes(qtbot)
    before = window.geometry()
    state = WindowState(KeptFile(file))
    state.restore(window)
    assert (window.geometry(), state.page, state.zoom) == (before, "", "")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"version": 99, "page": "X"}', "\x00", '{"version": NaN}', "[" * 100_000], ids=range(6)
)
def test_a_broken_file_is_logged_and_written_anew(
    qtbot: QtBot, file: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    state = WindowState(KeptFile(file))
    assert str(file) in caplog.text
    caplog.clear()
    assert state.page == ""
    window, _ = window_with_panes(qtbot)
    state.page = "RECORD_PAGE"
    state.keep(window)
    assert WindowState(KeptFile(file)).page == "RECORD_PAGE"


def test_values_of_another_kind_are_left_out(qtbot: QtBot, file: Path) -> None:
    file.parent.mkdir()
    file.write_text('{"version": 1, "page": 7, "geometry": "nonsense", "splitters": {"record": []}}', encoding="utf-8")
    window, splitter = window_with_panes(qtbot)
    before = (window.geometry(), splitter.sizes())
    state = WindowState(KeptFile(file))
    state.restore(window)
    assert (window.geometry(), splitter.sizes(), state.page) == (*before, "")


def test_what_a_newer_program_keeps_survives(qtbot: QtBot, file: Path) -> None:
    file.parent.mkdir()
    file.write_text('{"version": 1, "colour": "red"}', encoding="utf-8")
    window, _ = window_with_panes(qtbot)
    WindowState(KeptFile(file)).keep(window)
    assert KeptFile(file).read()["colour"] == "red"


def test_a_folder_that_takes_no_file_is_logged(qtbot: QtBot, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file where the folder must be")
    window, _ = window_with_panes(qtbot)
    WindowState(KeptFile(tmp_path / "state" / "window.json")).keep(window)
    assert "not written" in caplog.text
    caplog.clear()


def test_without_a_path_nothing_is_kept(qtbot: QtBot) -> None:
    window, _ = window_with_panes(qtbot)
    state = WindowState(KeptFile(None))
    state.page = "RECORD_PAGE"
    state.keep(window)
    assert WindowState(KeptFile(None)).page == ""


def test_the_window_opens_on_its_page_with_the_zoom_and_the_keys_that_were_chosen(
    open_at: Callable[[Workplace], Pilot], file: Path
) -> None:
    place = Workplace(settings=SettingsStore(), state=KeptFile(file), shortcuts=KeptFile(file.with_name("keys.json")))
    first = open_at(place)
    first.wait_for_phase(Phase.WATCHING)
    first.mirror.viewport.recall("1.5")
    first.press("Settings")
    table = first.wait_for(QTableView, "Keys of all actions")
    first.qtbot.waitUntil(table.isVisible)
    table.setCurrentIndex(table.model().index(0, 0))
    QTest.keyClick(table, Qt.Key.Key_Delete)
    first.window.close()

    again = open_at(place)
    assert again.window.page is Command.SETTINGS_PAGE
    assert again.named(QToolButton, "Record").toolTip() == "Record episodes"
    assert again.mirror.viewport.kept == "1.5"


def test_a_page_that_is_not_offered_any_more_is_not_missed(open_at: Callable[[Workplace], Pilot], file: Path) -> None:
    KeptFile(file).write({"page": "TASKS_PAGE"})
    assert open_at(Workplace(state=KeptFile(file))).window.page is Command.RECORD_PAGE
