"""How episodes are written to the index."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import starmap

from odyssey_recorder.dataset.episode_row import EpisodeRow, row_of
from odyssey_recorder.dataset.quick_reading import ReadEpisode, is_same_file
from odyssey_recorder.dataset_index.review_stages import UNREVIEWED, Stages
from odyssey_recorder.dataset_index.search_words import searchable
from odyssey_recorder.model.finding import EpisodeReport, Severity
from odyssey_recorder.review.status import comparable_name

_key = lru_cache(4096)(comparable_name)
_as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def write_episodes(connection: sqlite3.Connection, episodes: Sequence[ReadEpisode]) -> None:
    """In place of earlier ones; without findings, and unreviewed.

    Unless the same files were only read again, as they are soon after a change: then all that is known is kept.
    """
    again = _read_again(connection, episodes)
    for episode in again.values():
        query = "UPDATE episodes SET annotation = ?, provenance = ? WHERE episode_id = ?"
        connection.execute(query, (episode.stamps.annotation, episode.stamps.provenance, episode.episode_id))
    episodes = [episode for episode in episodes if episode.episode_id not in again]
    remove_episodes(connection, [episode.episode_id for episode in episodes])
    last: int = connection.execute("SELECT COALESCE(MAX(n), 0) FROM episodes").fetchone()[0]
    numbered = [(n, row_of(episode), episode) for n, episode in enumerate(episodes, last + 1)]
    _insert(connection, f"episodes ({', '.join(_COLUMNS)})", len(_COLUMNS), starmap(_episode, numbered))
    _insert(connection, "apps", 3, ((n, _key(app), app) for n, row, _ in numbered for app in row.apps))
    said = ((n, searchable(_texts(row, episode))) for n, row, episode in numbered)
    _insert(connection, "words (rowid, said)", 2, said)


def _read_again(connection: sqlite3.Connection, episodes: Sequence[ReadEpisode]) -> dict[str, ReadEpisode]:
    by_id = {episode.episode_id: episode for episode in episodes if episode.contents.sha256}
    query = (
        "SELECT episode_id, sha256, annotation, provenance FROM episodes "
        "WHERE episode_id IN (SELECT value FROM json_each(?))"
    )
    return {
        episode_id: by_id[episode_id]
        for episode_id, digest, annotation, provenance in connection.execute(query, (json.dumps(list(by_id)),))
        if digest == by_id[episode_id].contents.sha256
        and is_same_file(annotation, by_id[episode_id].stamps.annotation)
        and is_same_file(provenance, by_id[episode_id].stamps.provenance)
    }


def remove_episodes(connection: sqlite3.Connection, episode_ids: Iterable[str]) -> None:
    query = "SELECT n FROM episodes WHERE episode_id IN (SELECT value FROM json_each(?))"
    numbers = connection.execute(query, (json.dumps(list(episode_ids)),)).fetchall()
    for table, column in (
        ("episodes", "n"), ("apps", "episode"), ("findings", "episode"), ("words", "rowid"),
    ):  # fmt: skip
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", numbers)


def write_stages(connection: sqlite3.Connection, episode_id: str, review: str, stages: Stages) -> None:
    """`review` is the stamp of the review file."""
    connection.execute(
        "UPDATE episodes SET review = ?, if_once = ?, if_twice = ?, if_unknown = ? WHERE episode_id = ?",
        (review, *stages, episode_id),
    )


def write_report(connection: sqlite3.Connection, report: EpisodeReport, *, is_settled: bool) -> None:
    row = connection.execute("SELECT n FROM episodes WHERE episode_id = ?", (report.episode_id,)).fetchone()
    if row is None:
        return
    connection.execute("DELETE FROM findings WHERE episode = ?", row)
    found = ((*row, finding.check, finding.severity.value, finding.step) for finding in report.findings)
    _insert(connection, "findings", 4, found)
    connection.execute(
        "UPDATE episodes SET is_checked = TRUE, is_settled = ?, errors = ?, warnings = ? WHERE n = ?",
        (is_settled, report.count(Severity.ERROR), report.count(Severity.WARNING), *row),
    )


_COLUMNS = (
    "n", "episode_id", "annotation", "provenance", "review", "sha256", "problem", "instruction", "category",
    "category_key", "template", "template_key", "device", "device_key", "width", "height", "apps", "steps",
    "every_step", "actions", "ending", "annotator", "annotator_key", "actor", "task_id", "recorded_us", "published_us",
    "verdict", "if_once", "if_twice", "if_unknown",
)  # fmt: skip


def _insert(connection: sqlite3.Connection, table: str, columns: int, rows: Iterable[Sequence[object]]) -> None:
    connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * columns)})", rows)


def _episode(n: int, row: EpisodeRow, episode: ReadEpisode) -> tuple[object, ...]:
    read, origins = episode.contents, episode.origins
    actor, began_us, published_us = (
        ("", None, None) if origins is None else (origins.origin.actor, origins.started_us, origins.published_us)
    )
    width, height = (0, 0) if row.size is None else (row.size.width, row.size.height)
    return (
        n, row.episode_id, *episode.stamps, row.revision, row.problem, row.instruction, row.category,
        _key(row.category), row.template, _key(row.template), row.device, _key(row.device), width, height,
        _as_json(row.apps), row.steps, _as_json(read.steps), f" {' '.join({str(step[1]) for step in read.steps})} ",
        row.ending, row.annotator, _key(row.annotator), actor, row.task_id, began_us, published_us,
        UNREVIEWED.if_once, *UNREVIEWED,
    )  # fmt: skip


def _texts(row: EpisodeRow, episode: ReadEpisode) -> Iterator[str]:
    yield row.episode_id
    yield row.instruction
    yield from episode.contents.texts
    if episode.origins is not None:
        yield from (step.note for step in episode.origins.steps if step.note)
