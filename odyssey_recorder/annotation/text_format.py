"""Format rules for the texts of a step, and the fixed texts of every episode."""

import re

from odyssey_recorder.annotation import claims
from odyssey_recorder.annotation.text_in_context import TextInContext
from odyssey_recorder.annotation.text_kinds import COMPLETED, FIRST_CONTEXT, NOT_COMPLETED, TextKind, fixed_text
from odyssey_recorder.checking.one_episode.texts import has_places_or_tags, unwhole
from odyssey_recorder.tasks.wording.stems import SMALL, words_of

_MOST_SENTENCES = {TextKind.INSTRUCTION: 2, TextKind.DESCRIPTION: 5, TextKind.CONTEXT: 5, TextKind.INTENTION: 5}
_MOST_CHARACTERS = 1_500
_MARKUP = re.compile(r"```|^\s*[{\[]\s*\"|</?[a-zA-Z][^>]*>|&(?:[a-z]+|#\d+);|\\[nu\"]|\x1b")
_ANNOUNCED = re.compile(r"^(?:sure|certainly|of course|here(?: is|['\u2019]s)|(?:instruction|answer|output)\s*:)", re.I)
_HIDDEN = re.compile("[\x00-\x1f\x7f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_FIRST_PERSON = re.compile(r"\b(?:I|I['\u2019]\w+|my|me)\b")
_WORDS_THAT_TELL_ENGLISH = 7


def format_fault(text: TextInContext) -> str:
    """What is wrong, in words that follow "It"; empty if nothing is."""
    words = text.words.strip()
    if fault := unwhole(words, text.kind.value):
        return fault
    if (required := _required(text)) and words != required:
        return f"is not “{required}”"
    if not required and words in (FIRST_CONTEXT, COMPLETED, NOT_COMPLETED):
        return "is a text of the first or the last step"
    return _shape(words) or _style(words, text.kind)


def _required(text: TextInContext) -> str:
    """The text that every episode has there. Released ones may describe the last screen in their own words."""
    fixed = "" if text.action is None else fixed_text(text.action, text.number, text.kind)
    return fixed if fixed == FIRST_CONTEXT or text.kind is TextKind.INSTRUCTION else ""


def _shape(words: str) -> str:
    if len(words) > _MOST_CHARACTERS:
        return f"has {len(words):,} characters"
    if _MARKUP.search(words):
        return "has markup or escape codes"
    if _HIDDEN.search(words):
        return "has line breaks or invisible characters"
    if _ANNOUNCED.search(words):
        return "announces an answer"
    return "names coordinates or tags of actions" if has_places_or_tags(words) else ""


def _style(words: str, kind: TextKind) -> str:
    parts = claims.sentences(words)
    if len(parts) > _MOST_SENTENCES[kind]:
        return f"has {len(parts)} sentences"
    if len({part.casefold() for part in parts}) < len(parts):
        return "repeats itself"
    if not _is_english(claims.masked(words)):
        return "is not in English"
    if kind is TextKind.INTENTION and not _FIRST_PERSON.search(claims.masked(words)):
        return "is not told in the first person"
    return ""


def _is_english(text: str) -> bool:
    words = [word.casefold() for word in words_of(text)]
    foreign = sum(not word.isascii() for word in words)
    return len(words) < _WORDS_THAT_TELL_ENGLISH or (not SMALL.isdisjoint(words) and 3 * foreign < len(words))
