"""The shipped templates, and databases of the queue: a file, and a PostgreSQL server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from odyssey_recorder.tasks.queue.database import REVISION, QueueDatabase
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from tests.tasks import sample_tasks
from tests.tasks.postgres import Postgres, running_postgres
from tests.tasks.queues import Queues


@pytest.fixture(scope="session")
def library() -> TemplateLibrary:
    """The shipped templates; loading them raises if there is any problem."""
    return sample_tasks.library()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_database(postgres: Postgres) -> str:
    name = postgres.new_database()
    database = QueueDatabase(postgres.url(name))
    with database.reading():
        pass
    database.close()
    return name


@pytest.fixture(scope="session")
def emptied_database(postgres: Postgres, migrated_database: str) -> Callable[[], str]:
    url = postgres.url(postgres.new_database(migrated_database))

    def empty() -> str:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("TRUNCATE tasks, events, notes RESTART IDENTITY")
            connection.execute("UPDATE alembic_version SET version_num = %s", [REVISION])
        return url

    return empty


@pytest.fixture(params=["file", "server"])
def queues(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Queues]:
    opened = Queues(tmp_path, request.getfixturevalue("emptied_database")() if request.param == "server" else "")
    yield opened
    opened.close()
