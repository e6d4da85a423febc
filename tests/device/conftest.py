from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.device.bench import BUNDLED_ADB, DeviceBench, EmulatorPool, StartBench


@pytest.fixture(scope="module")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(BUNDLED_ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture(scope="module")
def emulators(adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorPool]:
    pool = EmulatorPool(adb_server, tmp_path_factory.mktemp("emulators"))
    yield pool
    pool.stop()


@pytest.fixture
def start_bench(emulators: EmulatorPool, over_grpc: bool) -> Iterator[StartBench]:
    with ExitStack() as stack:

        def start(profile: str) -> DeviceBench:
            bench = emulators.bench(profile, grpc=over_grpc)
            stack.callback(bench.device.close)
            stack.enter_context(bench.opened)
            return bench

        yield start


@pytest.fixture
def over_grpc() -> bool:
    """A module may override it."""
    return False


@pytest.fixture
def bench(start_bench: StartBench) -> DeviceBench:
    return start_bench("small_phone")
