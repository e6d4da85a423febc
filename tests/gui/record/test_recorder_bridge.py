"""Callbacks of the recorder's threads reach the GUI thread, and a slow window skips frames."""

import threading
import time

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.record.recorder_bridge import RecorderBridge
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView


def frame(number: int) -> Frame:
    now = time.monotonic_ns()
    return Frame(number, Size(1, 1), b"\0\0\0\0", now, now, "test")


def test_of_many_frames_the_newest_one_comes_and_only_once(qtbot: QtBot) -> None:
    owner = QObject()
    bridge = RecorderBridge(owner)
    came: list[int] = []
    bridge.frame_came.connect(lambda shown: came.append(shown.number))

    def read() -> None:
        for number in range(1, 51):
            bridge.frame(frame(number))

    reader = threading.Thread(target=read)
    reader.start()
    reader.join()
    qtbot.waitUntil(lambda: bool(came))
    with qtbot.waitSignal(bridge.frame_came):
        bridge.frame(frame(51))
    assert came == [50, 51]


def test_views_and_notices_come_on_the_gui_thread(qtbot: QtBot) -> None:
    owner = QObject()
    bridge = RecorderBridge(owner)
    came: list[tuple[object, threading.Thread]] = []
    bridge.view_changed.connect(lambda view: came.append((view, threading.current_thread())))
    bridge.notice_came.connect(lambda words: came.append((words, threading.current_thread())))
    view = RecordingView(State.READY, "Ready.", 1, ())

    def tell() -> None:
        bridge.changed(view)
        bridge.notice("Look again.")

    recorder = threading.Thread(target=tell)
    recorder.start()
    recorder.join()
    qtbot.waitUntil(lambda: len(came) == 2)
    assert came == [(view, threading.main_thread()), ("Look again.", threading.main_thread())]
