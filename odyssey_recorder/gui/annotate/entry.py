"""The Annotate page, as the window lists it."""

from odyssey_recorder.gui.annotate.commands import AnnotateCommand
from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.frame.page import MainPage


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.annotate.annotate_page import AnnotatePage

    texts = tools.workplace.texts
    assert texts is not None
    return AnnotatePage(texts(), tools.background, tools.commands, tools.workplace.writing)


ENTRY = PageEntry(
    AnnotateCommand.ANNOTATE_PAGE,
    AnnotateCommand,
    "odyssey_recorder.gui.annotate.annotate_page",
    _make,
    is_offered=lambda workplace: workplace.texts is not None,
)
