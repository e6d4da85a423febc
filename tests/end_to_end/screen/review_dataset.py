"""A dataset for reviewers: episodes of several annotators, some with extra steps, some with verdicts."""

import random
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from odyssey_recorder.review.review_store import ReviewStore
from tests.checking.damaged.damaged_episode import DamagedEpisode
from tests.checking.verdicts import verdict


class ReviewDataset:
    def __init__(self, clean: Path, root: Path) -> None:
        self.root = root
        self._clean = clean
        self._chance = random.Random(7)

    def copy(self, episode_id: str, by: str, *, extra_step: int | None = None) -> str:
        """Add a copy as recorded by someone, optionally with an extra step; returns its id.

        The extra step comes before step `extra_step`, and touches an empty spot.
        """
        wreck = DamagedEpisode(self._clean, self.root, episode_id, self._chance)
        wreck.provenance["origin"]["annotator"] = by
        if extra_step is not None:
            steps = range(len(wreck.steps))
            wreck.arrange_steps([*steps[: extra_step + 1], *steps[extra_step:]])
            wreck.move_press(extra_step, 500, 940)
            wreck.records[extra_step]["bbox"] = None
        wreck.save()
        return wreck.episode_id

    def judge(self, episode_id: str, by: str, answers: str = "ppp") -> None:
        """Store a verdict; `answers` has a letter per question, p(ass), f(ail) or u(nsure)."""
        annotation = self.root / "annotations" / f"{episode_id}.json"
        revision = sha256(annotation.read_bytes()).hexdigest()
        minute = len(ReviewStore(self.root).read(episode_id).entries) + self._chance.randrange(60)
        given = verdict(by, answers, minute=minute, revision=revision, step=None if answers == "ppp" else 4)
        ReviewStore(self.root).append(episode_id, given)

    def judge_all(self, episode_ids: Iterable[str], by: str, answers: Iterable[str]) -> None:
        for episode_id, answer in zip(episode_ids, answers, strict=True):
            self.judge(episode_id, by, answer)
