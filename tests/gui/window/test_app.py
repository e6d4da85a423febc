"""The application in a separate process, on a high-density screen."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

CHILD = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from odyssey_recorder.gui.window.app import run
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.model.geometry import Size
from tests.fakes import FakeDevice
from tests.gui.fakes import FakeRecordings

device = FakeDevice(Size(1440, 3120))
seen = {}

def look() -> None:
    window = next(widget for widget in QApplication.topLevelWidgets() if widget.findChild(MirrorView))
    mirror = window.findChild(MirrorView)
    fit = mirror.fit()
    if fit is None:
        return
    corners = [fit.area.topLeft(), fit.area.center(), fit.area.bottomRight()]
    found = [fit.pixel_at(fit.point_of(pixel)) == pixel for pixel in map(fit.nearest_pixel, corners)]
    seen.update(ratio=mirror.devicePixelRatioF(), found=found, name=QApplication.applicationDisplayName())
    timer.stop()
    window.close()

app = QApplication([])
timer = QTimer(interval=20)
timer.timeout.connect(look)
timer.start()
code = run(FakeRecordings(Path(sys.argv[1]), device), serial="fake-1")
print(json.dumps(seen))
sys.exit(code)
"""


def test_program_runs_on_dense_screen_without_qt_warnings(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": "1.5"}
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHILD, str(tmp_path)],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout) == {"ratio": 1.5, "found": [True] * 3, "name": "Odyssey Recorder"}
    assert [line for line in child.stderr.splitlines() if "propagateSizeHints" not in line] == []
