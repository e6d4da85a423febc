"""Which apps there are on a kind of device: their names, packages and classes, and the roles that each can play."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

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
        """The apps by their names."""
        return {app.name: app for app in self.apps}

    @cached_property
    def by_package(self) -> Mapping[str, CatalogueApp]:
        """The apps by their packages."""
        return {app.package: app for app in self.apps}

    def that_play(self, role: str) -> tuple[CatalogueApp, ...]:
        """The apps that can play a role, in the catalogue's order."""
        return tuple(app for app in self.apps if role in app.roles)

    def class_of(self, app: str) -> str:
        """The class of the app of this name; `OTHER` for one that is not here."""
        found = self.by_name.get(app)
        return OTHER if found is None else found.app_class
