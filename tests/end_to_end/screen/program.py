"""Runs the recorder as from the command line, and reports the content of its window to a test.

python -m tests.end_to_end.screen.program [OPTIONS OF odyssey-recorder]
"""

import os
import sys

from odyssey_recorder import cli
from tests.end_to_end.screen.window_reporter import WindowReporter
from tests.gui.slot_probe import ProbedApplication

LIMIT_MS = float(os.environ.get("ODYSSEY_TEST_SLOT_MS") or 1000)
"""The longest an event may keep the GUI thread busy. It depends on the computer and its load, so the default fails
only on what looks like a hang; `make soak` sets a limit nobody notices.
"""

if __name__ == "__main__":
    app = ProbedApplication(sys.argv[:1], limit_ms=LIMIT_MS)
    # Qt has read it already; the windows of emulators that the program starts must not cover its own.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    WindowReporter(app)
    cli.main()
