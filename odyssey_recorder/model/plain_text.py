"""Text as people read it: numbers with their nouns, foreign text on one line."""

from collections.abc import Sized

_READ_AT_MOST = 400
"""Longer texts are cut off before they are measured letter by letter, which is slow."""


def counted(things: Sized | float, noun: str = "episode", nouns: str = "") -> str:
    """As in "1 task"; `noun` may be a plural too, `nouns` is the plural if it has more than an s."""
    count = len(things) if isinstance(things, Sized) else int(things)
    singular = noun.removesuffix("s")
    return f"{count:,} {singular if count == 1 else nouns or singular + 's'}"


def on_one_line(text: str) -> str:
    """Without line breaks and control characters, cut after 400 characters."""
    shown = "".join(character if character.isprintable() else " " for character in text[:_READ_AT_MOST])
    return " ".join(shown.split()) + ("…" if len(text) > _READ_AT_MOST else "")
