"""The words of a text, their stems, and the words that carry little meaning."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
SMALL = {
    "a", "an", "the", "this", "that", "these", "those", "some", "any", "of", "in", "on", "at", "to", "for", "from",
    "by", "with", "into", "onto", "about", "and", "or", "but", "as", "than", "so", "if", "off", "out", "up", "down",
    "over", "per", "via", "is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "has",
    "have", "had", "will", "would", "can", "could", "should", "may", "might", "must", "it", "its", "i", "me", "my",
    "mine", "you", "your", "yours", "he", "him", "his", "she", "her", "hers", "we", "us", "our", "ours", "they",
    "them", "their", "theirs", "who", "whose", "which", "what", "when", "where", "how", "there", "here", "s",
}  # fmt: skip
_NEGATIONS = frozenset({"no", "not", "never", "without", "except", "don't", "doesn't", "isn't", "free"})
NEGATION = "without"


def words_of(text: str) -> list[str]:
    return WORD.findall(text.replace("\u2019", "'"))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The common stem of a word's inflections: ``bak`` of bake, bakes, baked, baking."""
    plain = "".join(
        character
        for character in unicodedata.normalize("NFKD", word.casefold())
        if not unicodedata.combining(character)
    )
    if plain in _NEGATIONS:
        return NEGATION
    plain = plain.split("'")[0]
    if len(plain) < 4:
        return plain
    plain = re.sub(r"(?<=[^s])s$", "", re.sub(r"ies$", "y", re.sub(r"(?<=ss|sh|ch|zz)es$|(?<=x)es$", "", plain)))
    shorter = re.sub(r"(?:ing|ed)$", "", plain)
    if len(shorter) >= 3 and re.search(r"[aeiouy]", shorter):
        plain = re.sub(r"([bdfgmnprt])\1$", r"\1", shorter)
    return re.sub(r"e$", "", plain) if len(plain) > 3 else plain


def in_quotes(texts: Iterable[str]) -> str:
    return " and ".join(f"\u201c{text}\u201d" for text in texts)
