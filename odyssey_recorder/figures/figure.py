"""A figure as values: what is counted, in which form it is drawn, and the same as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class BarMark:
    """One bar: `filter` selects the episodes it counts; `published` is what another dataset has, in the same unit."""

    label: str
    value: float
    filter: str = ""
    published: float | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars of counts; shares are of `total`, and `published` is a share (0..1)."""

    title: str
    of: str
    unit: str
    total: int
    marks: tuple[BarMark, ...]

    def table(self) -> tuple[Sequence[str], list[Sequence[Cell]]]:
        head: list[str] = [self.of, self.unit, "%"]
        rows: list[Sequence[Cell]] = [[mark.label, int(mark.value), self.percent(mark)] for mark in self.marks]
        if any(mark.published is not None for mark in self.marks):
            head.append("published %")
            for row, mark in zip(rows, self.marks, strict=True):
                row.append(None if mark.published is None else round(100 * mark.published, 1))  # type: ignore[attr-defined]
        return head, rows

    def percent(self, mark: BarMark) -> float:
        return round(100 * mark.value / self.total, 1) if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Columns:
    """A histogram: marks in the order of the axis, each `step` wide from `first`; `lines` are named places on it.

    `is_log`: the height of a mark is the logarithm of its value.
    """

    title: str
    of: str
    unit: str
    first: float
    step: float
    marks: tuple[BarMark, ...]
    lines: tuple[tuple[str, float], ...] = ()
    is_log: bool = False

    def table(self) -> tuple[Sequence[str], list[Sequence[Cell]]]:
        return [self.of, self.unit], [[mark.label, int(mark.value)] for mark in self.marks if mark.value]


@dataclass(frozen=True, slots=True)
class Spread:
    """Quartiles of the values of a group, and the 5th and 95th percentile."""

    label: str
    n: int
    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float
    filter: str = ""


@dataclass(frozen=True, slots=True)
class Boxes:
    title: str
    of: str
    unit: str
    spreads: tuple[Spread, ...]

    def table(self) -> tuple[Sequence[str], list[Sequence[Cell]]]:
        head = [self.of, "episodes", "5%", "25%", "median", "75%", "95%"]
        return head, [
            [spread.label, spread.n, spread.low, spread.quarter, spread.median, spread.three_quarters, spread.high]
            for spread in self.spreads
        ]


@dataclass(frozen=True, slots=True)
class CountGrid:
    """Counts in `rows` by `columns`; darker is more, by row if `by_row`. `filters` has one text per cell, or is empty.

    `form`: "numbers" shows the counts, "dots" does not and has small cells, "screen" has no labels either.
    """

    title: str
    of: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    form: Literal["numbers", "dots", "screen"] = "numbers"
    filters: tuple[tuple[str, ...], ...] = ()
    by_row: bool = False
    aspect: float = 1.0

    def table(self) -> tuple[Sequence[str], list[Sequence[Cell]]]:
        if self.form == "screen":
            busiest = sorted(((count, y, x) for y, row in enumerate(self.counts) for x, count in enumerate(row)))
            top = [cell for cell in reversed(busiest[-10:]) if cell[0]]
            return ["from the left %", "from the top %", "presses"], [
                [round(100 * x / len(self.columns)), round(100 * y / len(self.rows)), count] for count, y, x in top
            ]
        if self.form == "dots":
            pairs = [
                (count, self.rows[y], self.columns[x])
                for y, row in enumerate(self.counts)
                for x, count in enumerate(row)
                if count and x < y
            ]
            pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
            return ["app", "with", self.of], [[row, column, count] for count, row, column in pairs[:40]]
        return [self.of, *self.columns], [[row, *counts] for row, counts in zip(self.rows, self.counts, strict=True)]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts and numbers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def table(self) -> tuple[Sequence[str], list[Sequence[Cell]]]:
        return self.head, [list(row) for row in self.rows]


Panel = Bars | Columns | Boxes | CountGrid | TextTable


@dataclass(frozen=True, slots=True)
class Figure:
    """`note` says what is counted, and what is left out."""

    key: str
    title: str
    panels: tuple[Panel, ...]
    note: str = ""
