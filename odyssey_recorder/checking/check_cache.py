"""Earlier findings and measurements of the checks, in one SQLite file outside every dataset.

Measurements are keyed by the content's hash, the hash of a file by its size, time and inode, and an episode's findings
by the stamp of all its files: unchanged files are not even opened. A broken cache is set aside, and a locked one is not
used; `problem` says so, and everything is checked again.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from odyssey_recorder.checking.screenshot import MeasuredScreenshot
from odyssey_recorder.sqlite_file import FilePolicy, SqliteFile

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
_POLICY = FilePolicy(
    lambda database: database.executescript(_TABLES),
    moved="The cache of earlier checks was damaged ({error}) and moved to {aside}. Everything is checked again.",
    unusable="The cache of earlier checks cannot be used, {path}: {error}. Everything is checked again.",
)


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
        self._code_hashes = code_hashes
        self._file = SqliteFile(path, _POLICY, wait_s=wait_s, is_reader=reader)
        with self._file.reading():
            pass  # before there are readers

    @property
    def problem(self) -> str:
        return self._file.problem

    def close(self) -> None:
        """Close the file; the cache is empty afterwards."""
        before, self._file = self._file, SqliteFile(None, _POLICY)
        before.close()
        self._file.problem = before.problem

    # Lookups.

    def sha256(self, path: Path, stamp: str) -> str | None:
        return self._stored(str, "SELECT sha256 FROM files WHERE path = ? AND stamp = ?", os.fsencode(path), stamp)

    def screenshot(self, sha256: str) -> MeasuredScreenshot | None:
        query = "SELECT measured FROM pictures WHERE sha256 = ? AND by = ?"
        return self._stored(_SCREENSHOT.validate_json, query, sha256, self._code_hashes.measures)

    def change(self, one: str, other: str) -> float | None:
        """The share of pixels that differ between two screenshots."""
        query = "SELECT share FROM changes WHERE one = ? AND other = ? AND by = ?"
        return self._stored(float, query, one, other, self._code_hashes.measures)

    def episode(self, annotation: Path) -> Inspection | None:
        """The last findings, even if the files have changed since."""
        query = "SELECT stamp, name, steps, report, facts FROM episodes WHERE annotation = ? AND by = ?"
        return self._stored(_inspection, query, os.fsencode(annotation), self._code_hashes.checks)

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

    def _stored(self, read: Callable[..., _Value], query: str, *values: str | bytes) -> _Value | None:
        """None without a row, or if it is not what we write."""
        rows = self._file.rows(query, values)
        try:
            return read(*rows[0]) if rows else None
        except (TypeError, ValueError):
            return None

    def _write(self, *tables: tuple[str, int, Iterable[Sequence[object]]]) -> None:
        if self._file.path is None:
            return  # in memory, it would grow with the dataset
        try:
            with self._file.writing() as database:
                for table, columns, rows in tables:
                    places = ", ".join("?" * columns)
                    database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", rows)
        except sqlite3.DatabaseError as error:
            self._file.start_over(error)


def _inspection(stamp: str, name: str, steps: object, report: str, facts: str) -> Inspection:
    return Inspection(stamp, name, int(str(steps)), report, facts)
