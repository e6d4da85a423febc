"""The Settings page with a real settings.toml and a test keyring."""

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

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.shortcuts import Shortcuts
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.kit.theme import Theme, style_sheet
from odyssey_recorder.gui.settings.settings_page import SettingsPage
from odyssey_recorder.services import model_servers
from odyssey_recorder.settings import Settings, SettingsStore, log_file, settings_file
from tests.gui.item_views import click_row
from tests.gui.pilot import WidgetPilot
from tests.gui.record.screens import child_of
from tests.keyrings import LockedKeyring, MemoryKeyring
from tests.llm.stand_in import MODEL, Reply, StandIn, server_error

pytestmark = pytest.mark.usefixtures("clean_home")


class SettingsPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, background)
        shortcuts = Shortcuts(self.commands, KeptFile())
        self.page = SettingsPage(SettingsStore(), shortcuts, background, self.commands)
        self.show_widget(self.page)
        self.page.enter()
        qtbot.waitUntil(lambda: self.named(QSpinBox, "adb server").value() > 1)
        qtbot.waitUntil(lambda: bool(self.line("API key").accessibleDescription()))

    def stop_delivery(self) -> None:
        self.page.close_down()
        super().stop_delivery()

    def enter(self, name: str, text: str) -> None:
        line = self.line(name)
        line.selectAll()
        QTest.keyClick(line, Qt.Key.Key_Delete)
        QTest.keyClicks(line, text)


@pytest.fixture
def pilot(qtbot: QtBot, background: Background) -> SettingsPilot:
    return SettingsPilot(qtbot, background)


def saved_settings() -> str:
    return settings_file().read_text(encoding="utf-8") if settings_file().exists() else ""


def test_every_setting_has_a_described_control_that_is_wide_enough(pilot: SettingsPilot) -> None:
    titles = {label.text() for label in pilot.page.findChildren(QLabel)}
    named = {
        widget.accessibleName(): widget.accessibleDescription()
        for kind in (QLineEdit, QSpinBox, QComboBox, QCheckBox)
        for widget in pilot.page.findChildren(kind)
        if widget.accessibleName()
    }
    assert len([name for name in named if name in titles and named[name]]) >= len(Settings.model_fields)

    pilot.window.setStyleSheet(style_sheet(Theme.current(), font_pt=QApplication.font().pointSizeF()))
    for field in pilot.page.findChildren(QSpinBox):
        field.ensurePolished()
        width = field.fontMetrics().horizontalAdvance(field.text()) + 16
        assert field.lineEdit().width() >= width, field.accessibleName()


def test_changes_are_saved_and_a_needed_restart_is_announced(pilot: SettingsPilot) -> None:
    pilot.enter("Your name", "Ada")
    pilot.named(QSpinBox, "Practice").setValue(3)
    pilot.named(QCheckBox, "Animations").click()
    assert pilot.says("Takes effect after a restart.")
    pilot.button_named("Save").click()
    pilot.wait_for_text("Saved.")
    assert saved_settings() == 'animations = true\nannotator = "Ada"\npractice_tasks = 3\n'
    assert pilot.says("Takes effect after a restart: Animations, Your name, Practice.")
    assert not pilot.button_named("Save").isEnabled()
    pilot.enter("Your name", "")  # the default again
    pilot.button_named("Save").click()
    pilot.qtbot.waitUntil(lambda: saved_settings() == "animations = true\npractice_tasks = 3\n")


def test_revert_undoes_changes_and_the_colour_preview(pilot: SettingsPilot) -> None:
    before = pilot.line("Dataset").text()
    assert not pilot.button_named("Save").isEnabled()
    assert not pilot.button_named("Revert").isEnabled()
    pilot.enter("Dataset", "/elsewhere")
    assert pilot.button_named("Save").isEnabled()
    choice = pilot.choice("Colours")
    choice.setCurrentIndex(choice.findData("dark"))
    assert QApplication.palette().window().color().lightnessF() < 0.3
    pilot.button_named("Revert").click()
    assert QApplication.palette().window().color().lightnessF() > 0.8
    assert pilot.line("Dataset").text() == before
    assert not pilot.button_named("Save").isEnabled()
    assert saved_settings() == ""


def test_invalid_values_are_explained_and_not_saved(pilot: SettingsPilot) -> None:
    pilot.enter("Drafts", "drafts")
    pilot.wait_for_text("Enter the full path")
    pilot.button_named("Revert").click()
    pilot.enter("Task list", "/nowhere/tasks.json")
    pilot.named(QSpinBox, "Practice").setValue(3)
    pilot.button_named("Save").click()
    pilot.wait_for_text("Nothing was saved.")
    assert pilot.says("See the message under “Task list”.")
    assert pilot.says("File not found.")
    assert saved_settings() == ""
    assert pilot.button_named("Save").isEnabled()


def test_broken_settings_file_is_not_overwritten(pilot: SettingsPilot) -> None:
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text("annotator = ")
    pilot.enter("Your name", "Ada")
    pilot.button_named("Save").click()
    pilot.wait_for_text("cannot be read, so nothing was saved")
    assert saved_settings() == "annotator = "


def test_setting_from_environment_is_read_only(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODYSSEY_DATASET", "/data/GUI-Odyssey")
    pilot = request.getfixturevalue("pilot")
    field = pilot.line("Dataset")
    assert (field.text(), field.isEnabled()) == ("/data/GUI-Odyssey", False)
    assert pilot.says("Set by ODYSSEY_DATASET, so it can't be changed here.")
    assert "ODYSSEY_DATASET" in field.accessibleDescription()


def test_page_opens_at_its_top_unless_there_are_changes(pilot: SettingsPilot) -> None:
    sections = pilot.named(QListView, "Sections")
    bar = pilot.page.findChildren(QScrollArea)[0].verticalScrollBar()
    click_row(sections, 7)
    assert bar.value() == bar.maximum()
    pilot.page.enter()
    assert bar.value() == 0
    assert sections.currentIndex().data() == "Folders"
    pilot.enter("Your name", "Grace")
    bar.setValue(bar.maximum())
    pilot.page.enter()
    assert bar.value() == bar.maximum() > 0
    assert pilot.line("Your name").text() == "Grace"


def test_folder_is_chosen_in_a_dialog(pilot: SettingsPilot, tmp_path: Path) -> None:
    pilot.button_named("Choose: Dataset").click()
    dialog = child_of(pilot.page, QFileDialog)
    dialog.fileSelected.emit(str(tmp_path))
    dialog.reject()
    assert pilot.line("Dataset").text() == str(tmp_path)


def test_api_key_is_hidden_and_stored_in_the_keyring(pilot: SettingsPilot) -> None:
    assert pilot.says("There is no key yet.")
    assert not pilot.button_named("Save to keyring").isEnabled()
    pilot.enter("API key", "sk-planted")
    assert "sk-planted" not in pilot.line("API key").displayText()
    assert not pilot.button_named("Save").isEnabled()
    pilot.button_named("Save to keyring").click()
    pilot.wait_for_text("There is a key in the keyring")
    assert pilot.line("API key").text() == ""
    assert keyring.get_password("odyssey-recorder", "language model") == "sk-planted"
    pilot.button_named("Forget the key").click()
    pilot.wait_for_text("There is no key yet.")
    assert "sk-planted" not in saved_settings()


@pytest.mark.parametrize(
    ("backend", "variable", "text"),
    [
        (MemoryKeyring(), "sk-planted", "The key is set by the environment variable ODYSSEY_API_KEY"),
        (fail.Keyring(), "", "no secure keyring. Set the environment variable ODYSSEY_API_KEY"),  # type: ignore[no-untyped-call]
        (LockedKeyring(), "", "Unlock it and try again, or set ODYSSEY_API_KEY"),
    ],
)
def test_unavailable_keyring_is_explained(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, backend: KeyringBackend, variable: str, text: str
) -> None:
    keyring.set_keyring(backend)
    monkeypatch.setenv("ODYSSEY_API_KEY", variable)
    pilot = request.getfixturevalue("pilot")
    assert pilot.says(text)
    assert pilot.line("API key").isEnabled() is isinstance(backend, LockedKeyring)


def test_server_on_this_computer_is_found_chosen_and_tested(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StandIn(lambda _: Reply("<think>Hm.</think>A red circle.")) as server:
        monkeypatch.setattr(model_servers, "PORTS", {"Ollama": server.port})
        pilot: SettingsPilot = request.getfixturevalue("pilot")
        choice = pilot.choice("Server")
        pilot.qtbot.waitUntil(lambda: choice.findText("Ollama on this computer") > 0)
        assert choice.currentText() == "OpenAI"
        choice.setCurrentIndex(choice.findData(server.url))
        choice.activated.emit(choice.currentIndex())
        assert (pilot.line("Address").text(), pilot.line("Model").text()) == (server.url, MODEL)
        assert pilot.says(f"Models: {MODEL}.")
        pilot.button_named("Ask the model").click()
        pilot.wait_for_text("said: “A red circle.”")
        [sent] = server.questions
        assert sent.body["messages"][0]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
        assert "authorization" not in server.seen[0].headers or "no-key" in server.seen[0].headers["authorization"]
        server.behaviour = lambda _: server_error(503)
        pilot.button_named("Ask the model").click()
        pilot.wait_for_text("is busy or failed (503)")
    pilot.enter("Address", "http://127.0.0.1:9/v1")
    assert choice.currentText() == "Another address"
    pilot.enter("Model", "")
    pilot.button_named("Ask the model").click()
    assert pilot.says("Enter the name of a model first.")
    assert saved_settings() == ""


class FileBrowser(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())


def test_log_folder_can_be_opened_and_its_path_copied(pilot: SettingsPilot) -> None:
    browser = FileBrowser()
    QDesktopServices.setUrlHandler("file", browser, "open")  # type: ignore[arg-type]
    pilot.button_named("Open folder").click()
    QDesktopServices.unsetUrlHandler("file")
    assert browser.opened == [str(log_file().parent)]
    pilot.button_named("Copy path").click()
    assert QGuiApplication.clipboard().text() == str(log_file())
    assert pilot.line("Log file").text() == str(log_file())


def test_closing_asks_whether_to_stay_save_or_discard(pilot: SettingsPilot, tmp_path: Path) -> None:
    pilot.enter("Your name", "Ada")
    after_stay = try_to_close(pilot)
    pilot.press_in(pilot.dialog(), "Stay")
    assert pilot.line("Your name").text() == "Ada"
    pilot.enter("adb", str(tmp_path / "nowhere"))
    after_save = try_to_close(pilot)
    pilot.press_in(pilot.dialog(), "Save")
    pilot.wait_for_text("Nothing was saved.")
    assert (after_stay, after_save) == ([], [])
    after_discard = try_to_close(pilot)
    pilot.press_in(pilot.dialog(), "Discard")
    assert (after_discard, saved_settings()) == ([True], "")

    assert not pilot.page.asks_before_closing(pytest.fail)
    pilot.enter("Your name", "Ada")
    pilot.button_named("Animations").click()
    closed = try_to_close(pilot)
    assert pilot.says("Unsaved changes: Animations, Your name.")
    pilot.press_in(pilot.dialog(), "Save")
    pilot.qtbot.waitUntil(lambda: closed == [True])
    assert saved_settings() == 'animations = true\nannotator = "Ada"\n'


def try_to_close(pilot: SettingsPilot) -> list[bool]:
    """The returned list is filled once the window may close."""
    closed: list[bool] = []
    assert pilot.page.asks_before_closing(lambda: closed.append(True))
    return closed
