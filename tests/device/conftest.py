"""The real adb server on the bench, and emulators behind it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.device.adb_bench import BUNDLED_ADB, AdbBench, StartBench, console


@pytest.fixture(scope="module")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(BUNDLED_ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture
def start_bench(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[StartBench]:
    """Starts a simulated emulator of a profile and connects to it."""
    benches: list[AdbBench] = []

    def start(profile: str) -> AdbBench:
        journal = tmp_path / "journal.jsonl"
        phone = Phone(profile_named(profile), animation=False, journal=journal)
        emulator = SimulatedEmulator(phone, adb_server_port=adb_server.port)
        emulator.start()
        server = AdbServer(port=adb_server.port)
        device = AdbDevice(AdbShell(emulator.serial, server, answer_s=20), console=console(emulator))
        benches.append(AdbBench(device, emulator, server, journal))
        device.wait_until_ready(20)
        return benches[-1]

    yield start
    for bench in benches:
        bench.device.close()
        bench.emulator.stop()
