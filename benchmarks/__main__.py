"""`make bench`: prints the figures; none of them is a test."""

import tempfile
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import capture, recording
from benchmarks.figure import Figure
from odyssey_recorder.device.adb import AdbDevice, AdbServer, find_adb
from odyssey_recorder.simulator.lab import Lab

PROFILE = "pixel_7_pro"


def main() -> None:
    """Measure on one simulated emulator through the real adb, and print a table."""
    console = Console()
    with Lab(Path(find_adb())) as lab, tempfile.TemporaryDirectory() as folder:
        console.print(f"A simulated {PROFILE} (1440x3120) through the real adb, on this machine …")
        serial = lab.phones.start(PROFILE, animation=False)
        server = AdbServer(port=lab.server.port)
        device = AdbDevice(serial, server)
        device.wait_until_ready(15)
        figures = [
            *capture.measure(device, server),
            *recording.measure(device, lab, Path(folder)),
        ]
        device.close()
    console.print(_table(figures))


def _table(figures: list[Figure]) -> Table:
    table = Table("Figure", "Median", "Floor, same run", "Ratio", "Goal", box=box.SIMPLE)
    for figure in figures:
        table.add_row(figure.name, figure.shown, figure.floor_shown, figure.ratio_shown, figure.goal)
    return table


if __name__ == "__main__":
    main()
