"""Answers as the official tools write them, ``CLICK: (432, 118)``, parsed into columns without evaluating any text."""

import ast
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class AnswerKind(IntEnum):
    """The nine actions, an answer that is none of them, and no answer."""

    CLICK = 0
    LONG_PRESS = 1
    SCROLL = 2
    TYPE = 3
    PRESS_HOME = 4
    PRESS_BACK = 5
    PRESS_RECENT = 6
    COMPLETE = 7
    IMPOSSIBLE = 8
    INVALID = 9
    MISSING = 10


KINDS = tuple(kind.name for kind in AnswerKind if kind < AnswerKind.INVALID)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Value = float | str | list["Value"] | None
"""What stands for a point; None if it cannot be read."""

_KEYS = {"KEY_HOME": "PRESS_HOME", "KEY_BACK": "PRESS_BACK", "KEY_APPSELECT": "PRESS_RECENT"}
_CODES = {name: code for code, name in enumerate(KINDS)}
_AXIS = "(-?(?:0|[1-9][0-9]{0,4}))"
_USUAL = re.compile(rf"(CLICK|LONG_PRESS): ?\({_AXIS}, ?{_AXIS}\)").fullmatch
_ARITHMETIC = re.compile(r"[0-9eE_.+\-*/()\[\],\s]*").fullmatch
_QUOTED = re.compile(r"""(?:'([^'\\\n]*)'|"([^"\\\n]*)")""").fullmatch
_LONGEST = 300
_FARTHEST = 1e100
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


@dataclass(slots=True)
class Answers:
    """A row per answer. `x`, `y` are nan unless the answer is two numbers; `odd` has all other points by row.

    `unread`: the official evaluator cannot read it whatever the true action is.
    """

    kind: Ints
    x: Floats
    y: Floats
    info: list[str]
    unread: Bools
    odd: dict[int, Value] = field(default_factory=dict)


def answer_of(action: object, info: Any) -> str:
    """The answer for an action as the release spells it. Raises ValueError, TypeError, LookupError if it is none."""
    match action:
        case "CLICK" | "LONG_PRESS" if isinstance(info, str):
            if info not in _KEYS:
                raise ValueError(f"Unknown click action {info}")
            return _KEYS[info]
        case "CLICK" | "LONG_PRESS":
            return f"{action}: {tuple(info[0])}"
        case "SCROLL":
            (x1, y1), (x2, y2) = info
            return f"SCROLL: {direction(x2 - x1, y2 - y1)}"
        case "TEXT":
            return f"TYPE: {info}"
        case "COMPLETE":
            return "COMPLETE"
        case "INCOMPLETE":
            return "IMPOSSIBLE"
        case _:
            raise ValueError(f"Unknown action {action}")


def direction(across: float, down: float) -> str:
    """That of the finger; DOWN if it does not move."""
    if abs(across) > abs(down):
        return "RIGHT" if across > 0 else "LEFT"
    return "UP" if down < 0 else "DOWN"


def read_answers(texts: Sequence[object], *, whole: bool = False) -> Answers:
    """`whole`: the argument is all after the first colon; the official evaluator stops at the second."""
    count = len(texts)
    kind, info = [int(AnswerKind.INVALID)] * count, [""] * count
    x, y = [np.nan] * count, [np.nan] * count
    unread: list[int] = []
    odd: dict[int, Value] = {}
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            unread.append(row)
        elif found := _USUAL(text):
            name, across, down = found.groups()
            kind[row], x[row], y[row] = _CODES[name], float(across), float(down)
        elif (code := _CODES.get(text, AnswerKind.INVALID)) > AnswerKind.TYPE and code != AnswerKind.INVALID:
            kind[row] = code
        else:
            head, colon, rest = text.partition(":")
            kind[row] = code = _CODES.get(head.strip(), AnswerKind.INVALID)
            info[row] = rest = (rest if whole else rest.partition(":")[0]).strip()
            if code <= AnswerKind.LONG_PRESS:
                if (point := read_point(rest)) is None and colon:
                    unread.append(row)
                if isinstance(point, str):  # the official evaluator evaluates once more what is a text
                    point = read_point(point.strip())
                match point:
                    case [int() | float() as across, int() | float() as down] if abs(across) + abs(down) <= _FARTHEST:
                        x[row], y[row] = across, down
                    case _:
                        odd[row] = point
    flags = np.zeros(count, bool)
    flags[unread] = True
    return Answers(np.array(kind, np.int64), np.array(x, float), np.array(y, float), info, flags, odd)


def read_point(text: str) -> Value:
    """Numbers, lists and the four operations as Python would evaluate them, or a text in quotes; None for all else."""
    if quoted := _QUOTED(text[:_LONGEST]) if len(text) <= _LONGEST else None:
        return quoted[1] if quoted[1] is not None else quoted[2]
    if not text or len(text) > _LONGEST or not _ARITHMETIC(text):
        return None
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, TypeError, MemoryError, RecursionError):
        return None


def _value(node: ast.expr) -> Value:
    match node:
        case ast.Constant(int() | float() as number):
            return number
        case ast.Tuple(elts) | ast.List(elts):
            return [_value(element) for element in elts]
        case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, operand):
            return _number(operand) * (-1 if isinstance(sign, ast.USub) else 1)
        case ast.BinOp(left, operation, right) if type(operation) in _OPERATIONS:
            return _OPERATIONS[type(operation)](_number(left), _number(right))
        case _:
            raise ValueError(ast.dump(node)[:80])


def _number(node: ast.expr) -> float:
    value = _value(node)
    if not isinstance(value, int | float):
        raise TypeError(value)
    return value
