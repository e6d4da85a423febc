"""Which server is asked, chosen among those on this computer, and whether its model answers a question."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import Choice, say, text_label
from odyssey_recorder.gui.settings.commands import SettingsCommand
from odyssey_recorder.gui.settings.setting_fields import button_row, titled_row
from odyssey_recorder.model.plain_text import few
from odyssey_recorder.settings import SettingsStore

if TYPE_CHECKING:
    from odyssey_recorder.services.model_servers import LocalServer

_OTHER = "other"
_SHOWN_MODELS = 5


class ServerField(QWidget):
    """`chosen` has the address, and the model if there is only one."""

    chosen = Signal(str, str)

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._found: Sequence[LocalServer] = ()
        self._url = ""
        self._choice = Choice("Server")
        self._note = text_label(kind="hint")
        hint = "Servers that run on this computer are listed."
        self.setLayout(titled_row("Server", hint, self._choice, self._note))
        self._choice.activated.connect(self._choose)
        self._offer()

    def look(self) -> None:
        self._background.run(_found, self._take, of=self)

    def show_url(self, url: str, *, can_change: bool) -> None:
        self._url = url
        self._choice.setEnabled(can_change)
        self._offer()

    def _take(self, found: "Sequence[LocalServer]") -> None:
        self._found = found
        self._offer()

    def _offer(self) -> None:
        local = [(server.url, f"{server.program} on this computer") for server in self._found]
        self._choice.offer([("", "OpenAI"), *local, (_OTHER, "Another address")])
        known = self._url in ("", *(server.url for server in self._found))
        self._choice.choose(self._url if known else _OTHER)
        models = next((server.models for server in self._found if server.url == self._url), ())
        say(self._note, f"Models: {few(sorted(models), _SHOWN_MODELS)}." if models else "")

    def _choose(self) -> None:
        url = self._choice.value
        if url == _OTHER:
            say(self._note, "Enter the address below. It usually ends in /v1.")
            return
        models = next((server.models for server in self._found if server.url == url), ())
        self.chosen.emit(url, models[0] if len(models) == 1 else "")


def _found() -> "Sequence[LocalServer]":
    from odyssey_recorder.services.model_servers import find_local_servers

    return find_local_servers()


def _answer(model: str, url: str) -> str:
    from odyssey_recorder.services.model_servers import ask_about_picture

    SettingsStore().check("model_url", url or None)
    return ask_about_picture(model, url)


class ModelTest(QWidget):
    """`asked` gives the model and the address that are on the page, saved or not."""

    def __init__(self, background: Background, commands: Commands, asked: Callable[[], tuple[str, str]]) -> None:
        super().__init__()
        self._background = background
        self._commands = commands
        self._asked = asked
        self._answer = text_label(kind="hint")
        self._problem = text_label(kind="danger")
        hint = "Asks the model about a small picture and shows its answer here."
        buttons = button_row(commands.button(SettingsCommand.TEST_MODEL))
        self.setLayout(titled_row("Test", hint, buttons, self._answer, self._problem))
        commands.bind(self, {SettingsCommand.TEST_MODEL: self._ask})
        self._show()

    def _ask(self) -> None:
        model, url = self._asked()
        if not model:
            self._show(problem="Enter the name of a model first.")
            return
        self._commands.enable(SettingsCommand.TEST_MODEL, on=False)
        self._show("Asking…")
        self._background.run(lambda: _answer(model, url), self._show, self._fail, of=self)

    def _fail(self, error: Exception) -> None:
        self._show(problem=str(error))

    def _show(self, answer: str = "", problem: str = "") -> None:
        self._commands.enable(SettingsCommand.TEST_MODEL, on=answer != "Asking…")
        say(self._answer, answer)
        say(self._problem, problem)
