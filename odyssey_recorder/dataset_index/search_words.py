"""The words of a text as they are stored and searched: without case, accents and punctuation. Pure.

The index searches exactly these, so its database needs no rules for words.
"""

import re
from collections.abc import Iterable
from unicodedata import combining, normalize

_WORD = re.compile(r"[^\W_]+")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
"""Kana and Han are written without blanks: each counts as a word, so that a part of a sentence is found."""
_BETWEEN = " \u2022 "
"""No word contains it, so no phrase is found across two texts."""


def words_of(text: str) -> list[str]:
    if not text.isascii():
        text = "".join(letter for letter in normalize("NFKD", text.casefold()) if not combining(letter))
        text = _IDEOGRAPH.sub(r" \g<0> ", text)
    return _WORD.findall(text.casefold())


def searchable(texts: Iterable[str]) -> str:
    """For a full-text column whose tokens are separated by blanks."""
    return _BETWEEN.join(" ".join(words_of(text)) for text in texts)


def phrase(text: str) -> str:
    """The full-text query for the words of `text`, one after the other; the last may be the beginning of a word."""
    return f'"{" ".join(words_of(text))}"*'
