"""Which of many instructions are alike by ROUGE-L, without comparing each with each."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import ceil

from rapidfuzz import process
from rapidfuzz.distance import Indel

_FIRST_LETTER = 0xE000
"""From here on there are a million code points and no surrogates."""


def lettered(text: str, letters: dict[str, int]) -> str:
    """`text` with one letter per word, so that comparing texts is as fast as comparing words.

    `letters` numbers the words, and grows. Equal results differ in case and punctuation only.
    """
    words = re.findall(r"\w+", text.casefold())
    return "".join(chr(_FIRST_LETTER + letters.setdefault(word, len(letters))) for word in words)


def candidates(texts: Sequence[str], above: float, at_most: int) -> Iterator[tuple[int, Collection[int]]]:
    """For each text the earlier ones that can be similar, as they share one of the rarest words (prefix filtering,
    Chaudhuri et al. 2006); `texts` are sorted by length. Of many, the `at_most` that share most of those words.

    With similarity t = 2c / (n + m), c common words and m <= n: c >= tm for the shorter, c >= tn / (2 - t) for the
    longer. Two texts with c words in common share one among the n - c + 1 rarest of either.
    """
    times = Counter("".join(texts))
    index: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for number, text in enumerate(texts):
        rare_first = sorted(text, key=lambda letter: (times[letter], letter))
        longer = ceil(above * len(text) / (2 - above))
        probed = set(rare_first[: len(text) - longer + 1])
        met = Counter[int]()
        for letter in probed:
            met.update(index.get(letter, ()))
        yield number, met if len(met) <= at_most else [other for other, _ in met.most_common(at_most)]
        for letter in set(rare_first[: len(text) - ceil(above * len(text)) + 1]):
            index[letter].append(number)


def alike_pairs(
    texts: Sequence[str], candidates: Iterable[tuple[int, Iterable[int]]], above: float
) -> Iterator[tuple[int, int, float]]:
    """The numbers of two texts and their similarity, where it is greater than `above`."""
    for number, others in candidates:
        choices = {other: texts[other] for other in others}
        found = process.extract(
            texts[number], choices, scorer=Indel.normalized_similarity, score_cutoff=above, limit=None
        )
        yield from ((number, other, likeness) for _, likeness, other in found if likeness > above)
