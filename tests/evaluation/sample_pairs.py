"""True actions and answers to them, from seeds."""

from collections.abc import Sequence
from random import Random
from typing import Any

from odyssey_recorder.evaluation.answers import KINDS
from odyssey_recorder.evaluation.gold import Gold, GoldEpisode, gold_of
from odyssey_recorder.model.episode import Json

Pair = tuple[str, object, Json]
"""The true answer, the predicted one, the box."""

_WORDS = ("weather", "new york", "10:30 meeting", "https://a.example/x", "café", "", "e", "hello world", "Hello")
_ODD = (
    "(500,)", "500", "[500, 500]", "500, 500", "(5, 5, 5)", "((500, 500),)", "()", "(500.5, 1e3)", "(1e309, 5)",
    "<5, 5>", "", "(00, 5)", "(-5, 10)", "'(500, 500)'", "'abc'", "[[500], [500]]", "(500, 500): here",
    "(9" + "9" * 30 + ", 4)",
)  # fmt: skip
_NOT_ANSWERS: tuple[object, ...] = (
    None, 5, "", "CLICK", "TYPE", "SCROLL", "click: (5, 5)", "I would tap", "HOME", "a: b: c", "__import__('os')"
)  # fmt: skip
_EDGES = ((140, 0), (84, 112), (112, 84), (0, 140), (98, 98), (99, 99), (-140, 0), (-84, -112))


def gold_from(pairs: Sequence[Pair], *, width: int = 1000, height: int = 1000) -> Gold:
    steps = [(truth, box) for truth, _, box in pairs]
    return gold_of([(GoldEpisode("1" * 16, "General_Tool", "Phone", (), "", len(pairs), width, height), steps)])


def random_pair(random: Random) -> Pair:
    kind = random.choice(KINDS)
    predicted = kind if random.random() < 0.85 else random.choice(KINDS)
    if random.random() < 0.06:
        return _answer(random, kind), random.choice(_NOT_ANSWERS), None
    truth = _answer(random, kind)
    if kind in ("CLICK", "LONG_PRESS"):
        return _press_pair(random, kind, predicted)
    return truth, _answer(random, predicted), None


def _press_pair(random: Random, kind: str, predicted: str) -> Pair:
    x, y = random.randint(0, 1000), random.randint(0, 1000)
    boxes: tuple[Any, ...] = None, [x - 50, y - 50, x + 50, y + 50], [x, y, x, y], [], [1, 2, 3, 4, 5], [9, 9, 0, 0]
    box: Json = random.choice(boxes)
    across, down = random.choice((*_EDGES, (random.randint(-200, 200), random.randint(-200, 200))))
    answer = (
        f"{predicted}: ({x + across}, {y + down})"
        if predicted in ("CLICK", "LONG_PRESS")
        else _answer(random, predicted)
    )
    if random.random() < 0.15:
        answer = f"{predicted}: {random.choice(_ODD)}"
    return f"{kind}: ({x}, {y})", answer, box


def _answer(random: Random, kind: str) -> str:
    if kind in ("CLICK", "LONG_PRESS"):
        return f"{kind}: ({random.randint(0, 1000)}, {random.randint(0, 1000)})"
    if kind == "SCROLL":
        return f"SCROLL: {random.choice(('UP', 'DOWN', 'LEFT', 'RIGHT', 'up'))}"
    if kind == "TYPE":
        return f"TYPE: {random.choice(_WORDS) or ''.join(random.choices('abc: ', k=random.randint(0, 6)))}"
    return kind
