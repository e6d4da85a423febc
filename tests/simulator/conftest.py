"""One adb server for the simulator's tests, and emulators and phones that are restored for each test."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.guest import Snapshot
from tests.simulator.bench import ADB, Bench, StartBench, launch, phone_of
from tests.simulator.control_client import Client, client_of
from tests.simulator.person import Person, person_with


@pytest.fixture(scope="session")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture(scope="session")
def bench(adb_server: PrivateAdbServer) -> Iterator[Bench]:
    """For tests that leave no trace."""
    running = launch(adb_server, "small_phone")
    yield running
    running.emulator.stop()


@pytest.fixture
def start_bench(adb_server: PrivateAdbServer) -> Iterator[StartBench]:
    """Starts emulators that one test may stop; they are stopped after it."""
    with ExitStack() as stack:

        def launch_and_stop_later(profile: str = "small_phone") -> Bench:
            started = launch(adb_server, profile)
            stack.callback(started.emulator.stop)
            return started

        yield launch_and_stop_later


@pytest.fixture(scope="session")
def restored_bench(adb_server: PrivateAdbServer) -> Iterator[StartBench]:
    """Gives the emulator of a profile as it was when it was started, except for its console's snapshots."""
    started: dict[str, tuple[Bench, Snapshot]] = {}

    def restore(profile: str) -> Bench:
        if profile not in started:
            bench = launch(adb_server, profile)
            started[profile] = bench, bench.emulator.guest.save_snapshot()
        bench, fresh = started[profile]
        bench.emulator.faults.clear()
        bench.emulator.guest.restore(fresh)
        assert bench.adb("wait-for-device").returncode == 0
        return bench

    yield restore
    for bench, _ in started.values():
        bench.emulator.stop()


@pytest.fixture
def fresh_bench(restored_bench: StartBench) -> Bench:
    return restored_bench("small_phone")


@pytest.fixture
def fold(restored_bench: StartBench) -> Bench:
    return restored_bench("pixel_fold")


@pytest.fixture(scope="session")
def small_phone() -> Iterator[tuple[Person, object]]:
    with person_with() as person:
        yield person, person.phone.save_snapshot()


@pytest.fixture
def person(small_phone: tuple[Person, object]) -> Person:
    person, fresh = small_phone
    person.phone.load_snapshot(fresh)
    return person


@pytest.fixture(scope="session")
def grpc_emulator() -> Iterator[SimulatedEmulator]:
    with SimulatedEmulator(phone_of(), control=ControlOptions()) as running:
        yield running


@pytest.fixture
def emulator(grpc_emulator: SimulatedEmulator) -> Iterator[SimulatedEmulator]:
    """With the gRPC service, at home, and unknown to any adb server."""
    yield grpc_emulator
    assert grpc_emulator.control is not None
    grpc_emulator.control.wait_for_touches()
    grpc_emulator.faults.clear()
    grpc_emulator.phone.reset_size()
    grpc_emulator.phone.set_rotation(0)
    grpc_emulator.phone.put_setting("system", "accelerometer_rotation", "0")
    grpc_emulator.phone.clear_recents()
    grpc_emulator.phone.press_key(3)


@pytest.fixture
def client(emulator: SimulatedEmulator) -> Iterator[Client]:
    with client_of(emulator) as running:
        yield running
