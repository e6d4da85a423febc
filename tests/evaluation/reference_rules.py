"""The rules of the official evaluator, one step at a time and as plainly as possible, as a reference for the
vectorized ones. Written from the rules, with `literal_eval` in the place of its `eval`.
"""

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

_KINDS_WITH_ARGUMENT = ("CLICK", "LONG_PRESS", "SCROLL", "TYPE")


def verdict(truth: str, answer: object, box: Sequence[float] | None) -> tuple[bool, str]:
    """Whether the answer is right, and the official evaluator's word for it."""
    gold_name, gold_argument = _split(truth)
    try:
        name, argument = _split(answer)
    except Exception:  # noqa: BLE001 - whatever it is, the evaluator calls it invalid
        return False, "invalid"
    if name != gold_name:
        return False, "action_fail"
    if name not in _KINDS_WITH_ARGUMENT:
        return True, "action_correct"
    if name == "TYPE":
        right = _texts_match(gold_argument, argument)
        return right, "type_correct" if right else "type_fail"
    if name == "SCROLL":
        right = gold_argument.lower() == argument.lower()
        return right, "scroll_correct" if right else "scroll_fail"
    try:
        right = _points_match(gold_argument, argument, box)
    except Exception:  # noqa: BLE001
        return False, "invalid"
    return right, "click_correct" if right else "click_fail"


def _split(answer: Any) -> Any:
    parts = answer.split(":")
    name = parts[0].strip()
    if len(parts) == 1:
        return name, ""
    argument = parts[1].strip()
    return name, ast.literal_eval(argument) if name in ("CLICK", "LONG_PRESS") else argument


def _points_match(gold: Any, answer: Any, box: Sequence[float] | None) -> bool:
    if isinstance(answer, str):
        answer = ast.literal_eval(answer.strip())
    if box is not None:
        left, top, right, bottom = box
        if left <= answer[0] <= right and top <= answer[1] <= bottom:
            return True
    return bool(np.linalg.norm(np.asarray(answer) / 1000 - np.asarray(gold) / 1000) <= 0.14)


def _texts_match(gold: str, answer: str) -> bool:
    gold, answer = gold.strip(), answer.strip()
    if gold in answer or answer in gold:
        return True
    return 1 - _distance(gold, answer) / max(len(gold), len(answer)) >= 0.5


def _distance(one: str, other: str) -> int:
    row = list(range(len(one) + 1))
    for down, letter in enumerate(other, start=1):
        above, row = row, [down]
        for across, mine in enumerate(one, start=1):
            row.append(min(above[across] + 1, row[-1] + 1, above[across - 1] + (mine != letter)))
    return row[-1]
