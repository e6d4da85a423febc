"""A SQLite file whose content can be made again: a broken one is moved and begun anew, memory replaces an unusable one.

One that is locked, not writable or on a full disk may be whole: it stays where it is.
"""

import sqlite3
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any

from filelock import FileLock

_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA)
"""SQLITE_ERROR occurs if the tables are different."""


@dataclass(frozen=True, slots=True)
class FilePolicy:
    """How a user's file is treated.

    `make_tables` is called with each opened database. `moved` is the message with the places {error} and {aside},
    `unusable` the one with {error} and {path}. `refuse` raises sqlite3.DatabaseError before anything is written into
    a file of somebody else.

    A precious file is opened by one process at a time, only moved when it is opened, and moved files are all kept.
    """

    make_tables: Callable[[sqlite3.Connection], object]
    moved: str
    unusable: str
    refuse: Callable[[sqlite3.Connection], object] = lambda _database: None
    is_precious: bool = False


class SqliteFile:
    """The database in the file at `path`, or in memory for None; opened when first used.

    `problem` says for the user why the file was moved or is not used; `path` is None when it is no longer used.
    Other processes are waited for up to `wait_s` seconds. A reader neither creates nor repairs the file. Thread-safe,
    and safe across processes.
    """

    def __init__(self, path: Path | None, policy: FilePolicy, *, wait_s: float = 10.0, is_reader: bool = False) -> None:
        self.path = path
        self.problem = ""
        self._policy = policy
        self._wait_s = wait_s
        self._is_reader = is_reader
        self._lock = RLock()
        self._database: sqlite3.Connection | None = None

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Raises sqlite3.DatabaseError."""
        with self._lock:
            if self._database is None:
                self._database = self._connected(None) if self.path is None else self._opened(self.path)
            yield self._database

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; nothing of it is kept if the block raises. Raises sqlite3.DatabaseError."""
        with self.reading() as database, database:
            database.execute("BEGIN IMMEDIATE")
            yield database

    def rows(self, statement: str, values: Sequence[object]) -> list[Any]:
        """What `statement` returns; in the empty database if the file turns out to be unusable."""
        with self._lock:
            try:
                with self.reading() as database:
                    return database.execute(statement, values).fetchall()
            except sqlite3.DatabaseError as error:
                self.start_over(error)
            with self.reading() as database:
                return database.execute(statement, values).fetchall()

    def start_over(self, error: sqlite3.DatabaseError) -> None:
        """Continue with an empty database after `error`. Raises it again if there is nothing else to try."""
        with self._lock:
            self.close()
            if self.path is None:
                raise error
            go_on = self._in_memory if self._policy.is_precious else self._replaced
            self._database = go_on(self.path, error)

    def _opened(self, path: Path) -> sqlite3.Connection:
        try:
            if not self._is_reader:
                path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{path}.lock", timeout=self._wait_s) if self._policy.is_precious else nullcontext():
                try:
                    return self._connected(path)
                except sqlite3.DatabaseError as error:
                    return self._replaced(path, error)
        except OSError as error:  # also if the lock is not free in time
            return self._in_memory(path, error)

    def _connected(self, path: Path | None) -> sqlite3.Connection:
        place: str | Path = path or ":memory:"
        if path is not None and self._is_reader:
            place = f"{path.absolute().as_uri()}?mode=ro"
        database = sqlite3.connect(
            place, uri=self._is_reader, timeout=self._wait_s, isolation_level=None, check_same_thread=False
        )
        weakref.finalize(self, database.close)  # its user may live as long as the program
        try:
            if path is None or not self._is_reader:
                self._policy.refuse(database)
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                self._policy.make_tables(database)
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _replaced(self, path: Path, error: Exception) -> sqlite3.Connection:
        is_broken = getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN
        if not is_broken or self._is_reader or not path.is_file():
            return self._in_memory(path, error)
        try:
            aside = _put_aside(path, is_kept=self._policy.is_precious)
            database = self._connected(path)
        except (OSError, sqlite3.DatabaseError) as second_error:
            return self._in_memory(path, second_error)
        self.problem = self._policy.moved.format(error=error, aside=aside)
        return database

    def _in_memory(self, path: Path, error: Exception) -> sqlite3.Connection:
        self.problem = self._policy.unusable.format(error=error, path=path)
        self.path = None
        return self._connected(None)


def _put_aside(path: Path, *, is_kept: bool) -> Path:
    """The file last: until then, another process finds the broken one and creates none."""
    endings = (f".aside-{number}" for number in count(1)) if is_kept else (".broken",)
    places = (path.with_name(path.name + ending) for ending in endings)
    aside = next(place for place in places if not is_kept or not place.exists())
    for ending in ("-wal", "-shm", ""):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(aside.with_name(aside.name + ending))
    return aside
