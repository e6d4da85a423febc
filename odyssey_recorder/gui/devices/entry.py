"""The Devices page, as the window lists it."""

from typing import TYPE_CHECKING

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.devices.commands import DevicesCommand
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.progress import Cancelled, Progress

if TYPE_CHECKING:
    from odyssey_recorder.device_check.found import DeviceReport


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.devices.devices_page import DevicesPage

    def check(serial: str, progress: Progress, cancelled: Cancelled) -> "DeviceReport":
        from odyssey_recorder.services.device_check import DeviceCheck  # imported late: slow to load

        return DeviceCheck(tools.controller.connector).run(serial, progress, cancelled)

    def record_on(serial: str) -> None:
        tools.controller.choose_device(serial)
        tools.commands[CommonCommand.RECORD_PAGE].trigger()

    assert tools.workplace.inventory is not None
    page = DevicesPage(tools.workplace.inventory(), tools.background, tools.commands, check)
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
