"""When two actions, told in a few words, are the same for the checks: of one kind, and at nearly one place."""

import re
from collections import defaultdict

from odyssey_recorder.quality.thresholds import SAME_PLACE


class Alphabet:
    """Gives actions that mean the same the same letter, so that episodes can be compared as words."""

    def __init__(self) -> None:
        self._known: defaultdict[str, list[tuple[tuple[int, ...], str]]] = defaultdict(list)
        self._letters = map(chr, range(0x100, 0xD800))

    def letter(self, action: str) -> str:
        """The letter of an action told in words, such as ``CLICK 432, 118``."""
        kind, _, rest = action.partition(" ")
        places = tuple(map(int, re.findall(r"[0-9]+", rest))) if kind in ("CLICK", "LONG_PRESS", "SCROLL") else ()
        known = self._known[kind if places else action]
        for other, letter in known:
            if all(abs(a - b) <= SAME_PLACE for a, b in zip(places, other, strict=False)):
                return letter
        known.append((places, next(self._letters, "?")))
        return known[-1][1]
