"""The Record page, as the window lists it."""

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.record.commands import RecordCommand


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.record.agent_runner import AgentRunner
    from odyssey_recorder.gui.record.record_page import RecordPage

    models, controller = tools.workplace.agents, tools.controller
    agents = None if models is None else AgentRunner(models, controller)
    page = RecordPage(controller, tools.commands, tools.queue, tools.coach, agents)
    page.outline_elements(on=tools.workplace.outlines)
    page.sounds.is_on = tools.workplace.sounds
    return page


ENTRY = PageEntry(
    CommonCommand.RECORD_PAGE,
    RecordCommand,
    "odyssey_recorder.gui.record.record_page",
    _make,
    is_offered=lambda _workplace: True,
)
