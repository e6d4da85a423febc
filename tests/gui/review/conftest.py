"""The Review page in a window."""

from pathlib import Path

import pytest

from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.review import review
from odyssey_recorder.services.review import ReviewService
from tests.dataset.published_episode import PublishedEpisode, recorded
from tests.gui.pilot import OpenAt
from tests.gui.review.reviewer import OpenReviews, Reviewer


@pytest.fixture(autouse=True)
def _fast_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests review faster than a person could."""
    monkeypatch.setattr(review, "FASTEST_SCREEN_S", 0.0)


@pytest.fixture
def published(tmp_path: Path) -> PublishedEpisode:
    return recorded(tmp_path)


@pytest.fixture
def open_reviews(open_at: OpenAt) -> OpenReviews:
    """Opens the page, with the episodes listed."""

    def open_page(reviewing: ReviewService, sheets: KeptFile | None = None) -> Reviewer:
        pilot = open_at(Workplace(review=lambda: reviewing, sheets=sheets or KeptFile(None)))
        pilot.press("Review")
        pilot.activate()
        pilot.qtbot.waitUntil(lambda: not pilot.says("Loading episodes"))
        return Reviewer(pilot)

    return open_page
