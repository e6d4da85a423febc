"""Which tasks to make next: in proportion to the targets, none twice, the same for the same seed."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import date

from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.listing import ListedTask


@dataclass(frozen=True, slots=True)
class Targets:
    """How many tasks there shall be of each kind, as shares of any sum; equal where none is given.

    `devices` are shares of device profiles.
    """

    categories: Mapping[Category, float] = field(default_factory=dict)
    devices: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Order:
    """What to make: `count` tasks for the devices of a catalogue; the same order makes the same tasks.

    `known` are the filled templates that must not come again, as `identity` has them. `have` is what there is already,
    so that the whole is in proportion. `day` is the first day of recording, for days that are named by their date.
    `categories` limits what is made.
    """

    count: int
    seed: int
    day: date
    catalogue: str = "android"
    targets: Targets = Targets()
    names_apps: bool = True
    categories: Set[Category] = frozenset(Category)
    have: tuple[ListedTask, ...] = ()
    known: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Batch:
    """What was made, and how many distinct tasks of each category are still to be had."""

    tasks: tuple[ListedTask, ...]
    left: Mapping[Category, int]
