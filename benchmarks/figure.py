"""A measured figure beside its floor, and how times and medians are measured."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich import box
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Figure:
    """A value, the floor in the same unit (0 if there is none), and the goal."""

    name: str
    value: float
    unit: str = "ms"
    floor_name: str = ""
    floor: float = 0.0
    goal: str = ""

    @property
    def shown(self) -> str:
        return _with_unit(self.value, self.unit)

    @property
    def floor_shown(self) -> str:
        return f"{self.floor_name} {_with_unit(self.floor, self.unit)}" if self.floor_name else ""

    @property
    def ratio_shown(self) -> str:
        return f"{self.value / self.floor:.2f}" if self.floor else ""


def table_of(figures: Sequence[Figure]) -> Table:
    table = Table("Figure", "Value", "Floor, same run", "Ratio", "Goal", box=box.SIMPLE)
    for figure in figures:
        table.add_row(figure.name, figure.shown, figure.floor_shown, figure.ratio_shown, figure.goal)
    return table


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - started)


def in_turn(calls: Sequence[Callable[[], object]], *, rounds: int) -> list[float]:
    """Median milliseconds of each call, interleaved so that a slowdown of the machine affects all."""
    for call in calls:
        call()
    return medians_in_turn([partial(timed, call) for call in calls], rounds=rounds)


def medians_in_turn(measures: Sequence[Callable[[], float]], *, rounds: int) -> list[float]:
    samples = [[measure() for measure in measures] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*samples, strict=True)]


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _with_unit(value: float, unit: str) -> str:
    digits = 1 if abs(value) < 1000 else 0
    return f"{value:.{digits}f} {unit}"
