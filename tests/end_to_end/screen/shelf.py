"""A dataset for reviewers, by several annotators, with some extra steps and some verdicts."""

import random
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from tests.quality.damaged.damaged_episode import DamagedEpisode
from tests.quality.verdicts import verdict


class Shelf:
    def __init__(self, clean: Path, root: Path) -> None:
        self.root = root
        self._clean = clean
        self._chance = random.Random(7)

    def copy(self, episode_id: str, by: str, *, instruction: str = "", stray: int | None = None) -> str:
        """Add a copy as recorded by someone, optionally reworded or with an extra step; returns its id.

        The extra step comes before step `stray`, and touches a spot where nothing is.
        """
        episode = DamagedEpisode(self._clean, self.root, episode_id, self._chance)
        episode.provenance["origin"]["annotator"] = by
        if instruction:
            episode.task["instruction"] = instruction
        if stray is not None:
            steps = range(len(episode.steps))
            episode.arrange_steps([*steps[: stray + 1], *steps[stray:]])
            episode.move_press(stray, 500, 940)
            episode.records[stray]["bbox"] = None
        episode.save()
        return episode.episode_id

    def judge(self, episode_id: str, by: str, answers: str = "ppp", decision: Decision | None = None) -> None:
        """Store a verdict; `answers` has a letter per question, p(ass), f(ail) or u(nsure)."""
        annotation = self.root / "annotations" / f"{episode_id}.json"
        revision = sha256(annotation.read_bytes()).hexdigest()
        minute = len(ReviewStore(self.root).read(episode_id).entries) + self._chance.randrange(60)
        said = verdict(by, answers, decision, minute=minute, revision=revision, step=None if answers == "ppp" else 4)
        ReviewStore(self.root).append(episode_id, said)

    def judge_all(self, episode_ids: Iterable[str], by: str, answers: Iterable[str]) -> None:
        for episode_id, said in zip(episode_ids, answers, strict=True):
            self.judge(episode_id, by, said)
