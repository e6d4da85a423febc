"""The Settings page with a real settings.toml and a test keyring."""

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListView,
    QScrollArea,
    QSpinBox,
)
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.settings.settings_page import SettingsPage
from odyssey_recorder.gui.shortcuts import Shortcuts
from odyssey_recorder.gui.theme import Theme, style_sheet
from odyssey_recorder.gui.window_state import KeptFile
from odyssey_recorder.settings import Settings, SettingsStore, log_file, settings_file
from tests.gui.pilot import WidgetPilot
from tests.keyrings import LockedKeyring, MemoryKeyring

pytestmark = pytest.mark.usefixtures("clean_home")


class Bench(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        shortcuts = Shortcuts(self.commands, KeptFile())
        self.page = SettingsPage(SettingsStore(), shortcuts, background, self.commands)
        self.show_widget(self.page)
        self.page.enter()
        qtbot.waitUntil(lambda: self.named(QSpinBox, "adb server").value() > 1)
        qtbot.waitUntil(lambda: bool(self.line("API key").accessibleDescription()))

    def write(self, name: str, words: str) -> None:
        line = self.line(name)
        line.selectAll()
        QTest.keyClick(line, Qt.Key.Key_Delete)
        QTest.keyClicks(line, words)


@pytest.fixture
def bench(qtbot: QtBot, background: Background) -> Iterator[Bench]:
    made = Bench(qtbot, background)
    yield made
    made.page.close_down()


def saved() -> str:
    return settings_file().read_text(encoding="utf-8") if settings_file().exists() else ""


def test_every_setting_has_a_control_with_a_name_and_an_explanation(bench: Bench) -> None:
    titles = {label.text() for label in bench.page.findChildren(QLabel)}
    named = {
        widget.accessibleName(): widget.accessibleDescription()
        for kind in (QLineEdit, QSpinBox, QComboBox, QCheckBox)
        for widget in bench.page.findChildren(kind)
        if widget.accessibleName()
    }
    assert len([name for name in named if name in titles and named[name]]) >= len(Settings.model_fields)


def test_the_number_in_a_field_has_room(bench: Bench) -> None:
    bench.window.setStyleSheet(style_sheet(Theme.current(), font_pt=QApplication.font().pointSizeF()))
    for field in bench.page.findChildren(QSpinBox):
        field.ensurePolished()
        room = field.lineEdit().width()
        assert room >= field.fontMetrics().horizontalAdvance(field.text()) + 16, field.accessibleName()


def test_what_was_changed_is_saved_and_it_is_said_what_takes_effect_when(bench: Bench) -> None:
    bench.write("Your name", "Ada")
    bench.named(QSpinBox, "Practice").setValue(3)
    bench.named(QCheckBox, "Animations").click()
    assert bench.says("Takes effect after a restart.")
    bench.button_named("Save").click()
    bench.wait_for_text("Saved.")
    assert saved() == 'animations = true\nannotator = "Ada"\npractice_tasks = 3\n'
    assert bench.says("Takes effect after a restart: Animations, Your name, Practice.")
    assert not bench.button_named("Save").isEnabled()
    bench.write("Your name", "")  # the default again
    bench.button_named("Save").click()
    bench.qtbot.waitUntil(lambda: saved() == "animations = true\npractice_tasks = 3\n")


def test_revert_takes_back_what_was_not_saved_and_colours_are_shown_at_once(bench: Bench) -> None:
    before = bench.line("Dataset").text()
    assert not bench.button_named("Save").isEnabled()
    assert not bench.button_named("Revert").isEnabled()
    bench.write("Dataset", "/elsewhere")
    assert bench.button_named("Save").isEnabled()
    choice = bench.choice("Colours")
    choice.setCurrentIndex(choice.findData("dark"))
    assert QApplication.palette().window().color().lightnessF() < 0.3
    bench.button_named("Revert").click()
    assert QApplication.palette().window().color().lightnessF() > 0.8
    assert bench.line("Dataset").text() == before
    assert not bench.button_named("Save").isEnabled()
    assert saved() == ""


def test_what_cannot_be_is_told_beside_the_field_while_it_is_written_and_not_saved(bench: Bench) -> None:
    bench.write("Drafts", "drafts")
    bench.wait_for_text("Enter the full path")
    bench.button_named("Revert").click()
    bench.write("Task list", "/nowhere/tasks.json")
    bench.named(QSpinBox, "Practice").setValue(3)
    bench.button_named("Save").click()
    bench.wait_for_text("Nothing was saved.")
    assert bench.says("See the message at “Task list”.")
    assert bench.says("File not found.")
    assert saved() == ""
    assert bench.button_named("Save").isEnabled()


def test_a_broken_file_is_named_and_never_written(bench: Bench) -> None:
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text("annotator = ")
    bench.write("Your name", "Ada")
    bench.button_named("Save").click()
    bench.wait_for_text("cannot be read, so nothing was saved")
    assert saved() == "annotator = "


def test_the_environment_cannot_be_changed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODYSSEY_DATASET", "/data/GUI-Odyssey")
    bench = request.getfixturevalue("bench")
    field = bench.line("Dataset")
    assert (field.text(), field.isEnabled()) == ("/data/GUI-Odyssey", False)
    assert bench.says("Set by ODYSSEY_DATASET: change it there.")
    assert "ODYSSEY_DATASET" in field.accessibleDescription()


def test_the_page_begins_at_its_top_unless_something_was_changed_which_stays(bench: Bench) -> None:
    bar = bench.page.findChildren(QScrollArea)[0].verticalScrollBar()
    bar.setValue(bar.maximum())
    bench.page.enter()
    assert bar.value() == 0
    bench.write("Your name", "Grace")
    bar.setValue(bar.maximum())
    bench.page.enter()
    assert bar.value() == bar.maximum() > 0
    assert bench.line("Your name").text() == "Grace"


def test_a_folder_is_chosen_in_a_dialog(bench: Bench, tmp_path: Path) -> None:
    bench.button_named("Choose: Dataset").click()
    dialog = bench.page.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path))
    dialog.reject()
    assert bench.line("Dataset").text() == str(tmp_path)


def test_a_section_leads_to_its_card_and_scrolling_marks_the_section(bench: Bench) -> None:
    sections = bench.named(QListView, "Sections")
    bar = bench.page.findChildren(QScrollArea)[0].verticalScrollBar()
    log = sections.model().index(7, 0)
    sections.scrollTo(log)
    QTest.mouseClick(sections.viewport(), Qt.MouseButton.LeftButton, pos=sections.visualRect(log).center())
    assert bar.value() == bar.maximum()
    bar.setValue(0)
    assert sections.currentIndex().data() == "Folders"


# The API key.


def test_a_key_goes_into_the_keyring_and_out_of_sight(bench: Bench) -> None:
    assert bench.says("There is no key yet.")
    assert not bench.button_named("Save to keyring").isEnabled()
    bench.write("API key", "sk-planted")
    assert "sk-planted" not in bench.line("API key").displayText()
    assert not bench.button_named("Save").isEnabled()
    bench.button_named("Save to keyring").click()
    bench.wait_for_text("There is a key in the keyring")
    assert bench.line("API key").text() == ""
    assert keyring.get_password("odyssey-recorder", "language model") == "sk-planted"
    bench.button_named("Forget the key").click()
    bench.wait_for_text("There is no key yet.")
    assert "sk-planted" not in saved()


@pytest.mark.parametrize(
    ("of_system", "variable", "words"),
    [
        (MemoryKeyring(), "sk-planted", "The key is set by the environment variable ODYSSEY_API_KEY"),
        (fail.Keyring(), "", "no secure keyring. Set the environment variable ODYSSEY_API_KEY"),  # type: ignore[no-untyped-call]
        (LockedKeyring(), "", "Unlock it and try again, or set ODYSSEY_API_KEY"),
    ],
)
def test_where_no_key_can_be_put_it_is_said_why(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    of_system: KeyringBackend,
    variable: str,
    words: str,
) -> None:
    keyring.set_keyring(of_system)
    monkeypatch.setenv("ODYSSEY_API_KEY", variable)
    bench = request.getfixturevalue("bench")
    assert bench.says(words)
    assert bench.line("API key").isEnabled() is isinstance(of_system, LockedKeyring)


# Log.


class FileBrowser(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


def test_the_log_can_be_found(bench: Bench) -> None:
    browser = FileBrowser()
    QDesktopServices.setUrlHandler("file", browser, "open")  # type: ignore[arg-type]
    bench.button_named("Open folder").click()
    QDesktopServices.unsetUrlHandler("file")
    assert browser.opened == [str(log_file().parent)]
    bench.button_named("Copy path").click()
    assert QGuiApplication.clipboard().text() == str(log_file())
    assert bench.line("Log file").text() == str(log_file())


def test_closing_names_what_is_not_saved_and_saves_it(bench: Bench) -> None:
    assert not bench.page.asks_before_closing(_never)
    bench.write("Your name", "Ada")
    bench.button_named("Animations").click()
    closed = asked(bench)
    assert bench.says("Unsaved changes: Animations, Your name.")
    answer(bench, "Save")
    bench.qtbot.waitUntil(lambda: closed == [True])
    assert saved() == 'animations = true\nannotator = "Ada"\n'


def test_closing_stays_where_it_is_asked_to_or_nothing_can_be_saved_or_discards(bench: Bench, tmp_path: Path) -> None:
    bench.write("Your name", "Ada")
    closed = asked(bench)
    answer(bench, "Stay")
    assert bench.line("Your name").text() == "Ada"
    bench.write("adb", str(tmp_path / "nowhere"))
    again = asked(bench)
    answer(bench, "Save")
    bench.wait_for_text("Nothing was saved.")
    assert (closed, again) == ([], [])
    last = asked(bench)
    answer(bench, "Discard")
    assert (last, saved()) == ([True], "")
    assert not bench.page.asks_before_closing(_never)


def _never() -> None:
    raise AssertionError


def asked(bench: Bench) -> list[bool]:
    """The returned list is filled once the window may close."""
    closed: list[bool] = []
    assert bench.page.asks_before_closing(lambda: closed.append(True))
    return closed


def answer(bench: Bench, words: str) -> None:
    bench.press_in(bench.dialog(), words)
