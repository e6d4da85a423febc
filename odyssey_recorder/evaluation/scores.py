"""Scores of predictions: AMS, SR and what they consist of, as a whole and by group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from odyssey_recorder.evaluation.answers import KINDS, AnswerKind, Bools, Ints, read_answers
from odyssey_recorder.evaluation.gold import Gold, gold_of
from odyssey_recorder.evaluation.matching import AnswerVerdicts, verdicts
from odyssey_recorder.evaluation.protocols import ScoringRules

COLUMNS = (*KINDS, "invalid", "missing")
"""Of the confusion matrix; its rows are the nine actions."""

_LENGTHS = (5, 10, 15, 20, 30)
_POSITIONS = ("first", "2nd quarter", "3rd quarter", "4th quarter", "last")
STOP_COLUMNS = {
    "CLICK": [AnswerKind.CLICK],
    "TYPE": [AnswerKind.TYPE],
    "SCROLL": [AnswerKind.SCROLL],
    "HOME": [AnswerKind.PRESS_HOME],
    "STOP": [AnswerKind.COMPLETE, AnswerKind.IMPOSSIBLE],
}
"""The columns of Chain-of-Memory's tables: true actions."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Answers and the rows of the gold steps they are for; `repeated` and `missing` are rows of gold steps."""

    rows: Ints
    answers: Sequence[object]
    repeated: Ints
    missing: Ints


@dataclass(frozen=True, slots=True)
class Scored:
    """Verdicts and answers, a row each, and per episode of `gold` its counts: of answers, of right ones, and whether it
    counts for SR.
    """

    gold: Gold
    rules: ScoringRules
    rows: Ints
    verdicts: AnswerVerdicts
    answers: Sequence[object]
    missing: Ints
    counts: Ints
    right: Ints
    whole: Bools

    @property
    def solved(self) -> Bools:
        solved: Bools = self.whole & (self.right == self.counts)
        return solved

    def with_missing(self) -> tuple[Ints, Ints]:
        """Rows of gold steps and the kinds of their answers; the missing ones come last."""
        given = self.verdicts.kind != AnswerKind.MISSING
        kinds = self.verdicts.kind[given], np.full(len(self.missing), AnswerKind.MISSING)
        return np.concatenate([self.rows[given], self.missing]), np.concatenate(kinds)


@dataclass(frozen=True, slots=True)
class Figures:
    """Percentages with two decimals as the official evaluator rounds them; None where there is nothing to divide by.

    `click` is the share of right points among presses of the right type, `text` that of right texts among the `texts`
    where a text was to be typed and was predicted; the official evaluator prints it, with the counts. `readable` is the
    share of answers that are one of the nine actions.
    """

    steps: int
    ams: float | None
    type_match: float | None
    click: float | None
    readable: float | None
    text: float | None
    right_texts: int
    texts: int
    episodes: int = 0
    sr: float | None = None
    progress: float | None = None
    tss: float | None = None


def score(gold: Gold, placed: Placed, rules: ScoringRules) -> Scored:
    """Judge answers; with `every_step` missing and repeated ones are wrong."""
    rows, texts = placed.rows, placed.answers
    if rules.every_step:
        by_row = dict(zip(rows.tolist(), texts, strict=True)) | dict.fromkeys(placed.repeated.tolist())
        rows = np.union1d(rows, placed.missing)
        texts = [by_row.get(row) for row in rows.tolist()]
    found = verdicts(gold, rows, read_answers(texts, whole=rules.whole_text), rules)
    found.kind[np.isin(rows, placed.missing)] = AnswerKind.MISSING
    episodes, of = len(gold.episodes), gold.episode[rows]
    counts = np.bincount(of, minlength=episodes)
    right = np.bincount(of[found.right], minlength=episodes)
    length = np.array([episode.length for episode in gold.episodes], np.int64)
    whole = counts > 0 if rules.partial else (counts == length) & (counts > 0)
    return Scored(gold, rules, rows, found, texts, placed.missing, counts, right, whole)


def with_alternatives(scored: Scored) -> Scored:
    """As if what people accepted at the steps, besides the recorded actions, were true actions too."""
    gold, texts = scored.gold, scored.answers
    pairs = [(at, one) for at, row in enumerate(scored.rows.tolist()) for one in gold.alternatives.get(row, ())]
    if not pairs:
        return scored
    at = np.array([place for place, _ in pairs])
    heads = [gold.episodes[index] for index in gold.episode[scored.rows[at]].tolist()]
    flat = gold_of([(head, [(truth, None)]) for head, (_, truth) in zip(heads, pairs, strict=True)])
    answers = read_answers([texts[place] for place, _ in pairs], whole=scored.rules.whole_text)
    also = verdicts(flat, np.arange(len(pairs)), answers, scored.rules)
    found = replace(scored.verdicts, right=scored.verdicts.right.copy(), typed=scored.verdicts.typed.copy())
    found.right[at[also.right]] = found.typed[at[also.typed]] = True
    right = np.bincount(gold.episode[scored.rows[found.right]], minlength=len(gold.episodes))
    return replace(scored, verdicts=found, right=right)


def figures(scored: Scored, among: Bools | None = None) -> Figures:
    """Of the episodes `among` all; a flag per episode."""
    chosen = np.ones(len(scored.gold.episodes), bool) if among is None else among
    steps = _of_steps(scored, chosen[scored.gold.episode[scored.rows]])
    counted = int((scored.whole & chosen).sum())
    sr = percent(int((scored.solved & chosen).sum()), counted)
    progress = goal_progress(scored)[chosen & (scored.counts > 0)]
    mean = round(float(progress.mean()) * 100, 2) if len(progress) else None
    return Figures(*steps, counted, sr, mean, _tss(scored, chosen))


def category_mean(scored: Scored) -> tuple[float | None, float | None]:
    """Of AMS and of SR over the categories, each rounded first, as for the random split in the papers."""
    of_each = [figures(scored, chosen) for _, chosen in _by_category(scored.gold)]
    ams = [group.ams for group in of_each if group.ams is not None]
    sr = [group.sr or 0.0 for group in of_each if group.ams is not None]
    return (float(np.round(np.mean(ams), 2)), float(np.round(np.mean(sr), 2))) if ams else (None, None)


def breakdowns(scored: Scored) -> dict[str, dict[str, Figures]]:
    """By category, device, app class and length of the episode, and by true action and position of the step."""
    gold = scored.gold
    by_episode = {
        "category": _by_category(gold),
        "device": _grouped([(episode.device,) for episode in gold.episodes]),
        "app_class": _grouped([episode.classes for episode in gold.episodes]),
        "length": _grouped([(_length(episode.length),) for episode in gold.episodes]),
    }
    found = {name: {label: figures(scored, chosen) for label, chosen in groups} for name, groups in by_episode.items()}
    truth, position = gold.kind[scored.rows], _positions(gold)[scored.rows]
    found["action"] = {name: Figures(*_of_steps(scored, truth == code)) for code, name in enumerate(KINDS)}
    found["position"] = {name: Figures(*_of_steps(scored, position == at)) for at, name in enumerate(_POSITIONS)}
    return {name: {label: group for label, group in groups.items() if group.steps} for name, groups in found.items()}


def paper_columns(scored: Scored) -> dict[str, float | None]:
    """AMS of the five columns of Chain-of-Memory."""
    truth = scored.gold.kind[scored.rows]
    return {name: _of_steps(scored, np.isin(truth, codes))[1] for name, codes in STOP_COLUMNS.items()}


def confusion(scored: Scored) -> list[list[int]]:
    """True actions by predicted ones: see `COLUMNS`."""
    rows, predicted = scored.with_missing()
    cells = np.bincount(scored.gold.kind[rows] * len(COLUMNS) + predicted, minlength=len(KINDS) * len(COLUMNS))
    return [row.tolist() for row in cells.reshape(len(KINDS), len(COLUMNS))]


def goal_progress(scored: Scored) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Per episode, the share of its answers before the first wrong one."""
    order = np.argsort(scored.rows, kind="stable")
    of, right = scored.gold.episode[scored.rows[order]], scored.verdicts.right[order]
    first = np.cumsum(scored.counts) - scored.counts
    place = np.arange(len(of)) - first[of]
    before = scored.counts.copy()
    np.minimum.at(before, of[~right], place[~right])
    return before / np.maximum(scored.counts, 1)


def by_step(scored: Scored) -> Ints:
    """Per step of the dataset: 1 right, 0 wrong, -1 not judged."""
    right = np.full(len(scored.gold.kind), -1)
    right[scored.rows] = scored.verdicts.right
    return right


# --- parts of figures ------------------------------------------------------------------------------------


_StepFigures = tuple[int, float | None, float | None, float | None, float | None, float | None, int, int]


def _of_steps(scored: Scored, among: Bools) -> _StepFigures:
    found, total, truth = scored.verdicts, int(among.sum()), scored.gold.kind[scored.rows]
    presses = among & (truth <= AnswerKind.LONG_PRESS) & found.typed & (found.kind <= AnswerKind.LONG_PRESS)
    texts = among & (truth == AnswerKind.TYPE) & (found.kind == AnswerKind.TYPE)
    right_texts = int((found.right & texts).sum())
    return (
        total,
        percent(int((found.right & among).sum()), total),
        percent(int((found.typed & among).sum()), total),
        percent(int((found.right & presses).sum()), int(presses.sum())),
        percent(int(((found.kind < AnswerKind.INVALID) & among).sum()), total),
        percent(right_texts, int(texts.sum())),
        right_texts,
        int(texts.sum()),
    )


def _tss(scored: Scored, chosen: Bools) -> float | None:
    """Of the HOME steps, the share that is right together with the next step (Chain-of-Memory, section 5.1.3).

    An episode's last step is left out.
    """
    gold = scored.gold
    right = np.zeros(len(gold.kind) + 1, bool)
    right[scored.rows[scored.verdicts.right]] = True
    judged = (chosen & (scored.counts > 0))[gold.episode]
    home = np.flatnonzero((gold.kind == AnswerKind.PRESS_HOME) & judged)
    home = home[home + 1 < len(gold.kind)]
    home = home[gold.episode[home + 1] == gold.episode[home]]
    return percent(int((right[home] & right[home + 1]).sum()), len(home))


def percent(part: int, whole: int) -> float | None:
    return round(part / whole * 100, 2) if whole else None


def _by_category(gold: Gold) -> list[tuple[str, Bools]]:
    return list(_grouped([(episode.category,) for episode in gold.episodes]))


def _grouped(labels: Sequence[Sequence[str]]) -> Iterator[tuple[str, Bools]]:
    members: dict[str, list[int]] = {}
    for at, some in enumerate(labels):
        for label in some:
            members.setdefault(label, []).append(at)
    for label in sorted(members, key=_natural):
        chosen = np.zeros(len(labels), bool)
        chosen[members[label]] = True
        yield label, chosen


def _natural(label: str) -> tuple[int, str]:
    head = label.split("-")[0].removesuffix(" or more")
    return (int(head) if head.isdecimal() and len(head) < 4 else 0), label


def _length(steps: int) -> str:
    at = int(np.searchsorted(_LENGTHS, steps))
    start = 1 if at == 0 else _LENGTHS[at - 1] + 1
    return f"{start} or more" if at == len(_LENGTHS) else f"{start}-{_LENGTHS[at]}"


def _positions(gold: Gold) -> Ints:
    """Of each step: see `_POSITIONS`."""
    length = np.array([episode.length for episode in gold.episodes], np.int64)[gold.episode]
    quarter = np.clip(4 * gold.step // np.maximum(length, 1), 1, 3)
    return np.where(gold.step == 0, 0, np.where(gold.step >= length - 1, 4, quarter))
