"""One adb server for the simulator's tests, and emulators and phones that are restored for each test."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.guest import Snapshot
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.simulator.bench import ADB, Bench, Launch, launch
from tests.simulator.control_client import Client, client_of
from tests.simulator.person import Person, person_with


@pytest.fixture(scope="session")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture(scope="session")
def bench(adb_server: PrivateAdbServer) -> Iterator[Bench]:
    """For tests that leave no trace."""
    found = launch(adb_server, "small_phone")
    yield found
    found.emulator.stop()


@pytest.fixture
def start(adb_server: PrivateAdbServer) -> Iterator[Launch]:
    """Starts emulators that one test may stop; they are stopped after it."""
    with ExitStack() as stack:

        def begin(profile: str = "small_phone") -> Bench:
            started = launch(adb_server, profile)
            stack.callback(started.emulator.stop)
            return started

        yield begin


@pytest.fixture(scope="session")
def restored(adb_server: PrivateAdbServer) -> Iterator[Launch]:
    """Gives the emulator of a profile as it was when it was started, except for its console's snapshots."""
    started: dict[str, tuple[Bench, Snapshot]] = {}

    def as_new(profile: str) -> Bench:
        if profile not in started:
            bench = launch(adb_server, profile)
            started[profile] = bench, bench.emulator.guest.save_snapshot()
        bench, fresh = started[profile]
        bench.emulator.faults.clear()
        bench.emulator.guest.restore(fresh)
        assert bench.adb("wait-for-device").returncode == 0
        return bench

    yield as_new
    for bench, _ in started.values():
        bench.emulator.stop()


@pytest.fixture
def own(restored: Launch) -> Bench:
    return restored("small_phone")


@pytest.fixture
def fold(restored: Launch) -> Bench:
    return restored("pixel_fold")


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
def with_control() -> Iterator[SimulatedEmulator]:
    with SimulatedEmulator(Phone(profile_named("small_phone"), animation=False), control=ControlOptions()) as found:
        yield found


@pytest.fixture
def emulator(with_control: SimulatedEmulator) -> Iterator[SimulatedEmulator]:
    """With the gRPC service, at home, and unknown to any adb server."""
    yield with_control
    with_control.faults.clear()
    with_control.phone.reset_size()
    with_control.phone.set_rotation(0)
    with_control.phone.clear_recents()
    with_control.phone.press_key(3)


@pytest.fixture
def client(emulator: SimulatedEmulator) -> Iterator[Client]:
    with client_of(emulator) as found:
        yield found
