"""How long work tells how far it is, and asks whether to stop."""

from collections.abc import Callable

Progress = Callable[[float | None, str], None]
"""Reports progress: the share done (0..1, None if unknown) and a text."""

Cancelled = Callable[[], bool]
"""Whether the work was cancelled; called often, on the worker's thread."""


def untold(_share: float | None, _text: str) -> None:
    """The progress that nobody wants to see."""


def never() -> bool:
    """For work that nobody can cancel."""
    return False
