"""The file of an index: its tables, and what happens if it is damaged, of another format, or cannot be written.

It can always be made again from the dataset, so a broken one is put aside, and without a usable file everything is kept
in memory. `problem` then says so.
"""

import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

FORMAT = 3
_WAIT_S = 10.0
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA)
"""SQLITE_ERROR occurs if the tables are different ones."""
_TABLES = """
CREATE TABLE episodes (
    n INTEGER PRIMARY KEY, episode_id TEXT NOT NULL UNIQUE,
    annotation TEXT NOT NULL, provenance TEXT NOT NULL, review TEXT NOT NULL,
    sha256 TEXT NOT NULL, problem TEXT NOT NULL, instruction TEXT NOT NULL, category TEXT NOT NULL,
    category_key TEXT NOT NULL, template TEXT NOT NULL, template_key TEXT NOT NULL, device TEXT NOT NULL,
    device_key TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, apps TEXT NOT NULL,
    steps INTEGER NOT NULL, every_step TEXT NOT NULL, actions TEXT NOT NULL, ending TEXT NOT NULL,
    annotator TEXT NOT NULL, annotator_key TEXT NOT NULL, actor TEXT NOT NULL,
    task_id TEXT NOT NULL, recorded_us INTEGER, published_us INTEGER,
    verdict TEXT NOT NULL DEFAULT 'unreviewed', if_once TEXT NOT NULL DEFAULT 'unreviewed',
    if_twice TEXT NOT NULL DEFAULT 'unreviewed', if_unknown TEXT NOT NULL DEFAULT 'unreviewed',
    is_checked INTEGER NOT NULL DEFAULT 0, is_settled INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0, warnings INTEGER NOT NULL DEFAULT 0);
CREATE TABLE apps (episode INTEGER, app_key TEXT, app TEXT NOT NULL, PRIMARY KEY (episode, app_key)) WITHOUT ROWID;
CREATE TABLE findings (episode INTEGER NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL, step INTEGER);
CREATE INDEX findings_by_episode ON findings (episode);
CREATE TABLE sides (
    split TEXT, part TEXT, episode_id TEXT, PRIMARY KEY (episode_id, split, part)) WITHOUT ROWID;
CREATE TABLE splits (split TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (said, tokenize = "ascii");
"""


class Database:
    """The index's file at `path`, or memory for None. Thread-safe and safe across processes."""

    def __init__(self, path: Path | None) -> None:
        self.problem = ""
        self._path = path
        self._lock = RLock()
        self._open: sqlite3.Connection | None = None

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Raises sqlite3.DatabaseError."""
        with self._lock:
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; nothing of it is kept if the block raises. Raises sqlite3.DatabaseError."""
        with self._lock, _transaction(self._connection):
            yield self._connection

    def start_over(self, error: sqlite3.DatabaseError) -> None:
        """Continue with an empty database after `error`. Raises it again if there is nothing else to try."""
        with self._lock:
            self._connection.close()
            if self._path is None:
                raise error
            self._use(self._replaced(self._path, error))

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._use(self._opened()) if self._open is None else self._open

    def _use(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        weakref.finalize(self, connection.close)  # the index of a service lives as long as the program
        self._open = connection
        return connection

    def _opened(self) -> sqlite3.Connection:
        if self._path is None:
            return _connect(None)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _connect(self._path)
        except sqlite3.DatabaseError as error:
            return self._replaced(self._path, error)

    def _replaced(self, path: Path, error: sqlite3.DatabaseError) -> sqlite3.Connection:
        if error.sqlite_errorcode & 0xFF in _BROKEN and path.is_file():
            aside = path.with_name(f"{path.name}.broken")
            with suppress(OSError, sqlite3.DatabaseError):
                path.replace(aside)
                for beside in ("-wal", "-shm"):
                    path.with_name(path.name + beside).unlink(missing_ok=True)
                connection = _connect(path)
                self.problem = f"The index of the dataset was damaged ({error}) and moved to {aside}. It is made again."
                return connection
        self.problem = (
            f"The index of the dataset cannot be kept in {path}: {error}. It is made again each time. "
            "Make the folder writable and free some space."
        )
        self._path = None
        return _connect(None)


def _connect(path: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path or ":memory:", timeout=_WAIT_S, isolation_level=None, check_same_thread=False
    )  # fmt: skip
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if _format(connection) != FORMAT:
            with _transaction(connection):
                _make_tables(connection)
        connection.execute("SELECT MAX(n) FROM episodes").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    if _format(connection) == FORMAT:
        return  # another process was first
    for kind in ("CREATE VIRTUAL TABLE%", "CREATE TABLE%"):  # the former have tables of their own
        query = "SELECT name FROM sqlite_master WHERE sql LIKE ? AND name NOT LIKE 'sqlite_%'"
        for (name,) in connection.execute(query, (kind,)).fetchall():
            quoted = name.replace('"', '""')
            connection.execute(f'DROP TABLE IF EXISTS "{quoted}"')
    for statement in filter(str.strip, _TABLES.split(";")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def _format(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
