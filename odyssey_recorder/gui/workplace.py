"""The pages: which there are for what the program gives, how each is made, and what leads from one to another."""

from collections.abc import Callable
from dataclasses import dataclass

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.jobs import Jobs
from odyssey_recorder.gui.page import Page
from odyssey_recorder.gui.record_page import RecordPage
from odyssey_recorder.gui.recording_controller import RecordingController


@dataclass(frozen=True, slots=True)
class Workplace:
    """What the window asks of the program beside the desk; where a part is None there is no page for it."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What each page is made with: the actions, short calls that block, and long work."""

    commands: Commands
    background: Background
    jobs: Jobs


class Pages:
    """Makes the pages, each when it is first asked for."""

    def __init__(self, record: RecordPage, controller: RecordingController, workplace: Workplace, tools: Tools) -> None:
        self._record = record
        self._controller = controller
        self._tools = tools
        self._made: dict[Command, Page] = {}
        self._makers: dict[Command, Callable[[], Page]] = {Command.RECORD_PAGE: lambda: record}

    @property
    def offered(self) -> tuple[Command, ...]:
        """The commands that lead to a page, from the top of the rail to its bottom."""
        return tuple(self._makers)

    @property
    def made(self) -> tuple[Page, ...]:
        """The pages that were asked for until now."""
        return tuple(self._made.values())

    def __getitem__(self, command: Command) -> Page:
        if command not in self._made:
            self._made[command] = self._makers[command]()
        return self._made[command]
