"""Numbers with their nouns."""

from collections.abc import Sized


def counted(things: Sized | float, noun: str = "episode", nouns: str = "") -> str:
    """As in "1 task"; `noun` may be a plural too, `nouns` is the plural if it has more than an s."""
    count = len(things) if isinstance(things, Sized) else int(things)
    singular = noun.removesuffix("s")
    return f"{count:,} {singular if count == 1 else nouns or singular + 's'}"
