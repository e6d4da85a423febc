"""Precision and recall of each check over the damaged set."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Column, Table

from tests.quality.damaged.bench import Case


@dataclass(frozen=True, slots=True)
class Score:
    check: str
    planted: int
    found: int
    false: int

    @property
    def recall(self) -> float:
        return self.found / self.planted if self.planted else 1.0

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.false) if self.found + self.false else 1.0


def scores(cases: Sequence[Case]) -> list[Score]:
    planted = Counter(check for case in cases for check, _, _ in case.planted)
    missed = Counter(check for case in cases for check, _, _ in case.missed)
    false = Counter(finding.check for case in cases for finding in case.unplanted)
    return [
        Score(check, planted[check], planted[check] - missed[check], false[check])
        for check in sorted(planted.keys() | false.keys())
    ]


def table(cases: Sequence[Case]) -> Table:
    right = [Column(name, justify="right") for name in ("planted", "found", "false", "precision", "recall")]
    shown = Table(Column("check"), *right, box=None)
    for one in scores(cases):
        shares = f"{one.precision:.2f}", f"{one.recall:.2f}"
        shown.add_row(one.check, str(one.planted), str(one.found), str(one.false), *shares)
    return shown


def wrong(cases: Sequence[Case]) -> list[str]:
    lines = []
    for case in cases:
        where = f"{case.name} ({case.errand})" if case.errand else case.name
        lines += [
            f"{where}: missed {check} at {step} of {episode}" for check, episode, step in sorted(case.missed, key=str)
        ]
        lines += [f"{where}: {one.name} of {one.episode_id or 'the dataset'}: {one.found}" for one in case.unplanted]
    return lines


def print_scores(cases: Sequence[Case], console: Console) -> bool:
    clean = sum(not case.planted for case in cases)
    sets = sum(case.is_set for case in cases)
    console.print(f"{len(cases) - clean} damaged, {clean} clean; {sets} of these are datasets, the others episodes.")
    console.print(table(cases))
    found = wrong(cases)
    for line in found:
        console.print(line, markup=False, soft_wrap=True)
    return not found
