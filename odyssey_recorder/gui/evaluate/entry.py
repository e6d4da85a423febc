"""The Evaluate page, as the window lists it."""

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.evaluate.commands import EvaluateCommand
from odyssey_recorder.gui.frame.page import MainPage


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.evaluate.evaluate_page import EvaluatePage

    assert tools.workplace.dataset is not None
    return EvaluatePage(tools.workplace.dataset, tools.background, tools.commands)


ENTRY = PageEntry(
    EvaluateCommand.EVALUATE_PAGE,
    EvaluateCommand,
    "odyssey_recorder.gui.evaluate.evaluate_page",
    _make,
    is_offered=lambda workplace: workplace.dataset is not None,
)
