"""Precision and recall of each check over the damaged set."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Column, Table

from tests.checking.damaged.cases import Case


def table(cases: Sequence[Case]) -> Table:
    planted = Counter(check for case in cases for check, _, _ in case.planted)
    missed = Counter(check for case in cases for check, _, _ in case.missed)
    false = Counter(finding.check for case in cases for finding in case.unexpected)
    right = [Column(name, justify="right") for name in ("planted", "found", "false", "precision", "recall")]
    shown = Table(Column("check"), *right, box=None)
    for check in sorted(planted.keys() | false.keys()):
        found = planted[check] - missed[check]
        precision, recall = _share(found, found + false[check]), _share(found, planted[check])
        shown.add_row(check, str(planted[check]), str(found), str(false[check]), f"{precision:.2f}", f"{recall:.2f}")
    return shown


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def mistakes(cases: Sequence[Case]) -> list[str]:
    lines: list[str] = []
    for case in cases:
        where = f"{case.name} ({case.task})" if case.task else case.name
        lines += [
            f"{where}: missed {check} at {step} of {episode}" for check, episode, step in sorted(case.missed, key=str)
        ]
        lines += [f"{where}: {one.name} of {one.episode_id or 'the dataset'}: {one.found}" for one in case.unexpected]
    return lines


def print_scores(cases: Sequence[Case], console: Console) -> bool:
    clean = sum(not case.planted for case in cases)
    sets = sum(not case.task for case in cases)
    console.print(f"{len(cases) - clean} damaged, {clean} clean; {sets} of these are datasets, the others episodes.")
    console.print(table(cases))
    found = mistakes(cases)
    for line in found:
        console.print(line, markup=False, soft_wrap=True)
    return not found
