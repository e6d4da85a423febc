"""Published results of models, as printed, to compare with new results of the same protocol, split and level.

In published.csv a line that begins with # heads a table: its source, the protocols and the columns. A column begins
with its split, with "/low" for low-level instructions; "overall" is the mean of splits, and without a split it is no
score of one. A category stands for its AMS. AgentCPM-GUI's rows are exact matches.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("published.csv")


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """`ams` and `sr` are means over the categories for the random split. `others` are the further columns by name."""

    model: str
    source: str
    ams: float
    sr: float | None = None
    others: Mapping[str, float] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, float | None]:
        return {"AMS": self.ams, "SR": self.sr, **self.others}


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A row has a value, or None, for each of the `columns`."""

    source: str
    protocols: Sequence[str]
    columns: Sequence[str]
    rows: Mapping[str, Sequence[float | None]]


@cache
def reference_results() -> tuple[PublishedTable, ...]:
    """All tables, in the order of the documents."""
    tables: list[PublishedTable] = []
    rows: dict[str, Sequence[float | None]]
    with _FILE.open(encoding="utf-8", newline="") as file:
        for first, *cells in csv.reader(file):
            if first == "#":
                source, protocols, *columns = cells
                rows = {}
                tables.append(PublishedTable(source, protocols.split(), columns, rows))
            else:
                rows[first] = [None if cell == "-" else float(cell) for cell in cells]
    return tuple(tables)


def published(protocol: str, split: str, level: str) -> list[PublishedScore]:
    """A row that another table of the source repeats is told once."""
    found: dict[tuple[str, float], PublishedScore] = {}
    start = f"{split} " if level == "high" else f"{split}/{level} "
    for table in reference_results():
        for model, row in table.rows.items() if protocol in table.protocols else ():
            cells = zip(table.columns, row, strict=True)
            values = {
                name.removeprefix(start): cell for name, cell in cells if cell is not None and name.startswith(start)
            }
            if (ams := values.pop("AMS", None)) is not None:
                key = table.source.partition(", table")[0], ams
                one = found.get(key, PublishedScore(model, table.source, ams))
                sr = values.pop("SR", one.sr)
                found[key] = PublishedScore(one.model, one.source, ams, sr, {**one.others, **values})
    return list(found.values())
