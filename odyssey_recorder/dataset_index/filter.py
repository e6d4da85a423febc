"""A filter as a value and as text: ``category:Multi_Apps steps:>20 -finding:error invoice``. Pure.

A blank means and, ``|`` separates alternatives of one key, a leading ``-`` negates; a word without a key is searched in
the texts. docs/filters.md has all keys.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from enum import Enum
from typing import Literal, NoReturn, cast

from odyssey_recorder.dataset_index.search_words import words_of
from odyssey_recorder.errors import FilterError
from odyssey_recorder.review.status import ReviewStage

MOST_VALUES = 500
"""SQLite nests expressions only a thousand deep."""
PARTS = ("train", "test")

Operator = Literal["=", ">", ">=", "<", "<="]


class Key(Enum):
    CATEGORY = "category"
    DEVICE = "device"
    APP = "app"
    TEMPLATE = "template"
    ID = "id"
    BY = "by"
    VERDICT = "verdict"
    ENDING = "ending"
    ACTION = "action"
    FINDING = "finding"
    SPLIT = "split"
    IS = "is"
    STEPS = "steps"
    RECORDED = "recorded"
    PUBLISHED = "published"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of steps, or a day, and how the episode's compares to it."""

    operator: Operator
    to: int | date


@dataclass(frozen=True, slots=True)
class Range:
    """Includes both ends."""

    low: int | date
    high: int | date


Value = str | Compared | Range


@dataclass(frozen=True, slots=True)
class Term:
    """Matches an episode with one of the `values`. `start` and `end` are its place in the text it was read from."""

    key: Key
    values: tuple[Value, ...]
    negated: bool = False
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def __str__(self) -> str:
        name = "" if self.key is Key.TEXT else f"{self.key.value}:"
        return f"{'-' * self.negated}{name}{'|'.join(map(_spelled, self.values))}"


@dataclass(frozen=True, slots=True)
class Filter:
    """Matches an episode that all terms match; `str` gives a text that is read as an equal filter."""

    terms: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        if sum(len(term.values) for term in self.terms) > MOST_VALUES:
            raise FilterError(f"A filter has at most {MOST_VALUES} values.", hint="Split it into several filters.")

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    def without(self, key: Key) -> "Filter":
        return replace(self, terms=tuple(term for term in self.terms if term.key is not key))

    def chosen(self, key: Key) -> frozenset[str]:
        """The alternatives of a key, spelled as in a filter; empty unless one term has them."""
        terms = [term for term in self.terms if term.key is key and not term.negated]
        return frozenset(map(_plain, terms[0].values)) if len(terms) == 1 else frozenset()

    def choosing(self, key: Key, values: Iterable[str]) -> "Filter":
        """With `values` as the only alternatives of `key`, in its old place; without the key if there are none.

        Raises FilterError.
        """
        read = tuple(read_value(key, value) for value in values)
        place = next((at for at, term in enumerate(self.terms) if term.key is key), len(self.terms))
        others = self.without(key).terms
        return Filter((*others[:place], *([Term(key, read)] if read else []), *others[place:]))

    def leaving_out(self, state: Literal["retired", "agent"]) -> "Filter":
        """Without such episodes, unless it asks for them."""
        if any(state in term.values for term in self.terms if term.key is Key.IS):
            return self
        return Filter((*self.terms, Term(Key.IS, (state,), negated=True)))


ALL = Filter()


def parse_filter(text: str) -> Filter:
    """Raises FilterError with the place of the fault."""
    for at, character in enumerate(text):
        if "\ud800" <= character <= "\udfff":
            raise FilterError("A character of the filter is invalid.", at, at + 1, "Enter it again.")
    return Filter(tuple(_Parser(text).terms()))


def read_value(key: Key, text: str) -> Value:
    """One value without its quotes. Raises FilterError."""
    match key:
        case Key.STEPS:
            return _compared(text, _number)
        case Key.RECORDED | Key.PUBLISHED:
            return _compared(text, _day)
        case Key.VERDICT | Key.ENDING | Key.ACTION | Key.IS:
            return _one_of(CHOICES[key], text, key)
        case Key.SPLIT:
            name, slash, part = text.partition("/")
            if not name or (slash and part not in PARTS):
                raise FilterError(f"“{text}” is not a split.", hint="Write it as split:app or split:app/test.")
            return text
        case Key.TEXT if not words_of(text):
            raise FilterError(f"“{text}” has no letter or digit to search for.", hint="Leave it out.")
        case _:
            return text


def stage_name(stage: ReviewStage) -> str:
    """The value of ``verdict:``."""
    return stage.name.lower().replace("_", "-")


# Reading.

_KEYS = {key.value: key for key in Key}
CHOICES: Mapping[Key, tuple[str, ...]] = {
    Key.VERDICT: tuple(map(stage_name, ReviewStage)),
    Key.ENDING: ("complete", "impossible"),
    Key.ACTION: ("click", "long-press", "scroll", "type", "home", "back", "recent", "complete", "impossible"),
    Key.IS: ("retired", "agent"),
}
_BLANKS = re.compile(r"\s*")
_NAME = re.compile(r"([A-Za-z_]+):")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
_BARE = re.compile(r"[^\s|]*")
_SAFE = re.compile(r'[^\s"|:\\-][^\s"|:\\]*')
_COMPARED = re.compile(r"(>=|<=|>|<|=|)(.*)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,9}")
_DAY = re.compile(r"(19[7-9]|2[0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def terms(self) -> Iterator[Term]:
        self._skip(_BLANKS)
        while self._at < len(self._text):
            yield self._term()
            self._skip(_BLANKS)

    def _term(self) -> Term:
        start = self._at
        negated = self._takes("-")
        key = self._key()
        values = [self._value(key)]
        while self._takes("|"):
            name = self._here(_NAME)
            if name is not None and name[1].lower() in _KEYS:
                self._fail(f"“|” separates values of one key, not “{name[1]}:”.", name.end(), "Quote the value.")
            values.append(self._value(key))
        if self._at < len(self._text) and not self._text[self._at].isspace():
            self._fail("A value goes on after its quote.", self._at + 1, "Put a blank after the quote.")
        return Term(key, tuple(values), negated, start, self._at)

    def _key(self) -> Key:
        name = self._here(_NAME)
        if name is None:
            return Key.TEXT
        key = _KEYS.get(name[1].lower())
        if key is None:
            near = get_close_matches(name[1].lower(), _KEYS, 1)
            known = f"Did you mean “{near[0]}:”?" if near else f"The keys are {', '.join(_KEYS)}."
            self._fail(f"There is no key “{name[1]}:”.", name.end(), f"{known} Quote it to search for the text.")
        self._at = name.end()
        return key

    def _value(self, key: Key) -> Value:
        start = self._at
        if self._text.startswith('"', start):
            quoted = self._here(_QUOTED)
            if quoted is None:
                self._fail("A quote is not closed.", len(self._text), 'Add a " at its end.')
            text = _ESCAPED.sub(r"\1", quoted[1])
            self._at = quoted.end()
        else:
            text = self._skip(_BARE)
            if not text:
                self._fail("A value is missing.", start + 1, 'Write "" for an empty one.')
        try:
            return read_value(key, text)
        except FilterError as error:
            raise FilterError(error.message, start, self._at, error.hint) from error

    def _here(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.match(self._text, self._at)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return found[0]

    def _takes(self, character: str) -> bool:
        taken = self._text.startswith(character, self._at)
        self._at += taken
        return taken

    def _fail(self, words: str, end: int, hint: str) -> NoReturn:
        raise FilterError(words, self._at, min(end, len(self._text)), hint)


def _compared(text: str, read: Callable[[str], int | date]) -> Compared | Range:
    low, dots, high = text.partition("..")
    if dots:
        ends = Range(read(low), read(high))
        if ends.low > ends.high:  # type: ignore[operator]
            raise FilterError(f"“{low}” comes after “{high}”.", hint="Swap them.")
        return ends
    split = _COMPARED.fullmatch(text)
    assert split is not None
    return Compared(cast(Operator, split[1] or "="), read(split[2]))


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise FilterError(f"“{text}” is not a number of steps.", hint="Write it as 20, >20, <=20 or 10..20.")
    return int(text)


def _day(text: str) -> date:
    try:
        if _DAY.fullmatch(text) is not None:
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise FilterError(f"“{text}” is not a day.", hint="Write it as 2026-11-01, >=2026-11-01 or 2026-11-01..2026-11-30.")


def _one_of(choices: Iterable[str], text: str, key: Key) -> str:
    wanted = re.sub(r"[\s_]+", "-", text.strip().lower())
    if wanted in choices:
        return wanted
    near = get_close_matches(wanted, choices, 1)
    hint = f"Did you mean “{near[0]}”?" if near else f"Use one of {', '.join(choices)}."
    raise FilterError(f"“{text}” is no {key.value}.", hint=hint)


# Spelling.


def _spelled(value: Value) -> str:
    text = _plain(value)
    if isinstance(value, str) and _SAFE.fullmatch(text) is None:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return text


def _plain(value: Value) -> str:
    match value:
        case str():
            return value
        case Compared(operator, to):
            return f"{operator.removeprefix('=')}{to}"
        case Range(low, high):
            return f"{low}..{high}"
