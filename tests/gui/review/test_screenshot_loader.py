"""Decoding the start of the next episode: when, and what invalidates it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.review.screenshot_loader import ScreenshotLoader
from odyssey_recorder.gui.review.shown_step import ShownStep, shown_steps
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.model.geometry import Point
from tests.gui.review.opened import open_review

ONE, OTHER = "1000000000000001", "1000000000000002"


class Loading:
    def __init__(self, qtbot: QtBot, background: Background, folder: Path) -> None:
        self.qtbot = qtbot
        self.folder = folder
        self.owner = QObject()
        self.loader = ScreenshotLoader(background, self.owner)
        self.thumbnails: list[int] = []
        self.loader.thumbnail_came.connect(self._take)

    def _take(self, number: int, _screenshot: QImage) -> None:
        self.thumbnails.append(number)

    def steps(self, episode_id: str) -> tuple[ShownStep, ...]:
        clicks = [Click(Point(place, place)) for place in range(5)]
        return shown_steps(open_review(self.folder, *clicks, Complete(), episode_id=episode_id))

    def load(self, steps: tuple[ShownStep, ...]) -> None:
        self.thumbnails.clear()
        self.loader.load(steps)
        self.qtbot.waitUntil(lambda: set(self.thumbnails) == set(range(len(steps))))

    def spoil(self, episode_id: str) -> None:
        """Delete an episode's screenshots; those already decoded stay visible."""
        for number in range(6):
            (self.folder / screenshot_name(episode_id, number)).unlink()


@pytest.fixture
def loading(qtbot: QtBot, background: Background, tmp_path: Path) -> Loading:
    return Loading(qtbot, background, tmp_path)


def test_the_first_two_screenshots_of_the_next_episode_are_there_when_it_is_loaded(loading: Loading) -> None:
    following = loading.steps(OTHER)
    loading.load(loading.steps(ONE))
    loading.loader.prepare(following)
    loading.qtbot.waitUntil(lambda: loading.loader.prepared == {0, 1})
    loading.spoil(OTHER)
    loading.thumbnails.clear()
    loading.loader.load(following)
    screenshots = [loading.loader.screenshot(number) for number in range(3)]
    assert [screenshot is not None and not screenshot.problem for screenshot in screenshots] == [True, True, False]
    assert loading.thumbnails == [0, 1]


def test_nothing_that_was_prepared_is_shown_of_another_episode(loading: Loading) -> None:
    loading.load(loading.steps(ONE))
    following = loading.steps(OTHER)
    loading.loader.prepare(following)
    loading.qtbot.waitUntil(lambda: loading.loader.prepared == {0, 1})
    loading.loader.load(following[:3])  # it was fixed meanwhile
    assert loading.loader.screenshot(0) is None


def test_what_is_being_prepared_when_it_is_wanted_is_not_decoded_twice(loading: Loading) -> None:
    loading.load(loading.steps(ONE))
    following = loading.steps(OTHER)
    loading.loader.prepare(following)
    loading.load(following)
    assert sorted(loading.thumbnails) == list(range(6))


def test_a_screenshot_that_was_missing_ahead_is_looked_for_again(loading: Loading) -> None:
    loading.load(loading.steps(ONE))
    following = loading.steps(OTHER)
    loading.spoil(OTHER)
    loading.loader.prepare(following)
    loading.qtbot.waitUntil(lambda: loading.loader.prepared == {0, 1})
    loading.steps(OTHER)
    loading.load(following)
    screenshot = loading.loader.screenshot(0)
    assert screenshot is not None
    assert screenshot.problem == ""
