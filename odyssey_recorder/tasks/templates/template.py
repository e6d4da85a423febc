"""Templates with their slots and roles, and catalogues of apps."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from odyssey_recorder.model.assignment import AsFound, StartState
from odyssey_recorder.model.episode import Category

OTHER = "Other"


@dataclass(frozen=True, slots=True)
class CatalogueApp:
    """`app_class` is a class of its catalogue or `OTHER`."""

    name: str
    package: str
    app_class: str
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Catalogue:
    """In file order; names and packages are unique."""

    name: str
    title: str
    classes: tuple[str, ...]
    apps: tuple[CatalogueApp, ...]
    source: Path | None = None

    @cached_property
    def by_name(self) -> Mapping[str, CatalogueApp]:
        return {app.name: app for app in self.apps}

    @cached_property
    def by_package(self) -> Mapping[str, CatalogueApp]:
        return {app.package: app for app in self.apps}

    def that_play(self, role: str) -> tuple[CatalogueApp, ...]:
        return tuple(app for app in self.apps if role in app.roles)

    def class_of(self, app: str) -> str:
        found = self.by_name.get(app)
        return OTHER if found is None else found.app_class


DateWords = Literal["relative", "weekday", "date"]
"""How a day is named: "in 3 days", "next Friday" (both valid for any day of recording), or "4 December"."""


@dataclass(frozen=True, slots=True)
class Items:
    """One of these texts, including the items of its pools."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number from `first` to `last` inclusive, by `step`, within `words` ("{} minutes")."""

    first: int
    last: int
    step: int = 1
    words: str = "{}"


@dataclass(frozen=True, slots=True)
class DaySlotRange:
    """A day `first` to `last` days (inclusive) after the day of recording."""

    first: int
    last: int
    words: DateWords = "relative"


Slot = Items | Numbers | DaySlotRange


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    apps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """One template. Gaps are slot names in braces in `meta_task` and in every phrasing: ``{item}``.

    `phrasings` are instructions without app names; `named_phrasings` name every app by its role: ``{notes}``. `devices`
    are the profiles it fits, empty for all; `catalogue` is where its apps come from.
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
    templates: tuple[Template, ...]
    catalogues: Mapping[str, Catalogue]

    def of(self, catalogue: str) -> tuple[Template, ...]:
        return tuple(template for template in self.templates if template.catalogue == catalogue)

    def catalogue_for(self, template: str, apps: Iterable[str]) -> Catalogue:
        for known in self.templates:
            if known.template_id == template:
                return self.catalogues[known.catalogue]
        wanted = set(apps)
        fitting = (catalogue for catalogue in self.catalogues.values() if wanted <= catalogue.by_name.keys())
        return next(fitting, Catalogue("", "", (), ()))
