"""Whether predicted actions are right, all steps at once: the verdicts of a protocol."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from odyssey_recorder.evaluation.answers import AnswerKind, Answers, Bools, Floats, Ints
from odyssey_recorder.evaluation.gold import BOX, BROKEN_BOX, NO_BOX, Gold
from odyssey_recorder.evaluation.protocols import ScoringRules, TextRule
from odyssey_recorder.model.geometry import GRID

_NEAR = 0.14
_ALIKE = 0.5
_LARGEST_BOX = 0.6 * GRID * GRID
_SAME = np.arange(AnswerKind.INVALID + 1)
"""Kinds as a grouped protocol tells them apart."""
_SAME[[AnswerKind.PRESS_RECENT, AnswerKind.IMPOSSIBLE]] = AnswerKind.PRESS_HOME, AnswerKind.COMPLETE
_GROUP = np.where(_SAME == AnswerKind.PRESS_BACK, AnswerKind.PRESS_HOME, _SAME)


@dataclass(frozen=True, slots=True)
class AnswerVerdicts:
    """A row per answer. `invalid` could not be read; `typed`: its type counts as right; `kind` is the answer's."""

    right: Bools
    typed: Bools
    invalid: Bools
    kind: Ints


def verdicts(gold: Gold, rows: Ints, answers: Answers, rules: ScoringRules) -> AnswerVerdicts:
    """Of answers to the steps `rows` of `gold`."""
    truth, predicted = gold.kind[rows], answers.kind
    unread = answers.unread & (predicted > AnswerKind.LONG_PRESS) if rules.origin else answers.unread
    known = (predicted != AnswerKind.INVALID) & ~unread
    same = known & ((_SAME[truth] == _SAME[predicted]) if rules.grouped else (truth == predicted))
    right, invalid = same & (truth > AnswerKind.TYPE), unread.copy()
    pressed = np.flatnonzero(same & (truth <= AnswerKind.LONG_PRESS))
    right[pressed], invalid[pressed] = _presses(gold, rows[pressed], pressed, answers, rules)
    typed = np.flatnonzero(same & (truth == AnswerKind.TYPE))
    right[typed] = _texts(_picked(gold.text, rows[typed]), _picked(answers.info, typed), rules)
    scrolled = np.flatnonzero(same & (truth == AnswerKind.SCROLL))
    pairs = zip(_picked(gold.text, rows[scrolled]), _picked(answers.info, scrolled), strict=True)
    right[scrolled] = [true.lower() == guess.lower() for true, guess in pairs]
    alike = (_GROUP[truth] == _GROUP[predicted]) & known if rules.grouped else same
    counted = alike & ~invalid if rules.invalid_differs else alike | invalid
    return AnswerVerdicts(right, counted, invalid, np.where(invalid, AnswerKind.INVALID, predicted))


# --- points ----------------------------------------------------------------------------------------------


def _presses(gold: Gold, rows: Ints, at: Ints, answers: Answers, rules: ScoringRules) -> tuple[Bools, Bools]:
    """Whether right, and whether unreadable, for answers in rows `at` to the steps `rows`, all of them presses."""
    x, y = answers.x[at], answers.y[at]
    if rules.origin:
        x, y = np.nan_to_num(x), np.nan_to_num(y)
    boxed = np.full(len(rows), NO_BOX) if rules.box == "none" else gold.boxed[rows]
    if rules.box in ("same", "sound"):
        boxed = np.where(_holds_truth(gold, rows, rules) & (boxed == BOX), BOX, NO_BOX)
    invalid = boxed == BROKEN_BOX
    right = (_inside(gold.box[rows], x, y) & (boxed == BOX)) | _near(gold, rows, x, y, rules)
    for row in np.flatnonzero(np.isnan(x)):
        verdict = _odd(answers.odd.get(int(at[row])), gold, int(rows[row]), int(boxed[row]))
        right[row], invalid[row] = bool(verdict), verdict is None
    if rules.on_grid:
        invalid |= ~((np.minimum(x, y) >= 0) & (np.maximum(x, y) <= GRID))
    return right & ~invalid, invalid


def _inside(box: Floats, x: Floats, y: Floats) -> Bools:
    left, top, right, bottom = box.T
    within: Bools = (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
    return within


def _near(gold: Gold, rows: Ints, x: Floats, y: Floats, rules: ScoringRules) -> Bools:
    """In the arithmetic of the official evaluator: at distances of exactly 0.14 its rounding decides."""
    across, down = x / GRID - gold.x[rows] / GRID, y / GRID - gold.y[rows] / GRID
    reach: float | Floats = _NEAR
    if rules.box == "sound":
        size = np.array([(episode.width, episode.height) for episode in gold.episodes], float)[gold.episode[rows]]
        across, down, reach = across * size[:, 0], down * size[:, 1], _NEAR * size.min(axis=1)
    near: Bools = np.sqrt(across * across + down * down) <= reach
    return near


def _holds_truth(gold: Gold, rows: Ints, rules: ScoringRules) -> Bools:
    box = gold.box[rows]
    area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    fits: Bools = area <= (_LARGEST_BOX if rules.box == "sound" else np.inf)
    return fits & _inside(box, gold.x[rows], gold.y[rows])


def _odd(point: Any, gold: Gold, row: int, boxed: int) -> bool | None:
    """The official verdict on a point that is not two numbers, as numpy broadcasts it; None: invalid."""
    if boxed == BROKEN_BOX or isinstance(point, str | None):
        return None
    try:
        left, top, right, bottom = gold.box[row].tolist()
        if boxed == BOX and left <= point[0] <= right and top <= point[1] <= bottom:
            return True
        apart = np.asarray(point, float) / GRID - np.array([gold.x[row], gold.y[row]]) / GRID
        with np.errstate(all="ignore"):
            return bool(np.linalg.norm(apart) <= _NEAR)
    except (TypeError, ValueError, LookupError, OverflowError):
        return None


def _picked(texts: list[str], rows: Ints) -> list[str]:
    return [texts[row] for row in rows.tolist()]


# --- texts -----------------------------------------------------------------------------------------------


def _texts(truths: list[str], predicted: list[str], rules: ScoringRules) -> Bools:
    if not rules.whole_text:
        truths = [truth.partition(":")[0] for truth in truths]
    return _TEXT_RULES[rules.text]([truth.strip() for truth in truths], predicted)


def _contained(truths: list[str], predicted: list[str]) -> Bools:
    return np.fromiter((a in b or b in a for a, b in zip(truths, predicted, strict=True)), bool)


def _by_words(truths: list[str], predicted: list[str]) -> Bools:
    """F1 of the words, of which the action's name is one."""
    first, second = ([{"type", *text.split()} for text in _lowered(texts)] for texts in (truths, predicted))
    pairs = zip(first, second, strict=True)
    return np.fromiter((2 * len(a & b) / (len(a) + len(b)) > _ALIKE for a, b in pairs), bool)


def _lowered(texts: list[str]) -> list[str]:
    return [text.lower().strip() for text in texts]


def _alike(truths: list[str], predicted: list[str], *, is_below: bool = False) -> Bools:
    """The edit distance is at most half the longer text, or with `is_below`, as the paper writes it, less than that."""
    if not truths:
        return np.zeros(0, bool)
    longest = np.fromiter((max(len(a), len(b), 1) for a, b in zip(truths, predicted, strict=True)), np.int64)
    alike: Bools = 2 * cpdist(truths, predicted, scorer=Levenshtein.distance, dtype=np.int64) + is_below <= longest
    return alike


_TEXT_RULES: dict[TextRule, Callable[[list[str], list[str]], Bools]] = {
    "official": lambda truths, predicted: _contained(truths, predicted) | _alike(truths, predicted),
    "distance": lambda truths, predicted: _alike(truths, predicted) & np.fromiter(map(bool, predicted), bool),
    "anls": lambda truths, predicted: _alike(truths, predicted, is_below=True),
    "contained": lambda truths, predicted: _contained(_lowered(truths), _lowered(predicted)),
    "words": _by_words,
}
