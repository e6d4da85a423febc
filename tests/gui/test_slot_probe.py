"""The slot probe, in a separate process: there can be only one application."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.gui.slot_probe import HAS_STACKS

ROOT = Path(__file__).parents[2]

CHILD = """
import json, time
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel
from odyssey_recorder.gui.frame.application import application
from tests.gui.slot_probe import HAS_STACKS, ProbedApplication

app = ProbedApplication()
assert application() is app

class Sleeper(QObject):
    requested = Signal(float)

    def sleep(self, seconds):
        time.sleep(seconds)
        while seconds and HAS_STACKS and not app.has_stack:
            time.sleep(0.01)

sleeper = Sleeper(objectName="the sleeper")
sleeper.requested.connect(sleeper.sleep, Qt.ConnectionType.QueuedConnection)
sleeper.requested.emit(0.0)
sleeper.requested.emit(0.12)
QTimer.singleShot(200, app.quit)
app.exec()
app.end_probe()
print(json.dumps([[slow.took_ms, slow.receiver, slow.event, slow.stack] for slow in app.slow]))
"""


def test_slow_slot_is_reported_with_its_stack() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    child = subprocess.run(
        [sys.executable, "-c", CHILD], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    *_, (took_ms, receiver, event, stack) = [slow for slow in json.loads(child.stdout) if "sleeper" in slow[1]]
    assert took_ms >= 120
    assert (receiver, event) == ("Sleeper 'the sleeper'", "MetaCall")
    assert ("in sleep" in stack) is HAS_STACKS
