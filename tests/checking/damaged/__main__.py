"""`make quality`: the damaged set and the findings on it, or with --calibrate the basis of the thresholds."""

import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from tests.checking.calibration import print_calibration
from tests.checking.damaged.cases import check_damaged_set
from tests.checking.damaged.score import print_scores


def main() -> int:
    console = Console()
    if sys.argv[1:] == ["--calibrate"]:
        print_calibration(console)
        return 0
    started_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="odyssey-damaged-") as folder:
        cases = [*check_damaged_set(Path(folder), seed=1)]
    all_right = print_scores(cases, console)
    console.print(f"In {time.monotonic() - started_s:.0f} s.")
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main())
