"""Recorder callbacks reach the GUI thread, and a slow window skips frames."""

import threading

import pytest
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.bridges.recorder import RecorderBridge
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.notice import Notice
from tests.gui.record.screens import frame

SMALL = Size(1, 1)


def test_only_the_newest_of_many_frames_arrives(qtbot: QtBot) -> None:
    owner = QObject()
    bridge = RecorderBridge(owner)
    numbers: list[int] = []
    bridge.frame_came.connect(lambda shown: numbers.append(shown.number))

    def send() -> None:
        for number in range(1, 51):
            bridge.frame(frame(SMALL, number))

    sender = threading.Thread(target=send)
    sender.start()
    sender.join()
    qtbot.waitUntil(lambda: bool(numbers))
    with qtbot.waitSignal(bridge.frame_came):
        bridge.frame(frame(SMALL, 51))
    assert numbers == [50, 51]


@pytest.mark.usefixtures("qapp")
def test_window_can_be_deleted_while_frames_arrive() -> None:
    for _ in range(50):
        owner = QObject()
        bridge = RecorderBridge(owner)
        notified, failures = threading.Event(), []

        def send(bridge: RecorderBridge = bridge, notified: threading.Event = notified) -> None:
            try:
                for number in range(100):
                    bridge.frame(frame(SMALL, number))
                    bridge.notice(Notice("Look again."))
                    notified.set()
            except RuntimeError as error:
                failures.append(error)  # noqa: B023 - joined within the round

        sender = threading.Thread(target=send)
        sender.start()
        assert notified.wait(60)
        shiboken6.delete(owner)
        sender.join()
        assert failures == []
