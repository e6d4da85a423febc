import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

from odyssey_recorder.errors import TaskError
from odyssey_recorder.simulated.private_adb_server import free_port
from odyssey_recorder.tasks.queue import migrations
from odyssey_recorder.tasks.queue.database import REVISION, QueueDatabase, upgrade
from odyssey_recorder.tasks.queue.queue import QueueEnvironment, TaskQueue
from odyssey_recorder.tasks.queue.tables import metadata
from odyssey_recorder.tasks.queue.transaction import Leases
from tests.tasks.postgres import Postgres
from tests.tasks.queues import Queues
from tests.tasks.tasks import FakeEpisodes, row

PASSWORD = "hunter2-and-more"


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return ScriptDirectory.from_config(config)


REVISIONS = [script.revision for script in scripts().walk_revisions()]


def test_program_expects_the_newest_migration() -> None:
    assert scripts().get_current_head() == REVISION


@pytest.fixture(params=["file", "server"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without tables."""
    if request.param == "file":
        return f"sqlite:///{tmp_path / 'queue.sqlite'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.url(server.new_database())


@pytest.mark.parametrize("revision", REVISIONS)
def test_database_of_any_earlier_version_is_upgraded(empty_database: str, revision: str) -> None:
    engine = create_engine(empty_database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        upgrade(connection, None, "", wanted=revision)
    engine.dispose()
    database = QueueDatabase(empty_database)
    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()


def test_database_from_before_the_first_release_is_rejected_and_kept(empty_database: str) -> None:
    engine = create_engine(empty_database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('0001')"))
        connection.execute(text("CREATE TABLE deeds (deed TEXT)"))
        connection.execute(text("INSERT INTO deeds VALUES ('RECORDED')"))
    with (
        closing(QueueDatabase(empty_database)) as database,
        pytest.raises(TaskError, match=r"made before the first release .* Move it away, or use another database"),
        database.writing(),
    ):
        pass
    with engine.begin() as connection:
        assert set(inspect(connection).get_table_names()) == {"alembic_version", "deeds"}
        assert connection.execute(text("SELECT deed FROM deeds")).scalars().all() == ["RECORDED"]
    engine.dispose()


def test_database_of_a_newer_version_is_rejected(queues: Queues) -> None:
    queues.fill(row("a"))
    with queues.database().writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(TaskError, match=r"made by a newer version of Odyssey Recorder\. Update this one"):
        queues.queue().board()


def test_failed_transaction_is_rolled_back(queues: Queues) -> None:
    queues.fill(row("a"))

    def fail() -> None:
        with queues.database().writing() as connection:
            connection.execute(text("DELETE FROM tasks"))
            raise TaskError("halt")

    with pytest.raises(TaskError, match="halt"):
        fail()
    assert len(queues.queue().board().tasks) == 1


def short_timeout_database(path: Path) -> QueueDatabase:
    return QueueDatabase.in_file(path, patience_s=0.05)


def write_once(database: QueueDatabase) -> None:
    with closing(database), database.writing() as connection:
        connection.execute(text("UPDATE tasks SET position = position"))


def test_file_that_is_not_a_database_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    path.write_bytes(b"this is no database at all " * 200)
    with pytest.raises(TaskError, match=r"queue\.sqlite is broken .*Restore a backup, or move it away"):
        write_once(short_timeout_database(path))
    path.unlink()
    write_once(short_timeout_database(path))


def test_locked_file_is_reported_and_works_once_released(tmp_path: Path) -> None:
    database = short_timeout_database(tmp_path / "queue.sqlite")
    write_once(database)
    other = sqlite3.connect(tmp_path / "queue.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(TaskError, match="in use by another program"):
        write_once(database)
    other.close()
    write_once(database)


def test_full_disk_is_reported(tmp_path: Path) -> None:
    long = text(f"INSERT INTO notes VALUES ('long', '{'x' * 100_000}')")
    with closing(short_timeout_database(tmp_path / "queue.sqlite")) as database:
        with database.reading() as connection:
            connection.execute(text("PRAGMA max_page_count = 1"))
        with pytest.raises(TaskError, match="No disk space for the queue"), database.writing() as connection:
            connection.execute(long)


def test_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "queue").write_text("a file where a folder must be")
    with pytest.raises(TaskError, match=r"queue\.sqlite cannot be opened: .*or make the folder writable"):
        write_once(short_timeout_database(tmp_path / "queue" / "queue.sqlite"))


def test_missing_table_is_reported(tmp_path: Path) -> None:
    database = short_timeout_database(tmp_path / "queue.sqlite")
    with database.writing() as connection:
        connection.execute(text("DROP TABLE tasks"))
    with pytest.raises(TaskError, match="cannot be used: no such table: tasks"):
        write_once(database)


@pytest.fixture
def on_server(postgres: Postgres, migrated_database: str) -> Iterator[QueueDatabase]:
    with closing(QueueDatabase(postgres.url(postgres.new_database(migrated_database)))) as database:
        yield database


def test_lost_server_is_reported_and_reconnected(postgres: Postgres, on_server: QueueDatabase) -> None:
    write_once(on_server)
    postgres.stop()
    try:
        with pytest.raises(TaskError, match=r"cannot be reached: .*Recording continues without it"):
            write_once(on_server)
    finally:
        postgres.start()
    write_once(on_server)


def test_unreachable_server_is_reported_without_the_password() -> None:
    database = QueueDatabase(f"postgresql://ada:{PASSWORD}@127.0.0.1:{free_port()}/odyssey")
    with pytest.raises(TaskError, match=r"postgresql://ada@127\.0\.0\.1:\d+/odyssey cannot be reached") as raised:
        write_once(database)
    seen: BaseException | None = raised.value
    while seen is not None:
        assert PASSWORD not in f"{seen} {seen!r} {seen.args}"
        seen = seen.__cause__ or seen.__context__


def test_error_of_the_server_is_reported(on_server: QueueDatabase) -> None:
    with (
        pytest.raises(TaskError, match='refused: relation "nothing" does not exist'),
        on_server.reading() as connection,
    ):
        connection.execute(text("SELECT * FROM nothing"))


def test_missing_password_is_reported(postgres: Postgres, migrated_database: str) -> None:
    name = postgres.new_database(migrated_database)
    url = postgres.url(name).replace("odyssey@", "guarded@")
    with pytest.raises(
        TaskError, match=r"requires a password: .*Put it in ~/\.pgpass or the environment variable PGPASSWORD"
    ):
        write_once(QueueDatabase(url))


def test_missing_database_driver_is_reported_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(TaskError, match=r"needs the package psycopg: pip install 'odyssey-recorder\[postgres\]'"):
        write_once(QueueDatabase("postgresql://ada@127.0.0.1/tasks"))


def test_invalid_database_address_is_rejected() -> None:
    with pytest.raises(TaskError, match="Fix the setting queue"):
        QueueDatabase("not an address")


def test_server_clock_is_used_by_default(on_server: QueueDatabase, tmp_path: Path) -> None:

    def queue(claim_s: float) -> TaskQueue:
        return TaskQueue(on_server, lambda: "Ada", tmp_path, QueueEnvironment(FakeEpisodes()), Leases(claim_s=claim_s))

    long, short = queue(600), queue(0)
    long.add(Queues(tmp_path).listed(row("a"), row("b")), to_approve=False)
    assert long.claim_next() is not None
    assert short.claim_next() is not None
    later = queue(600).claim_next()
    assert later is not None
    assert later.task_id == "b"
