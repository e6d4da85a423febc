"""Cost of ten thousand distinct tasks, relative to a plain loop that fills the same templates at random.

The loop picks a template, an item for each gap, an app for each role and a phrasing, fills both texts, and drops the
result. It keeps no balance, and makes other tasks every time.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from benchmarks.figure import Figure, in_turn
from odyssey_recorder.tasks.generation.generator import GenerationOrder, generate
from odyssey_recorder.tasks.templates.filling import texts_of
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.templates.template_files import load_library, shipped_templates
from odyssey_recorder.tasks.templates.template_rules import players

TASKS = 10_000
_DAY = date(2026, 12, 1)
_ROUNDS = 7


@dataclass(frozen=True, slots=True)
class _Pools:
    task: str
    phrasings: Sequence[str]
    items: Sequence[tuple[str, Sequence[str]]]
    apps: Sequence[tuple[str, Sequence[str]]]


def measure() -> list[Figure]:
    library = load_library([shipped_templates()])
    pools = _pools(library)
    making, loop, reading = in_turn(
        [lambda: _make(library), lambda: _fill_by_chance(pools), lambda: load_library([shipped_templates()])],
        rounds=_ROUNDS,
    )
    count = len(library.templates)
    return [
        Figure(f"{TASKS:,} distinct tasks from templates", making, "ms", "a plain loop by chance", loop, "<= 5"),
        Figure(f"reading {count} templates with pools and apps", reading),
    ]


def _make(library: TemplateLibrary) -> None:
    batch = generate(library, GenerationOrder(TASKS, seed=1, day=_DAY))
    distinct = len({task.task.task for task in batch.tasks})
    if distinct < TASKS:
        raise RuntimeError(f"only {distinct} tasks")


def _pools(library: TemplateLibrary) -> list[_Pools]:
    catalogue = library.catalogues["android"]
    return [
        _Pools(
            one.meta_task,
            one.named_phrasings,
            [(f"{{{name}}}", texts_of(slot, _DAY)) for name, slot in one.slots.items()],
            [(f"{{{role.name}}}", [app.name for app in players(role, catalogue)]) for role in one.roles],
        )
        for one in library.of("android")
    ]


def _fill_by_chance(pools: Sequence[_Pools]) -> None:
    tasks: dict[str, str] = {}
    while len(tasks) < TASKS:
        chosen = random.choice(pools)
        task, instruction = chosen.task, random.choice(chosen.phrasings)
        for gap, texts in chosen.items:
            item = random.choice(texts)
            task, instruction = task.replace(gap, item), instruction.replace(gap, item)
        for gap, apps in chosen.apps:
            instruction = instruction.replace(gap, random.choice(apps))
        tasks[task] = instruction


if __name__ == "__main__":
    for figure in measure():
        print(figure.name, figure.shown, figure.floor_shown, figure.ratio_shown)
