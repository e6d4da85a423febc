"""The pages of the window: which ones exist, and those that were made."""

import sys
from importlib import import_module
from itertools import chain

from odyssey_recorder.gui.annotate import entry as annotate
from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.dataset import entry as dataset
from odyssey_recorder.gui.devices import entry as devices
from odyssey_recorder.gui.evaluate import entry as evaluate
from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.roles import sees
from odyssey_recorder.gui.practice import entry as practice
from odyssey_recorder.gui.record import entry as record
from odyssey_recorder.gui.review import entry as review
from odyssey_recorder.gui.settings import entry as settings
from odyssey_recorder.gui.tasks import entry as tasks
from odyssey_recorder.settings import Role

PAGES: tuple[PageEntry, ...] = (
    record.ENTRY,
    review.ENTRY,
    tasks.ENTRY,
    practice.ENTRY,
    devices.ENTRY,
    dataset.ENTRY,
    annotate.ENTRY,
    evaluate.ENTRY,
    settings.ENTRY,
)
"""In the order of the rail."""

_PARTS = (
    "odyssey_recorder.recording.recorder",
    "odyssey_recorder.agents.online",
    "odyssey_recorder.gui.review.figures_view",
    "odyssey_recorder.checking.checker",
    "odyssey_recorder.services.review",
    "odyssey_recorder.services.tasks",
    "odyssey_recorder.gui.window.doctor_dialog",
)
"""Modules that pages use, loaded before the pages are created."""


def all_commands() -> tuple[Command, ...]:
    """Those that open a page first, then those of every page, then page by page."""
    openers = (entry.command for entry in PAGES)
    return tuple(dict.fromkeys((*openers, *CommonCommand, *chain.from_iterable(entry.commands for entry in PAGES))))


def commands_of_roles() -> tuple[Command, ...]:
    """The commands that not everybody who has the page sees."""
    on_pages = {entry.command.value.label: entry.command.value.seen_by for entry in PAGES}
    opening = {entry.command for entry in PAGES}
    return tuple(
        command
        for command in all_commands()
        if command not in opening and command.value.seen_by != on_pages.get(command.value.page, "all")
    )


def load_pages() -> None:
    """Load the modules of all pages; off the GUI thread, as it takes longer than the window may freeze."""
    for module in (*_PARTS, *(entry.module for entry in PAGES)):
        import_module(module)


class Pages:
    """The pages that the workplace has the means for, each made when it is first asked for."""

    def __init__(self, tools: PageTools) -> None:
        self._tools = tools
        self._entries = {entry.command: entry for entry in PAGES if entry.is_offered(tools.workplace)}
        self._made: dict[Command, MainPage] = {}
        self.role: Role = tools.workplace.role

    @property
    def openers(self) -> tuple[Command, ...]:
        """The commands that open a page, offered or not, in the order of the rail."""
        return tuple(entry.command for entry in PAGES)

    @property
    def offered(self) -> tuple[Command, ...]:
        """Those that people of this role see."""
        return tuple(command for command in self._entries if sees(self.role, command))

    @property
    def made(self) -> tuple[MainPage, ...]:
        return tuple(self._made.values())

    def show_for_role(self) -> None:
        for page in self.made:
            page.show_for(self.role)

    def is_loaded(self, command: Command) -> bool:
        """Whether the page can be created at once."""
        module = sys.modules.get(self._entries[command].module)
        return module is not None and not getattr(module.__spec__, "_initializing", False)

    def __getitem__(self, command: Command) -> MainPage:
        if command not in self._made:
            self._made[command] = self._entries[command].make(self._tools)
            self._made[command].show_for(self.role)
        return self._made[command]
