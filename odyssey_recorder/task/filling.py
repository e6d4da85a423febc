"""How the gaps of a template are filled: what may fill each, how many tasks that makes, and which is the n-th."""

import re
from collections.abc import Mapping
from functools import lru_cache

_GAP = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def gaps_in(text: str) -> tuple[str, ...]:
    """The names of the gaps of a text, in their order, as often as they are there."""
    return _parts(text)[1::2]


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with each gap filled; what fills one is never filled itself. Raises KeyError for a gap without value."""
    parts = list(_parts(text))
    parts[1::2] = [values[name] for name in parts[1::2]]
    return "".join(parts)


def identity(text: str) -> str:
    """What makes a filled template the same task as another: its words, in whatever case, whatever blanks part them."""
    return " ".join(text.split()).casefold()


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, ...]:
    """What stands between the gaps, and between these the names of the gaps."""
    return tuple(_GAP.split(text))
