"""Which questions wait for an answer from a Batch API, on disk before anything is sent."""

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from odyssey_recorder.errors import LanguageModelError

_OURS = 0x4F444242
"""The `application_id` of our SQLite files ("ODBB")."""
_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS batches (
    name TEXT PRIMARY KEY, host TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, cost REAL NOT NULL,
    batch_id TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS questions (name TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (name, key)) WITHOUT ROWID;
PRAGMA application_id = {_OURS};
COMMIT;
"""


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """`cost` is its estimate in US dollars. `batch_id` is the server's, empty until it is known to be created."""

    name: str
    prompt: str
    cost: float
    batch_id: str


class BatchJournal:
    """The open batches of one model at one host, in the file at `path`, which several programs may share.

    Every method raises LanguageModelError if the file cannot be used; it is never recreated, since requests would be
    paid twice.
    """

    def __init__(self, path: Path, model: str, host: str) -> None:
        self.path = path
        self._of = (host, model)

    @contextmanager
    def held(self) -> Iterator[None]:
        """One program at a time submits and collects. Raises LanguageModelError if another one does."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock", timeout=0):
                yield
        except Timeout:
            raise LanguageModelError("Batches are being submitted or collected by another program.") from None
        except OSError as error:
            raise self._unusable(error) from error

    def batches(self) -> Sequence[OpenBatch]:
        rows = self._do("SELECT name, prompt, cost, batch_id FROM batches WHERE host = ? AND model = ?", *self._of)
        return [OpenBatch(*row) for row in rows]

    def questions(self, batch: OpenBatch) -> frozenset[bytes]:
        return frozenset(key for (key,) in self._do("SELECT key FROM questions WHERE name = ?", batch.name))

    def waiting(self) -> frozenset[bytes]:
        """The keys of all questions that are in an open batch, of any model."""
        return frozenset(key for (key,) in self._do("SELECT key FROM questions"))

    def begin(self, prompt: str, cost: float, keys: Sequence[str]) -> OpenBatch:
        batch = OpenBatch(secrets.token_hex(8), prompt, cost, "")
        with self._opened() as database, database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, '')", (batch.name, *self._of, prompt, cost))
            rows = ((batch.name, bytes.fromhex(key)) for key in keys)
            database.executemany("INSERT INTO questions VALUES (?, ?)", rows)
        return batch

    def created(self, batch: OpenBatch, batch_id: str) -> None:
        self._do("UPDATE batches SET batch_id = ? WHERE name = ?", batch_id, batch.name)

    def end(self, batch: OpenBatch) -> None:
        """Its questions may be asked again, unless their answers are cached."""
        with self._opened() as database, database:
            database.execute("BEGIN IMMEDIATE")
            for table in ("questions", "batches"):
                database.execute(f"DELETE FROM {table} WHERE name = ?", (batch.name,))

    def _do(self, statement: str, *values: str) -> Sequence[Any]:
        with self._opened() as database:
            return database.execute(statement, values).fetchall()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
                self._prepare(database)
                yield database
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        (ours,) = database.execute("PRAGMA application_id").fetchone()
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and ours != _OURS:
            raise sqlite3.DatabaseError("it is another program's")
        database.execute("PRAGMA synchronous = FULL")
        if not tables:
            database.executescript(_TABLES)

    def _unusable(self, error: Exception) -> LanguageModelError:
        return LanguageModelError(
            f"{self.path} cannot be used ({error}). It says which batches are open: put it back from a backup, or "
            "remove it if no batch is."
        )
