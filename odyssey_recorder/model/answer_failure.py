"""What can be wrong with a model's answer: the one vocabulary of those who ask, read, count and print."""

from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from odyssey_recorder.errors import (
    BrokenAnswerError,
    BrokenReplyError,
    LanguageModelError,
    ModelBusyError,
    RefusedAnswerError,
    TruncatedAnswerError,
)

Failure = Literal["refused", "cut off", "unreadable", "unmapped", "outside", "not an action", "broken"]
"""The model or a filter declined; the limit of tokens; the grammar; an action that is none of the nine; a place off the
screen; something else is asked for, such as to wait; or the server failed, and there is no answer of the model at all.
"""
FAILURES: tuple[Failure, ...] = get_args(Failure)
_MOST_BROKEN = 0.1
"""Share of the answers of a run."""


def failure_of(error: LanguageModelError) -> Failure | None:
    """None if nothing is wrong with an answer, as with a used-up budget."""
    match error:
        case RefusedAnswerError():
            return "refused"
        case TruncatedAnswerError():
            return "cut off"
        case BrokenReplyError() | ModelBusyError():
            return "broken"
        case BrokenAnswerError():
            return "unreadable"
        case _:
            return None


def failure_in(problem: str) -> Failure | None:
    """The one with which a problem begins, such as that of a prediction without an action."""
    return next((failure for failure in FAILURES if problem.startswith(failure)), None)


def is_mostly_whole(broken: int, of: int) -> bool:
    return broken <= _MOST_BROKEN * of


def columns(failures: Mapping[Failure, int], of: int) -> list[tuple[str, int]]:
    """Titles and numbers of a summary of `of` answers."""
    counts = [(failure, failures.get(failure, 0)) for failure in FAILURES]
    return [("answers", of), ("usable", of - sum(count for _, count in counts)), *counts]


def remarks(failures: Mapping[Failure, int], of: int) -> Iterator[str]:
    """Sentences about a run of `of` answers as a whole."""
    if of and failures.get("cut off", 0) == of:
        yield "All answers were cut off at their limit. Choose a model that thinks less, or switch its thinking off."
    if not is_mostly_whole(broken := failures.get("broken", 0), of):
        yield f"{broken:,} of {of:,} answers are broken: the server failed. Run the command that asked again."
