"""Earlier findings and measurements of the checks, in one SQLite file outside every dataset.

Measurements are keyed by the content's hash, the hash of a file by its size, time and inode, and an episode's findings
by the stamp of all its files: unchanged files are not even opened. A broken cache is set aside, and a locked one is not
used; `problem` says so, and everything is checked again.
"""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from odyssey_recorder.checking.screenshot import MeasuredScreenshot

_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
"""SQLITE_ERROR occurs if the tables are different."""
_SCREENSHOT = TypeAdapter(MeasuredScreenshot)
_Value = TypeVar("_Value")
_TABLES = """
CREATE TABLE IF NOT EXISTS files (path BLOB PRIMARY KEY, stamp TEXT, sha256 TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pictures (sha256 TEXT PRIMARY KEY, measured TEXT, by TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changes
    (one TEXT, other TEXT, share REAL, by TEXT, PRIMARY KEY (one, other)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS episodes
    (annotation BLOB PRIMARY KEY, stamp TEXT, name TEXT, steps INTEGER, report TEXT, facts TEXT, by TEXT) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Measurements:
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    screenshots: dict[str, MeasuredScreenshot] = field(default_factory=dict)
    changes: dict[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The findings of an episode: `stamp` is that of its files, which are named after `name` and have `steps` steps.

    `report` and `facts` are JSON; `facts` is empty for an unreadable episode.
    """

    stamp: str
    name: str
    steps: int
    report: str
    facts: str


@dataclass(frozen=True, slots=True)
class CodeHashes:
    """Hashes of the code that measures and of the code that checks: results of other code are not used."""

    measures: str
    checks: str


class Cache:
    """No cache for None; a reader neither creates nor repairs it. Waits up to `wait_s` seconds for a writer."""

    def __init__(
        self, path: Path | None, code_hashes: CodeHashes, *, reader: bool = False, wait_s: float = 2.0
    ) -> None:
        self.problem = ""
        self._path = path
        self._code_hashes = code_hashes
        self._reader = reader
        self._wait_s = wait_s
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        if path is not None:
            self._open(path)

    def close(self) -> None:
        """Close the file; the cache is empty afterwards."""
        with self._lock:
            self._drop()

    # Lookups.

    def sha256(self, path: Path, stamp: str) -> str | None:
        row = self._row("SELECT sha256 FROM files WHERE path = ? AND stamp = ?", (os.fsencode(path), stamp))
        return _parsed(str, row)

    def screenshot(self, sha256: str) -> MeasuredScreenshot | None:
        row = self._row(
            "SELECT measured FROM pictures WHERE sha256 = ? AND by = ?", (sha256, self._code_hashes.measures)
        )
        return _parsed(_SCREENSHOT.validate_json, row)

    def change(self, one: str, other: str) -> float | None:
        """The share of pixels that differ between two screenshots."""
        query = "SELECT share FROM changes WHERE one = ? AND other = ? AND by = ?"
        return _parsed(float, self._row(query, (one, other, self._code_hashes.measures)))

    def episode(self, annotation: Path) -> Inspection | None:
        """The last findings, even if the files have changed since."""
        query = "SELECT stamp, name, steps, report, facts FROM episodes WHERE annotation = ? AND by = ?"
        return _parsed(_inspection, self._row(query, (os.fsencode(annotation), self._code_hashes.checks)))

    # Storing.

    def keep(self, annotation: Path, found: Inspection, measured: Measurements) -> None:
        measures, checks = self._code_hashes.measures, self._code_hashes.checks
        screenshots = [
            (sha256, _SCREENSHOT.dump_json(screenshot).decode(), measures)
            for sha256, screenshot in measured.screenshots.items()
        ]
        row = os.fsencode(annotation), found.stamp, found.name, found.steps, found.report, found.facts, checks
        self._write(
            ("files", 3, [(os.fsencode(path), *known) for path, known in measured.files.items()]),
            ("pictures", 3, screenshots),
            ("changes", 4, [(*pair, share, measures) for pair, share in measured.changes.items()]),
            ("episodes", 7, [row]),
        )

    # The file.

    def _open(self, path: Path) -> None:
        try:
            self._database = self._connect(path)
        except sqlite3.DatabaseError as error:
            if self._reader or error.sqlite_errorcode in _LOCKED or not path.is_file():
                self._give_up(error)
                return
            self._set_aside(path, error)

    def _connect(self, path: Path) -> sqlite3.Connection:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
        mode = "ro" if self._reader else "rwc"
        database = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=self._wait_s,
            isolation_level=None, check_same_thread=False,
        )  # fmt: skip
        try:
            if not self._reader:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.executescript(_TABLES)
        except sqlite3.Error:
            database.close()
            raise
        weakref.finalize(self, database.close)  # a checker may live as long as the program
        return database

    def _set_aside(self, path: Path, error: sqlite3.Error) -> None:
        broken = path.with_name(f"{path.name}.broken")
        try:
            path.replace(broken)
            for ending in ("-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
            self._database = self._connect(path)
        except (OSError, sqlite3.Error) as second_error:
            self._give_up(second_error)
            return
        self.problem = (
            f"The cache of earlier checks was damaged ({error}) and moved to {broken}. Everything is checked again."
        )

    def _give_up(self, error: Exception) -> None:
        self._drop()
        self.problem = (
            f"The cache of earlier checks cannot be used, {self._path}: {error}. Everything is checked again."
        )

    def _drop(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _row(self, query: str, values: Sequence[str | bytes]) -> Sequence[Any]:
        with self._lock:
            if self._database is None:
                return ()
            try:
                row: Sequence[Any] = self._database.execute(query, values).fetchone() or ()
            except sqlite3.DatabaseError as error:
                self._fail(error)
                return ()
            return row

    def _write(self, *tables: tuple[str, int, Iterable[Sequence[object]]]) -> None:
        with self._lock:
            if self._database is None:
                return
            try:
                self._database.execute("BEGIN IMMEDIATE")
                for table, columns, rows in tables:
                    places = ", ".join("?" * columns)
                    self._database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", rows)
                self._database.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                self._fail(error)

    def _fail(self, error: sqlite3.DatabaseError) -> None:
        """Continue with a new file if this one is broken, and without any if it is locked or the disk is full."""
        self._drop()
        if error.sqlite_errorcode in _BROKEN and not self._reader and self._path is not None:
            self._set_aside(self._path, error)
        else:
            self._give_up(error)


def _inspection(stamp: str, name: str, steps: object, report: str, facts: str) -> Inspection:
    return Inspection(stamp, name, int(str(steps)), report, facts)


def _parsed(read: Callable[..., _Value], row: Sequence[Any]) -> _Value | None:
    try:
        return read(*row) if row else None
    except (TypeError, ValueError):
        return None
