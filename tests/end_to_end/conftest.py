from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.device.bench import BUNDLED_ADB
from tests.end_to_end.emulator_bench import EmulatorBench, emulator_bench


@pytest.fixture(scope="module")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(BUNDLED_ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture
def bench(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[EmulatorBench]:
    with emulator_bench(adb_server, tmp_path) as started:
        yield started
