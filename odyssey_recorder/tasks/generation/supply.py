"""What each template can still give, and proportional rotation of categories, templates, phrasings and apps."""

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from heapq import heapify, heappop, heappush, heapreplace
from itertools import cycle, product
from random import Random
from typing import Generic, NamedTuple, TypeVar

from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.text_origin import TextOrigin, Writer
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.filling import Fillings, fill, identity
from odyssey_recorder.tasks.templates.template import Catalogue, Role, Template
from odyssey_recorder.tasks.templates.template_rules import players

_Item = TypeVar("_Item", bound=Hashable)


class Apportionment(Generic[_Item]):
    """Gives the item that lags most behind its share; ties are broken by `rng`.

    `had` counts earlier uses. Shares are positive; the share of a dropped item goes to the others. This is the
    Sainte-Laguë method of apportionment: the counts are in proportion after every turn.
    """

    def __init__(self, shares: Mapping[_Item, float], had: Mapping[_Item, int], rng: Random) -> None:
        self.items = tuple(shares)
        self._steps = tuple(1 / share for share in shares.values())
        self._draw = rng.random
        self._heap = [
            ((had.get(item, 0) + 0.5) * step, self._draw(), number)
            for number, (item, step) in enumerate(zip(self.items, self._steps, strict=True))
        ]
        heapify(self._heap)

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def first(self) -> _Item:
        """Raises IndexError if no item is left."""
        return self.items[self._heap[0][2]]

    def serve(self) -> None:
        had, _, number = self._heap[0]
        heapreplace(self._heap, (had + self._steps[number], self._draw(), number))

    def drop(self) -> None:
        heappop(self._heap)

    def take(self, unless: Container[_Item] = ()) -> _Item | None:
        """Serve the first item that is not in `unless`; None if there is none."""
        heap, aside = self._heap, []
        while heap and self.items[heap[0][2]] in unless:
            aside.append(heappop(heap))
        item = None
        if heap:
            item = self.first
            self.serve()
        for entry in aside:
            heappush(heap, entry)
        return item


class AppApportionments:
    def __init__(self, catalogue: Catalogue, have: Iterable[ListedTask], rng: Random) -> None:
        self._catalogue = catalogue
        self._had = Counter(played for task in have for played in task.roles.items())
        self._chance = rng
        self._rotation: dict[Role, Apportionment[str]] = {}

    def casting(self, roles: tuple[Role, ...]) -> "RoleCasting":
        return RoleCasting({role.name: self._rotation_of(role) for role in roles})

    def _rotation_of(self, role: Role) -> Apportionment[str]:
        if role not in self._rotation:
            names = [app.name for app in players(role, self._catalogue)]
            had = {name: self._had[role.name, name] for name in names}
            self._rotation[role] = Apportionment(dict.fromkeys(names, 1.0), had, self._chance)
        return self._rotation[role]


class RoleCasting:
    def __init__(self, rotation: dict[str, Apportionment[str]]) -> None:
        self._rotation = rotation
        self._hardest_first = sorted(rotation.items(), key=lambda role: len(role[1].items))

    def cast(self) -> dict[str, str]:
        chosen: dict[str, str] = {}
        for role, rotation in self._hardest_first:
            app = rotation.take(unless=chosen.values())
            if app is None:
                return self._any_cast()
            chosen[role] = app
        return {role: chosen[role] for role in self._rotation}

    def _any_cast(self) -> dict[str, str]:
        casts = product(*(rotation.items for rotation in self._rotation.values()))
        cast = next(cast for cast in casts if len(set(cast)) == len(cast))
        return dict(zip(self._rotation, cast, strict=True))


_DIGITS = 12
"""Hex digits of a task id after the template id; enough to avoid collisions within a template."""


class Filled(NamedTuple):
    values: Mapping[str, str]
    task: str
    key: str


class Supply:
    def __init__(
        self, template: Template, fillings: Fillings, casting: RoleCasting, *, seed: int, names_apps: bool
    ) -> None:
        self.template = template
        self.fillings = fillings
        self._casting = casting
        rng = Random(f"{seed} {template.template_id}")
        phrasings = template.named_phrasings if names_apps else template.phrasings
        self._phrasings = cycle(sorted(phrasings, key=lambda _: rng.random()))
        self._numbers = _numbers(fillings.count, rng)
        self._category = template.category.value
        self._origin = TextOrigin(Writer.PHRASING, names_apps=names_apps)

    def draw(self, used: set[str]) -> Filled | None:
        """A filling whose identity is not in `used`, and is then added to it; None if none is left."""
        for number in self._numbers:
            values = self.fillings.nth(number)
            task = fill(self.template.meta_task, values)
            key = identity(task)
            if key not in used:
                used.add(key)
                return Filled(values, task, key)
        return None

    def task(self, filled: Filled, devices: tuple[str, ...]) -> ListedTask:
        template, roles = self.template, self._casting.cast()
        values, task, key = filled
        instruction = fill(next(self._phrasings), {**values, **roles})
        return ListedTask(
            task_id=f"{template.template_id}-{sha256(key.encode()).hexdigest()[:_DIGITS]}",
            task=TaskInfo(self._category, tuple(roles.values()), template.meta_task, task, instruction),
            item="; ".join(values.values()),
            devices=devices,
            start=template.start,
            notes=template.notes,
            due=self.fillings.due(values),
            template=template.template_id,
            slots=values,
            roles=roles,
            text=self._origin,
        )


def phrased(task: ListedTask, template: Template) -> ListedTask:
    """The task in one of its template's phrasings, always the same one. Raises KeyError if the slots have changed."""
    names_apps = task.text is None or task.text.names_apps
    phrasings = template.named_phrasings if names_apps else template.phrasings
    chosen = phrasings[int(sha256(task.task.task.encode()).hexdigest(), 16) % len(phrasings)]
    words = fill(chosen, {**task.slots, **task.roles})
    text = TextOrigin(Writer.PHRASING, names_apps=names_apps)
    return replace(task, task=replace(task.task, instruction=words), text=text)


def _numbers(count: int, rng: Random) -> Iterator[int]:
    """In random order; memory grows with the numbers drawn."""
    moved: dict[int, int] = {}
    for last in range(count - 1, -1, -1):
        # Only random() gives the same sequence in every version of Python.
        place = int(rng.random() * (last + 1))
        yield moved.get(place, place)
        moved[place] = moved.pop(last, last)
