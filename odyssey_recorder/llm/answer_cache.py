"""A cache of all answers in one SQLite file.

An answer is keyed by the hash of everything that determines it; the server's API key is not part of that and never in
the file. Several programs may use the file at once, and a killed one loses nothing that was stored.
"""

import json
import logging
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from odyssey_recorder.errors import AnswerError, BrokenAnswerError, LanguageModelError
from odyssey_recorder.llm.model import Image, LazyImage, ModelAnswer, ModelRequest, Part, Usage, Words
from odyssey_recorder.llm.schema import strict_schema
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.moment import in_utc
from odyssey_recorder.sqlite_file import FilePolicy, SqliteFile

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

_OURS = 0x4F44594C
"""The `application_id` of our SQLite files ("ODYL")."""
_VERSION = 2
_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, prompt TEXT NOT NULL, raw TEXT NOT NULL, model_asked TEXT NOT NULL,
    model_answered TEXT NOT NULL, host TEXT NOT NULL, at TEXT NOT NULL, tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL, attempts INTEGER NOT NULL, request_id TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS durations (key TEXT PRIMARY KEY, seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, failure TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS broken (
    key TEXT NOT NULL, prompt TEXT NOT NULL, raw TEXT NOT NULL, fault TEXT NOT NULL, at TEXT NOT NULL
);
PRAGMA application_id = {_OURS};
PRAGMA user_version = {_VERSION};
COMMIT;
"""
_FIND = """
SELECT raw, model_asked, model_answered, host, at, tokens_in, tokens_out, attempts, request_id,
    (SELECT seconds FROM durations WHERE durations.key = answers.key),
    (SELECT failure FROM failures WHERE failures.key = answers.key)
FROM answers WHERE key = ?
"""
_in_one_line = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_log = logging.getLogger(__name__)


def question_key(question: ModelRequest, model: str, host: str) -> str:
    """SHA-256 (hex) of everything that determines the answer; images are included by hash."""
    kind = (question.prompt, question.prompt_sha256, question.schema_name, model, host)
    whole = _hash_of_kind(kind, question.answer).copy()
    messages = [[message.role, *map(_part, message.parts)] for message in question.messages]
    more = [] if question.wire == "chat" else [question.wire, question.tools]
    whole.update(_in_one_line([messages, dict(question.parameters), question.candidate, *more]).encode())
    return whole.hexdigest()


@lru_cache(maxsize=64)
def _hash_of_kind(kind: tuple[str, ...], answer: type[BaseModel]) -> "Hash":
    """What all requests of one prompt to a model share, to be copied and completed."""
    return sha256(_in_one_line([*kind, strict_schema(answer)]).encode())


class AnswerCache:
    """The cached answers in the file at `path`; in memory only if that is None.

    A damaged or foreign file is renamed and a new one begun; if no file can be used, answers are kept in memory.
    `problem` describes either case. Other writers are waited for up to `wait_s` seconds. Thread-safe.
    """

    def __init__(self, path: Path | None = None, *, wait_s: float = 10.0) -> None:
        self._path = path
        self._file = SqliteFile(path, _POLICY, wait_s=wait_s)
        with self._file.reading():
            if self.problem:
                _log.warning("%s", self.problem)

    @property
    def problem(self) -> str:
        return self._file.problem

    def close(self) -> None:
        self._file.close()

    def find(self, question: ModelRequest, key: str) -> ModelAnswer | None:
        rows = self._do(_FIND, key)
        return _answer_from_row(question, key, rows[0]) if rows else None

    def keep(self, question: ModelRequest, answer: ModelAnswer) -> None:
        """The first of several answers to a question is kept."""
        self._do("INSERT OR IGNORE INTO durations VALUES (?, ?)", answer.key, answer.seconds)
        if answer.failure:
            self._do("INSERT OR IGNORE INTO failures VALUES (?, ?)", answer.key, answer.failure)
        self._do(
            f"INSERT OR IGNORE INTO answers VALUES ({', '.join('?' * 11)})",
            answer.key, question.prompt, answer.raw, answer.model_asked, answer.model_answered, answer.host,
            answer.at.isoformat(), answer.usage.tokens_in, answer.usage.tokens_out, answer.attempts, answer.request_id,
        )  # fmt: skip

    def keep_broken(self, question: ModelRequest, key: str, error: AnswerError) -> None:
        """For people to inspect; `find` never returns it."""
        now = datetime.now(UTC).isoformat()
        self._do("INSERT INTO broken VALUES (?, ?, ?, ?, ?)", key, question.prompt, error.raw, str(error), now)

    def sync(self) -> None:
        """What was kept survives the loss of power. Raises LanguageModelError if it is in memory only."""
        self._do("PRAGMA wal_checkpoint(FULL)")
        if self._file.path != self._path:
            raise LanguageModelError(self.problem)

    def broken(self, key: str) -> Sequence[str]:
        return [raw for (raw,) in self._do("SELECT raw FROM broken WHERE key = ? ORDER BY rowid", key)]

    def _do(self, statement: str, *values: str | float) -> Sequence[Any]:
        before = self.problem
        rows = self._file.rows(statement, values)
        if self.problem != before:
            _log.warning("%s", self.problem)
        return rows


def _refuse_foreign(database: sqlite3.Connection) -> None:
    ours, version = (database.execute(f"PRAGMA {of}").fetchone()[0] for of in ("application_id", "user_version"))
    if _has_tables(database) and (ours, version) != (_OURS, _VERSION):
        foreign = sqlite3.DatabaseError("it is not an answer cache, or was written by another version")
        foreign.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise foreign


def _make_tables(database: sqlite3.Connection) -> None:
    if not _has_tables(database, "failures"):  # which earlier releases did not have
        database.executescript(_TABLES)


def _has_tables(database: sqlite3.Connection, like: str = "%") -> bool:
    return bool(database.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE ?", (like,)).fetchone()[0])


_POLICY = FilePolicy(
    _make_tables,
    moved="The answer cache could not be used ({error}) and was moved to {aside}. A new one was started.",
    unusable="Answers cannot be saved in {path} ({error}). They are lost when the program ends.",
    refuse=_refuse_foreign,
    is_precious=True,
)


def _part(part: Part) -> Json:
    match part:
        case Words(text):
            return text
        case Image(data, media_type, detail):
            return {"image_sha256": sha256(data).hexdigest(), "media_type": media_type, "detail": detail}
        case LazyImage(identity):
            return {"image": identity}


def _answer_from_row(question: ModelRequest, key: str, row: Sequence[Any]) -> ModelAnswer | None:
    raw, asked, answered, host, at, tokens_in, tokens_out, attempts, request_id, seconds, failure = row
    try:
        data, then = question.read(raw), in_utc(datetime.fromisoformat(at))
    except (BrokenAnswerError, TypeError, ValueError):
        return None
    return ModelAnswer(
        data, raw, asked, answered, host, then, Usage(tokens_in, tokens_out), key, attempts, request_id, seconds or 0.0,
        is_kept=True, failure=failure or "",
    )  # fmt: skip
