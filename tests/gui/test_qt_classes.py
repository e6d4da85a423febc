"""The classes of Qt, in a process of its own: in this one most of them are made."""

import json
import subprocess
import sys

CHILD = """
import json
from PySide6 import QtCore, QtGui, QtWidgets
from odyssey_recorder.gui.idle import make_classes

def left():
    return sum(name not in vars(module) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))

print(json.dumps([left(), *[left() for _turn in make_classes()]]))
"""


def test_every_class_is_made_some_with_each_turn() -> None:
    child = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    left = json.loads(child.stdout)
    assert left[-1] == 0
    assert left == sorted(left, reverse=True)
    assert len(left) > 10
