"""Templates with their slots and roles, and catalogues of apps."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from odyssey_recorder.model.assignment import AsFound, StartState
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.plain_text import counted

OTHER = "Other"
_MOST_ROLES = 5


@dataclass(frozen=True, slots=True)
class CatalogueApp:
    """`app_class` is a class of its catalogue or `OTHER`.

    `countries` are the only ones that the app serves, empty for all; `account` is the account that it needs, if any.
    An app of a team may be used wherever a template names the one that it is `like`. `aliases` are its other names, in
    released data for instance.
    """

    name: str
    package: str
    app_class: str
    roles: frozenset[str] = frozenset()
    countries: tuple[str, ...] = ()
    account: str = ""
    like: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """In file order; names and packages are unique. `lacks` says of each app that the team does not have why not."""

    name: str
    title: str
    classes: tuple[str, ...]
    apps: tuple[CatalogueApp, ...]
    source: Path | None = None
    lacks: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, CatalogueApp]:
        return {app.name: app for app in self.apps}

    @cached_property
    def by_package(self) -> Mapping[str, CatalogueApp]:
        return {app.package: app for app in self.apps}

    def that_play(self, role: str) -> tuple[CatalogueApp, ...]:
        return tuple(app for app in self.apps if role in app.roles and app.name not in self.lacks)

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
class LeftOut:
    """A template that the team lacks apps for: those of `roles`. It would give `tasks` distinct tasks."""

    catalogue: str
    roles: str
    tasks: int


@dataclass(frozen=True, slots=True)
class TemplateLibrary:
    """All templates; no tasks are made from those `left_out`, by template id."""

    templates: tuple[Template, ...]
    catalogues: Mapping[str, Catalogue]
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)

    def of(self, catalogue: str) -> tuple[Template, ...]:
        """The templates that the team has all apps for."""
        of_catalogue = (template for template in self.templates if template.catalogue == catalogue)
        return tuple(template for template in of_catalogue if template.template_id not in self.left_out)

    def left_out_text(self, catalogue: str) -> str:
        """How many templates and tasks are left out and why, in a sentence; empty if none are."""
        left_out = [template for template in self.left_out.values() if template.catalogue == catalogue]
        if not left_out:
            return ""
        roles = Counter(template.roles for template in left_out).most_common()
        named = ", ".join(f"{role} ({count})" for role, count in roles[:_MOST_ROLES])
        more = f" and {len(roles) - _MOST_ROLES} more" if len(roles) > _MOST_ROLES else ""
        what = f"{counted(left_out, 'template')} with {counted(sum(one.tasks for one in left_out), 'task')}"
        return f"{what} left out, because the team has no app for {named}{more}."

    def catalogue_for(self, template: str, apps: Iterable[str]) -> Catalogue:
        for known in self.templates:
            if known.template_id == template:
                return self.catalogues[known.catalogue]
        wanted = set(apps)
        fitting = (catalogue for catalogue in self.catalogues.values() if wanted <= catalogue.by_name.keys())
        return next(fitting, Catalogue("", "", (), ()))
