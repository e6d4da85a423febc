"""What is wrong with a file that people write by hand: the file, the line, the key, and words that help to mend it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.errors import TaskError

_MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file, and where; `key` is empty where it is the whole line.

    Where the file `is_usable` all the same, only a new one is refused for it.
    """

    source: Path
    line: int
    key: str
    words: str
    is_usable: bool = False

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}"
        return f"{place}: {self.key}: {self.words}" if self.key else f"{place}: {self.words}"


def refuse(problems: Sequence[Problem]) -> None:
    """Raise TaskError with the first few of the problems, if there are any."""
    if problems:
        told = "; ".join(str(problem) for problem in problems[:_MOST_TOLD])
        rest = len(problems) - _MOST_TOLD
        raise TaskError(f"{told}{f'; and {rest} more' if rest > 0 else ''}.")
