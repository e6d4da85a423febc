"""Templates: words with gaps, what may fill each gap, and the apps it takes; catalogues: the apps there are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from odyssey_recorder.model.assignment import AsFound, StartState
from odyssey_recorder.model.episode import Category

OTHER = "Other"
"""The class of an app that fits none."""


@dataclass(frozen=True, slots=True)
class CatalogueApp:
    """One app: `app_class` is a class of its catalogue or `OTHER`, `roles` what a template may need it for."""

    name: str
    package: str
    app_class: str
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Catalogue:
    """The apps of a kind of device, in the order of their file; names and packages are each there once."""

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
        """The apps that can play a role, in the catalogue's order."""
        return tuple(app for app in self.apps if role in app.roles)

    def class_of(self, app: str) -> str:
        """The class of the app of this name; `OTHER` for one that is not here."""
        found = self.by_name.get(app)
        return OTHER if found is None else found.app_class


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
