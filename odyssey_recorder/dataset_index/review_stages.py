"""The verdicts of the episodes in the index, by the rules of reviewing.

Whether an episode needs a second review depends on its findings and, by the sample, on all other episodes. So the
index keeps its stage for each case, and chooses among them whenever something has changed.
"""

import sqlite3
from pathlib import Path
from typing import NamedTuple

from odyssey_recorder.dataset.episode_row import EpisodeRow, read_row
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset_index.filter import stage_name
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewStage, StatusRule, Stratum, review_status, sample


class Stages(NamedTuple):
    """The names of an episode's stage if one review is enough, if it needs two, and while that is unknown."""

    if_once: str
    if_twice: str
    if_unknown: str


_RULES = (StatusRule(), StatusRule(warned=True), StatusRule(warned=None, sampled=None))
UNREVIEWED = Stages(*[stage_name(ReviewStage.UNREVIEWED)] * 3)


class ReviewStages:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._reviews = ReviewStore(root)
        self._trashed: dict[Path, EpisodeRow | None] = {}
        self.sampled: frozenset[str] | None = None
        self.sample_problem = ""

    def stages(self, episode_id: str, *, recorder: str, revision: str) -> Stages:
        """Of an episode with a review file; unreviewed if that cannot be read."""
        try:
            file = self._reviews.read(episode_id)
        except (DatasetError, ReviewError):
            return UNREVIEWED
        statuses = (review_status(file, rule, recorder=recorder, revision=lambda: revision) for rule in _RULES)
        return Stages(*(stage_name(status.stage) for status in statuses))

    def settle(self, connection: sqlite3.Connection) -> frozenset[str]:
        """Choose the verdict of each episode again; returns the ids of those whose verdict has changed."""
        connection.execute("UPDATE episodes SET verdict = if_once WHERE if_once = if_twice AND verdict != if_once")
        query = "SELECT episode_id, verdict, warnings, is_settled, if_once, if_twice, if_unknown FROM episodes"
        open_ones = connection.execute(f"{query} WHERE if_once != if_twice").fetchall()
        sampled = self._draw(connection)
        changes = []
        for episode_id, before, warnings, is_settled, *stages in open_ones:
            warned = True if warnings else False if is_settled else None
            verdict = _chosen(Stages(*stages), warned, None if sampled is None else episode_id in sampled)
            changes += [(verdict, episode_id)] if verdict != before else []
        connection.executemany("UPDATE episodes SET verdict = ? WHERE episode_id = ?", changes)
        return frozenset(episode_id for _, episode_id in changes)

    def _draw(self, connection: sqlite3.Connection) -> frozenset[str] | None:
        """The sample, drawn from all episodes and those judged before they were trashed.

        None while the trash or the policy cannot be read. A rejected episode keeps its place: otherwise another one
        would take it that may be accepted by then, and the sample would forget the defects that it has found. Nobody
        can judge a withdrawn one, so it has no place.
        """
        query = "SELECT episode_id, category, device, annotator FROM episodes WHERE problem = ''"
        strata = {episode_id: Stratum(*fields) for episode_id, *fields in connection.execute(query)}
        try:
            for row in self._in_trash():
                strata.setdefault(row.episode_id, Stratum(row.category, row.device, row.annotator))
            self.sampled, self.sample_problem = sample(strata, self._reviews.policy()), ""
        except (DatasetError, ReviewError) as error:
            self.sampled, self.sample_problem = None, str(error)
        return self.sampled

    def _may_be_judged(self, episode_id: str) -> bool:
        try:
            return bool(self._reviews.read(episode_id).present_verdicts)
        except (DatasetError, ReviewError):
            return True

    def _in_trash(self) -> list[EpisodeRow]:
        """The readable ones that were judged, newest first; each is read once."""
        there = Trash(self._root).episodes()
        for episode in there:
            is_new = self._trashed.get(episode.folder) is None
            if is_new and self._may_be_judged(episode.episode_id):
                self._trashed[episode.folder] = read_row(episode.folder, episode.episode_id)
        found = (self._trashed.get(episode.folder) for episode in there)
        return [row for row in found if row is not None and not row.problem]


def _chosen(stages: Stages, warned: bool | None, sampled: bool | None) -> str:
    if warned or sampled:
        return stages.if_twice
    return stages.if_unknown if warned is None or sampled is None else stages.if_once
