"""Work off the GUI thread comes back on the GUI thread."""

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.background import Background


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


def _never(error: Exception) -> None:
    raise error


def test_the_call_runs_elsewhere_and_its_result_comes_here(background: Background, qtbot: QtBot) -> None:
    came: list[threading.Thread] = []
    background.run(threading.current_thread, lambda there: came.extend([there, threading.current_thread()]), _never)
    qtbot.waitUntil(lambda: bool(came))
    there, here = came
    assert there is not here
    assert here is threading.main_thread()


def test_what_the_call_raises_comes_here(background: Background, qtbot: QtBot) -> None:
    error = DeviceError("gone")
    came: list[object] = []

    def fail() -> object:
        raise error

    background.run(fail, came.append, came.append)
    qtbot.waitUntil(lambda: bool(came))
    assert came == [error]


def test_nothing_comes_after_closing(qtbot: QtBot) -> None:
    background = Background()
    came: list[object] = []
    began, go_on = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        go_on.wait(5)

    background.run(work, came.append, came.append)
    began.wait(5)
    go_on.set()
    background.close()
    background.run(work, came.append, came.append)
    qtbot.wait(1)
    assert came == []
