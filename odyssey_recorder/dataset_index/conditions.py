"""Filters as conditions of the index's database: fixed SQL with the user's words as parameters only."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from odyssey_recorder.dataset_index.filter import Compared, Filter, Key, Operator, Range, Term, Value
from odyssey_recorder.dataset_index.search_words import phrase
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.review.status import comparable_name

_SAME = {
    Key.CATEGORY: "category_key = ?",
    Key.DEVICE: "device_key = ?",
    Key.TEMPLATE: "template_key = ?",
    Key.BY: "annotator_key = ?",
    Key.APP: "n IN (SELECT episode FROM apps WHERE app_key = ?)",
}
"""Of names; see `comparable_name`."""
_EQUAL = {Key.ID: "episode_id = ?", Key.VERDICT: "verdict = ?", Key.ENDING: "ending = ?"}
_COLUMNS = {Key.STEPS: "steps", Key.RECORDED: "recorded_us", Key.PUBLISHED: "published_us"}
_OPERATORS: dict[Operator, str] = {"=": "BETWEEN ? AND ?", ">": "> ?", ">=": ">= ?", "<": "< ?", "<=": "<= ?"}
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Condition:
    """An SQL expression over the table `episodes`, and its parameters."""

    sql: str
    values: tuple[object, ...] = ()


def condition(wanted: Filter, zone: tzinfo | None = None, retired: Iterable[str] = ()) -> Condition:
    """Days begin and end in `zone`, the local one by default; `retired` are the ids of ``is:retired``."""
    terms = [_term(term, zone, retired) for term in wanted.terms]
    return _joined("AND", terms) if terms else Condition("TRUE")


def _term(term: Term, zone: tzinfo | None, retired: Iterable[str]) -> Condition:
    is_state = term.key is Key.IS
    parts = [_state(value, retired) if is_state else _value(term.key, value, zone) for value in term.values]
    found = _joined("OR", parts)
    return Condition(f"{found.sql} IS {'NOT ' * term.negated}TRUE", found.values)  # what is unknown does not match


def _state(value: Value, retired: Iterable[str]) -> Condition:
    if value == "agent":
        return Condition("actor = 'agent'")
    return Condition("episode_id IN (SELECT value FROM json_each(?))", (json.dumps(sorted(retired)),))


def _joined(word: str, parts: Sequence[Condition]) -> Condition:
    sql = f" {word} ".join(part.sql for part in parts)
    return Condition(f"({sql})", tuple(value for part in parts for value in part.values))


def _value(key: Key, value: Value, zone: tzinfo | None) -> Condition:
    match value:
        case str():
            return _word(key, value)
        case Compared(operator, to):
            low, high = _ends(to, to, zone)
            ends = {"=": (low, high), ">": (high,), ">=": (low,), "<": (low,), "<=": (high,)}
            return Condition(f"{_COLUMNS[key]} {_OPERATORS[operator]}", ends[operator])
        case Range(low, high):
            return Condition(f"{_COLUMNS[key]} {_OPERATORS['=']}", _ends(low, high, zone))


def _word(key: Key, word: str) -> Condition:
    match key:
        case Key.ID | Key.VERDICT | Key.ENDING:
            return Condition(_EQUAL[key], (word,))
        case Key.ACTION:
            return Condition("INSTR(actions, ?) > 0", (f" {word.upper().replace('-', '_')} ",))
        case Key.FINDING if word.lower() in (severity.value for severity in Severity):
            return Condition("n IN (SELECT episode FROM findings WHERE severity = ?)", (word.lower(),))
        case Key.FINDING:
            return Condition("n IN (SELECT episode FROM findings WHERE code = ?)", (word.upper(),))
        case Key.SPLIT:
            split, _, part = word.partition("/")
            chosen = "part = ?" if part else "? = ''"
            return Condition(
                f"episode_id IN (SELECT episode_id FROM sides WHERE split = ? AND {chosen})", (split, part)
            )
        case Key.TEXT:
            return Condition("n IN (SELECT rowid FROM words WHERE words MATCH ?)", (phrase(word),))
        case _:
            return Condition(_SAME[key], (comparable_name(word),))


def _ends(low: int | date, high: int | date, zone: tzinfo | None) -> tuple[int, int]:
    return _point(low, time.min, zone), _point(high, time.max, zone)


def _point(of: int | date, moment: time, zone: tzinfo | None) -> int:
    if isinstance(of, int):
        return of
    return (datetime.combine(of, moment, zone).astimezone(zone) - _EPOCH) // timedelta(microseconds=1)
