"""The commands of a window as actions, and their buttons."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from PySide6.QtCore import QObject, QSize
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.theme import Theme

_OfPage = TypeVar("_OfPage", bound=Command)


class Commands(QObject):
    def __init__(self, window: QWidget, commands: Iterable[Command]) -> None:
        super().__init__(window)
        self._actions = {
            command: QAction(command.value.label, self, checkable=command.value.checkable) for command in commands
        }
        self._tips: dict[Command, str] = {}
        self._whys: dict[Command, str] = {}
        for command in self._actions:
            self.set_keys(command, *command.own_keys)
        window.addActions([action for command, action in self._actions.items() if not command.value.page])
        self.use_palette(window.palette())

    def __iter__(self) -> Iterator[Command]:
        return iter(self._actions)

    def __getitem__(self, command: Command) -> QAction:
        return self._actions[command]

    def belong_to(self, page: QWidget, *commands: Command) -> None:
        """Enable the keys of these page commands while `page` is shown."""
        for command in commands:
            page.addAction(self._actions[command])

    def bind(self, page: QWidget, calls: Mapping[_OfPage, Callable[[], object]]) -> None:
        self.belong_to(page, *calls)
        for command, call in calls.items():
            self._actions[command].triggered.connect(lambda _checked, call=call: call())

    def set_keys(self, command: Command, *keys: QKeySequence) -> None:
        tip = command.value.tip
        if keys:
            tip = f"{tip} ({keys[0].toString(QKeySequence.SequenceFormat.NativeText)})"
        if not command.value.is_fixed:
            self._actions[command].setShortcuts(keys)
        self._tips[command] = tip
        self._show_tip(command)

    def _show_tip(self, command: Command) -> None:
        self._actions[command].setToolTip("\n".join(filter(None, (self._tips[command], self._whys.get(command)))))

    def enable(self, *commands: Command, on: bool, why: str = "") -> None:
        """Enable commands or not; `why` they cannot be used now is shown with their tip."""
        for command in commands:
            action, reason = self._actions[command], "" if on else why
            action.setEnabled(on)
            if reason != self._whys.get(command, ""):
                self._whys[command] = reason
                self._show_tip(command)

    def button(self, command: Command, *, kind: str = "", wordless: bool = False) -> "CommandButton":
        look = kind or ("primary" if command.value.primary else "")
        button = CommandButton(self._actions[command], command.value.label.rstrip("…"), look)
        button.set_wordless(wordless)
        return button

    def buttons(
        self, *commands: Command, kind: str = "", wordless: bool = False, wide: bool = False
    ) -> list["CommandButton"]:
        buttons = [self.button(command, kind=kind, wordless=wordless) for command in commands]
        return [button.set_wide() if wide else button for button in buttons]

    def use_palette(self, palette: QPalette) -> None:
        theme = Theme.of(palette)
        for command, action in self._actions.items():
            colour = theme.on_accent if command.value.primary else theme.text
            action.setIcon(icon(command.value.icon, colour, theme.off))


class CommandButton(QPushButton):
    def __init__(self, action: QAction, name: str, kind: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setAutoDefault(False)
        self._action = action
        self._wordless = False
        self._shown = True
        self.setProperty("kind", kind)
        self.setIconSize(QSize(16, 16))
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def set_wordless(self, wordless: bool) -> None:
        self._wordless = wordless
        self._follow()

    def set_wide(self) -> "CommandButton":
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return self

    def _follow(self) -> None:
        self.setText("" if self._wordless else self._action.text())
        self.setIcon(self._action.icon())
        self.setToolTip(self._action.toolTip())
        self.setEnabled(self._action.isEnabled())
        self.setCheckable(self._action.isCheckable())
        self.setChecked(self._action.isChecked())
        if self._action.isVisible() != self._shown:
            self._shown = self._action.isVisible()
            self.setVisible(self._shown)
