"""The queue's database, a SQLite file or a PostgreSQL server: connecting, migrating, and readable errors.

The only module that knows alembic and the differences between the two.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, SQLAlchemyError

from odyssey_recorder.errors import TaskError

REVISION = "0003"

_MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATING = 0x0D1553
"""Key of the advisory lock that a server holds for one program at a time during a migration."""
_DRIVER = "postgresql+psycopg"
_FRESH_S = 2.0
"""A connection used within this time is not pinged."""
_WRITES = "odyssey_writes"
_US = 1_000_000


_BY_THIS_COMPUTER: sa.ColumnElement[int] = sa.bindparam("now_us", type_=sa.BigInteger)
_BY_THE_SERVER: sa.ColumnElement[int] = sa.cast(sa.func.extract("epoch", sa.func.now()) * _US, sa.BigInteger)


@dataclass(frozen=True, slots=True)
class _Engines:
    reader: sa.Engine
    writer: sa.Engine
    at_once: sa.Engine


class QueueDatabase:
    """The database at `url`, opened by the first transaction. Thread-safe; every call may block.

    `is_file` is True for SQLite. `now` is an SQL expression for the time in microseconds since 1970; run statements
    that contain it with the values of `clock()`.

    `clock` returns microseconds since 1970; by default the server's clock, or this computer's for a file. A lock on a
    file is waited for up to `patience_s` seconds.
    """

    def __init__(self, url: str | sa.URL, *, clock: Callable[[], int] | None = None, patience_s: float = 30.0) -> None:
        self._url = _with_driver(url)
        self._patience_s = patience_s
        self._clock = clock
        self.is_file = self._url.get_backend_name() == "sqlite"
        self.now = _BY_THIS_COMPUTER if self.is_file or clock is not None else _BY_THE_SERVER
        self._engines: _Engines | None = None
        self._opening = Lock()

    @classmethod
    def in_file(cls, path: Path, *, patience_s: float = 30.0) -> "QueueDatabase":
        return cls(sa.URL.create("sqlite", database=str(path.absolute())), patience_s=patience_s)

    @property
    def name(self) -> str:
        return Path(self._url.database or "").stem

    def dialect(self) -> sa.Dialect:
        """For compiling statements with named parameters for `Connection.exec_driver_sql`."""
        dialect: Any = self._url.get_dialect()
        made: sa.Dialect = dialect(paramstyle="named" if self.is_file else "pyformat")
        return made

    def clock(self) -> dict[str, int]:
        """The parameter values for statements that contain `now`."""
        if self._clock is not None:
            return {"now_us": self._clock()}
        return {"now_us": time.time_ns() // 1000} if self.is_file else {}

    def moment(self) -> sa.ColumnElement[int]:
        values = self.clock()
        return sa.literal(values["now_us"], sa.BigInteger) if values else self.now

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with self._errors_for_people(), self._opened().reader.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Committed durably on exit or rolled back entirely. Raises TaskError."""
        with self._errors_for_people(), self._opened().writer.begin() as connection:
            yield connection

    @contextmanager
    def writing_at_once(self) -> Iterator[sa.Connection]:
        """For single statements: on a server each commits by itself. Raises TaskError."""
        with self._errors_for_people():
            engine = self._opened().at_once
            with engine.begin() if self.is_file else engine.connect() as connection:
                yield connection

    def close(self) -> None:
        """Close the database; the next call reopens it."""
        with self._opening:
            if self._engines is not None:
                self._engines.reader.dispose()
                self._engines = None

    def _opened(self) -> "_Engines":
        with self._opening:
            if self._engines is None:
                engines = _file_engines(self._url, self._patience_s) if self.is_file else _server_engines(self._url)
                try:
                    self._bring_up_to_date(engines)
                except BaseException:
                    engines.reader.dispose()
                    raise
                self._engines = engines
            return self._engines

    def _bring_up_to_date(self, engines: "_Engines") -> None:
        if self.is_file:
            path = Path(self._url.database or "")
            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(path.with_suffix(".lock"), timeout=self._patience_s):
                self._migrate(engines)
        else:
            self._migrate(engines)

    def _migrate(self, engines: "_Engines") -> None:
        with engines.reader.begin() as connection:
            if _revision(connection) == REVISION:
                return
        with engines.writer.begin() as connection:
            if not self.is_file:
                connection.execute(sql("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})
            found = _revision(connection)
            if found != REVISION:
                upgrade(connection, found, self._shown)

    @contextmanager
    def _errors_for_people(self) -> Iterator[None]:
        """Raise TaskError with a readable message that contains no password."""
        try:
            yield
        except DBAPIError as error:
            if self.is_file:
                raise TaskError(_file_fault(self._shown, error.orig)) from error
            raise TaskError(_server_fault(self._shown, error)) from error
        except SQLAlchemyError as error:
            raise TaskError(f"The queue {self._shown} cannot be used: {_first_line(error)}.") from error
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise TaskError(
                f"The queue {self._shown} contains unreadable data ({str(error)[:80]}). Restore a backup, "
                "or move it away: a new queue is created in which all tasks wait again."
            ) from error
        except OSError as error:
            raise TaskError(
                f"The queue {self._shown} cannot be opened: {error.strerror or error}. Free some space, "
                "or make the folder writable."
            ) from error

    @property
    def _shown(self) -> str:
        if self.is_file:
            return self._url.database or ""
        url = self._url
        return sa.URL.create("postgresql", url.username, None, url.host, url.port, url.database).render_as_string()


def insert_new(connection: sa.Connection, table: sa.Table) -> sa.Insert:
    """An insert that skips rows whose keys exist, even if another program inserts them concurrently."""
    made: Callable[[sa.Table], Any] = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    inserted: sa.Insert = made(table).on_conflict_do_nothing()
    return inserted


def upgrade(connection: sa.Connection, found: str | None, shown: str, wanted: str = REVISION) -> None:
    """Migrate the tables from revision `found` to `wanted`; `shown` names the database. Raises TaskError."""
    from alembic import command  # importing it takes a quarter of a second, needed only when migrating
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        if found > wanted:
            raise TaskError(f"The queue {shown} was made by a newer version of Odyssey Recorder. Update this one.")
        raise TaskError(
            f"The queue {shown} was made before the first release of Odyssey Recorder, and is no longer read. "
            "Nothing in it was changed. Move it away, or use another database: a new queue is created in which all "
            "tasks wait again."
        )
    command.upgrade(config, wanted)


def _revision(connection: sa.Connection) -> str | None:
    from sqlalchemy import inspect

    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sql("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


def _with_driver(url: str | sa.URL) -> sa.URL:
    try:
        made = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise TaskError("The address of the queue cannot be read. Fix the setting queue.") from error
    is_server = made.drivername.partition("+")[0] in ("postgresql", "postgres")
    return made.set(drivername=_DRIVER) if is_server else made


def _file_engines(url: sa.URL, patience_s: float) -> _Engines:
    engine = sa.create_engine(url, hide_parameters=True, connect_args={"timeout": patience_s})

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we send BEGIN ourselves
        connection.execute("PRAGMA journal_mode = WAL")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    writer = engine.execution_options(**{_WRITES: True})
    return _Engines(engine, writer, writer)


def _server_engines(url: sa.URL) -> _Engines:
    """Connection attempts to a server that does not answer time out after some seconds."""
    patience = {
        "connect_timeout": 5,
        "application_name": "odyssey-recorder",
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
        "options": "-c lock_timeout=10s -c idle_in_transaction_session_timeout=60s",
    }
    # The URL's own options take precedence.
    arguments = {name: value for name, value in patience.items() if name not in url.query}
    try:
        engine = sa.create_engine(url, hide_parameters=True, pool_size=1, connect_args=arguments)
    except ModuleNotFoundError as error:
        raise TaskError(
            f"A queue on a server needs the package {error.name}: pip install 'odyssey-recorder[postgres]'."
        ) from error
    _check_idle_connections(engine)
    return _Engines(engine, engine, engine.execution_options(isolation_level="AUTOCOMMIT"))


def _check_idle_connections(engine: sa.Engine) -> None:
    """Ping connections that were idle for long, so that a restarted server is noticed."""

    @sa.event.listens_for(engine, "checkin")
    def note_time(_connection: object, record: Any) -> None:
        record.info["used_s"] = time.monotonic()

    @sa.event.listens_for(engine, "checkout")
    def ping(connection: Any, record: Any, _fairy: object) -> None:
        if time.monotonic() - record.info.get("used_s", time.monotonic()) > _FRESH_S:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as error:
                raise DisconnectionError from error  # makes the pool open another one


_HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _file_fault(path: str, error: BaseException | None) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _HELD:
        return f"The queue {path} is in use by another program. Close it, or try again in a moment."
    if code in _BROKEN:
        return (
            f"The queue {path} is broken ({error}). Restore a backup, or move it away: a new queue is "
            "created in which all tasks wait again."
        )
    if code == sqlite3.SQLITE_FULL:
        return f"No disk space for the queue {path}. Free some space on that disk."
    return f"The queue {path} cannot be used: {error}. Free some space, or make the file and folder writable."


def _server_fault(shown: str, error: DBAPIError) -> str:
    words = _first_line(error.orig)
    if "password" in words:
        return (
            f"The queue {shown} requires a password: {words}. Put it in ~/.pgpass or the environment "
            "variable PGPASSWORD."
        )
    if getattr(error.orig, "sqlstate", None) is None or error.connection_invalidated:
        return (
            f"The queue {shown} cannot be reached: {words}. Check the network, or ask the "
            "administrator of the server. Recording continues without it."
        )
    return f"The queue {shown} refused: {words}. Ask the administrator of the server."


def _first_line(error: BaseException | None) -> str:
    return next(iter(str(error).strip().splitlines()), "no reason given").rstrip(".")
