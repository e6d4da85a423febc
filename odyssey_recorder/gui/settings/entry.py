"""The Settings page, as the window lists it."""

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.settings.commands import SettingsCommand


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.settings.settings_page import SettingsPage

    assert tools.workplace.settings is not None
    page = SettingsPage(tools.workplace.settings, tools.shortcuts, tools.background, tools.commands)
    page.role_saved.connect(tools.use_role)
    return page


ENTRY = PageEntry(
    CommonCommand.SETTINGS_PAGE,
    SettingsCommand,
    "odyssey_recorder.gui.settings.settings_page",
    _make,
    is_offered=lambda workplace: workplace.settings is not None,
)
