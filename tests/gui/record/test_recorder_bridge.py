"""Recorder callbacks reach the GUI thread, and a slow window skips frames."""

import threading

import pytest
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.record.recorder_bridge import RecorderBridge
from odyssey_recorder.model.geometry import Size
from tests.gui.record.test_mirror import frame

SMALL = Size(1, 1)


def test_only_the_newest_of_many_frames_arrives(qtbot: QtBot) -> None:
    owner = QObject()
    bridge = RecorderBridge(owner)
    came: list[int] = []
    bridge.frame_came.connect(lambda shown: came.append(shown.number))

    def read() -> None:
        for number in range(1, 51):
            bridge.frame(frame(SMALL, number))

    reader = threading.Thread(target=read)
    reader.start()
    reader.join()
    qtbot.waitUntil(lambda: bool(came))
    with qtbot.waitSignal(bridge.frame_came):
        bridge.frame(frame(SMALL, 51))
    assert came == [50, 51]


@pytest.mark.usefixtures("qapp")
def test_window_can_be_deleted_while_frames_arrive() -> None:
    for _ in range(50):
        owner = QObject()
        bridge = RecorderBridge(owner)
        is_told, failures = threading.Event(), []

        def read(bridge: RecorderBridge = bridge, is_told: threading.Event = is_told) -> None:
            try:
                for number in range(100):
                    bridge.frame(frame(SMALL, number))
                    bridge.notice("Look again.")
                    is_told.set()
            except RuntimeError as error:
                failures.append(error)  # noqa: B023 - joined within the round

        reader = threading.Thread(target=read)
        reader.start()
        assert is_told.wait(10)
        shiboken6.delete(owner)
        reader.join()
        assert failures == []
