"""Which step a prediction is for, and what does not fit: missing, repeated and foreign ones, and other true actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from odyssey_recorder.evaluation.gold import Gold
from odyssey_recorder.evaluation.loading import Loaded
from odyssey_recorder.evaluation.scores import Placed
from odyssey_recorder.model.answer_failure import Failure
from odyssey_recorder.model.plain_text import step_number

_TOLD = 20
_MERGED = {"PRESS_RECENT": "PRESS_HOME", "IMPOSSIBLE": "COMPLETE"}
"""True actions that AgentCPM-GUI's data spell as other ones."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Counts, and for the first of each kind but the missing where in the file it is.

    `other_episodes` are predictions for the dataset's episodes that are not scored, which is no problem.
    """

    predictions: int
    other_episodes: int
    missing: int
    repeated: int
    foreign: int
    different_truth: int
    unread: int
    problems: tuple[str, ...] = ()
    failures: Mapping[Failure, int] = field(default_factory=dict)
    """Why predictions of the file have no action."""

    @property
    def is_clean(self) -> bool:
        return not (self.missing or self.repeated or self.foreign or self.different_truth or self.unread)

    @property
    def counts(self) -> str:
        """The counts that are not 0, as text."""
        counts = {
            "steps without a prediction": self.missing,
            "repeated": self.repeated,
            "for steps that the dataset does not have": self.foreign,
            "with another true action": self.different_truth,
            "with problems": self.unread,
            "for other episodes of the dataset": self.other_episodes,
        }
        return ", ".join(f"{count:,} {label}" for label, count in counts.items() if count)


def place(gold: Gold, loaded: Loaded) -> tuple[Placed, Fit]:
    """The predictions for steps of `gold`, whose true actions count."""
    keys = zip(loaded.episodes, loaded.steps, strict=True)
    found = np.array([gold.row_of.get(key, -1) for key in keys], np.int64)
    matched, outside = np.flatnonzero(found >= 0), np.flatnonzero(found < 0).tolist()
    foreign = [at for at in outside if loaded.episodes[at] not in gold.others]
    order = matched[np.argsort(found[matched], kind="stable")]
    again = np.sort(order[1:][found[order[1:]] == found[order[:-1]]])
    missing = np.flatnonzero(np.bincount(found[matched], minlength=len(gold.kind)) == 0)
    missing = missing[:0] if loaded.header.sample else missing
    different = [at for at in matched.tolist() if _differs(loaded, at, gold.answers[found[at]])]
    placed = Placed(found[matched], [loaded.answers[at] for at in matched], np.unique(found[again]), missing)
    messages = [
        *_messages(loaded, foreign, "no such step in the dataset"),
        *_messages(loaded, again.tolist(), "the step has been predicted before"),
        *_messages(loaded, different, "its true action is not the dataset's"),
    ]
    counts = (len(missing), len(again), len(foreign), len(different), len(loaded.problems))
    others = len(outside) - len(foreign)
    return placed, Fit(len(found), others, *counts, (*loaded.problems[:_TOLD], *messages), dict(loaded.failures))


def _differs(loaded: Loaded, at: int, truth: str) -> bool:
    own = loaded.truths[at]
    return own not in (None, truth) and not (loaded.layout == "agentcpm" and own == _MERGED.get(truth))


def _messages(loaded: Loaded, at: Sequence[int], message: str) -> list[str]:
    places = ((row, loaded.episodes[row][:40], step_number(loaded.steps[row])) for row in at[:_TOLD])
    return [
        f"{loaded.unit} {loaded.numbers[row]}: episode {name}, step {step}: {message}" for row, name, step in places
    ]
