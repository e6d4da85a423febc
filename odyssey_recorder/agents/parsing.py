"""Values in the text of a model: JSON objects, calls, numbers and texts. Nothing in it is ever executed.

Whatever the text is, these functions return a value or raise UnreadableError.
"""

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from odyssey_recorder.errors import showable

Kind = Literal["unreadable", "unmapped", "outside", "too long", "not an action"]
"""Why an answer is no action: its grammar, an unknown name, a place off the screen, its length, or that it asks for
something else, such as to wait.
"""
Value: TypeAlias = object
Fields: TypeAlias = Mapping[str, Value]

LONGEST = 20_000
"""Characters, without what a model wrote while it was thinking."""
_LARGEST = 1e9
"""Of a number in an answer; what is larger is no coordinate."""
_MOST_OBJECTS = 4
_MOST_TRIES = 64
_DECODER = json.JSONDecoder()
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_NEXT_CALL = re.compile(r"\n\s*(?=[A-Za-z_]{1,40}\()")
_CALL = re.compile(r"([A-Za-z_]\w{0,39})\((.*)\)\s*\Z", re.DOTALL)
_ARGUMENT = re.compile(r"(?:\A|,)\s*([A-Za-z_]\w{0,39})\s*=\s*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}


class UnreadableAnswerError(Exception):
    """The `kind` begins its text; the words are for people."""

    def __init__(self, kind: Kind, words: str) -> None:
        super().__init__(f"{kind}: {showable(words)}")


@dataclass(frozen=True, slots=True)
class FunctionCall:
    name: str
    arguments: Fields


def cleaned(raw: str) -> str:
    """Without thoughts and lone surrogates. Raises UnreadableError if it is too long."""
    text = showable(raw.rpartition("</think>")[2]).replace("\0", "")
    if len(text) > LONGEST:
        raise UnreadableAnswerError("too long", f"{len(text):,} characters")
    return text


def after_last(text: str, *marks: str) -> str:
    """What follows the last of these words, or all of the text."""
    begin = max(text.rfind(mark) + len(mark) if mark in text else 0 for mark in marks)
    return text[begin:]


# JSON.


def json_objects(text: str) -> list[Fields]:
    """The objects in the text, in order and at most a few; what is around them is skipped.

    Single quotes are accepted, as Python writes them. Raises UnreadableError if there is none.
    """
    found: list[Fields] = []
    at = text.find("{")
    for _ in range(_MOST_TRIES):
        if at < 0 or len(found) == _MOST_OBJECTS:
            break
        tree, end = _object_at(text, at)
        if tree is not None:
            found.append(tree)
        at = text.find("{", end)
    if not found and (tree := _as_mapping(literal(text[text.find("{") : text.rfind("}") + 1]))) is not None:
        found.append(tree)
    if not found:
        raise UnreadableAnswerError("unreadable", "there is no JSON object")
    return found


def _object_at(text: str, at: int) -> tuple[Fields | None, int]:
    try:
        tree, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at + 1
    return _as_mapping(tree), end


def _as_mapping(tree: Value) -> Fields | None:
    return {key: value for key, value in tree.items() if isinstance(key, str)} if isinstance(tree, dict) else None


def literal(text: str) -> Value:
    """A Python literal; None if it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know
            return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


# Calls.


def calls(text: str) -> list[FunctionCall]:
    """Calls with named arguments, each on separate lines: `click(start_box='(10,20)')`.

    Raises UnreadableError if the first is none.
    """
    parts = [part for part in _NEXT_CALL.split(text.strip()) if part.strip()]
    return [_call(part.strip()) for part in parts[:_MOST_OBJECTS]] or [_call("")]


def _call(text: str) -> FunctionCall:
    found = _CALL.match(text)
    if found is None:
        raise UnreadableAnswerError("unreadable", f"{text[:60]!r} is not a call")
    name, inside = found[1], found[2]
    marks = list(_ARGUMENT.finditer(inside))
    ends = [*(mark.start() for mark in marks[1:]), len(inside)]
    return FunctionCall(name, _arguments(inside, [(mark[1], mark.end()) for mark in marks], ends))


def _arguments(inside: str, begins: Sequence[tuple[str, int]], ends: Sequence[int]) -> Fields:
    """A quoted value may hold what looks like the next argument, so it is read to the first end that closes it."""
    found: dict[str, Value] = {}
    last = -1
    for at, (name, begin) in enumerate(begins):
        if at <= last:
            continue
        quote = inside[begin : begin + 1]
        last = at
        if quote in ("'", '"'):
            closed = (n for n in range(at, len(ends)) if inside[begin + 1 : ends[n]].rstrip().endswith(quote))
            last = next(closed, len(ends) - 1)
        found.setdefault(name, _value(inside[begin : ends[last]].strip()))
    return found


def _value(text: str) -> Value:
    """What is no literal, such as `[[012,034]]` or a text with an apostrophe or a line break, is text."""
    if (found := literal(text)) is not None:
        return found
    bare = text[1:].removesuffix(text[0]) if text[:1] in ("'", '"') else text
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), bare, flags=re.DOTALL)


# Values.


def numbers(value: Value) -> tuple[float, ...]:
    """The numbers of a list, or in a text such as `<|box_start|>(10,20)<|box_end|>`; empty for anything else."""
    match value:
        case str():
            return tuple(float(digits) for digits in _NUMBER.findall(value)[:8])
        case [[*inner]] | [*inner]:
            return tuple(item for item in inner if _is_number(item))  # type: ignore[misc]
        case _:
            return ()


def number(value: Value) -> float:
    """Raises UnreadableError for what is not a number of usual size."""
    if not _is_number(value):
        raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not a number")
    return value  # type: ignore[return-value]


def two_numbers(value: Value) -> tuple[float, float]:
    """A point, or the centre of a box with four numbers. Raises UnreadableError."""
    match numbers(value):
        case (x, y):
            return x, y
        case (left, top, right, bottom):
            return (left + right) / 2, (top + bottom) / 2
        case _:
            raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not a point")


def text_of(value: Value) -> str:
    """Raises UnreadableError for what is not text."""
    if not isinstance(value, str):
        raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not a text")
    return showable(value)


def optional_text(value: Value) -> str:
    return showable(value) if isinstance(value, str) else ""


def fields_of(value: Value) -> Fields:
    """Raises UnreadableError for what is not a JSON object."""
    found = _as_mapping(value)
    if found is None:
        raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not an object")
    return found


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST < value < _LARGEST
