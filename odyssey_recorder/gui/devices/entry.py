"""The Devices page, as the window lists it."""

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.devices.commands import DevicesCommand
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.page import MainPage


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.devices.devices_page import DevicesPage

    def record_on(serial: str) -> None:
        tools.controller.choose_device(serial)
        tools.commands[CommonCommand.RECORD_PAGE].trigger()

    assert tools.workplace.inventory is not None
    page = DevicesPage(tools.workplace.inventory(), tools.background, tools.commands)
    page.record_asked.connect(record_on)
    tools.controller.tell_recording(page.show_recording)
    return page


ENTRY = PageEntry(
    DevicesCommand.DEVICES_PAGE,
    DevicesCommand,
    "odyssey_recorder.gui.devices.devices_page",
    _make,
    is_offered=lambda workplace: workplace.inventory is not None,
)
