"""Which apps a text names: a clock is not Clock, and YouTube Music is not YouTube."""

import re
from collections.abc import Collection
from functools import lru_cache

_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:\u2026\u2013\u2014]\s+|\n\s*)[\"'(\u201c\u2018]*\Z")
_ODD = re.compile(r"[a-z][A-Z]|\d|[A-Za-z]\.[A-Za-z]")
"""No ordinary word is spelled like that: YouTube, eBay, K-9 Mail, Booking.com."""
_SURE = re.compile(rf"{_ODD.pattern}|[A-Z]{{2}}|\s")
"""These are names also where a sentence begins and every word has a capital: IKEA, Google Maps."""


def named_apps(text: str, names: Collection[str]) -> tuple[str, ...]:
    """Those of `names` that `text` names beyond doubt, in its order, each once.

    A name is looked for as it is spelled, an odd one in any case of its letters. Where several fit a place, the longest
    is meant. A plain word at the beginning of a sentence is none: Photos of a cat are no app.
    """
    spelled = _by_spelling(tuple(names))
    found = (
        _meant(mention[0], spelled)
        for mention in _pattern(tuple(names)).finditer(text)
        if _SURE.search(mention[0]) or not begins_sentence(text, mention.start())
    )
    return tuple(dict.fromkeys(name for name in found if name))


def names_app(text: str, name: str, names: Collection[str]) -> bool:
    """Whether `text` names the app `name`, and no other of `names` there; also where a sentence begins with it."""
    every = (*names, name)
    return any(_meant(mention, _by_spelling(every)) == name for mention in _pattern(every).findall(text))


def without_apps(text: str, names: Collection[str]) -> str:
    """`text` without the names of these apps."""
    spelled = _by_spelling(tuple(names))
    return _pattern(tuple(names)).sub(lambda found: " " if _meant(found[0], spelled) else found[0], text)


def begins_sentence(text: str, at: int) -> bool:
    """Whether the word at this place of `text` has its capital from the sentence."""
    return _SENTENCE_BEGINS.search(text[:at]) is not None


def _meant(mention: str, spelled: dict[str, str]) -> str:
    """The app of that spelling; empty where it is only like the name of one."""
    exact = mention.replace("\u2019", "'")
    return spelled.get(exact) or spelled.get(exact.casefold(), "")


@lru_cache(maxsize=256)
def _by_spelling(names: tuple[str, ...]) -> dict[str, str]:
    return {name.casefold(): name for name in names if _ODD.search(name)} | {name: name for name in names}


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
    spelled = "|".join(re.escape(name).replace("'", "['\u2019]") for name in longest_first)
    return re.compile(rf"(?<![\w.@/-])(?:{spelled})(?![\w@]|-\w)" if names else r"(?!)", re.IGNORECASE)
