"""Runs the recorder as from the command line, and reports the content of its window to a test.

python -m tests.end_to_end.screen.program [OPTIONS OF odyssey-recorder]
"""

import os
import sys

from odyssey_recorder import cli
from tests.end_to_end.screen.window_reporter import WindowReporter
from tests.gui.slot_probe import ProbedApplication

if __name__ == "__main__":
    app = ProbedApplication(sys.argv[:1])
    # Qt has read it already; the windows of emulators that the program starts must not cover its own.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    WindowReporter(app)
    cli.main()
