"""Generates tasks in proportion to the targets, without duplicates and reproducibly for a seed."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice
from random import Random
from typing import TypeVar

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.generation.supply import AppApportionments, Apportionment, Supply
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.filling import Fillings, identity
from odyssey_recorder.tasks.templates.template import Template, TemplateLibrary
from odyssey_recorder.tasks.templates.template_rules import FURTHEST_DAY

_Kind = TypeVar("_Kind")
_DAYS_NAMED = timedelta(FURTHEST_DAY + 1)
"""From the day before recording begins (the due date for naming that day) to the last day that a task can name."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Shares, and how many `tasks` are wanted in all; 0 for as many as there are."""

    categories: Mapping[Category, float] = field(default_factory=dict)
    devices: Mapping[str, float] = field(default_factory=dict)
    tasks: int = 0

    def for_device(self, device: str) -> "Targets":
        return replace(self, devices={device: 1.0}) if device else self


@dataclass(frozen=True, slots=True)
class GenerationOrder:
    """What to generate: `count` tasks for the devices of a catalogue. Equal orders give equal tasks.

    `have` are the existing tasks: none of them is generated again, and the proportions hold for both together. `day` is
    the first day of recording, from which dates are computed. `categories` restricts what is generated.
    """

    count: int
    seed: int
    day: date
    catalogue: str = "android"
    targets: Targets = Targets()
    names_apps: bool = True
    categories: Set[Category] = frozenset(Category)
    have: tuple[ListedTask, ...] = ()


@dataclass(frozen=True, slots=True)
class GeneratedTasks:
    """`left_out` says how many templates are left out and why; empty if none are."""

    tasks: tuple[ListedTask, ...]
    left: Mapping[Category, int]
    left_out: str = ""


def generate(library: TemplateLibrary, order: GenerationOrder) -> GeneratedTasks:
    """The tasks of an order; fewer than ordered if the templates give no more.

    Categories follow their targets, devices follow theirs within each category and overall, and the templates of a
    category and the apps of a role are used equally often; different roles of a task get different apps. With device
    targets, each task is for one device. Raises TaskError for an unknown catalogue, invalid targets, or dates beyond
    the calendar.
    """
    if order.catalogue not in library.catalogues:
        names = " or ".join(sorted(library.catalogues))
        raise TaskError(f'No catalogue is named "{order.catalogue}"; choose {names}.')
    if not date.min + _DAYS_NAMED <= order.day <= date.max - _DAYS_NAMED:
        raise TaskError(
            f"Recording cannot begin on {order.day}: tasks would name days outside the calendar. Choose the day on "
            "which recording begins."
        )
    ids = {template.template_id for template in library.templates if template.catalogue == order.catalogue}
    taken = {identity(task.task.task) for task in order.have}
    have = tuple(task for task in order.have if task.template in ids)
    generation = _Generation(library, replace(order, have=have), taken)
    tasks = tuple(islice(generation.tasks(), order.count))
    return GeneratedTasks(tasks, generation.left(), library.left_out_text(order.catalogue))


def suitable(
    library: TemplateLibrary, catalogue: str, categories: Set[Category], targets: Targets
) -> tuple[Template, ...]:
    wanted = categories & _shares(targets.categories, Category).keys()
    devices = set(_shares(targets.devices, targets.devices))
    return tuple(
        template
        for template in library.of(catalogue)
        if template.category in wanted and not (devices and template.devices and devices.isdisjoint(template.devices))
    )


def left(library: TemplateLibrary, tasks: Iterable[ListedTask], day: date) -> Mapping[str, int]:
    """By template id, for recording that begins on `day`, without those left out.

    Tasks that do not name their template are matched by text.
    """
    templates = {one.template_id: one for one in library.templates if one.template_id not in library.left_out}
    fillings = {template_id: Fillings(template, day) for template_id, template in templates.items()}
    of_template: set[tuple[str, ...]] = set()
    of_words: set[str] = set()
    for task in tasks:
        template = templates.get(task.template)
        if template is None or template.meta_task != task.task.meta_task:
            of_words.add(identity(task.task.task))
        elif fillings[task.template].gives(task.slots):
            of_template.add((task.template, *(task.slots[name] for name in template.slots)))
    used = _used(fillings, of_words) + Counter(template_id for template_id, *_ in of_template)
    return {template_id: all_of_it.count - used[template_id] for template_id, all_of_it in fillings.items()}


class _Generation:
    def __init__(self, library: TemplateLibrary, order: GenerationOrder, taken: set[str]) -> None:
        self._devices = _Devices(order)
        self._taken = taken
        templates = suitable(library, order.catalogue, order.categories, order.targets)
        self._supplies = _supplies(templates, library, order)
        used = _used({name: supply.fillings for name, supply in self._supplies.items()}, self._taken)
        self._left = {name: supply.fillings.count - used[name] for name, supply in self._supplies.items()}
        rng = Random(order.seed)
        self._templates = self._rotation_of_templates(order, rng)
        self._categories = self._rotation_of_categories(order, rng)

    def tasks(self) -> Iterator[ListedTask]:
        while self._categories:
            task = self._next_of(self._categories.first)
            if task is None:
                self._categories.drop()
            else:
                self._categories.serve()
                yield task

    def left(self) -> Mapping[Category, int]:
        left = dict.fromkeys(Category, 0)
        for name, count in self._left.items():
            left[self._supplies[name].template.category] += count
        return left

    def _next_of(self, category: Category) -> ListedTask | None:
        rotation = self._templates[category]
        while rotation:
            name = rotation.first
            supply = self._supplies[name]
            filled = supply.draw(self._taken)
            if filled is not None:
                rotation.serve()
                self._left[name] -= 1
                return supply.task(filled, self._devices.take(supply.template))
            rotation.drop()
            self._left[name] = 0
        return None

    def _rotation_of_templates(self, order: GenerationOrder, rng: Random) -> Mapping[Category, Apportionment[str]]:
        had = Counter(task.template for task in order.have)
        names: dict[Category, list[str]] = defaultdict(list)
        for name, supply in self._supplies.items():
            names[supply.template.category].append(name)
        return {category: Apportionment(dict.fromkeys(some, 1.0), had, rng) for category, some in names.items()}

    def _rotation_of_categories(self, order: GenerationOrder, rng: Random) -> Apportionment[Category]:
        had = Counter(Category(task.task.category) for task in order.have)
        return Apportionment(_shares(order.targets.categories, self._templates), had, rng)


class _Devices:
    """Chooses the device of each task by its deficit, both within the category and overall."""

    def __init__(self, order: GenerationOrder) -> None:
        wanted = order.targets.devices
        self._shares = _shares(wanted, sorted(wanted))
        self._had: Counter[str] = Counter()
        self._had_here: Counter[tuple[str, str]] = Counter()
        for task in order.have:
            self._count(task.task.category, task.devices)

    def take(self, template: Template) -> tuple[str, ...]:
        if not self._shares:
            return template.devices
        category = template.category.value
        device = min(
            [name for name in self._shares if not template.devices or name in template.devices],
            key=lambda name: (self._had[name] + self._had_here[category, name] + 1) / self._shares[name],
        )
        self._count(category, (device,))
        return (device,)

    def _count(self, category: str, devices: Iterable[str]) -> None:
        for device in devices:
            self._had[device] += 1
            self._had_here[category, device] += 1


def _supplies(templates: Iterable[Template], library: TemplateLibrary, order: GenerationOrder) -> Mapping[str, Supply]:
    apps = AppApportionments(library.catalogues[order.catalogue], order.have, Random(f"{order.seed} apps"))
    return {
        template.template_id: Supply(
            template,
            Fillings(template, order.day),
            apps.casting(template.roles),
            seed=order.seed,
            names_apps=order.names_apps,
        )
        for template in templates
    }


def _used(fillings: Mapping[str, Fillings], known: Iterable[str]) -> Counter[str]:
    by_lead: dict[str, list[str]] = defaultdict(list)
    for name, all_of_it in fillings.items():
        by_lead[all_of_it.lead].append(name)
    lengths = sorted({len(lead) for lead in by_lead})
    used: Counter[str] = Counter()
    for task in known:
        likely = [name for length in lengths for name in by_lead.get(task[:length], ())]
        used.update(name for name in likely if fillings[name].holds(task))
    return used


def _shares(wanted: Mapping[_Kind, float], kinds: Iterable[_Kind]) -> dict[_Kind, float]:
    """Without the shares of 0; equal if none is wanted. Raises TaskError."""
    for kind, share in wanted.items():
        if not (math.isfinite(share) and share >= 0):
            raise TaskError(f"The target of {kind} is {share}; it must be 0 or more.")
    shares = {kind: wanted.get(kind, 0.0) if wanted else 1.0 for kind in kinds}
    return {kind: share for kind, share in shares.items() if share > 0}
