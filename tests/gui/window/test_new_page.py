"""A page is added by its entry alone: its folder, and one line in the list of pages."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools, Workplace
from odyssey_recorder.gui.frame.command import Command, CommandText
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.kit.parts import fill_column, text_label
from odyssey_recorder.gui.window import pages
from odyssey_recorder.gui.window.help_dialog import HelpDialog
from odyssey_recorder.settings import Role, SettingsStore
from tests.gui.pilot import OpenAt, Pilot, texts_in

CTRL = Qt.KeyboardModifier.ControlModifier

_command = partial(CommandText, page="Sounds")


class SoundsCommand(Command):
    SOUNDS_PAGE = CommandText("Sounds", "Listen to the episodes", "music_note_outline", "Ctrl+0")
    PLAY_SOUND = _command("Play", "Play the sound of this episode", "play", "Ctrl+Y")
    DELETE_SOUND = _command("Delete", "Delete the sound of this episode", "delete_outline", "Ctrl+D", seen_by="leads")


class SoundsPage(MainPage):
    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.played = 0
        commands.bind(self, {SoundsCommand.PLAY_SOUND: self._play, SoundsCommand.DELETE_SOUND: self._play})
        buttons = commands.buttons(SoundsCommand.PLAY_SOUND, SoundsCommand.DELETE_SOUND)
        fill_column(self, text_label("All sounds"), *buttons, None)

    def _play(self) -> None:
        self.played += 1


def _make(tools: PageTools) -> MainPage:
    return SoundsPage(tools.commands)


ENTRY = PageEntry(
    SoundsCommand.SOUNDS_PAGE,
    SoundsCommand,
    __name__,
    _make,
    is_offered=lambda workplace: workplace.settings is not None,
)


@pytest.fixture(autouse=True)
def _list_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGES", (*pages.PAGES, ENTRY))


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return Workplace(settings=SettingsStore())


def sounds_of(pilot: Pilot) -> SoundsPage:
    pilot.press("Sounds")
    return pilot.find(SoundsPage)


def test_listed_page_opens_by_button_and_number(open_at: OpenAt, workplace: Workplace) -> None:
    pilot = open_at(workplace).watching()
    assert sorted(pilot.rail) == ["Record", "Settings", "Sounds"]
    page = sounds_of(pilot)
    assert page.isVisible()
    QTest.keyClick(pilot.window, Qt.Key.Key_1, CTRL)
    assert not page.isVisible()
    QTest.keyClick(pilot.window, Qt.Key.Key_3, CTRL)  # it is listed last
    assert page.isVisible()


def test_its_commands_have_keys_help_and_shortcuts(open_at: OpenAt, workplace: Workplace) -> None:
    pilot = open_at(workplace).watching()
    page = sounds_of(pilot)
    QTest.keyClick(page, Qt.Key.Key_Y, CTRL)
    assert page.played == 1
    QTest.keyClick(page, Qt.Key.Key_F1)
    pilot.qtbot.waitUntil(lambda: bool(pilot.window.findChildren(HelpDialog)))
    (help_dialog,) = pilot.window.findChildren(HelpDialog)
    assert {"On the page Sounds", "Play the sound of this episode"} <= set(texts_in(help_dialog))
    help_dialog.close()
    pilot.press("Settings")
    model = pilot.named(QTableView, "Keys of all actions").model()
    actions = [str(model.index(row, 0).data()) for row in range(model.rowCount())]
    assert {"Sounds", "Play"} <= set(actions)


@pytest.mark.parametrize(("role", "is_seen"), [("annotator", False), ("lead", True)])
def test_command_is_seen_by_those_it_says(open_at: OpenAt, workplace: Workplace, role: Role, is_seen: bool) -> None:
    pilot = open_at(replace(workplace, role=role)).watching()
    sounds_of(pilot)
    assert pilot.button_named("Delete").isVisible() is is_seen
    assert pilot.button_named("Play").isVisible()


def test_page_that_lacks_what_it_needs_is_not_offered(open_at: OpenAt) -> None:
    assert open_at(Workplace()).watching().rail == ["Record"]
