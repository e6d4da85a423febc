"""Preloading the first screenshots of the next episode."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.review.screenshot_loader import ScreenshotLoader
from odyssey_recorder.gui.review.shown_step import ShownStep, shown_steps
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.model.geometry import Point
from tests.gui.review.opened_reviews import open_review

FIRST, NEXT = "1000000000000001", "1000000000000002"


class LoaderDriver:
    def __init__(self, qtbot: QtBot, background: Background, folder: Path) -> None:
        self.qtbot = qtbot
        self.folder = folder
        self.owner = QObject()
        self.loader = ScreenshotLoader(background, self.owner)
        self.thumbnails: list[int] = []
        self.loader.thumbnail_loaded.connect(lambda number, _image: self.thumbnails.append(number))

    def steps(self, episode_id: str) -> tuple[ShownStep, ...]:
        clicks = [Click(Point(place, place)) for place in range(5)]
        return shown_steps(open_review(self.folder, *clicks, Complete(), episode_id=episode_id))

    def load(self, steps: tuple[ShownStep, ...]) -> None:
        self.thumbnails.clear()
        self.loader.load(steps)
        self.qtbot.waitUntil(lambda: set(self.thumbnails) == set(range(len(steps))))

    def prepare_next(self) -> tuple[ShownStep, ...]:
        self.load(self.steps(FIRST))
        following = self.steps(NEXT)
        self.loader.prepare(following)
        self.qtbot.waitUntil(lambda: self.loader.prepared == {0, 1})
        return following

    def delete_screenshots(self, episode_id: str) -> None:
        for number in range(6):
            (self.folder / screenshot_name(episode_id, number)).unlink()


@pytest.fixture
def driver(qtbot: QtBot, background: Background, tmp_path: Path) -> LoaderDriver:
    return LoaderDriver(qtbot, background, tmp_path)


def test_first_two_screenshots_are_preloaded(driver: LoaderDriver) -> None:
    following = driver.prepare_next()
    driver.delete_screenshots(NEXT)
    driver.thumbnails.clear()
    driver.loader.load(following)
    screenshots = [driver.loader.screenshot(number) for number in range(3)]
    assert [screenshot is not None and not screenshot.problem for screenshot in screenshots] == [True, True, False]
    assert driver.thumbnails == [0, 1]


def test_preloaded_screenshots_are_dropped_after_a_fix(driver: LoaderDriver) -> None:
    following = driver.prepare_next()
    driver.loader.load(following[:3])  # it was fixed meanwhile
    assert driver.loader.screenshot(0) is None


def test_screenshots_being_preloaded_are_not_decoded_twice(driver: LoaderDriver) -> None:
    driver.load(driver.steps(FIRST))
    following = driver.steps(NEXT)
    driver.loader.prepare(following)
    driver.load(following)
    assert sorted(driver.thumbnails) == list(range(6))


def test_screenshot_missing_in_preload_is_read_again(driver: LoaderDriver) -> None:
    driver.load(driver.steps(FIRST))
    following = driver.steps(NEXT)
    driver.delete_screenshots(NEXT)
    driver.loader.prepare(following)
    driver.qtbot.waitUntil(lambda: driver.loader.prepared == {0, 1})
    driver.steps(NEXT)
    driver.load(following)
    screenshot = driver.loader.screenshot(0)
    assert screenshot is not None
    assert screenshot.problem == ""
