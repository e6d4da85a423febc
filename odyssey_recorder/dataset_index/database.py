"""The tables of an index; those of another format are made again, which loses nothing: the dataset has everything."""

import sqlite3

from odyssey_recorder.sqlite_file import FilePolicy

FORMAT = 3
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


def _prepare(connection: sqlite3.Connection) -> None:
    if _format(connection) != FORMAT:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            _make_tables(connection)
    connection.execute("SELECT MAX(n) FROM episodes").fetchone()


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


INDEX_FILE = FilePolicy(
    _prepare,
    moved="The index of the dataset was damaged ({error}) and moved to {aside}. It is made again.",
    unusable="The index of the dataset cannot be kept in {path}: {error}. It is made again each time. "
    "Make the folder writable and free some space.",
)
