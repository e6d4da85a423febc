"""Garbage that refers to itself, and on which thread it is swept."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.application import GarbageCollector
from odyssey_recorder.gui.background import Background


class Knot:
    """Refers to itself, and notes on which thread it was taken apart."""

    def __init__(self, threads: list[threading.Thread]) -> None:
        self.itself = self
        self.threads = threads

    def __del__(self) -> None:
        self.threads.append(threading.current_thread())


def tie(threads: list[threading.Thread]) -> list[list[int]]:
    """Leave a knot behind, and ask for more memory than Python lets pass before it collects."""
    Knot(threads)
    return [[number] for number in range(20 * gc.get_threshold()[0])]


@pytest.fixture
def sweeper(qtbot: QtBot, qapp: QApplication) -> Iterator[GarbageCollector]:
    sweeper = GarbageCollector(qapp)
    sweeper.start()
    yield sweeper
    sweeper.stop()


def test_what_another_thread_leaves_behind_is_swept_on_the_gui_thread(qtbot: QtBot, sweeper: GarbageCollector) -> None:
    background, swept, kept = Background(), list[threading.Thread](), list[list[list[int]]]()
    background.run(lambda: tie(swept), kept.append, lambda error: pytest.fail(str(error)))
    qtbot.waitUntil(lambda: bool(swept))
    assert swept == [threading.current_thread()]
    background.close()


def test_python_collects_itself_again_where_nobody_sweeps(qapp: QApplication) -> None:
    sweeper = GarbageCollector(qapp)
    sweeper.start()
    assert not gc.isenabled()
    sweeper.stop()
    assert gc.isenabled()
