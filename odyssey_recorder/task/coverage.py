"""How far the tasks reach: what there is, and is wanted, of each category, device and class of apps."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of the board: a category, a device profile and a class of apps."""

    category: str
    device: str
    app_class: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What there is of a cell: tasks that wait or are at work, tasks that are recorded, and how many are wanted."""

    open: int = 0
    recorded: int = 0
    wanted: float = 0.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """The whole board; `emptiest` are the cells that lack most of what is wanted there, the worst first."""

    tallies: Mapping[Cell, Tally]
    emptiest: tuple[Cell, ...]
