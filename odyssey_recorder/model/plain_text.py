"""Text as people read it: numbers with their nouns, numbers of steps, foreign text on one line."""

from collections.abc import Sequence, Sized

_READ_AT_MOST = 400
"""Longer texts are cut off before they are measured letter by letter, which is slow."""


def counted(things: Sized | float, noun: str = "episode", nouns: str = "") -> str:
    """As in "1 task"; `noun` may be a plural too, `nouns` is the plural if it has more than an s."""
    count = len(things) if isinstance(things, Sized) else int(things)
    singular = noun.removesuffix("s")
    return f"{count:,} {singular if count == 1 else nouns or singular + 's'}"


def few(names: Sequence[str], at_most: int = 3) -> str:
    """The first names, and how many more there are: ``a, b, c and 2 more``."""
    more = len(names) - at_most
    return ", ".join(names[:at_most]) + (f" and {more:,} more" if more > 0 else "")


def step_number(index: int) -> int:
    """The number of the step at `index`, wherever a person reads it: people count from 1, files from 0."""
    return index + 1


def step_index(number: int) -> int:
    """The step that a person means by `number`, as files count. Inverse of `step_number`."""
    return number - 1


def steps_text(indices: Sequence[int]) -> str:
    """The numbers of steps in order: ``step 3``, ``steps 3, 7 to 9``."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    first_and_last = [(step_number(run[0]), step_number(run[-1])) for run in runs]
    ranges = [str(first) if first == last else f"{first} to {last}" for first, last in first_and_last]
    return f"{'step' if len(indices) == 1 else 'steps'} {', '.join(ranges)}"


def on_one_line(text: str) -> str:
    """Without line breaks and control characters, cut after 400 characters."""
    shown = "".join(character if character.isprintable() else " " for character in text[:_READ_AT_MOST])
    return " ".join(shown.split()) + ("…" if len(text) > _READ_AT_MOST else "")
