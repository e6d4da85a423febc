"""Idle work in slices on the GUI thread, and creating every Qt class in advance."""

import json
import subprocess
import sys
from collections.abc import Iterator

import shiboken6
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.window.idle import IdleQueue


def count_turns(taken: list[str], turns: int) -> Iterator[None]:
    for number in range(turns):
        taken.append(f"turn {number}")
        yield


def test_turns_alternate_with_other_events(qtbot: QtBot) -> None:
    parent, events = QObject(), list[str]()
    others = QTimer(parent, interval=0)
    others.timeout.connect(lambda: events.append("another") if events[-1:] != ["another"] else None)
    others.start()
    idle_queue = IdleQueue(count_turns(events, 3), parent)
    qtbot.waitUntil(lambda: not shiboken6.isValid(idle_queue))
    others.stop()
    assert [event for event in events if event != "another"] == ["turn 0", "turn 1", "turn 2"]
    assert events[events.index("turn 0") + 1] == events[events.index("turn 1") + 1] == "another"


def test_queue_ends_with_its_parent(qtbot: QtBot) -> None:
    parent, other = QObject(), QObject()
    taken, of_other = list[str](), list[str]()
    IdleQueue(count_turns(taken, 100), parent)
    qtbot.waitUntil(lambda: len(taken) >= 2)
    shiboken6.delete(parent)
    count = len(taken)
    IdleQueue(count_turns(of_other, 100), other)
    qtbot.waitUntil(lambda: len(of_other) >= 3)
    assert len(taken) == count


CHILD = """
import json
from PySide6 import QtCore, QtGui, QtWidgets
from odyssey_recorder.gui.window.idle import make_classes

def left():
    return sum(name not in vars(module) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))

print(json.dumps([left(), *[left() for _turn in make_classes()]]))
"""


def test_make_classes_creates_all_in_many_turns() -> None:
    child = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    left = json.loads(child.stdout)
    assert left[-1] == 0
    assert left == sorted(left, reverse=True)
    assert len(left) > 10
