"""`make bench`: prints the figures; none of them is a test."""

import argparse
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from benchmarks import (
    across,
    agents,
    annotation,
    capture,
    checks,
    claims,
    evaluation,
    exporting,
    generation,
    language_model,
    painting,
    passive,
    recording,
    review,
    selection,
    session,
    splits,
    start,
    window,
)
from benchmarks.figure import Figure, table_of
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer, find_adb
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

PROFILE = "pixel_7_pro"
TAPS, ALL_TAPS = 400, 10_000
EPISODES, ALL_EPISODES = 26, 300
CHECKED, ALL_CHECKED = 60, 1_000
"""Episodes to check; a thousand take four gigabytes of temporary disk space."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench")
    everything = (
        f"{ALL_TAPS} taps in passive mode and {ALL_EPISODES} episodes in one window, {ALL_CHECKED} checked: an hour"
    )
    parser.add_argument("--full", action="store_true", help=everything)
    full = parser.parse_args().full
    taps, episodes = (ALL_TAPS, ALL_EPISODES) if full else (TAPS, EPISODES)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    logging.getLogger("qt").setLevel(logging.ERROR)
    console = Console()
    console.print(f"Simulated emulators ({PROFILE}, 1440x3120, unless it says otherwise) on this machine …")
    with PrivateEmulators(Path(find_adb())) as emulators, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: tuple[Callable[[], list[Figure]], ...] = (
            across.measure,
            splits.measure,
            evaluation.measure,
            generation.measure,
            lambda: language_model.measure(folder),
            lambda: annotation.measure(folder),
            lambda: claims.measure(folder),
            lambda: checks.measure(folder, episodes=ALL_CHECKED if full else CHECKED),
            lambda: selection.measure(folder),
            lambda: exporting.measure(folder),
            lambda: agents.measure(emulators, folder),
            lambda: _of_one_device(emulators, folder),
            lambda: start.measure(emulators, folder),
            lambda: painting.measure(emulators),
            lambda: window.measure(emulators, folder),
            lambda: review.measure(folder),
            lambda: session.measure(emulators, folder, episodes=episodes),
            lambda: passive.measure(emulators, folder, taps=taps),
        )
        figures: list[Figure] = []
        try:
            for part in parts:
                figures += part()
        finally:  # what was measured before a part failed
            console.print(table_of(figures))


def _of_one_device(emulators: PrivateEmulators, folder: Path) -> list[Figure]:
    serial = emulators.phones.start(PROFILE, animation=False)
    server = AdbServer(port=emulators.server.port)
    device = AdbDevice(AdbShell(serial, server))
    device.wait_until_ready(15)
    figures = [*capture.measure(device, server, emulators), *recording.measure(device, emulators, folder)]
    device.close()
    emulators.phones.stop()
    return figures


if __name__ == "__main__":
    main()
