from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.end_to_end.laboratory import BUNDLED_ADB, Laboratory, laboratory


@pytest.fixture(scope="module")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(BUNDLED_ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture
def lab(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[Laboratory]:
    with laboratory(adb_server, tmp_path) as started:
        yield started
