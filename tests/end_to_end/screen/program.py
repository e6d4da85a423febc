"""Runs the recorder as from the command line, and reports on its window to a test.

python -m tests.end_to_end.screen.program [OPTIONS OF odyssey-recorder]
"""

import os
import sys

from odyssey_recorder import cli
from tests.end_to_end.screen.eyes import Eyes
from tests.gui.slot_probe import ProbedApplication

if __name__ == "__main__":
    app = ProbedApplication(sys.argv[:1])
    # Qt has read it; emulators started from the window must not cover it on the screen.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    Eyes(app)
    cli.main()
