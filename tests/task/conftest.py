"""The databases of the queue: a file, and a server of the tests' own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.task.queue.database import QueueDatabase
from tests.task.houses import House
from tests.task.postgres import Postgres, free_port, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server of this process."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def migrated(postgres: Postgres) -> str:
    """A database of the server with the queue's tables, to make others from."""
    name = postgres.new_database()
    database = QueueDatabase(postgres.url(name))
    with database.reading():
        pass
    database.close()
    return name


@pytest.fixture
def unused_port() -> int:
    """A port that nothing listens at."""
    return free_port()


@pytest.fixture(params=["file", "server"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """An empty queue, of either kind."""
    url = ""
    if request.param == "server":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.url(server.new_database(request.getfixturevalue("migrated")))
    made = House(tmp_path, url)
    yield made
    made.close()
