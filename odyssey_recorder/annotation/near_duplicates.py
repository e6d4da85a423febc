"""Finds nearly identical texts within an episode and across episodes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz

from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.tasks.wording.equivalence import bare_words

ALIKE = 90
"""Likeness (0..100) from which two texts are nearly the same."""
_FEWEST_WORDS = 8
"""Shorter texts recur on many screens by right."""
_END = 5


@dataclass(frozen=True, slots=True)
class SeenText:
    """A text and the 64-bit difference hash of its screenshot, None if unknown."""

    words: str
    kind: TextKind
    look: int | None
    episode_id: str
    step: int


class SeenTexts:
    """Texts indexed by groups of their words; near duplicates share at least one group."""

    def __init__(self, texts: Iterable[SeenText] = ()) -> None:
        self._by_words: defaultdict[tuple[object, ...], list[SeenText]] = defaultdict(list)
        for text in texts:
            self.add(text)

    def add(self, text: SeenText) -> None:
        for key in _keys(text.words, text.kind):
            self._by_words[key].append(text)

    def alike(self, words: str, kind: TextKind) -> Iterator[SeenText]:
        found = {id(text): text for key in _keys(words, kind) for text in self._by_words.get(key, ())}
        for text in found.values():
            if fuzz.ratio(bare_words(words), bare_words(text.words)) >= ALIKE:
                yield text


def _keys(text: str, kind: TextKind) -> Iterator[tuple[object, ...]]:
    words = bare_words(text).split()
    if len(words) >= _FEWEST_WORDS:
        middle = len(words) // 2
        yield kind, "end", *words[-_END:]
        yield kind, "middle", *words[middle - 2 : middle + 3]
        yield kind, "start", *words[_END : 2 * _END]
