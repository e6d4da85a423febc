"""Fillings of a template: the values of each gap, the number of tasks, and the n-th of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache
from math import prod

from odyssey_recorder.tasks.templates.template import DateWords, DaySlotRange, Items, Numbers, Slot, Template

_GAP = re.compile(r"\{([a-z][a-z0-9_]*)\}")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def gaps_in(text: str) -> tuple[str, ...]:
    return _parts(text)[1::2]


def fill(text: str, values: Mapping[str, str]) -> str:
    """Not recursive. Raises KeyError for a gap without a value."""
    return _format(text).format_map(values)


def identity(text: str) -> str:
    """The key by which filled templates are duplicates: the words, ignoring case and whitespace."""
    if "  " in text or not text.isprintable() or text != text.strip():
        text = " ".join(text.split())
    return text.casefold()


@lru_cache(maxsize=4096)
def _format(text: str) -> str:
    """The text for `str.format_map`, with all braces escaped that do not mark a gap."""
    parts = [part.replace("{", "{{").replace("}", "}}") for part in _parts(text)]
    parts[1::2] = [f"{{{name}}}" for name in parts[1::2]]
    return "".join(parts)


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, ...]:
    return tuple(_GAP.split(text))


# Values of a gap.


def texts_of(slot: Slot, day: date) -> tuple[str, ...]:
    match slot:
        case Items(texts):
            return texts
        case Numbers(first, last, step, words):
            return tuple(words.replace("{}", str(number)) for number in range(first, last + 1, step))
        case DaySlotRange(first, last, words):
            return tuple(_day_text(day, ahead, words) for ahead in range(first, last + 1))


def _day_text(day: date, ahead: int, words: DateWords) -> str:
    then = day + timedelta(ahead)
    match words:
        case "relative":
            return {0: "today", 1: "tomorrow"}.get(ahead, f"in {ahead} days")
        case "weekday":
            return f"this coming {WEEKDAYS[then.weekday()]}"
        case "date":
            return f"{then.day} {MONTHS[then.month - 1]}"


# Fillings of a template.


@dataclass(frozen=True, slots=True)
class _Gap:
    """A gap and its values; `rivals` are the indices of earlier gaps with the same items, whose values it avoids."""

    name: str
    texts: tuple[str, ...]
    rivals: tuple[int, ...]
    choices: int
    """How many values remain whichever the rivals took."""


class Fillings:
    """All ways to fill a template when recording begins on a given day, by number.

    Fillings are computed on demand. Gaps with the same items never get the same one.
    """

    def __init__(self, template: Template, day: date) -> None:
        self._meta_task = template.meta_task
        self._gaps = tuple(_gaps(template, day))
        self._dates = {
            name: {_day_text(day, ahead, "date"): day + timedelta(ahead) for ahead in range(slot.first, slot.last + 1)}
            for name, slot in template.slots.items()
            if isinstance(slot, DaySlotRange) and slot.words == "date"
        }
        self.count = prod(gap.choices for gap in self._gaps)

    def nth(self, number: int) -> dict[str, str]:
        """The values of filling `number`, 0 <= number < `count`; all are distinct."""
        values: dict[str, str] = {}
        places: list[int] = []
        for gap in self._gaps:
            number, place = divmod(number, gap.choices)
            if gap.rivals:
                for used in sorted(places[rival] for rival in gap.rivals):
                    place += used <= place
            places.append(place)
            values[gap.name] = gap.texts[place]
        return values

    def due(self, values: Mapping[str, str]) -> date | None:
        """The last day on which all dates it names are still in the future; None if it names none."""
        if not self._dates:
            return None
        return min(dates[values[name]] for name, dates in self._dates.items()) - timedelta(1)

    def gives(self, values: Mapping[str, str]) -> bool:
        if len(values) != len(self._gaps) or not values.items() <= self._choices:
            return False
        return all(values[name] != values[rival] for name, rival in self._pairs)

    def holds(self, text: str) -> bool:
        lead, tail = self._folded_parts[0], self._folded_parts[-1]
        return text.startswith(lead) and text.endswith(tail) and self._fits(text[len(lead) :], 1, {})

    @property
    def lead(self) -> str:
        return self._folded_parts[0]

    @cached_property
    def _folded_parts(self) -> tuple[str, ...]:
        return _parts(identity(self._meta_task))

    @cached_property
    def _choices(self) -> frozenset[tuple[str, str]]:
        return frozenset((gap.name, text) for gap in self._gaps for text in gap.texts)

    @cached_property
    def _folded_texts(self) -> Mapping[str, frozenset[str]]:
        return {gap.name: frozenset(map(identity, gap.texts)) for gap in self._gaps}

    @cached_property
    def _pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple((gap.name, self._gaps[rival].name) for gap in self._gaps for rival in gap.rivals)

    @cached_property
    def _rivals(self) -> Mapping[str, frozenset[str]]:
        """For each gap, the gaps that must get another value, whichever is filled first."""
        pairs = {*self._pairs, *((other, one) for one, other in self._pairs)}
        return {gap.name: frozenset(other for one, other in pairs if one == gap.name) for gap in self._gaps}

    def _fits(self, text: str, part: int, values: Mapping[str, str]) -> bool:
        parts = self._folded_parts
        if part >= len(parts):
            return not text
        name, words = parts[part : part + 2]
        for end in _ends(text, words, is_last=part + 2 == len(parts)):
            value = text[:end]
            if self._may_fill(name, value, values):
                rest = text[end + len(words) :]
                if self._fits(rest, part + 2, {**values, name: value}):
                    return True
        return False

    def _may_fill(self, name: str, value: str, values: Mapping[str, str]) -> bool:
        if name in values:
            return values[name] == value
        return value in self._folded_texts[name] and all(values.get(rival) != value for rival in self._rivals[name])


def _gaps(template: Template, day: date) -> Iterator[_Gap]:
    items: list[Slot] = []
    for name, slot in template.slots.items():
        rivals = tuple(place for place, other in enumerate(items) if isinstance(slot, Items) and other == slot)
        items.append(slot)
        texts = texts_of(slot, day)
        yield _Gap(name, texts, rivals, max(0, len(texts) - len(rivals)))


def _ends(text: str, words: str, *, is_last: bool) -> Iterator[int]:
    if is_last:
        if text.endswith(words):
            yield len(text) - len(words)
        return
    end = text.find(words)
    while end >= 0:
        yield end
        end = text.find(words, end + 1)
