"""Finds app names in a text: "a clock" is not Clock, and YouTube Music is not YouTube."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:\u2026\u2013\u2014]\s+|\n\s*)[\"'(\u201c\u2018]*\Z")
_ODD = re.compile(r"[a-z][A-Z]|\d|[A-Za-z]\.[A-Za-z]")
"""Spellings that no ordinary word has: YouTube, eBay, K-9 Mail, Booking.com."""
_SURE = re.compile(rf"{_ODD.pattern}|[A-Z]{{2}}|\s")
"""Names even at the start of a sentence, where every word is capitalised: IKEA, Google Maps."""


@dataclass(frozen=True, slots=True)
class Mention:
    """`end` is exclusive. Not `is_sure` if an ordinary word begins a sentence: "Photos of a cat"."""

    app: str
    start: int
    end: int
    is_sure: bool


def mentions(text: str, names: Collection[str]) -> tuple[Mention, ...]:
    """In text order. Names match case-sensitively, oddly spelled ones in any case; the longest wins."""
    folded = text.replace("\u2019", "'").casefold()
    present = sorted((name for name in names if name.casefold() in folded), key=lambda name: (-len(name), name))
    found: list[Mention] = []
    for name in present:
        for place in _pattern(name).finditer(text):
            if not any(place.start() < other.end and other.start < place.end() for other in found):
                is_sure = _SURE.search(name) is not None or not begins_sentence(text, place.start())
                found.append(Mention(name, place.start(), place.end(), is_sure))
    return tuple(sorted(found, key=lambda mention: mention.start))


def named(found: Iterable[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mention.app for mention in found if mention.is_sure))


def cut_out(text: str, found: Iterable[Mention]) -> str:
    """Each letter of a mention becomes a space, so that positions stay."""
    for mention in found:
        text = f"{text[: mention.start]}{' ' * (mention.end - mention.start)}{text[mention.end :]}"
    return text


def begins_sentence(text: str, at: int) -> bool:
    """Whether the word at index `at` is capitalised because it begins a sentence."""
    return _SENTENCE_BEGINS.search(text[:at]) is not None


@lru_cache(maxsize=2048)
def _pattern(name: str) -> re.Pattern[str]:
    spelled = re.escape(name).replace("'", "['\u2019]")
    return re.compile(rf"(?<![\w.@/-]){spelled}(?![\w@]|-\w)", re.IGNORECASE if _ODD.search(name) else re.NOFLAG)
