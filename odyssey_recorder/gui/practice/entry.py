"""The Practice page, as the window lists it."""

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.practice.commands import PracticeCommand


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.practice.practice_page import PracticePage

    assert tools.coach is not None
    return PracticePage(tools.coach, tools.commands)


ENTRY = PageEntry(
    CommonCommand.PRACTICE_PAGE,
    PracticeCommand,
    "odyssey_recorder.gui.practice.practice_page",
    _make,
    is_offered=lambda workplace: workplace.practice is not None,
)
