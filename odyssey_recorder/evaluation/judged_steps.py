"""Single steps with their verdicts, the worst first, and what the true and the predicted action look like."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from odyssey_recorder.evaluation.answers import AnswerKind, Bools, Floats, Ints, read_answers
from odyssey_recorder.evaluation.gold import BOX
from odyssey_recorder.evaluation.scores import Scored, by_step
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.geometry import GRID, Box, Point

Which = Literal["wrong", "only this", "both", "all"]
"""Which steps: wrong ones, or those that only the first of two models, or both, got wrong, or all."""

_MIDDLE = GRID // 2
_SWIPES = {"UP": (0, -200), "DOWN": (0, 200), "LEFT": (-200, 0), "RIGHT": (200, 0)}


@dataclass(frozen=True, slots=True)
class StepsWanted:
    """With a `cell` of the confusion matrix, true and predicted kind, all its steps, right or wrong."""

    which: Which = "wrong"
    cell: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """`row` is that of the gold step, `kinds` are those of the true and the predicted action.

    `box` is that of the true action, on the grid. `apart` is the distance between the true and the predicted point, as
    a share of the screen. `other_right` is None where the other model was not judged.
    """

    row: int
    episode_id: str
    step: int
    kinds: tuple[int, int]
    truth: str
    box: Box | None
    said: str | None
    is_right: bool
    apart: float
    other_said: str | None
    other_right: bool | None

    @property
    def verdict(self) -> str:
        truth, said = self.kinds
        match AnswerKind(said):
            case _ if self.is_right:
                return "Right"
            case AnswerKind.MISSING:
                return "No prediction"
            case AnswerKind.INVALID:
                return "Cannot be read"
            case _ if said != truth:
                return "Another action"
            case AnswerKind.TYPE:
                return "Another text"
            case AnswerKind.SCROLL:
                return "Another direction"
            case _:
                return f"{self.apart:.3f} away" if self.apart else "Another place"


def judged_steps(one: Scored, other: Scored | None, wanted: StepsWanted, most: int) -> tuple[list[JudgedStep], int]:
    """At most `most` of them, the worst first, and how many there are.

    Worst is no answer, then one that cannot be read, another action, another text or direction, and then points by
    their distance.
    """
    rows, said = one.with_missing()
    given = np.flatnonzero(one.verdicts.kind != AnswerKind.MISSING)
    right = np.concatenate([one.verdicts.right[given], np.zeros(len(one.missing), bool)])
    others = by_step(other) if other is not None else np.full(len(one.gold.kind), -1)
    if wanted.cell is not None:
        chosen = (one.gold.kind[rows] == wanted.cell[0]) & (said == wanted.cell[1])
    else:
        chosen = _chosen(wanted.which, right, others[rows])
    at = np.flatnonzero(chosen)
    answers = [one.answers[given[place]] if place < len(given) else None for place in at.tolist()]
    apart = _distances(one, rows[at], answers)
    order = np.lexsort((-apart, _mildness(one.gold.kind[rows[at]], said[at], right[at])))[:most]
    their = {} if other is None else dict(zip(other.rows.tolist(), other.answers, strict=True))
    gold, found = one.gold, []
    for place in order.tolist():
        row, by_other = int(rows[at[place]]), int(others[rows[at[place]]])
        kinds = int(gold.kind[row]), int(said[at[place]])
        box = Box(*gold.box[row].astype(int).tolist()) if gold.boxed[row] == BOX else None
        found.append(
            JudgedStep(
                row, gold.episodes[int(gold.episode[row])].episode_id, int(gold.step[row]), kinds, gold.answers[row],
                box, _text(answers[place]), bool(right[at[place]]), float(apart[place]), _text(their.get(row)),
                None if by_other < 0 else bool(by_other),
            )
        )  # fmt: skip
    return found, len(at)


def drawn(answer: object, *, off: int = 0) -> Action | None:
    """The action that an answer says; a scroll, which has a direction only, is `off` the middle of the screen."""
    read = read_answers([answer], whole=True)
    kind, info = AnswerKind(int(read.kind[0])), read.info[0]
    match kind:
        case AnswerKind.CLICK | AnswerKind.LONG_PRESS:
            point = _point(read.odd.get(0, [float(read.x[0]), float(read.y[0])]))
            return None if point is None else Click(point) if kind is AnswerKind.CLICK else LongPress(point)
        case AnswerKind.SCROLL if reach := _SWIPES.get(info.upper()):
            across, down = (off, 0) if reach[0] == 0 else (0, off)
            start, end = (Point(_MIDDLE + across + way * reach[0], _MIDDLE + down + way * reach[1]) for way in (-1, 1))
            return Scroll(start, end, (start, end))
        case AnswerKind.TYPE:
            return Type(info)
        case AnswerKind.COMPLETE:
            return Complete()
        case AnswerKind.IMPOSSIBLE:
            return Impossible("")
        case AnswerKind.PRESS_HOME | AnswerKind.PRESS_BACK | AnswerKind.PRESS_RECENT:
            return Press(SystemKey(kind.name.removeprefix("PRESS_")))
        case _:
            return None


def _chosen(which: Which, right: Bools, others: Ints) -> Bools:
    if which in ("wrong", "all"):
        return ~right | (which == "all")
    chosen: Bools = ~right & (others == (1 if which == "only this" else 0))
    return chosen


def _distances(scored: Scored, rows: Ints, answers: Sequence[object]) -> Floats:
    """From the true point, as a share of the screen; 0 without two points."""
    read = read_answers(answers, whole=True)
    return np.nan_to_num(np.hypot(read.x - scored.gold.x[rows], read.y - scored.gold.y[rows]) / GRID)


def _mildness(truth: Ints, kinds: Ints, right: Bools) -> Ints:
    same = np.where(truth <= AnswerKind.LONG_PRESS, 4, 3)
    wrong = np.select([kinds == AnswerKind.MISSING, kinds == AnswerKind.INVALID, kinds != truth], [0, 1, 2], same)
    return np.where(right, 5, wrong)


def _text(answer: object) -> str | None:
    return answer if isinstance(answer, str) else None


def _point(value: object) -> Point | None:
    match value:
        case [float() | int() as x, float() | int() as y] if x == x and y == y:
            return Point(*(round(min(max(axis, 0), GRID)) for axis in (x, y)))
        case _:
            return None
