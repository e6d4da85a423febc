"""What one template can still give: its tasks, each once, in an order of chance."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import cycle
from random import Random
from typing import NamedTuple

from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.text_origin import TextOrigin, Writer
from odyssey_recorder.task.generation.app_choice import Company
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.templates.filling import Fillings, fill, identity
from odyssey_recorder.task.templates.template import Template

_DIGITS = 12
"""Of a task's id, behind the template's: so many that no two tasks of a template have the same."""


class Filled(NamedTuple):
    """A template with its gaps filled: what fills each, the words that this makes, and their identity."""

    values: Mapping[str, str]
    task: str
    told: str


class Supply:
    """The tasks of a template; each is told by a phrasing, of which all are used equally often."""

    def __init__(
        self, template: Template, fillings: Fillings, company: Company, *, seed: int, names_apps: bool
    ) -> None:
        self.template = template
        self.fillings = fillings
        self._company = company
        chance = Random(f"{seed} {template.template_id}")
        phrasings = template.named_phrasings if names_apps else template.phrasings
        self._phrasings = cycle(sorted(phrasings, key=lambda _: chance.random()))
        self._numbers = _numbers(fillings.count, chance)
        self._category = template.category.value
        self._origin = TextOrigin(Writer.PHRASING, names_apps=names_apps)

    def draw(self, taken: set[str]) -> Filled | None:
        """A filling whose identity is not `taken`, and is from now on; None where there is none left."""
        for number in self._numbers:
            values = self.fillings.nth(number)
            task = fill(self.template.meta_task, values)
            told = identity(task)
            if told not in taken:
                taken.add(told)
                return Filled(values, task, told)
        return None

    def task(self, filled: Filled, devices: tuple[str, ...]) -> ListedTask:
        """The task of a filling, for these devices."""
        template, roles = self.template, self._company.cast()
        values, task, told = filled
        instruction = fill(next(self._phrasings), {**values, **roles})
        return ListedTask(
            task_id=f"{template.template_id}-{sha256(told.encode()).hexdigest()[:_DIGITS]}",
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


def _numbers(count: int, chance: Random) -> Iterator[int]:
    """All numbers below `count`, shuffled; the memory it takes grows with those that were taken."""
    moved: dict[int, int] = {}
    for last in range(count - 1, -1, -1):
        # Only random() gives the same in every version of Python.
        place = int(chance.random() * (last + 1))
        yield moved.get(place, place)
        moved[place] = moved.pop(last, last)
