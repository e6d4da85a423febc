"""The words of `risky_words.toml`, found in labels as people read them."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from odyssey_recorder.agents.label_folding import folded

_LETTER = r"[^\W\d_]|[\u0900-\u0963]"
"""Python counts no vowel sign of Devanagari as a letter."""


@dataclass(frozen=True, slots=True)
class _Words:
    """`pattern` also matches what is innocent, without a `word`. `whole` are labels, `squeezed` those without spaces.

    `spelled` are the words by their match.
    """

    pattern: re.Pattern[str]
    whole: frozenset[str]
    squeezed: frozenset[str]
    declines: frozenset[str]
    spelled: Mapping[str, str]


def risky_word(text: str, *, is_label: bool = True) -> str:
    """The first risky word in `text`, in any language; empty if there is none. A resource id is no label."""
    known, label = _known(), folded(text)
    bare = _bare(label)
    if is_label and bare in known.whole:
        return known.spelled[bare]
    found = next((match["word"] for match in known.pattern.finditer(label) if match["word"]), "")
    if not found and bare.replace(" ", "") in known.squeezed and not known.pattern.search(label):
        return bare
    return known.spelled.get(found, found)


def declines(label: str) -> bool:
    """Whether it says no, as the button of a dialog does."""
    return _bare(folded(label)) in _known().declines


@cache
def _known() -> _Words:
    languages = tomllib.loads(Path(__file__).with_name("risky_words.toml").read_text("utf-8")).values()

    def of(kind: str) -> dict[str, str]:
        return {folded(word): word for language in languages for word in language.get(kind, ())}

    words, parts, labels, innocent = of("words"), of("parts"), of("labels"), of("innocent")
    pattern = rf"{_any_of(innocent)}|(?P<word>(?<!{_LETTER})(?:{_any_of(words)})(?!{_LETTER})|{_any_of(parts)})"
    return _Words(
        re.compile(pattern),
        frozenset(labels),
        frozenset(word.replace(" ", "") for word in words if len(word) > 3),
        frozenset(map(_bare, of("declines"))),
        labels | words | parts,
    )


def _bare(label: str) -> str:
    """Without signs around it."""
    return re.sub(rf"^(?:(?!{_LETTER})\W|_)+|(?:(?!{_LETTER})\W|_)+$", "", label)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
