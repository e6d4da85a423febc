"""The words of `risky_words.toml`, found in labels as people read them."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from odyssey_recorder.agents.label_folding import folded

_LETTER = r"[^\W\d_]|[\u0900-\u0963]"
"""Python counts no vowel sign of Devanagari as a letter."""
_SIGNS = re.compile(rf"^(?:(?!{_LETTER})\W|_)+|(?:(?!{_LETTER})\W|_)+$")


def risky_word(text: str, *, is_label: bool = True) -> str:
    """The first risky word in `text`, in any language; empty if there is none. A resource id is no label."""
    label = folded(text)
    bare = _SIGNS.sub("", label)
    if is_label and bare in _spelled("labels"):
        return _spelled("labels")[bare]
    found = [match["word"] for match in _pattern().finditer(label)]
    if word := next(filter(None, found), ""):
        return (_spelled("words") | _spelled("parts"))[word]
    return bare if not found and bare.replace(" ", "") in _squeezed() else ""


def declines(label: str) -> bool:
    """Whether it says no, as the button of a dialog does."""
    return _SIGNS.sub("", folded(label)) in _spelled("declines")


@cache
def _spelled(kind: str) -> dict[str, str]:
    """The words of this kind in all languages, by how they are read."""
    return {folded(word): word for language in _languages().values() for word in language.get(kind, ())}


@cache
def _languages() -> Mapping[str, Mapping[str, Iterable[str]]]:
    return tomllib.loads(Path(__file__).with_name("risky_words.toml").read_text("utf-8"))


@cache
def _squeezed() -> frozenset[str]:
    """Words that may be written with spaces anywhere."""
    return frozenset(word.replace(" ", "") for word in _spelled("words") if len(word) > 3)


@cache
def _pattern() -> re.Pattern[str]:
    """Also matches what is innocent, without a `word`."""
    words, parts, innocent = map(_any_of, ("words", "parts", "innocent"))
    return re.compile(rf"{innocent}|(?P<word>(?<!{_LETTER})(?:{words})(?!{_LETTER})|{parts})")


def _any_of(kind: str) -> str:
    return "|".join(re.escape(word) for word in sorted(_spelled(kind), key=len, reverse=True))
