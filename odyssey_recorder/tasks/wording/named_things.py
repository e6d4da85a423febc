"""What a task names outside the gaps of its template: its instruction names it, too, by the word or one like it.

Whoever puts a task into words changes verbs and small words; the names of things stay, and nothing else is asked for.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from odyssey_recorder.tasks.wording.quantities import read_quantities
from odyssey_recorder.tasks.wording.stems import SMALL, stem, words_of


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_WORDS = tomllib.loads(Path(__file__).with_name("named_things.toml").read_text("utf-8"))
PEOPLE = tuple(_WORDS["people"].split())
_FREE = _stems(_WORDS["free"]) | _stems(" ".join(SMALL))
_PLACES = _stems(_WORDS["places"])
_ALIKE, _EFFECTS = (
    tuple((row.split(":")[0].split(), _stems(row.replace(":", " "))) for row in _WORDS[rows])
    for rows in ("alike", "effects")
)
_VERBS = "|".join(verb for verbs, _ in _EFFECTS for verb in verbs)
_ASKED = re.compile(
    r"(?:^|[.;:,!?]\s+|\b(?:and|then|please|or|also|just|now|first|use\s+(?:\S+\s+){0,4}to)\s+)"
    rf"({_VERBS})\b(?! away)",
    re.IGNORECASE,
)
_STRONG = _stems(f"{_VERBS} chat mail calendar spreadsheet document contact year sum".replace("|", " "))

_TO_BE_DONE = re.compile(
    r"\b(?:put|add) (?:\w+ing|the purchase)\b(?= [^.;:]*\b(?:to-?do|list|calendar))", re.IGNORECASE
)
"""What the task only notes, to be done later: "put applying there on the list"."""

_NO_VERB = rf"(?:{_VERBS}|mail|the|an?|this|my|its?|that|for|in|on|with|as|of|which|what|how|when|where|who|is|are)\b"
_DONE = re.compile(
    r"(?:(?:^|[.;:!?]) *|\b(?:then|please|to|i|you|we|they|it|that|who|not|could|would|can|will|should|must) )"
    rf"(?!{_NO_VERB})[a-z'\u2019]+|(?:\b(?:and|or)|,) (?!{_NO_VERB})[a-z]+ "
    r"(?=(?:the|an?|its?|their|them|my|me|that|how|what|when|where|whether|which|who|up|at|one|two|three|all)\b)",
    re.IGNORECASE,
)
"""Verbs where an order or a sentence with a pronoun has them."""
_NO_THING = re.compile(r"(?:ed|ing|ly)$")
_SPELLED = {
    r"\b(?:clear|empty)(?= [^.;:]*\b(?:history|cache|cookies|data|notifications))": "delete",
    r"\b(?:record|film)(?= [^.;:,]{0,30}\b(?:voice|memo|video|clip|audio|sound|song))": "tape",
    r"\b(?:put|add|place)(?= [^.;:]{0,80}\b(?:cart|basket)\b)": "cart",
    r"\btake(?= (?:[^.;:,]{1,40} )?off\b)": "remove",
    r"\b(?:book|reserve)(?= (?:(?:an?|the|me|us|both) )*(?:\w+ )?"
    r"(?:flight|hotel|room|table|train|ticket|seat|ride|tour))": "buy",
    r"\bto-?do(?:s\b|\b)": "todo",
    r"\be-?mail": "mail",
    r"\b(?:own|mail)(?: mail)? address": "mailbox",
    r"(^|, |\b(?:and|then|please) )post(?= [^.;:]{0,60}\bchat\b)": r"\1send",
}


def replaced_things(template: str, told: str, instruction: str, *, names_apps: bool) -> tuple[list[str], list[str]]:
    """Words of `template` for things of which `instruction` says nothing, and the words that may stand for them."""
    said = _said(instruction)
    lost = {
        thing: word
        for thing, word in _things(template).items()
        if said.isdisjoint(_alike(thing)) and not (names_apps and thing in _PLACES)
    }
    known = {word for thing in _said(told) for word in _alike(thing)}
    others = [word for thing, word in _things(instruction).items() if thing not in known and not _NO_THING.search(word)]
    return [word for thing, word in lost.items() if others or thing in _STRONG], others


def added_effects(told: str, instruction: str) -> Iterator[str]:
    """Verbs of `instruction` for what nobody asks for in `told`."""
    asked = _said(_TO_BE_DONE.sub(" ", told))
    for verb in map(str.casefold, _ASKED.findall(_spelled(instruction))):
        if asked.isdisjoint(next(same for verbs, same in _EFFECTS if verb in verbs)):
            yield verb


@lru_cache(maxsize=1024)
def _things(text: str) -> dict[str, str]:
    """By stem, without the verbs for what is done on a screen."""
    bare = _DONE.sub(" ", _spelled(re.sub(r"\{\w*\}", " it ", text)))
    return {stem(word): word for word in words_of(read_quantities(bare)[1]) if stem(word) not in _FREE}


@lru_cache(maxsize=1024)
def _said(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(_spelled(text))))


def _spelled(text: str) -> str:
    for pattern, word in _SPELLED.items():
        text = re.sub(pattern, word, text, flags=re.IGNORECASE)
    return text


@cache
def _alike(thing: str) -> frozenset[str]:
    return frozenset({thing}).union(*(alike for words, alike in _ALIKE if thing in map(stem, words)))
