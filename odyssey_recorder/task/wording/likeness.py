"""How much alike two short texts are, by the words that they have in the same order."""

import re
from collections.abc import Iterable, Mapping

from rapidfuzz.distance import Indel

TOO_ALIKE = 0.7
"""From here on two templates ask for the same (Wang et al. 2023, Self-Instruct)."""

_WORD = re.compile(r"\{\w+\}|\w+")


def likeness(one: str, other: str) -> float:
    """ROUGE-L of two texts, 0 to 1: the F-measure of their longest common subsequence of words; any gap is one word."""
    return float(Indel.normalized_similarity(_words(one), _words(other)))


def nearest(text: str, others: Mapping[str, str]) -> tuple[str, float]:
    """The key of the text among `others` that `text` is most like, and how much; an empty key where there is none."""
    ranked: Iterable[tuple[float, str]] = ((likeness(text, other), key) for key, other in others.items())
    best, key = max(ranked, default=(0.0, ""))
    return key, best


def _words(text: str) -> list[str]:
    return ["{}" if word.startswith("{") else word for word in _WORD.findall(text.casefold())]
