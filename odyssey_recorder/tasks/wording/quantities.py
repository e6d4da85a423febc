"""Numbers, amounts, times and days of a text, normalised: "7 pm" is 19:00, "twenty" is 20."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Literal

from odyssey_recorder.tasks.templates.filling import MONTHS, WEEKDAYS

Limit = Literal["", "most", "least"]


class QuantityKind(Enum):
    NUMBER = "number"
    ORDINAL = "rank"
    MONEY = "price"
    PERCENT = "percentage"
    SPAN = "duration"
    TIME = "time"
    DATE = "date"
    DAY = "day"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure; figures with the same meaning are equal.

    `value` is a plain decimal number; with its currency for prices ("usd 20"); seconds for durations; "19:00"; "12-04",
    month and day; "+3", days from now; "next friday". `is_loose` holds for words that often count nothing ("one of
    them", "give me a minute"). `limit` says whether it is a maximum or a minimum.
    """

    kind: QuantityKind
    value: str
    said: str = field(compare=False)
    is_loose: bool = field(default=False, compare=False)
    limit: Limit = field(default="", compare=False)


@lru_cache(maxsize=4096)
def read_quantities(text: str) -> tuple[tuple[Quantity, ...], str]:
    found: list[tuple[int, Quantity]] = []
    rest = _in_digits(text)
    for reader in (*(_DIGITS_READERS if re.search(r"\d", rest) else ()), *_WORDS_READERS):
        rest = reader.take_out_of(rest, found)
    found.sort(key=lambda place: place[0])
    return tuple(figure for _, figure in found), rest.replace(_TAKEN, " ")


_TAKEN = "\x1f"
"""Replaces each letter of a figure that was read, so that nothing matches across it."""

_Words = re.Match[str]


@dataclass(frozen=True, slots=True)
class _Reader:
    kind: QuantityKind
    pattern: re.Pattern[str]
    value: Callable[[_Words], str]
    is_loose: bool

    def take_out_of(self, text: str, found: list[tuple[int, Quantity]]) -> str:
        def take(words: _Words) -> str:
            value = self.value(words)
            if not value:
                return words[0]
            limit = _limit(text[: words.start()], text[words.end() :])
            found.append((words.start(), Quantity(self.kind, value, words[0].strip(), self.is_loose, limit)))
            return _TAKEN * len(words[0])

        return self.pattern.sub(take, text)


_MOST_BEFORE = re.compile(
    r"\b(?:under|below|(?<!no )(?<!not )(?:less|fewer|cheaper|shorter|lower) than|(?:no|not) (?:more|longer|later) than"
    r"|at most|up to|within|before|by|until|till|maximum(?: of)?)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_LEAST_BEFORE = re.compile(
    r"\b(?:over|above|(?<!no )(?<!not )(?:more|longer|later|higher) than|no (?:less|fewer|earlier) than|at least|after"
    r"|minimum(?: of)?)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_MOST_BEHIND = re.compile(
    r"\s*(?:or (?:less|fewer|cheaper|lower|under|below|shorter|earlier)|at most)\b", re.IGNORECASE
)
_LEAST_BEHIND = re.compile(r"\s*(?:or (?:more|higher|over|above|longer|later)|at least)\b", re.IGNORECASE)


def _limit(before: str, behind: str) -> Limit:
    if _MOST_BEFORE.search(before) or _MOST_BEHIND.match(behind):
        return "most"
    return "least" if _LEAST_BEFORE.search(before) or _LEAST_BEHIND.match(behind) else ""


# --- words to digits ---------------------------------------------------------------------------------------

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORTH = {word: value for value, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    "twentieth",
)
_MONTHS, _WEEKDAYS = (tuple(name.casefold() for name in names) for names in (MONTHS, WEEKDAYS))


def _any(words: tuple[str, ...]) -> str:
    return "|".join(reversed(words))  # "eighteen" before "eight"


_SMALL = rf"(?:(?:{_any(_TENS)})(?:[- ](?:{_any(_UNITS[1:10])}))?|{_any(_UNITS)})"
_HUNDREDS = rf"(?:(?:{_SMALL}|a)[- ]hundred(?:(?: and)? {_SMALL})?|{_SMALL})"
_COUNTED = r"(?:sec|min|hour|day|week|month|percent|dollar|euro|pound|o['\u2019]clock|[ap]\.?m\b)"
_NUMBER_WORDS = re.compile(
    rf"\b(?!one\b(?![- ](?:hundred|thousand|{_COUNTED})))"
    rf"(?:(?:{_HUNDREDS}|a)[- ]thousand(?:(?: and)? {_HUNDREDS})?|{_HUNDREDS})\b",
    re.IGNORECASE,
)
_DAY_WORDS = re.compile(
    rf"\b(?P<tens>twenty-|thirty-)?(?P<nth>{_any(_ORDINALS)})(?= of (?:{_any(_MONTHS)}))", re.IGNORECASE
)
_FRACTIONS = (
    (re.compile(r"\bthree quarters of an hour\b", re.IGNORECASE), "45 minutes"),
    (re.compile(r"\b(?:a )?quarter of an hour\b", re.IGNORECASE), "15 minutes"),
    (re.compile(r"\b(?:an|one|1) hour and a half\b", re.IGNORECASE), "90 minutes"),
    (re.compile(r"\ban hour(?=,?(?: and)? \S+ min)", re.IGNORECASE), "1 hour"),
    (re.compile(r"\b(?:a )?half an hour\b|\ba half hour\b", re.IGNORECASE), "30 minutes"),
    (re.compile(r"\bhalf a minute\b", re.IGNORECASE), "30 seconds"),
    (re.compile(r"\b(?:a|one) dozen\b", re.IGNORECASE), "12"),
)
_AND_A_HALF = re.compile(r"(?<=\d) and a half(?= (?:min|hour))", re.IGNORECASE)


def _in_digits(text: str) -> str:
    for pattern, digits in _FRACTIONS:
        text = pattern.sub(digits, text)
    text = _DAY_WORDS.sub(_ordinal_digits, text)
    text = _NUMBER_WORDS.sub(lambda words: str(_worth(words[0])), text)
    return _AND_A_HALF.sub(".5", text)


def _ordinal_digits(words: _Words) -> str:
    tens = {"twenty-": 20, "thirty-": 30}.get((words["tens"] or "").casefold(), 0)
    return f"{tens + _ORDINALS.index(words['nth'].casefold()) + 1}th"


def _worth(words: str) -> int:
    """The value of number words: 2500 for "two thousand five hundred"."""
    whole = part = 0
    for word in re.findall(r"[a-z]+", words.casefold()):
        match word:
            case "hundred":
                part = 100 * max(part, 1)
            case "thousand":
                whole, part = 1000 * max(part, 1), 0
            case _:
                part += _WORTH.get(word, 0)
    return whole + part


# --- meaning of figures ----------------------------------------------------------------------------------------

_SECONDS = {"s": 1, "m": 60, "h": 3600}
_CURRENCIES = {
    "$": "usd", "d": "usd", "b": "usd", "u": "usd", "€": "eur", "e": "eur", "£": "gbp", "p": "gbp", "g": "gbp",
}  # fmt: skip


def _plain(digits: str) -> str:
    """A decimal number without separators and trailing zeros: "1299.5" for "1,299.50"."""
    whole, _, fraction = digits.replace(",", "").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole.lstrip('0') or '0'}{f'.{fraction}' if fraction else ''}"


def _number(words: _Words) -> str:
    return _plain(words["amount"])


def _price(words: _Words) -> str:
    return f"{_CURRENCIES[words['coin'][0].casefold()]} {_plain(words['amount'])}"


def _clock(words: _Words) -> str:
    groups = words.groupdict()
    hour, minute = int(groups["hour"]), int(groups.get("minute") or 0)
    return _time(hour, minute, groups) if hour <= 24 and minute < 60 else ""


def _past_or_to(words: _Words) -> str:
    minutes = {"half": 30, "quarter": 15}.get(words["by"].casefold()) or int(words["by"])
    hour = int(words["hour"])
    if words["side"].casefold() == "past":
        return _time(hour, minutes, words.groupdict())
    return _time(hour - 1, 60 - minutes, words.groupdict())


def _time(hour: int, minute: int, groups: dict[str, str | None]) -> str:
    part = (
        groups.get("half") or groups.get("part") or groups.get("part_ahead") or groups.get("part_now") or ""
    ).casefold()
    is_late = part.startswith(("p", "afternoon", "evening")) or (part.endswith("night") and hour >= 6)
    if is_late and hour < 12:
        hour += 12
    elif hour == 12 and not is_late and part:
        hour = 0
    return f"{hour % 24:02}:{minute:02}"


def _date(words: _Words) -> str:
    month = [name[:3] for name in _MONTHS].index(words["month"][:3].casefold()) + 1
    day = int(words["day"])
    return f"{month:02}-{day:02}" if 1 <= day <= 31 else ""


def _ahead(words: _Words) -> str:
    count = int(words["count"]) if words["count"].isdecimal() else 1
    unit = words["unit"].casefold()
    return f"+{count} months" if unit.startswith("month") else f"+{count * (7 if unit.startswith('week') else 1)}"


def _weekday(words: _Words) -> str:
    which, day = (words["which"] or "").casefold(), words["weekday"].casefold()
    if which in ("every", "each") or day.endswith("s"):
        return f"every {day.removesuffix('s')}"
    return f"{which} {day}" if which in ("next", "last") else day


def _span(words: _Words) -> str:
    parts = re.findall(r"([\d.,]+)[\s-]*([smh])", words[0].casefold())
    return _plain(f"{sum(float(amount.replace(',', '')) * _SECONDS[unit] for amount, unit in parts):.3f}")


def _one_unit(words: _Words) -> str:
    return str(_SECONDS[words["unit"][0].casefold()])


def _how_often(words: _Words) -> str:
    return re.sub("dai|morning|evening|night", "day", words["unit"].casefold())


def _rank(words: _Words) -> str:
    return str(_ORDINALS.index(words[0].casefold()) + 1)


def _itself(words: _Words) -> str:
    return " ".join(words[0].casefold().split()).removeprefix("this ")


def _always(value: str) -> Callable[[_Words], str]:
    return lambda _: value


def _reader(kind: QuantityKind, pattern: str, value: Callable[[_Words], str], *, is_loose: bool = False) -> _Reader:
    return _Reader(kind, re.compile(pattern, re.IGNORECASE), value, is_loose)


_UNIT = r"(?P<unit>(?:day|week|month)s?)\b"


def _with_digits() -> Iterator[_Reader]:
    hour = r"(?<![\d:.,$€£])(?P<hour>\d{1,2})"
    part = "morning|afternoon|evening|night"
    half = (
        rf"(?:\s*(?P<half>[ap]m\b|[ap]\.m\.)|\s+(?:in the|at)\s+(?P<part>{part})\b"
        rf"|(?=\s+(?:tomorrow|this|\w+day)\s+(?P<part_ahead>{part})\b)|(?=\s+to(?P<part_now>night)\b))"
    )
    past = r"\d\d?)(?: minutes)? (?P<side>past)"
    to = r"(?:\d\d?(?= min)|(?<=\bat )(?:5|10|20|25))) (?:minutes )?(?P<side>to)"
    yield _reader(QuantityKind.TIME, rf"\b(?P<by>half|quarter|{past} {hour}\b{half}?", _past_or_to)
    yield _reader(QuantityKind.TIME, rf"\b(?P<by>quarter|{to} {hour}\b{half}?", _past_or_to)
    yield _reader(QuantityKind.TIME, rf"{hour}[:.](?P<minute>\d\d){half}", _clock)
    yield _reader(QuantityKind.TIME, rf"{hour}:(?P<minute>\d\d)(?![\d:])", _clock)
    yield _reader(QuantityKind.TIME, rf"{hour}(?:\s*o['\u2019]clock)?{half}", _clock)
    yield _reader(QuantityKind.TIME, rf"{hour}\s*o['\u2019]clock", _clock)

    month = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS)
    month = rf"(?P<month>(?:{month}|sept)\b(?:(?<=\b\w{{3}})(?<!may)\.)?)"
    yield _reader(QuantityKind.DATE, rf"\b(?P<day>\d\d?)(?:st|nd|rd|th)?(?: of)? {month}", _date)
    yield _reader(QuantityKind.DATE, rf"\b{month} (?:the )?(?P<day>\d\d?)(?:st|nd|rd|th)?(?!\w|[:.]\d)", _date)
    yield _reader(QuantityKind.DATE, r"\b\d{4}-(?P<iso>\d\d-\d\d)\b", lambda words: words["iso"])
    yield _reader(QuantityKind.DAY, rf"\bin (?P<count>\d+) {_UNIT}(?:['\u2019]s? time)?", _ahead)
    yield _reader(QuantityKind.DAY, rf"\b(?P<count>\d+) {_UNIT} from (?:now|today)\b", _ahead)

    amount = r"(?P<amount>\d+(?:,\d{3})*(?:\.\d+)?)"
    time = r"(?:sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|h)\b"
    coin = r"(?P<coin>dollars?|bucks|usd|euros?|eur|pounds?|gbp|[$€£])"
    yield _reader(QuantityKind.MONEY, rf"(?P<coin>[$€£])\s?{amount}\b", _price)
    yield _reader(QuantityKind.MONEY, rf"\b{amount}[\s-]?{coin}(?!\w)", _price)
    yield _reader(QuantityKind.PERCENT, rf"\b{amount}\s?(?:%|per ?cent\b)", _number)
    yield _reader(QuantityKind.SPAN, rf"\b{amount}[\s-]?{time}(?:,?(?: and)? \d+ {time})*", _span)
    yield _reader(QuantityKind.ORDINAL, r"\b(?P<amount>\d+)(?:st|nd|rd|th)\b", _number)
    before = "|".join(rf"(?<=\b{word} )2\b" for word in ("the", "my", "of", "these", "those", "between"))
    yield _reader(QuantityKind.NUMBER, before, _always("2"), is_loose=True)
    where = r"(?:[\w-]+ )?(?:apps|shops|stores|places|sites|services)\b"
    yield _reader(QuantityKind.NUMBER, rf"\b(?P<amount>[2-4])(?= {where})", _number, is_loose=True)
    yield _reader(QuantityKind.NUMBER, rf"(?<![\w.]){amount}(?!\w)", _number)


def _with_words() -> Iterator[_Reader]:
    this = "morning|afternoon|evening|week|month|year"
    often = "day|morning|evening|night|week|month|year|hour"
    which = r"(?P<which>next|last|this|coming|every|each)"
    yield _reader(QuantityKind.TIME, r"\b(?:noon|midday)\b", _always("12:00"))
    yield _reader(QuantityKind.TIME, r"\bmidnight\b", _always("00:00"))
    yield _reader(QuantityKind.DATE, rf"(?:(?<=\bin )|(?<=\bfor ))(?:{_any(_MONTHS)})\b", _itself)
    yield _reader(QuantityKind.DAY, rf"\bin (?P<count>an?) {_UNIT}(?:['\u2019]s? time)?", _ahead)
    yield _reader(QuantityKind.DAY, rf"\b(?P<count>an?) {_UNIT} from (?:now|today)\b", _ahead)
    yield _reader(QuantityKind.DAY, r"\b(?:the )?day after tomorrow\b", _always("+2"))
    yield _reader(QuantityKind.DAY, r"\btomorrow\b", _always("+1"))
    yield _reader(QuantityKind.DAY, rf"\b(?:today|tonight|this (?:{this}))\b", _itself, is_loose=True)
    yield _reader(QuantityKind.DAY, r"\b(?:yesterday|next (?:week(?:end)?|month|year)|(?:this )?weekend)\b", _itself)
    yield _reader(QuantityKind.DAY, rf"\b(?:{which}\s+)?(?P<weekday>(?:{_any(_WEEKDAYS)})s?)\b", _weekday)
    yield _reader(QuantityKind.FREQUENCY, r"\b(?P<unit>dai|week|month|year|hour)ly\b", _how_often)
    yield _reader(QuantityKind.FREQUENCY, rf"\bevery (?:single )?(?P<unit>{often})\b", _how_often)
    yield _reader(QuantityKind.FREQUENCY, rf"\b(?:each|once a) (?P<unit>{often})\b", _how_often, is_loose=True)
    yield _reader(QuantityKind.SPAN, r"\ban? (?P<unit>second|minute|hour)\b", _one_unit, is_loose=True)
    yield _reader(QuantityKind.ORDINAL, rf"\b(?:{_any(_ORDINALS)})\b", _rank, is_loose=True)
    yield _reader(QuantityKind.NUMBER, r"\bone\b", _always("1"), is_loose=True)
    yield _reader(QuantityKind.NUMBER, r"\b(?:both|twice)\b", _always("2"), is_loose=True)


_DIGITS_READERS, _WORDS_READERS = tuple(_with_digits()), tuple(_with_words())
