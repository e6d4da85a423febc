"""The recorder as it is started on a command line, with eyes that tell a test what can be seen of its window.

python -m tests.end_to_end.screen.program [OPTIONS OF odyssey-recorder]
"""

import os
import sys

from odyssey_recorder import cli
from tests.end_to_end.screen.eyes import Eyes
from tests.gui.slot_probe import ProbedApplication

if __name__ == "__main__":
    app = ProbedApplication(sys.argv[:1])
    # Qt has read it: the simulated phones that are started from the window shall not lie over it on the screen.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    Eyes(app)
    cli.main()
