"""Long work in turns: others have their turn in between, and it ends with what it was for."""

from collections.abc import Iterator

import shiboken6
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.idle import IdleQueue


def counting(taken: list[str], turns: int) -> Iterator[None]:
    for number in range(turns):
        taken.append(f"turn {number}")
        yield


def test_every_turn_is_taken_with_others_in_between(qtbot: QtBot) -> None:
    parent, told = QObject(), list[str]()
    others = QTimer(parent, interval=0)
    others.timeout.connect(lambda: told.append("another") if told[-1:] != ["another"] else None)
    others.start()
    spare = IdleQueue(counting(told, 3), parent)
    qtbot.waitUntil(lambda: not shiboken6.isValid(spare))
    others.stop()
    assert [word for word in told if word != "another"] == ["turn 0", "turn 1", "turn 2"]
    assert told[told.index("turn 0") + 1] == told[told.index("turn 1") + 1] == "another"


def test_it_ends_with_its_parent(qtbot: QtBot) -> None:
    parent, other = QObject(), QObject()
    taken, of_other = list[str](), list[str]()
    IdleQueue(counting(taken, 100), parent)
    qtbot.waitUntil(lambda: len(taken) == 2)
    shiboken6.delete(parent)
    IdleQueue(counting(of_other, 100), other)
    qtbot.waitUntil(lambda: len(of_other) == 3)
    assert len(taken) == 2
