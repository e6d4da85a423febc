"""Changed shortcuts work at once, are stored, and are never ambiguous."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QKeySequenceEdit, QTableView, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.devices.commands import DevicesCommand
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.shortcuts import Shortcuts
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.settings.shortcut_card import ShortcutCard
from odyssey_recorder.gui.window.pages import all_commands
from tests.episodes import DATA
from tests.gui.pilot import WidgetPilot, button_in

F12, CTRL_F12 = QKeySequence("F12"), QKeySequence("Ctrl+F12")
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "shortcuts.json"


@pytest.fixture
def pilot(qtbot: QtBot, background: Background) -> WidgetPilot:
    return WidgetPilot(qtbot, background)


@pytest.fixture
def commands(pilot: WidgetPilot) -> Commands:
    return pilot.commands


@pytest.fixture
def shortcuts(commands: Commands, file: Path) -> Shortcuts:
    return Shortcuts(commands, KeptFile(file))


def test_changed_keys_take_effect_at_once(pilot: WidgetPilot, commands: Commands, shortcuts: Shortcuts) -> None:
    button = commands.button(RecordCommand.UNDO)
    commands.belong_to(button, RecordCommand.UNDO)
    pilot.show_widget(button)
    triggered: list[bool] = []
    commands[RecordCommand.UNDO].triggered.connect(lambda: triggered.append(True))
    shortcuts.change(RecordCommand.UNDO, F12)
    QTest.keyClick(pilot.window, Qt.Key.Key_Z, CTRL)
    assert triggered == []
    QTest.keyClick(pilot.window, Qt.Key.Key_F12)
    assert triggered == [True]
    assert button.toolTip() == "Undo the last step (F12)"


@pytest.mark.parametrize(
    ("command", "refused", "free"),
    [
        (
            RecordCommand.UNDO,
            ["A", "7", "Shift+A", "Return", "Esc", "Tab", "Space", "Left", "Del", "Ä", "Alt+C"],
            ["F12", "Shift+F12", "Ctrl+D", "Ctrl+Alt+C", "Alt+Left", "Ctrl+Space", "Media Play", ""],
        ),
        (ReviewCommand.ACCEPT_EPISODE, ["Q", "Return", "Left"], ["Y", "0"]),
    ],
)
def test_typing_and_navigation_keys_are_refused(
    shortcuts: Shortcuts, command: Command, refused: list[str], free: list[str]
) -> None:
    assert [keys for keys in refused + free if shortcuts.refusal(command, QKeySequence(keys))] == refused


def test_reset_restores_default_keys_unless_taken(shortcuts: Shortcuts) -> None:
    shortcuts.change(RecordCommand.BACK, F12)
    shortcuts.change(RecordCommand.UNDO, QKeySequence("F2"))
    assert "“Undo last”" in shortcuts.reset(RecordCommand.BACK)
    assert shortcuts.keys(RecordCommand.BACK) == F12
    shortcuts.reset_all()
    assert shortcuts.keys(RecordCommand.BACK) == QKeySequence("F2")


def test_saved_keys_win_over_default_of_newer_command(commands: Commands, file: Path) -> None:
    KeptFile(file).write({"shortcuts": {"UNDO": "F2"}})
    shortcuts = Shortcuts(commands, KeptFile(file))
    assert shortcuts.keys(RecordCommand.UNDO) == QKeySequence("F2")
    assert shortcuts.keys(RecordCommand.BACK).isEmpty()


def test_invalid_saved_keys_are_logged_and_ignored(
    commands: Commands, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    KeptFile(file).write({"shortcuts": {"UNDO": "Hyper+Nonsense", "BACK": 7, "HOME": "Ctrl+K, Ctrl+H", "NEWER": "F12"}})
    shortcuts = Shortcuts(commands, KeptFile(file))
    assert [record.args and record.args[1] for record in caplog.records] == ["BACK", "HOME", "UNDO"]  # type: ignore[index]
    caplog.clear()
    assert not any(shortcuts.is_changed(command) for command in shortcuts.changeable)
    shortcuts.change(RecordCommand.UNDO, CTRL_F12)
    shortcuts.keep()
    kept = KeptFile(file).read()["shortcuts"]
    assert isinstance(kept, dict)
    assert kept["NEWER"] == "F12"


def test_commands_keep_the_names_under_which_keys_are_saved() -> None:
    saved = (DATA / "command_names.txt").read_text().split()
    names = [command.name for command in all_commands()]
    assert len(names) == len(set(names))
    assert set(names) == set(saved)


def test_default_keys_are_unique_on_each_page() -> None:
    everywhere = _default_keys("")
    for page in {command.value.page for command in all_commands()} - {""}:
        keys = everywhere + _default_keys(page)
        assert sorted(keys) == sorted(set(keys)), page
    assert all(one.own_keys for one in all_commands() if one.name.startswith(("DEVICE_", "SNAPSHOT_")))


def _default_keys(page: str) -> list[str]:
    return [keys.toString() for command in all_commands() if command.value.page == page for keys in command.own_keys]


def test_chosen_keys_replace_second_default_of_another(commands: Commands, shortcuts: Shortcuts) -> None:
    zoom, equals = commands[RecordCommand.ZOOM_IN], QKeySequence("Ctrl+=")
    assert equals in zoom.shortcuts()
    assert "Zoom in" in shortcuts.refusal(RecordCommand.UNDO, equals)
    shortcuts.change(RecordCommand.UNDO, equals)
    assert zoom.shortcuts() == [QKeySequence("Ctrl++")]
    shortcuts.change(RecordCommand.ZOOM_IN, F12)
    assert zoom.shortcuts() == [F12]


def test_keys_may_repeat_on_different_pages(shortcuts: Shortcuts) -> None:
    assert shortcuts.refusal(DevicesCommand.DEVICE_FOLD, QKeySequence("Ctrl+Z")) == ""
    assert shortcuts.refusal(RecordCommand.BACK, QKeySequence("F2")) == "", "its own"
    assert "“Record” (record episodes)" in shortcuts.refusal(DevicesCommand.DEVICE_FOLD, QKeySequence("Ctrl+1"))
    assert "“Undo last”" in shortcuts.refusal(CommonCommand.DOCTOR, QKeySequence("Ctrl+Z"))


@pytest.mark.usefixtures("shortcuts")
def test_page_keys_do_nothing_before_page_exists(pilot: WidgetPilot, commands: Commands) -> None:
    page = QWidget()
    pilot.show_widget(page)
    triggered: list[bool] = []
    commands[RecordCommand.UNDO].triggered.connect(lambda: triggered.append(True))
    QTest.keyClick(pilot.window, Qt.Key.Key_Z, CTRL)
    assert triggered == []
    commands.belong_to(page, RecordCommand.UNDO)
    QTest.keyClick(pilot.window, Qt.Key.Key_Z, CTRL)
    assert triggered == [True]


# Table.


class ShortcutCardPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, file: Path) -> None:
        super().__init__(qtbot, background)
        self.shortcuts = Shortcuts(self.commands, KeptFile(file))
        card = ShortcutCard(self.shortcuts, background, self.commands)
        self.refusals: list[str] = []
        card.refused.connect(self.refusals.append)
        self.show_widget(card)
        self.table = self.find(QTableView)

    def choose(self, command: Command) -> None:
        self.table.setFocus()
        self.table.setCurrentIndex(self.table.model().index(self.shortcuts.changeable.index(command), 0))

    def press_in_row(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.table, Qt.Key.Key_Return)
        self.qtbot.waitUntil(lambda: len(self.editors()) == 1)
        QTest.keyClick(self.editors()[0], key, modifiers)

    def editors(self) -> list[QKeySequenceEdit]:
        return self.table.findChildren(QKeySequenceEdit)

    def cells(self, command: Command) -> list[str]:
        row = self.shortcuts.changeable.index(command)
        return [str(self.table.model().index(row, column).data()) for column in range(4)]

    def wait_for_keys(self, command: Command, keys: str) -> None:
        self.qtbot.waitUntil(lambda: self.cells(command)[3] == keys)


@pytest.fixture
def card(qtbot: QtBot, background: Background, file: Path) -> ShortcutCardPilot:
    return ShortcutCardPilot(qtbot, background, file)


def test_table_lists_every_command(card: ShortcutCardPilot) -> None:
    assert card.table.model().rowCount() == len(card.shortcuts.changeable)
    assert card.cells(RecordCommand.BACK) == ["Back", "Press Back on the device", "Record", "F2"]
    assert card.cells(RecordCommand.DISCARD)[::3] == ["Discard", "none"]


def test_keys_are_changed_in_the_row(card: ShortcutCardPilot, file: Path) -> None:
    card.choose(RecordCommand.UNDO)
    card.press_in_row(Qt.Key.Key_Return, CTRL | Qt.KeyboardModifier.AltModifier)
    card.wait_for_keys(RecordCommand.UNDO, "Ctrl+Alt+Return")
    card.press_in_row(Qt.Key.Key_F12)
    card.wait_for_keys(RecordCommand.UNDO, "F12")
    assert card.commands[RecordCommand.UNDO].toolTip().endswith("(F12)")
    card.qtbot.waitUntil(lambda: KeptFile(file).read() == {"shortcuts": {"UNDO": "F12"}})


def test_conflict_is_reported_and_escape_changes_nothing(card: ShortcutCardPilot) -> None:
    card.choose(RecordCommand.UNDO)
    card.press_in_row(Qt.Key.Key_F2)
    card.qtbot.waitUntil(
        lambda: bool(card.refusals) and "F2 is already used for “Back” (press Back" in card.refusals[-1]
    )
    assert card.cells(RecordCommand.UNDO)[3] == "Ctrl+Z"
    card.press_in_row(Qt.Key.Key_Escape)
    card.qtbot.waitUntil(lambda: card.editors() == [])
    assert card.cells(RecordCommand.UNDO)[3] == "Ctrl+Z"
    card.press_in_row(Qt.Key.Key_F12)
    card.wait_for_keys(RecordCommand.UNDO, "F12")
    assert "already used" not in card.refusals[-1]


def test_delete_clears_keys_and_reset_restores_them(card: ShortcutCardPilot) -> None:
    card.choose(RecordCommand.UNDO)
    assert not button_in(card.window, "Reset").isEnabled()
    QTest.keyClick(card.table, Qt.Key.Key_Delete)
    assert card.cells(RecordCommand.UNDO)[3] == "none"
    assert card.commands[RecordCommand.UNDO].toolTip() == RecordCommand.UNDO.value.tip
    button_in(card.window, "Reset").click()
    assert card.cells(RecordCommand.UNDO)[3] == "Ctrl+Z"
    card.choose(RecordCommand.BACK)
    QTest.keyClick(card.table, Qt.Key.Key_Delete)
    button_in(card.window, "Reset all").click()
    assert card.cells(RecordCommand.BACK)[3] == "F2"
    assert not button_in(card.window, "Reset all").isEnabled()
