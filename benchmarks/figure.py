"""One measured figure beside the floor it is held against."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """Seconds measured, seconds of the floor (0 where there is none), and the goal in words."""

    name: str
    seconds: float
    floor_name: str = ""
    floor_seconds: float = 0.0
    goal: str = ""
    shown_as: str = ""

    @property
    def shown(self) -> str:
        """The figure in its own unit."""
        return self.shown_as or f"{self.seconds * 1000:.1f} ms"

    @property
    def floor_shown(self) -> str:
        """The floor with its name."""
        return f"{self.floor_name} {self.floor_seconds * 1000:.1f} ms" if self.floor_name else ""

    @property
    def ratio_shown(self) -> str:
        """How many times the floor."""
        return f"{self.seconds / self.floor_seconds:.2f}" if self.floor_seconds else ""


def timed(call: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def in_turn(calls: Sequence[Callable[[], object]], *, rounds: int) -> list[float]:
    """The median seconds of each call, all called in turn, so that a machine that slows down slows all of them."""
    for call in calls:
        call()
    samples = [[timed(call) for call in calls] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*samples, strict=True)]
