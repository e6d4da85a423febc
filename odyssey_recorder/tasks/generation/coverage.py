"""Coverage: the number of tasks that exist and are wanted for each category, device and class of apps."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import TypeVar

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.generation.generator import Targets
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import FINISHED, QueuedTask, Status
from odyssey_recorder.tasks.templates.template import OTHER, Catalogue, Role, Template, TemplateLibrary
from odyssey_recorder.tasks.templates.template_rules import can_be_cast, players

K = TypeVar("K")

_NONE = 1e-9
"""Fractions of tasks below this are rounding errors."""


@dataclass(frozen=True, slots=True)
class Cell:
    category: str
    device: str
    app_class: str


@dataclass(frozen=True, slots=True)
class Tally:
    """A task counts 1 over all cells, in equal parts. `open` ones are to be approved, waiting or under way."""

    open: float = 0.0
    recorded: float = 0.0
    wanted: float = 0.0

    @property
    def there(self) -> float:
        return self.open + self.recorded

    @property
    def lacking(self) -> float:
        return max(0.0, self.wanted - self.there)

    @property
    def whole(self) -> tuple[int, int]:
        """Existing and wanted whole tasks: at least 1 is wanted, and 0 existing stays 0."""
        if self.wanted < _NONE:
            return floor(self.there + 0.5), 0
        wanted = max(1, floor(self.wanted + 0.5))
        lacking = wanted if self.there < _NONE else min(wanted, floor(self.lacking + 0.5))
        return wanted - lacking if lacking else max(wanted, floor(self.there + 0.5)), wanted

    @property
    def missing(self) -> int:
        """How many whole tasks must be generated."""
        count, wanted = self.whole
        return max(0, wanted - count)

    @property
    def capped(self) -> "Tally":
        """Without the surplus, which would hide what is missing elsewhere."""
        recorded = min(self.recorded, self.wanted)
        return Tally(min(self.open, self.wanted - recorded), recorded, self.wanted)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.open + other.open, self.recorded + other.recorded, self.wanted + other.wanted)


@dataclass(frozen=True, slots=True)
class Coverage:
    """`emptiest` are the cells where tasks are missing, the most lacking first.

    No device stands for all of them; a surplus on one then does not make up for what another lacks.
    """

    tallies: Mapping[Cell, Tally]
    emptiest: tuple[Cell, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.category for cell in self.tallies))

    @property
    def devices(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.device for cell in self.tallies))

    def at(self, category: str, device: str = "") -> Tally:
        if not device:
            return sum((self.at(category, of_device).capped for of_device in self.devices), Tally())
        return sum(self.classes(category, device).values(), Tally())

    def classes(self, category: str, device: str = "") -> Mapping[str, Tally]:
        found: defaultdict[str, Tally] = defaultdict(Tally)
        for cell, tally in self.tallies.items():
            if cell.category == category and device in ("", cell.device):
                found[cell.app_class] += tally if device else tally.capped
        return found


def cover(
    tasks: Iterable[QueuedTask], library: TemplateLibrary, catalogue: str, targets: Targets, devices: Sequence[str]
) -> Coverage:
    """The coverage of all tasks on `devices`, which must belong to one catalogue.

    The total wanted, that of the targets or else the number of tasks, is divided by the targets over categories and
    devices, and equally over the classes of apps that its templates can ask for. Rejected tasks do not count.
    """
    apps, templates = library.catalogues[catalogue], library.of(catalogue)
    of_template = {template.template_id: template.catalogue for template in library.templates}
    opened: defaultdict[Cell, float] = defaultdict(float)
    recorded: defaultdict[Cell, float] = defaultdict(float)
    total = 0
    for task in tasks:
        if task.status is Status.REJECTED or not _belongs(task.listed, of_template, apps):
            continue
        cells = list(_cells(task.listed, apps, devices))
        total += bool(cells)
        for cell in cells:
            (recorded if task.status in FINISHED else opened)[cell] += 1 / len(cells)
    wanted = _wanted(targets.tasks or max(total, 1), templates, apps, targets, devices)
    tallies = {
        cell: Tally(opened[cell], recorded[cell], wanted.get(cell, 0.0))
        for cell in sorted({*wanted, *opened, *recorded}, key=lambda cell: _place(cell, devices))
    }
    lacking = [cell for cell, tally in tallies.items() if tally.missing]
    return Coverage(tallies, tuple(sorted(lacking, key=lambda cell: -tallies[cell].lacking)))


def asking_for(library: TemplateLibrary, catalogue: str, app_class: str) -> TemplateLibrary:
    apps = library.catalogues[catalogue]
    narrowed = (_narrowed(template, apps, app_class) for template in library.of(catalogue))
    return replace(library, templates=tuple(template for template in narrowed if template is not None))


def _narrowed(template: Template, apps: Catalogue, app_class: str) -> Template | None:
    for place, role in enumerate(template.roles):
        fitting = tuple(app.name for app in players(role, apps) if app.app_class == app_class)
        roles = (*template.roles[:place], Role(role.name, fitting), *template.roles[place + 1 :])
        if fitting and can_be_cast(roles, apps):
            return replace(template, roles=roles)
    return None


def _belongs(task: ListedTask, of_template: Mapping[str, str], apps: Catalogue) -> bool:
    if task.template in of_template:
        return of_template[task.template] == apps.name
    return any(app in apps.by_name for app in task.task.apps)


def _cells(task: ListedTask, apps: Catalogue, devices: Sequence[str]) -> Iterator[Cell]:
    for device in filter(task.fits, devices):
        for app in task.task.apps:
            yield Cell(task.task.category, device, apps.class_of(app))


def _wanted(
    total: int, templates: Collection[Template], apps: Catalogue, targets: Targets, devices: Sequence[str]
) -> Mapping[Cell, float]:
    on_devices = _shares({device: targets.devices.get(device, 0.0) for device in devices})
    of_categories = _shares({category: targets.categories.get(category, 0.0) for category in Category})
    return {
        Cell(category.value, device, app_class): total * of_category * on_device / len(classes)
        for category, of_category in of_categories.items()
        for classes in [_classes(category, templates, apps)]
        for device, on_device in on_devices.items()
        for app_class in classes
    }


def _shares(targets: Mapping[K, float]) -> Mapping[K, float]:
    whole = sum(targets.values())
    return {name: share / whole if whole else 1 / len(targets) for name, share in targets.items()}


def _classes(category: Category, templates: Iterable[Template], apps: Catalogue) -> Sequence[str]:
    requested = {
        app.app_class
        for template in templates
        if template.category is category
        for role in template.roles
        for app in players(role, apps)
    }
    return [name for name in (*apps.classes, OTHER) if name in requested] or [OTHER]


def _place(cell: Cell, devices: Sequence[str]) -> tuple[str, int, str]:
    return cell.category, devices.index(cell.device), cell.app_class
