"""How long the window takes to open: from the program's start to its first frame, relative to a bare window."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figure import Figure
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.practice.profiles import ProfileStore
from odyssey_recorder.services.practice import PracticeService
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

ROUNDS = 7
_NAME = "Bench"
_WAIT_S = 60

# Each child reports when its window is painted and the event loop is idle, then exits at once.
_SAY_WHEN_PAINTED = """
import os
from PySide6.QtCore import QEvent, QObject, QTimer

class FirstPaint(QObject):
    def eventFilter(self, window, event):
        if event.type() is QEvent.Type.Paint:
            window.removeEventFilter(self)
            QTimer.singleShot(0, self.say)
        return False

    def say(self):
        print("painted", flush=True)
        os._exit(0)
"""
_BARE = f"""{_SAY_WHEN_PAINTED}
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
watcher = FirstPaint()
label = QLabel("Odyssey Recorder")
label.installEventFilter(watcher)
label.show()
app.exec()
"""
_OURS = f"""
import sys
from odyssey_recorder.__main__ import main
import odyssey_recorder.wiring.user  # before Qt, as the program does: Qt looks into every module that comes after it
{_SAY_WHEN_PAINTED}
from odyssey_recorder.gui.window.main_window import MainWindow
watcher = FirstPaint()
open_on = MainWindow.open_on
MainWindow.open_on = lambda window, serial: (window.installEventFilter(watcher), open_on(window, serial))
sys.argv = ["odyssey-recorder"]
main()
"""


def measure(emulators: PrivateEmulators, folder: Path) -> list[Figure]:
    """Medians over fresh processes, each program in turn; ours uses the running adb server of `emulators`."""
    home = {name: str(folder / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    folders = {"ODYSSEY_DATASET": str(folder / "start"), "ODYSSEY_DRAFTS": str(folder / "start drafts")}
    other = {"ANDROID_ADB_SERVER_PORT": str(emulators.server.port), "ODYSSEY_ANNOTATOR": _NAME}
    _agree(folder)
    environment = {**os.environ, **home, **folders, **other}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    samples = [(_until_painted(_OURS, environment), _until_painted(_BARE, environment)) for _ in range(ROUNDS + 1)]
    ours, bare = (statistics.median(column) for column in zip(*samples[1:], strict=True))  # the first fills the caches
    return [Figure("start to the window's first paint", ours, "ms", "one label", bare, "<= 3 x")]


def _agree(folder: Path) -> None:
    store = EpisodeStore(folder / "practice", drafts=folder / "practice" / "drafts")
    PracticeService(_NAME, ProfileStore(folder / "annotators"), store, wanted=0).answer_consent(_NAME, agreed=True)


def _until_painted(program: str, environment: dict[str, str]) -> float:
    began_s = time.perf_counter()
    child = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=_WAIT_S, check=False
    )
    if child.stdout.strip() != "painted":
        raise RuntimeError(f"The window did not open: {child.stderr}")
    return 1000 * (time.perf_counter() - began_s)
