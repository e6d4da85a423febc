"""The index of a dataset: its episodes with steps, reviews, findings, splits and words, kept up to date with its files.

The files stay the truth: the index is a cache outside the dataset, and reads only files that changed since.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import tzinfo
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

from odyssey_recorder.curation.retired import read_retired
from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.layout import PROVENANCE, REVIEWS, annotation_path
from odyssey_recorder.dataset.quick_reading import QuickReader, Stamps, StepRow, moment
from odyssey_recorder.dataset.watch import DatasetWatch, FolderChanges, difference
from odyssey_recorder.dataset_index.conditions import Condition, condition
from odyssey_recorder.dataset_index.database import INDEX_FILE
from odyssey_recorder.dataset_index.filter import ALL, Filter, Key, stage_name
from odyssey_recorder.dataset_index.review_stages import ReviewStages
from odyssey_recorder.dataset_index.splits import sides_of, split_stamps
from odyssey_recorder.dataset_index.writing import remove_episodes, write_episodes, write_report, write_stages
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.progress import Cancelled, never
from odyssey_recorder.review.status import ReviewStage
from odyssey_recorder.sqlite_file import SqliteFile

_AT_ONCE = 500
"""Episodes in a transaction: a search waits for one."""
_STAGES = {stage_name(stage): stage for stage in ReviewStage}
Known = Callable[[Path], EpisodeReport | None]
"""The earlier findings of the episode in an annotation file, such as `Checker.known`."""

Counted = Callable[[int, int], object]
"""Gets how many episodes are read, of how many."""


def _uncounted(_done: int, _count: int) -> None: ...


@dataclass(frozen=True, slots=True)
class IndexedEpisode(EpisodeRow):
    """An episode with what is known about it. `is_checked`: its findings are known. `splits` are like "app/test"."""

    verdict: ReviewStage = ReviewStage.UNREVIEWED
    is_checked: bool = False
    errors: int = 0
    warnings: int = 0
    splits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FacetCount:
    """`value` is spelled for `Filter.choosing`."""

    value: str
    count: int


class Facet(NamedTuple):
    """`total` episodes match the other keys' terms; an episode may have several values of a key, or none."""

    total: int
    counts: tuple[FacetCount, ...]


class EpisodeIndex:
    """The index of the dataset at `root`, in its own file in `folder`, or in memory for None; must be closed.

    Nothing is read before `refresh`. Days of filters are those of `zone`, by default the local one. Thread-safe, and
    several processes may share the file. Queries raise FilterError at most; reading raises DatasetError if a folder
    cannot be read.
    """

    def __init__(
        self, root: Path, folder: Path | None, known: Known | None = None, *, zone: tzinfo | None = None
    ) -> None:
        self.root = root.absolute()
        name = sha256(os.path.realpath(root).encode(errors="surrogateescape")).hexdigest()[:16]
        self._database = SqliteFile(None if folder is None else folder / f"{name}.sqlite", INDEX_FILE)
        self._known = known
        self._zone = zone
        self._review_stages = ReviewStages(self.root)
        self._refreshing = RLock()
        self._retired: frozenset[str] = frozenset()

    @property
    def problem(self) -> str:
        """Why the index is not kept or was made again, for the user; empty if all is well."""
        return self._database.problem

    @property
    def sampled(self) -> frozenset[str] | None:
        """The ids of those drawn for a second review, also from the trash.

        None before `refresh`, and while none can be drawn: then `sample_problem` says why.
        """
        return self._review_stages.sampled

    def is_sampled(self, episode_id: str) -> bool | None:
        return None if self.sampled is None else episode_id in self.sampled

    @property
    def sample_problem(self) -> str:
        return self._review_stages.sample_problem

    def close(self) -> None:
        self._database.close()

    # Keeping up with the files.

    def refresh(self, progress: Counted = _uncounted, cancelled: Cancelled = never) -> FolderChanges:
        """Read all that has changed. Raises DatasetError, CancelledError; what was read by then is kept."""
        return self._bring_up_to_date(None, progress, cancelled)

    def update(self, episode_ids: Iterable[str]) -> FolderChanges:
        """Like `refresh` for these episodes, which may be new, changed or gone."""
        return self._bring_up_to_date(list(episode_ids), _uncounted, never)

    def follow(
        self,
        take: Callable[[FolderChanges], object],
        warn: Callable[[str], object],
        progress: Counted = _uncounted,
        cancelled: Cancelled = never,
    ) -> DatasetWatch:
        """Keep the index up to date until the returned watch is closed, and call `take` from its thread.

        After a `refresh`, to which `progress` and `cancelled` belong, with all episodes as added, even if there are
        none; then with each change since, whichever index on the same file was the first to read it. `warn` gets
        messages for the user.
        """
        announced: dict[str, object] | None = None

        def on_change(noticed: FolderChanges) -> None:
            nonlocal announced
            try:
                if announced is None:
                    self.refresh(progress, cancelled)
                else:
                    self.update(noticed.added | noticed.changed | noticed.removed)
            except CancelledError:
                return
            except DatasetError as error:
                warn(str(error))
                return
            now = self._row_versions()
            news = difference(announced or {}, now)
            if announced is None and self.problem:
                warn(self.problem)
            if news or announced is None:
                take(news)
            announced = now

        return DatasetWatch(self.root, on_change, warn, beside=(PROVENANCE, REVIEWS))

    def take_reports(self, reports: Iterable[EpisodeReport], *, settled: bool) -> FolderChanges:
        """Keep these findings; `settled` if the dataset as a whole was checked with them."""
        stored = list(reports)
        with self._refreshing, self._database.writing() as connection:
            for report in stored:
                write_report(connection, report, is_settled=settled)
            changed = self._review_stages.settle(connection)
        return FolderChanges(changed=changed | {report.episode_id for report in stored})

    # Questions.

    def ids(self, wanted: Filter = ALL) -> tuple[str, ...]:
        """In order."""
        found = self._condition(wanted)
        query = f"SELECT episode_id FROM episodes WHERE {found.sql} ORDER BY episode_id"
        return tuple(episode_id for (episode_id,) in self._rows(query, found.values))

    def count(self, wanted: Filter = ALL) -> int:
        found = self._condition(wanted)
        [(count,)] = self._rows(f"SELECT COUNT(*) FROM episodes WHERE {found.sql}", found.values)
        return int(count)

    def rows(self, wanted: Filter = ALL, *, among: Collection[str] | None = None) -> list[IndexedEpisode]:
        """By id; only those `among` these ids, unless None."""
        found = self._condition(wanted)
        query, values = _chosen(f"SELECT {_ROW} FROM episodes WHERE {found.sql}", among)
        sides: dict[str, list[str]] = {}
        for episode_id, side in self._rows(*_chosen(f"SELECT {_SIDE} FROM sides WHERE TRUE", among)):
            sides.setdefault(episode_id, []).append(side)
        rows = self._rows(f"{query} ORDER BY episode_id", (*found.values, *values))
        apps = json.loads(f"[{','.join(row[_APPS] for row in rows)}]")  # much faster than one by one
        return [_indexed(row, used, sides.get(row[0], ())) for row, used in zip(rows, apps, strict=True)]

    def steps(self, wanted: Filter = ALL) -> Iterator[tuple[str, StepRow]]:
        """The steps of these episodes with the ids, in order."""
        found = self._condition(wanted)
        query = f"SELECT episode_id, every_step FROM episodes WHERE {found.sql} ORDER BY episode_id"
        for episode_id, steps in self._rows(query, found.values):
            yield from ((episode_id, StepRow(*step)) for step in json.loads(steps))

    def facets(self, wanted: Filter = ALL) -> Mapping[Key, Facet]:
        """How many episodes have each value of a key under the other keys' terms, the most frequent first.

        Numbers of steps are counted in bins, from the smallest.
        """
        among: dict[Filter, list[int]] = {}
        found = {}
        for key, query in _FACETS.items():
            others = wanted.without(key)
            if others not in among:
                where = self._condition(others)
                numbers = self._rows(f"SELECT n FROM episodes WHERE {where.sql}", where.values)
                among[others] = [n for (n,) in numbers]
            counts = self._rows(query, (json.dumps(among[others]),))
            found[key] = Facet(len(among[others]), tuple(FacetCount(*row) for row in counts))
        return found

    # Reading.

    def _row_versions(self) -> dict[str, object]:
        """For each episode, what differs after each change of it."""
        query = f"SELECT {_VERSION} FROM episodes"
        return {row[0]: (row, self.is_sampled(row[0])) for row in self._rows(query, ())}

    def _bring_up_to_date(self, only: Sequence[str] | None, progress: Counted, cancelled: Cancelled) -> FolderChanges:
        with self._refreshing:
            while True:
                try:
                    return self._read_changes(only, progress, cancelled)
                except sqlite3.DatabaseError as error:
                    self._database.start_over(error)
                    only = None

    def _read_changes(self, only: Sequence[str] | None, progress: Counted, cancelled: Cancelled) -> FolderChanges:
        self._retired = frozenset(read_retired(self.root))
        with closing(QuickReader(self.root)) as reader:
            present, before = reader.stamps(only), self._stamps(only)
            gone = before.keys() - present.keys() - _being_exchanged(self.root)
            changed_ids = [episode_id for episode_id, stamps in present.items() if before.get(episode_id) != stamps]
            if only is not None and not changed_ids and not gone:
                return FolderChanges()
            for start in range(0, len(changed_ids), _AT_ONCE):
                if cancelled():
                    raise CancelledError("Reading the dataset was cancelled.")
                self._read_part(
                    reader,
                    {episode_id: present[episode_id] for episode_id in changed_ids[start : start + _AT_ONCE]},
                    before,
                )
                progress(min(start + _AT_ONCE, len(changed_ids)), len(changed_ids))
        with self._database.writing() as connection:
            remove_episodes(connection, gone)
            self._take_splits(connection)
            others = self._take_known(connection, only) | self._review_stages.settle(connection)
        added = frozenset(changed_ids) - before.keys()
        return FolderChanges(added, (others | frozenset(changed_ids)) - added - gone, frozenset(gone))

    def _read_part(self, reader: QuickReader, part: Mapping[str, Stamps], before: Mapping[str, Stamps]) -> None:
        changed = [changed_id for changed_id, stamps in part.items() if before.get(changed_id, ("",))[:2] != stamps[:2]]
        episodes = list(filter(None, (reader.read(changed_id, part[changed_id]) for changed_id in changed)))
        with self._database.writing() as connection:
            write_episodes(connection, episodes)
            for episode_id, stamps in part.items():
                if stamps.review or before.get(episode_id, stamps).review:
                    self._take_review(connection, episode_id, stamps)

    def _take_review(self, connection: sqlite3.Connection, episode_id: str, stamps: Stamps) -> None:
        query = "SELECT annotator, sha256 FROM episodes WHERE episode_id = ?"
        for recorder, revision in connection.execute(query, (episode_id,)).fetchall():
            stages = self._review_stages.stages(episode_id, recorder=recorder, revision=revision)
            write_stages(connection, episode_id, stamps.review, stages)

    def _take_known(self, connection: sqlite3.Connection, only: Sequence[str] | None) -> frozenset[str]:
        """Findings from the cache of the checks, of episodes that have none."""
        found: set[str] = set()
        if self._known is None:
            return frozenset()
        query, values = _chosen("SELECT episode_id FROM episodes WHERE NOT is_checked", only)
        for (episode_id,) in connection.execute(query, values).fetchall():
            report = self._known(self.root / annotation_path(episode_id))
            if report is not None:
                write_report(connection, report, is_settled=False)
                found.add(episode_id)
        return frozenset(found)

    def _take_splits(self, connection: sqlite3.Connection) -> None:
        present = split_stamps(self.root)
        before = dict(connection.execute("SELECT split, stamp FROM splits"))
        for split in {split for split, _ in present.items() ^ before.items()}:
            connection.execute("DELETE FROM sides WHERE split = ?", (split,))
            connection.execute("DELETE FROM splits WHERE split = ?", (split,))
            if split in present:
                sides = ((split, part, episode_id) for episode_id, part in sides_of(self.root, split))
                connection.executemany("INSERT OR IGNORE INTO sides VALUES (?, ?, ?)", sides)
                connection.execute("INSERT INTO splits VALUES (?, ?)", (split, present[split]))

    # The database.

    def _condition(self, wanted: Filter) -> Condition:
        return condition(wanted, self._zone, self._retired)

    def _stamps(self, only: Sequence[str] | None) -> dict[str, Stamps]:
        query, values = _chosen("SELECT episode_id, annotation, provenance, review FROM episodes WHERE TRUE", only)
        with self._database.reading() as connection:
            found = connection.execute(query, values).fetchall()
        return {episode_id: Stamps(*stamps) for episode_id, *stamps in found}

    def _rows(self, query: str, values: Sequence[object]) -> list[Any]:
        try:
            with self._database.reading() as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            with self._refreshing:
                self._database.start_over(error)
                self.refresh()
            with self._database.reading() as connection:
                return connection.execute(query, values).fetchall()


_ROW = (
    "episode_id, instruction, category, device, steps, annotator, recorded_us, problem, template, task_id, sha256, "
    "apps, width, height, ending, published_us, verdict, is_checked, errors, warnings"
)
_APPS = 11
_SIDE = "episode_id, split || '/' || part"
_VERSION = "episode_id, sha256, problem, provenance, review, verdict, is_checked, errors, warnings"
_BINS = (5, 10, 15, 20, 30)
_BIN = " ".join(f"WHEN steps < {high} THEN '{low}..{high - 1}'" for low, high in pairwise((0, *_BINS)))


def _counted(value: str, group: str, source: str = "episodes", order: str = "COUNT(*) DESC, {0}") -> str:
    among = f"FROM {source} WHERE n IN (SELECT value FROM json_each(?))"
    return f"SELECT {value}, COUNT(*) {among} GROUP BY {group} ORDER BY {order.format(group)}"


_FACETS = {
    Key.CATEGORY: _counted("MIN(category)", "category_key"),
    Key.DEVICE: _counted("MIN(device)", "device_key"),
    Key.APP: _counted("MIN(app)", "app_key", "(SELECT episode AS n, app, app_key FROM apps)"),
    Key.BY: _counted("MIN(annotator)", "annotator_key"),
    Key.VERDICT: _counted("verdict", "verdict"),
    Key.ENDING: _counted("ending", "ending", "(SELECT n, ending FROM episodes WHERE ending != '')"),
    Key.SPLIT: _counted(
        "split || '/' || part", "split || '/' || part", "sides JOIN episodes USING (episode_id)", "{0}"
    ),
    Key.STEPS: _counted(f"CASE {_BIN} ELSE '>={_BINS[-1]}' END AS bin", "bin", order="MIN(steps)"),
}
"""Each takes the numbers of the episodes to count as a JSON list."""


def _chosen(query: str, ids: Collection[str] | None) -> tuple[str, tuple[str, ...]]:
    """Among these ids, unless None: the query and the values for it."""
    if ids is None:
        return query, ()
    return f"{query} AND episode_id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)


def _indexed(row: Sequence[Any], apps: Sequence[str], splits: Sequence[str]) -> IndexedEpisode:
    (
        episode_id, instruction, category, device, steps, annotator, recorded_us, problem, template, task_id, revision,
        _, width, height, ending, published_us, verdict, is_checked, errors, warnings,
    ) = row  # fmt: skip
    return IndexedEpisode(
        episode_id, instruction, category, device, steps, annotator, moment(recorded_us), problem, template, task_id,
        revision, tuple(apps), Size(width, height) if width else None, ending, moment(published_us),
        _STAGES[verdict], bool(is_checked), errors, warnings, tuple(splits),
    )  # fmt: skip


def _being_exchanged(root: Path) -> frozenset[str]:
    """The episode that is absent only while its files are exchanged."""
    change = under_way(root)
    return frozenset() if change is None or not change.target else frozenset({change.episode_id})
