"""The JSON that is accepted: what all readers understand alike and can be written back unchanged."""

import json
import math
import reprlib
from collections import Counter
from typing import NoReturn

from odyssey_recorder.model.episode import Json

MAX_NESTING = 64
"""Allowed levels of lists and objects; an episode needs five."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 60
_LONGEST = 200


class NotPlainJsonError(Exception):
    """Why and where the text is refused; the caller adds the file's name."""


def parse(data: bytes | str) -> Json:
    """Raises only NotPlainJsonError."""
    try:
        text = data if isinstance(data, str) else data.decode()
        tree: Json = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite
        )
        _check_tree(tree, levels=MAX_NESTING)
    except UnicodeDecodeError as error:
        raise NotPlainJsonError(f"byte {error.start} is not UTF-8; expected UTF-8 JSON") from error
    except json.JSONDecodeError as error:
        raise NotPlainJsonError(f"line {error.lineno}, column {error.colno}: {error.msg}; expected JSON") from error
    except RecursionError as error:
        raise NotPlainJsonError(_too_deep()) from error
    except ValueError as error:
        raise NotPlainJsonError("a number has too many digits to be read") from error
    return tree


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    tree = dict(pairs)
    if len(tree) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise NotPlainJsonError(f"the key {shown(twice)} occurs twice in one object")
    return tree


def _no_number(word: str) -> NoReturn:
    raise NotPlainJsonError(f"{word} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotPlainJsonError(f"{shown(digits)} is too large")
    return number


def _check_tree(tree: Json, *, levels: int) -> None:
    """Refuse what could be read but not written back: lone surrogates, and endless nesting."""
    if levels == 0:
        raise NotPlainJsonError(_too_deep())
    match tree:
        case str():
            _check_text(tree)
        case list():
            for item in tree:
                _check_tree(item, levels=levels - 1)
        case dict():
            for key, value in tree.items():
                _check_text(key)
                _check_tree(value, levels=levels - 1)
        case _:
            pass


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NotPlainJsonError(f"the text {shown(text)} contains half of a surrogate pair") from error


def shown(value: object) -> str:
    """A value of a file for messages: cut short, with control characters escaped."""
    text = _SHORT.repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _too_deep() -> str:
    return f"lists and objects are nested more than {MAX_NESTING} deep"
