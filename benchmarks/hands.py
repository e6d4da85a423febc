"""The annotator in passive mode, in its own process: taps on the emulator at a steady pace."""

import sys
import time
from itertools import cycle
from pathlib import Path

from benchmarks.bare import BareControl

_PRESSURE = 1024
_HELD_SHARE = 0.4


def main(serial: str, running: Path, taps: int, per_second: float, places: list[tuple[int, int]]) -> None:
    control = BareControl(serial, running)
    began_s = time.monotonic()
    for number, (x, y) in zip(range(taps), cycle(places), strict=False):
        _wait_until(began_s + number / per_second)
        control.touch(x, y, _PRESSURE)
        _wait_until(began_s + (number + _HELD_SHARE) / per_second)
        control.touch(x, y, 0)
    print(taps / (time.monotonic() - began_s))


def _wait_until(due_s: float) -> None:
    time.sleep(max(0.0, due_s - time.monotonic()))


if __name__ == "__main__":
    serial, running, taps, per_second, *numbers = sys.argv[1:]
    coordinates = [int(number) for number in numbers]
    pairs = list(zip(coordinates[::2], coordinates[1::2], strict=True))
    main(serial, Path(running), int(taps), float(per_second), pairs)
