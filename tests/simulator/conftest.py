"""Fixtures of the simulator's tests: one adb server for all, one emulator per file or test."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.simulator.bench import ADB, Bench, Launch, launch
from tests.simulator.person import Person, person_with


@pytest.fixture(scope="session")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture(scope="module")
def bench(adb_server: PrivateAdbServer) -> Iterator[Bench]:
    found = launch(adb_server, "small_phone")
    yield found
    found.emulator.stop()


@pytest.fixture
def start(adb_server: PrivateAdbServer) -> Iterator[Launch]:
    """Starts emulators that one test may break; they are stopped after it."""
    with ExitStack() as stack:

        def begin(profile: str = "small_phone") -> Bench:
            started = launch(adb_server, profile)
            stack.callback(started.emulator.stop)
            return started

        yield begin


@pytest.fixture
def own(start: Launch) -> Bench:
    return start()


@pytest.fixture(scope="module")
def small_phone() -> Iterator[tuple[Person, object]]:
    with person_with() as person:
        yield person, person.phone.save_snapshot()


@pytest.fixture
def person(small_phone: tuple[Person, object]) -> Person:
    person, fresh = small_phone
    person.phone.load_snapshot(fresh)
    return person
