"""The Review page, as the window lists it."""

from functools import partial

from odyssey_recorder.gui.bridges.workplace import PageEntry, PageTools
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.review.commands import ReviewCommand


def _make(tools: PageTools) -> MainPage:
    from odyssey_recorder.gui.review.figures_view import QualityView
    from odyssey_recorder.gui.review.review_page import ReviewPage

    assert tools.review is not None
    service, shared = tools.review(), (tools.background, tools.commands)
    page = ReviewPage(service, *shared, tools.workplace.sheets)
    tools.controller.tell_recording(page.show_recording)
    page.offer_figures(partial(QualityView, service, *shared))
    return page


ENTRY = PageEntry(
    ReviewCommand.REVIEW_PAGE,
    ReviewCommand,
    "odyssey_recorder.gui.review.review_page",
    _make,
    is_offered=lambda workplace: workplace.review is not None,
)
