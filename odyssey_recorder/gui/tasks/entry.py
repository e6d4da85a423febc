"""The Tasks page, as the window lists it."""

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.tasks.commands import TasksCommand


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.tasks.preparation import TaskServiceBridge
    from odyssey_recorder.gui.tasks.tasks_page import TasksPage

    queue, service = tools.queue, tools.workplace.task_service
    assert queue is not None
    bridge = None if service is None else TaskServiceBridge(service, tools.background, queue)
    return TasksPage(queue, tools.commands, bridge)


ENTRY = PageEntry(
    CommonCommand.TASKS_PAGE,
    TasksCommand,
    "odyssey_recorder.gui.tasks.tasks_page",
    _make,
    is_offered=lambda workplace: workplace.tasks is not None,
)
