from collections.abc import Iterator

import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.simulator.bench import ADB


@pytest.fixture(scope="session")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server
