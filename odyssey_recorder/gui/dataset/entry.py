"""The Dataset page, as the window lists it."""

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.frame.page import MainPage


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.dataset.dataset_page import DatasetPage

    dataset, saved, review = tools.workplace.dataset, tools.workplace.saved_filters, tools.review
    assert dataset is not None
    who = tools.controller.who_records
    page = DatasetPage(dataset, None if saved is None else saved(), tools.background, tools.commands, who)
    if review is not None:
        page.allow_review(review)
    return page


ENTRY = PageEntry(
    DatasetCommand.DATASET_PAGE,
    DatasetCommand,
    "odyssey_recorder.gui.dataset.dataset_page",
    _make,
    is_offered=lambda workplace: workplace.dataset is not None,
)
