"""What a task template is: words with gaps, what may fill each gap, and which apps it takes to carry the task out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from odyssey_recorder.model.assignment import AsFound, StartState
from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.templates.catalogue import Catalogue

DateWords = Literal["relative", "weekday", "date"]
"""How a day is named: "in 3 days", "next Friday" (both true whenever the day of recording is), or "4 December"."""


@dataclass(frozen=True, slots=True)
class Items:
    """A gap that one of these texts fills; what comes from pools was put in when the files were read."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A gap that a number fills: from `first` to `last`, both in, by `step`; `words` holds it ("{} minutes")."""

    first: int
    last: int
    step: int = 1
    words: str = "{}"


@dataclass(frozen=True, slots=True)
class DaySlotRange:
    """A gap that a day fills, `first` to `last` days behind the day of recording, both in."""

    first: int
    last: int
    words: DateWords = "relative"


Slot = Items | Numbers | DaySlotRange


@dataclass(frozen=True, slots=True)
class Role:
    """What an app is needed for; only the apps of these names may play it, where there are some."""

    name: str
    apps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """One template. Its gaps are the slots' names in braces, in `meta_task` and in every phrasing: ``{item}``.

    `phrasings` say the filled task as a person would, without a name of an app; `named_phrasings` name every app by the
    role that it plays: ``{notes}``. `devices` are the profiles it fits, none for all. `catalogue` names where its apps
    come from.
    """

    template_id: str
    category: Category
    meta_task: str
    slots: Mapping[str, Slot]
    roles: tuple[Role, ...]
    phrasings: tuple[str, ...]
    named_phrasings: tuple[str, ...]
    catalogue: str = "android"
    devices: tuple[str, ...] = ()
    start: StartState = field(default_factory=AsFound)
    notes: str = ""
    source: Path | None = None


@dataclass(frozen=True, slots=True)
class TemplateLibrary:
    """All templates, in the order of category and id, and the catalogues that they take their apps from."""

    templates: tuple[Template, ...]
    catalogues: Mapping[str, Catalogue]

    def of(self, catalogue: str) -> tuple[Template, ...]:
        """The templates for the devices of one catalogue."""
        return tuple(template for template in self.templates if template.catalogue == catalogue)

    def catalogue_for(self, template: str, apps: Iterable[str]) -> Catalogue:
        """Where apps are from: the catalogue of the template, else the first that has them all, else an empty one."""
        for one in self.templates:
            if one.template_id == template:
                return self.catalogues[one.catalogue]
        wanted = set(apps)
        fitting = (one for one in self.catalogues.values() if wanted <= one.by_name.keys())
        return next(fitting, Catalogue("", "", (), ()))
