"""Episodes as they lie before a reviewer: of several people, some with a step too many, some judged already."""

import random
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from tests.quality.damaged.wreck import Wreck
from tests.quality.verdicts import verdict


class Shelf:
    """A dataset that is filled with copies of recorded episodes, each under an id of its own."""

    def __init__(self, clean: Path, root: Path) -> None:
        self.root = root
        self._clean = clean
        self._chance = random.Random(7)

    def copy(self, episode_id: str, by: str, *, instruction: str = "", stray: int | None = None) -> str:
        """Put a copy there as recorded by somebody, perhaps in other words and with a step too many; its id.

        What is done at the step `stray` is done one step later, and before it somewhere where nothing is.
        """
        wreck = Wreck(self._clean, self.root, episode_id, self._chance)
        wreck.proof["origin"]["annotator"] = by
        if instruction:
            wreck.task["instruction"] = instruction
        if stray is not None:
            steps = range(len(wreck.steps))
            wreck.renumber([*steps[: stray + 1], *steps[stray:]])
            wreck.put_place(stray, 500, 940)
            wreck.records[stray]["bbox"] = None
        wreck.save()
        return wreck.episode_id

    def judge(self, episode_id: str, by: str, answers: str = "ppp", decision: Decision | None = None) -> None:
        """Have somebody's verdict in the files: a letter for each question, p(ass), f(ail), u(nsure)."""
        annotation = self.root / "annotations" / f"{episode_id}.json"
        revision = sha256(annotation.read_bytes()).hexdigest()
        minute = len(ReviewStore(self.root).read(episode_id).entries) + self._chance.randrange(60)
        said = verdict(by, answers, decision, minute=minute, revision=revision, step=None if answers == "ppp" else 4)
        ReviewStore(self.root).append(episode_id, said)

    def judge_all(self, episode_ids: Iterable[str], by: str, answers: Iterable[str]) -> None:
        for episode_id, said in zip(episode_ids, answers, strict=True):
            self.judge(episode_id, by, said)
